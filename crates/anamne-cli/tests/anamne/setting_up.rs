//! What set-up says of a configuration that a person wrote, and what of it stays when the set-up is taken back.

use serde_json::Value;

use crate::bench::Bench;

fn write(bench: &Bench, path: &str, text: &str) {
    let path = bench.folder().join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("written");
}

fn read(bench: &Bench, path: &str) -> String {
    std::fs::read_to_string(bench.folder().join(path)).expect("a file")
}

fn warnings(done: &Value) -> String {
    let hosts = done["hosts"].as_array().expect("hosts");
    hosts
        .iter()
        .map(|host| host["warnings"].to_string())
        .collect()
}

#[test]
fn what_is_switched_off_is_said_when_it_is_set_up() {
    let bench = Bench::new();
    write(
        &bench,
        ".claude/settings.json",
        "{\"disableAllHooks\": true}\n",
    );
    let codex = "[mcp_servers.anamne]\ncommand = \"anamne\"\nargs = [\"mcp\"]\nenabled = false\n\n[features]\nhooks = false\n";
    write(&bench, ".codex/config.toml", codex);
    let status = warnings(&bench.json(&["setup", "--status"]));
    let done = bench.json(&["setup", "--all", "--yes", "--no-import"]);
    let said = warnings(&done);
    for words in [
        "disableAllHooks is set",
        "is switched off",
        "hooks is false",
    ] {
        assert!(said.contains(words), "{words}: {done}");
    }
    assert!(status.contains("switched off"), "{status}");
    let shown = bench
        .run(&["setup", "--all", "--yes", "--no-import"])
        .stdout;
    assert!(
        shown.contains("note") && shown.contains("disableAllHooks"),
        "{shown}"
    );
}

#[test]
fn a_servers_arguments_and_a_tables_comments_outlive_a_set_up_that_is_taken_back() {
    let bench = Bench::new();
    let server = "{\n  \"n\": 1,\n  \"mcpServers\": {\n    \"anamne\": {\"command\": \"anamne\", \"args\": [\"mcp\", \"--space\", \"work\"]}\n  }\n}\n";
    write(&bench, ".claude.json", server);
    write(&bench, ".claude/settings.json", "{}\n");
    let table = "{\n  \"t\": 1,\n  \"mcpServers\": {\n    // \"github\": {\"command\": \"gh-mcp\"}\n  },\n  \"hooks\": {}\n}\n";
    write(&bench, ".gemini/settings.json", table);
    let done = bench.json(&["setup", "--all", "--yes", "--no-import"]);
    assert!(warnings(&done).contains("arguments of its own"), "{done}");
    assert!(read(&bench, ".claude.json").contains("\"work\""));
    // Hosts write their files themselves.
    for (path, key) in [
        (".claude.json", "\"n\": "),
        (".gemini/settings.json", "\"t\": "),
    ] {
        let text = read(&bench, path).replace(&format!("{key}1"), &format!("{key}2"));
        write(&bench, path, &text);
    }
    let removed = bench.run(&["setup", "--remove", "--all", "--yes"]);
    assert_eq!(removed.code, 0, "{}{}", removed.stdout, removed.stderr);
    assert!(removed.stdout.contains("so it stays"), "{}", removed.stdout);
    assert!(read(&bench, ".claude.json").contains("\"work\""));
    assert_eq!(
        read(&bench, ".gemini/settings.json"),
        table.replace("\"t\": 1", "\"t\": 2")
    );
    assert!(bench.folder().join(".claude/settings.json").exists());
}
