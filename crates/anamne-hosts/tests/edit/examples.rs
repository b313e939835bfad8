//! Texts as people and hosts write them, before and after.

use anamne_hosts::edit::{Document, EditError, Syntax, open};
use serde_json::{Value, json};

type Edit = fn(&mut dyn Document) -> Result<(), EditError>;

/// Applies an edit and compares the text. The same edit again must change nothing where it is a `set`.
fn check(syntax: Syntax, before: &str, edit: Edit, after: &str) {
    for (before, after) in [
        (before.to_owned(), after.to_owned()),
        (before.replace('\n', "\r\n"), after.replace('\n', "\r\n")),
        (format!("\u{feff}{before}"), format!("\u{feff}{after}")),
    ] {
        let mut document = open(syntax, &before).unwrap();
        edit(document.as_mut()).unwrap();
        // A text without any line break has no line ending of its own.
        let is_foreign = !before.contains('\n') && after.contains("\r\n");
        let after = if is_foreign {
            after.replace("\r\n", "\n")
        } else {
            after
        };
        assert_eq!(document.text(), after);
    }
}

fn server(document: &mut dyn Document) -> Result<(), EditError> {
    let entry = json!({ "args": ["mcp"], "command": "anamne" });
    document.set(&["mcpServers", "anamne"], &entry)?;
    document.set(&["mcpServers", "anamne"], &entry)
}

#[test]
fn json_gets_an_entry_in_its_own_indentation() {
    check(
        Syntax::Json,
        "{\n\t// servers\n\t\"mcpServers\": {\n\t\t\"other\": { \"command\": \"x\" } // keep\n\t},\n\t\"theme\": \"dark\"\n}",
        server,
        "{\n\t// servers\n\t\"mcpServers\": {\n\t\t\"other\": { \"command\": \"x\" }, // keep\n\t\t\"anamne\": {\n\t\t\t\"command\": \"anamne\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t}\n\t},\n\t\"theme\": \"dark\"\n}",
    );
    check(
        Syntax::Json,
        "{\n    \"a\": 1,\n    /* none yet */\n    \"mcpServers\": {},\n}\n",
        server,
        "{\n    \"a\": 1,\n    /* none yet */\n    \"mcpServers\": {\n        \"anamne\": {\n            \"command\": \"anamne\",\n            \"args\": [\n                \"mcp\"\n            ]\n        }\n    },\n}\n",
    );
    check(
        Syntax::Json,
        "{\"mcpServers\":{\"a\":{}}}",
        server,
        "{\"mcpServers\":{\"a\":{}, \"anamne\":{\"args\":[\"mcp\"],\"command\":\"anamne\"}}}",
    );
    let entry = "{\n  \"mcpServers\": {\n    \"anamne\": {\n      \"command\": \"anamne\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n";
    check(Syntax::Json, "", server, entry);
    check(Syntax::Json, "{}\n", server, entry);
}

#[test]
fn json_keeps_comments_when_entries_go() {
    let remove: Edit = |document| document.remove(&["a", "anamne"]).map(|_| ());
    let check = |before: &str, after: &str| check(Syntax::Json, before, remove, after);
    check(
        "{\"a\": {\n  // one\n  \"x\": 1, // two\n  // three\n  \"anamne\": 2 // four\n}}\n",
        "{\"a\": {\n  // one\n  \"x\": 1 // two\n  // three\n  // four\n}}\n",
    );
    check(
        "{\"a\": {\n  \"anamne\": {\n    \"k\": 1\n  },\n  \"x\": 1\n}}\n",
        "{\"a\": {\n  \"x\": 1\n}}\n",
    );
    check(
        "{\"a\": { \"anamne\": 1, \"x\": 2 }}",
        "{\"a\": { \"x\": 2 }}",
    );
    check(
        "{\"a\": { \"x\": 2, \"anamne\": 1 }}",
        "{\"a\": { \"x\": 2 }}",
    );
    check("{\"a\": {\n  \"anamne\": 1,\n}}", "{\"a\": {}}");
}

#[test]
fn json_lists_take_and_lose_entries() {
    let hook = json!([{ "hooks": [{ "type": "command", "command": "anamne hook" }] }]);
    let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [] }\n    ]\n  }\n}\n";
    let mut document = open(Syntax::Json, text).unwrap();
    document.push(&["hooks", "Stop"], &hook[0]).unwrap();
    document.push(&["hooks", "Start"], &hook[0]).unwrap();
    assert!(document.text().contains(
        "      { \"hooks\": [] },\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n"
    ));
    let ours = |value: &Value| !value.to_string().contains("anamne");
    assert_eq!(document.retain(&["hooks", "Stop"], &ours), Ok(1));
    assert_eq!(document.retain(&["hooks", "Start"], &ours), Ok(1));
    assert_eq!(document.get(&["hooks", "Start"]), Some(json!([])));
    assert_eq!(document.remove(&["hooks", "Start"]), Ok(true));
    assert_eq!(document.text(), text);
}

fn codex(document: &mut dyn Document) -> Result<(), EditError> {
    let entry = json!({ "command": "anamne", "args": ["mcp"], "env": { "K": "v" } });
    document.set(&["mcp_servers", "anamne"], &entry)?;
    document.set(&["mcp_servers", "anamne"], &entry)
}

const CODEX: &str =
    "[mcp_servers.anamne]\ncommand = \"anamne\"\nargs = [\"mcp\"]\nenv = { K = \"v\" }\n";

#[test]
fn toml_gets_a_section_next_to_its_kin() {
    let check = |before: &str, after: &str| check(Syntax::Toml, before, codex, after);
    check("", CODEX);
    check(
        "model = \"o\" # m\n",
        &format!("model = \"o\" # m\n\n{CODEX}"),
    );
    check(
        "[mcp_servers.a]\ncommand = 'x'\n# args = []\n\n# the rest\n[tui]\nx = 1979-05-27\n",
        &format!(
            "[mcp_servers.a]\ncommand = 'x'\n# args = []\n\n{CODEX}\n# the rest\n[tui]\nx = 1979-05-27\n"
        ),
    );
    check(
        "mcp_servers = { a = { command = 'x' } }\n",
        "mcp_servers = { a = { command = 'x' }, anamne = { command = \"anamne\", args = [\"mcp\"], env = { K = \"v\" } } }\n",
    );
    check(
        "mcp_servers.a.command = 'x'\n\n[tui]\n",
        "mcp_servers.a.command = 'x'\nmcp_servers.anamne = { command = \"anamne\", args = [\"mcp\"], env = { K = \"v\" } }\n\n[tui]\n",
    );
}

#[test]
fn toml_tables_change_key_by_key() {
    check(
        Syntax::Toml,
        "[mcp_servers.anamne]\n# mine\ncommand = \"old\" # why\nurl = 'x'\nenv.K = \"v\"\nargs = [\n  \"mcp\",\n]\n",
        codex,
        "[mcp_servers.anamne]\n# mine\ncommand = \"anamne\" # why\nenv.K = \"v\"\nargs = [\n  \"mcp\",\n]\n",
    );
    check(
        Syntax::Toml,
        "[features]\nhooks = false # off\n[a]\nb = 1\n",
        |document| {
            document.set(&["features", "hooks"], &json!(true))?;
            document.set(&["features", "more"], &json!(1.0))?;
            document.set(&["top"], &json!("x"))
        },
        "top = \"x\"\n[features]\nhooks = true # off\nmore = 1.0\n[a]\nb = 1\n",
    );
}

#[test]
fn toml_lists_of_tables_take_and_lose_sections() {
    let text =
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'x'\n\n[tui]\na = [\n  1, # one\n]\n";
    let mut document = open(Syntax::Toml, text).unwrap();
    let entry = json!({ "hooks": [{ "type": "command", "command": "anamne hook" }] });
    document.push(&["hooks", "Stop"], &entry).unwrap();
    document.push(&["hooks", "Start"], &entry).unwrap();
    document.push(&["tui", "a"], &json!(2)).unwrap();
    let section = "hooks = [{ type = \"command\", command = \"anamne hook\" }]\n";
    assert_eq!(
        document.text(),
        format!(
            "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'x'\n\n[[hooks.Stop]]\n{section}\n[[hooks.Start]]\n{section}\n[tui]\na = [\n  1, # one\n  2,\n]\n"
        )
    );
    let ours = |value: &Value| !value.to_string().contains("anamne");
    assert_eq!(document.retain(&["hooks", "Stop"], &ours), Ok(1));
    assert_eq!(document.retain(&["hooks", "Start"], &ours), Ok(1));
    assert_eq!(
        document.retain(&["tui", "a"], &|value| *value != json!(2)),
        Ok(1)
    );
    assert_eq!(document.text(), text);
}

fn goose(document: &mut dyn Document) -> Result<(), EditError> {
    let entry =
        json!({ "cmd": "anamne", "args": ["mcp"], "envs": {}, "name": "yes", "enabled": true });
    document.set(&["extensions", "anamne"], &entry)?;
    document.set(&["extensions", "anamne"], &entry)
}

const GOOSE: &str = "  anamne:\n    name: \"yes\"\n    enabled: true\n    cmd: anamne\n    args:\n      - mcp\n    envs: {}\n";

#[test]
fn yaml_gets_an_entry_in_its_own_indentation() {
    let check = |before: &str, after: &str| check(Syntax::Yaml, before, goose, after);
    check("", &format!("extensions:\n{GOOSE}"));
    check(
        "# mine\n---\n",
        &format!("# mine\n---\nextensions:\n{GOOSE}"),
    );
    check(
        "extensions: # all\n  dev:\n    cmd: x\n    # args: [y]\n\n# next\nmodel: >-\n  a\n  b\n",
        &format!(
            "extensions: # all\n  dev:\n    cmd: x\n    # args: [y]\n{GOOSE}\n# next\nmodel: >-\n  a\n  b\n"
        ),
    );
    check(
        "a: 1\nextensions: {} # none\nb: 2\n",
        &format!("a: 1\nextensions: # none\n{GOOSE}b: 2\n"),
    );
    check(
        "extensions:\nb: 2\n",
        &format!("extensions:\n{GOOSE}b: 2\n"),
    );
    check(
        "a:\n    b: [1]\n    c:\n    - 1\nextensions:\n    x: {}\n",
        "a:\n    b: [1]\n    c:\n    - 1\nextensions:\n    x: {}\n    anamne:\n        name: \"yes\"\n        enabled: true\n        cmd: anamne\n        args:\n        - mcp\n        envs: {}\n",
    );
    check(
        "extensions: { x: {} }\n",
        "extensions: { x: {}, anamne: { name: \"yes\", enabled: true, cmd: anamne, args: [mcp], envs: {} } }\n",
    );
}

#[test]
fn yaml_lists_take_and_lose_entries() {
    for text in [
        "mcpServers:\n  - name: a\n    command: x # c\n    # args\nmodels: []\n",
        "mcpServers:\n- name: \"a\"\n\n- name: b\n  env: {a: b}\nmodels:\n- x\n",
        "mcpServers: []\nname: é\n",
        "mcpServers: [ { name: a } ]\nz: 1",
        "mcpServers: [] # none\n",
    ] {
        let mut document = open(Syntax::Yaml, text).unwrap();
        let entry =
            json!({ "name": "anamne", "command": "anamne", "args": ["mcp", "--store", "a b"] });
        document.push(&["mcpServers"], &entry).unwrap();
        let list = document.get(&["mcpServers"]).unwrap();
        assert_eq!(list.as_array().unwrap().last(), Some(&entry));
        let ours = |value: &Value| value["name"] != "anamne";
        assert_eq!(document.retain(&["mcpServers"], &ours), Ok(1));
        assert_eq!(document.text(), text);
    }
}

#[test]
fn what_is_not_where_it_belongs_is_named() {
    let check = |syntax, text: &str, path: &[&str], message: &str| {
        let mut document = open(syntax, text).unwrap();
        let error = document.set(path, &json!({ "k": 1 })).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(document.text(), text);
    };
    let path = ["mcp", "servers", "anamne"];
    check(Syntax::Json, "{\"mcp\": []}", &path, "mcp is not a table");
    check(Syntax::Json, "{\"mcp\": null}", &path, "mcp is not a table");
    check(
        Syntax::Json,
        "{\"mcp\":{}, \"mcp\":{}}",
        &path,
        "mcp stands twice",
    );
    check(
        Syntax::Toml,
        "mcp.servers = 'x'\n",
        &path,
        "mcp.servers is not a table",
    );
    check(
        Syntax::Toml,
        "[[mcp]]\nx = 1\n",
        &path,
        "mcp is not a table",
    );
    check(
        Syntax::Toml,
        "mcp = { servers.a = 1 }\n",
        &path,
        "mcp.servers has dotted keys inside of braces",
    );
    check(Syntax::Yaml, "mcp: x\n", &path, "mcp is not a table");
    check(
        Syntax::Yaml,
        "a: &a {}\nmcp: *a\n",
        &path,
        "mcp is not a table",
    );
    check(
        Syntax::Yaml,
        "mcp:\n  a: 1\nmcp:\n  b: 1\n",
        &path,
        "mcp stands twice",
    );
    check(
        Syntax::Yaml,
        "? mcp\n:\n  servers:\n",
        &["mcp"],
        "mcp can't be edited without rewriting what is around it",
    );
    let push = open(Syntax::Json, "{\"a\": 1}")
        .unwrap()
        .push(&["a"], &json!(1));
    assert_eq!(push.unwrap_err().to_string(), "a is not a list");
}

#[test]
fn what_is_not_of_its_syntax_is_refused_with_the_line() {
    let check = |syntax, text: &str, start: &str| {
        let error = open(syntax, text).err().unwrap().to_string();
        assert!(error.starts_with(start), "{error}");
    };
    check(Syntax::Json, "{\n \"a\": 1\n \"b\": 2\n}", "line 2: ");
    check(Syntax::Json, "{\n 'a': 1\n}", "line 2: ");
    check(Syntax::Json, "[]", "the top level is not a table");
    check(Syntax::Toml, "a = 1\na = 2\n", "line 2: ");
    check(Syntax::Yaml, "a: 1\nb: [\n", "line 3: ");
    check(
        Syntax::Yaml,
        "a: 1\n---\nb: 1\n",
        "it holds several documents",
    );
    check(Syntax::Yaml, "- a\n", "the top level is not a table");
    check(
        Syntax::Yaml,
        "[a]: b\n",
        "it has a key that is a collection",
    );
}

#[test]
fn a_refused_edit_of_several_steps_changes_nothing() {
    let text = "[a]\nx = 1\ny = 2\n";
    let mut document = open(Syntax::Toml, text).unwrap();
    let result = document.set(&["a"], &json!({ "x": 2, "z": null }));
    assert_eq!(result.unwrap_err().to_string(), "TOML has no null");
    assert_eq!(document.text(), text);
}
