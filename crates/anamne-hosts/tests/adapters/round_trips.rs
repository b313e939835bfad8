//! Existing files get our entries and nothing else, once, and lose them again without a trace.

use anamne_hosts::{Connection, SetupScope};

use crate::place::Home;

/// Sets a host up on these files, which must connect it; again; with another program; and takes it out again.
fn check(id: &str, files: &[(&str, &str)]) {
    let home = Home::new();
    for (path, text) in files {
        home.write(path, text);
    }
    let is_project = files.iter().any(|(path, _)| path.starts_with("project/"));
    let scope = if is_project {
        home.project()
    } else {
        SetupScope::Person
    };
    let before = home.files();
    assert_eq!(home.status(id, &scope).server, Connection::Absent, "{id}");
    let plan = home.set_up(id, &scope);
    assert_eq!(plan.left_alone, [], "{id}");
    Home::apply(&plan);
    assert_set_up(&home, id, &scope, files);
    let home = home.with_program("/opt/a tool/anamne");
    assert_eq!(
        home.status(id, &scope).server,
        Connection::Different,
        "{id}"
    );
    let update = home.set_up(id, &scope);
    assert!(!update.changes.is_empty(), "{id}");
    Home::apply(&update);
    assert_set_up(&home, id, &scope, files);
    Home::apply(&home.remove(id, &scope));
    for (path, text) in files {
        assert_eq!(home.read(path), *text, "{id}: {path}");
    }
    assert_eq!(home.files(), before, "{id}");
    assert_eq!(home.status(id, &scope).server, Connection::Absent, "{id}");
}

fn assert_set_up(home: &Home, id: &str, scope: &SetupScope, files: &[(&str, &str)]) {
    let status = home.status(id, scope);
    assert_eq!(status.server, Connection::Current, "{id}");
    assert_eq!(home.set_up(id, scope).changes, [], "{id}");
    let program = &home.commands.program;
    for (path, text) in files {
        let after = home.read(path);
        for line in text.lines().map(|line| line.trim().trim_end_matches(',')) {
            assert!(after.contains(line), "{id}: {path} lost {line:?}");
        }
    }
    // A plugin and scripts are files of their own.
    let are_entries = !matches!(id, "opencode" | "cline");
    let hooks = status.hooks.iter().filter(|_| are_entries);
    for hook in hooks {
        let call = format!("hook{}--host{id}\"", hook.event);
        let list = format!("\"hook\",\"{}\",\"--host\",\"{id}\"", hook.event);
        let texts = home.files().into_iter().map(|file| {
            let text = std::fs::read_to_string(home.machine.home.parent().unwrap().join(file));
            text.unwrap().replace(char::is_whitespace, "")
        });
        let count: usize = texts
            .map(|text| text.matches(&call).count() + text.matches(&list).count())
            .sum();
        assert_eq!(
            count,
            usize::from(hook.configured),
            "{id} {program}: {}",
            hook.event
        );
    }
}

const CLAUDE_JSON: &str = r#"{
  "numStartups": 41,
  "projects": {
    "/code/x": {
      "mcpServers": {
        "anamne": { "command": "of the project" }
      },
      "history": ["one", "two"]
    }
  },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://example.com/mcp"
    }
  },
  "userID": "0123"
}"#;

const CLAUDE_SETTINGS: &str = r#"{
    "permissions": { "allow": ["Bash(ls:*)"] },
    "hooks": {
        "Stop": [
            { "hooks": [{ "type": "command", "command": "say done" }] }
        ],
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [{ "type": "command", "command": "anamne-lint hook prompt" }] }
        ]
    },
    "model": "opus"
}
"#;

#[test]
fn claude_code() {
    check(
        "claude-code",
        &[
            (".claude.json", CLAUDE_JSON),
            (".claude/settings.json", CLAUDE_SETTINGS),
            (".claude/CLAUDE.md", "# Mine\n\n- Tabs, please.\n"),
        ],
    );
    check(
        "claude-code",
        &[
            (
                "project/.mcp.json",
                "{\n\t\"mcpServers\": {\n\t\t\"x\": { \"command\": \"x\" }\n\t}\n}\n",
            ),
            ("project/CLAUDE.md", "No newline at the end"),
        ],
    );
}

#[test]
fn codex() {
    check(
        "codex",
        &[
            (
                ".codex/config.toml",
                "# My settings\nmodel = \"o5\" # fast\n\n[mcp_servers.docs]\ncommand = \"docs\"\nargs = []\n\n\
                 [projects.\"/code/x\"]\ntrust_level = \"trusted\"\n",
            ),
            (
                ".codex/hooks.json",
                "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say\" }] }\n    ]\n  }\n}\n",
            ),
            (".codex/AGENTS.md", "Be brief.\n"),
        ],
    );
}

#[test]
fn gemini_and_qwen_keep_servers_and_hooks_in_one_file() {
    let settings = "{\n  // The theme\n  \"theme\": \"Dracula\",\n  \"mcpServers\": {\n    \"docs\": { \"command\": \"docs\" }, // mine\n  },\n  \
        \"hooks\": {\n    \"SessionStart\": [\n      // greets\n      { \"matcher\": \"startup\", \"hooks\": [{ \"type\": \"command\", \
        \"command\": \"hello\" }] }\n    ]\n  }\n}\n";
    check(
        "gemini",
        &[
            (".gemini/settings.json", settings),
            (".gemini/GEMINI.md", "Hi.\n"),
        ],
    );
    check("gemini", &[("project/.gemini/settings.json", settings)]);
    check(
        "qwen",
        &[
            (".qwen/settings.json", settings),
            (".qwen/QWEN.md", "Hi.\r\n"),
        ],
    );
}

#[test]
fn copilot_and_cursor_have_flat_hooks() {
    let servers = "{\n  \"mcpServers\": {\n    \"docs\": { \"type\": \"local\", \"command\": \"docs\", \"tools\": [\"*\"] }\n  }\n}\n";
    check("copilot", &[(".copilot/mcp-config.json", servers)]);
    let hooks = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"./done.sh\" }\n    ]\n  }\n}\n";
    check(
        "cursor",
        &[(".cursor/mcp.json", servers), (".cursor/hooks.json", hooks)],
    );
}

#[test]
fn kiro_has_a_list_of_triggers() {
    let hooks = "{\n  \"version\": \"v1\",\n  \"hooks\": [\n    { \"name\": \"lint\", \"trigger\": \"Stop\", \"action\": { \"type\": \"command\", \
        \"command\": \"lint\" } }\n  ]\n}\n";
    let servers = "{\n  \"mcpServers\": {\n    \"docs\": { \"command\": \"docs\" }\n  }\n}\n";
    check(
        "kiro",
        &[
            (".kiro/settings/mcp.json", servers),
            (".kiro/hooks/anamne.json", hooks),
        ],
    );
}

#[test]
fn antigravity_has_named_groups() {
    let hooks = "{\n  \"lint\": {\n    \"Stop\": [\n      { \"type\": \"command\", \"command\": \"lint\" }\n    ]\n  }\n}\n";
    let servers = "{\n  \"mcpServers\": {\n    \"docs\": { \"command\": \"docs\" }\n  }\n}\n";
    check(
        "antigravity",
        &[
            (".gemini/config/mcp_config.json", servers),
            (".gemini/antigravity/mcp_config.json", servers),
            (".gemini/config/hooks.json", hooks),
        ],
    );
}

#[test]
fn hosts_without_hooks_of_their_own() {
    let servers = |key: &str| {
        format!(
            "{{\n  // mine\n  \"{key}\": {{\n    \"docs\": {{ \"command\": \"docs\" }}\n  }}\n}}\n"
        )
    };
    check(
        "amp",
        &[(".config/amp/settings.json", &servers("amp.mcpServers"))],
    );
    check(
        "claude-desktop",
        &[(
            ".config/Claude/claude_desktop_config.json",
            &servers("mcpServers"),
        )],
    );
    check(
        "cline",
        &[(
            ".cline/data/settings/cline_mcp_settings.json",
            &servers("mcpServers"),
        )],
    );
    check(
        "devin",
        &[(".codeium/windsurf/mcp_config.json", &servers("mcpServers"))],
    );
    check(
        "vscode",
        &[(".config/Code/User/mcp.json", &servers("servers"))],
    );
    check(
        "vscode",
        &[("project/.vscode/mcp.json", &servers("servers"))],
    );
    check(
        "zed",
        &[(".config/zed/settings.json", &servers("context_servers"))],
    );
    let opencode = "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"docs\": { \"type\": \"local\", \
        \"command\": [\"docs\"] }\n  }\n}\n";
    check("opencode", &[(".config/opencode/opencode.jsonc", opencode)]);
    let goose = "# Goose\nGOOSE_MODEL: gpt\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n";
    check("goose", &[(".config/goose/config.yaml", goose)]);
}

#[test]
fn an_entry_keeps_what_a_person_added_to_it() {
    let home = Home::new();
    let old = "{\"mcpServers\": {\"anamne\": {\"command\": \"/old/anamne\", \"args\": [\"mcp\"], \"env\": {\"A\": \"1\"}, \"trust\": true}}}";
    home.write(".gemini/settings.json", old);
    Home::apply(&home.set_up("gemini", &SetupScope::Person));
    let entry = &home.json(".gemini/settings.json")["mcpServers"]["anamne"];
    assert_eq!(entry["command"], "anamne");
    assert_eq!(entry["env"]["A"], "1");
    assert_eq!(entry["trust"], true);
}

/// A host, its file, and an entry of a person with arguments of its own.
const OWN: [(&str, &str, &str); 3] = [
    (
        "claude-code",
        ".claude.json",
        r#"{"n": 1, "mcpServers": {"anamne": {"type": "stdio", "command": "anamne", "args": ["mcp", "--space", "work", "--tools", "knowledge"], "env": {}}}}"#,
    ),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers.anamne]\ncommand = \"anamne\"\nargs = [\"mcp\", \"--server\", \"https://m.example.org\"]\n",
    ),
    (
        "goose",
        ".config/goose/config.yaml",
        "extensions:\n  anamne:\n    type: stdio\n    cmd: anamne\n    args: [mcp, --space, zz]\n",
    ),
];

#[test]
fn arguments_of_a_person_stay_when_a_host_is_set_up_and_taken_out() {
    for (id, path, text) in OWN {
        let home = Home::new();
        home.write(path, text);
        let scope = SetupScope::Person;
        Home::apply(&home.set_up(id, &scope));
        let status = home.status(id, &scope);
        assert_eq!(status.server, Connection::Current, "{id}");
        let warned = |text: &str| status.warnings.iter().any(|one| one.contains(text));
        assert!(
            warned("arguments of its own"),
            "{id}: {:?}",
            status.warnings
        );
        for word in text
            .split(['"', ',', ' ', '[', ']'])
            .filter(|word| word.starts_with("--"))
        {
            assert!(home.read(path).contains(word), "{id} lost {word}");
        }
        assert_eq!(home.set_up(id, &scope).changes, [], "{id}");
        let plan = home.remove(id, &scope);
        let says = plan.by_hand.iter().any(|one| one.contains("so it stays"));
        assert!(says, "{id}: {:?}", plan.by_hand);
        Home::apply(&plan);
        assert!(home.read(path).contains("anamne"), "{id}");
    }
}

/// A host, its file before set-up, and what of it must be there after set-up, another change, and removal.
const CONTAINERS: [(&str, &str, &str); 6] = [
    (
        "gemini",
        ".gemini/settings.json",
        "{\n  \"t\": 1,\n  \"mcpServers\": {\n    // \"github\": {\"command\": \"gh-mcp\", \"args\": [\"--repo\",\"x\"]}\n  }\n}\n",
    ),
    (
        "claude-code",
        ".claude/settings.json",
        "{\n  \"t\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      // {\"hooks\": []}\n    ]\n  }\n}\n",
    ),
    (
        "qwen",
        ".qwen/settings.json",
        "{\n  \"t\": 1,\n  \"hooks\": {}\n}\n",
    ),
    (
        "zed",
        ".config/zed/settings.json",
        "{\n  \"t\": 1,\n  \"context_servers\": {\n    /* none */\n  }\n}\n",
    ),
    ("codex", ".codex/config.toml", "t = 1\n\n[mcp_servers]\n"),
    (
        "goose",
        ".config/goose/config.yaml",
        "t: 1\nextensions: {}\n",
    ),
];

#[test]
fn tables_and_lists_that_were_there_or_hold_a_comment_stay() {
    for (id, path, text) in CONTAINERS {
        let home = Home::new();
        home.write(path, text);
        let scope = SetupScope::Person;
        Home::apply(&home.set_up(id, &scope));
        assert!(home.read(path).contains("anamne"), "{id}");
        let former = [(home.path(path), text.to_owned())];
        Home::apply(&home.remove_knowing(id, &scope, &former));
        let after = home.read(path);
        for line in text
            .lines()
            .map(|line| line.trim().trim_end_matches(['{', '}', ' ']))
        {
            assert!(after.contains(line), "{id} lost {line:?}: {after}");
        }
        if text.contains("//") || text.contains("/*") {
            // A comment stays also if nothing is known of the file before.
            home.write(path, text);
            Home::apply(&home.set_up(id, &scope));
            Home::apply(&home.remove(id, &scope));
            assert_eq!(home.read(path), text, "{id}");
        }
    }
}

#[test]
fn comments_in_a_group_with_an_older_hook_of_ours_stay() {
    let home = Home::new();
    let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      { // my group\n        \"hooks\": [\n          // say it\n          \
        {\"type\": \"command\", \"command\": \"mine\"},\n          \
        {\"type\": \"command\", \"command\": \"anamne hook turn-end --host claude-code\"}\n        ]\n      }\n    ]\n  }\n}\n";
    home.write(".claude/settings.json", text);
    let scope = SetupScope::Person;
    Home::apply(&home.set_up("claude-code", &scope));
    let read = || home.read(".claude/settings.json");
    for comment in ["// my group", "// say it"] {
        assert!(read().contains(comment), "{comment}: {}", read());
    }
    Home::apply(&home.remove("claude-code", &scope));
    for part in ["// my group", "// say it", "\"mine\""] {
        assert!(read().contains(part), "{part}: {}", read());
    }
    assert!(!read().contains("anamne"), "{}", read());
}

#[test]
fn an_entry_with_an_address_is_replaced_as_a_whole() {
    let home = Home::new();
    home.write(
        ".codex/config.toml",
        "[mcp_servers.anamne]\nurl = \"http://127.0.0.1:1\"\n",
    );
    Home::apply(&home.set_up("codex", &SetupScope::Person));
    let text = home.read(".codex/config.toml");
    assert!(
        !text.contains("url") && text.contains("command = \"anamne\""),
        "{text}"
    );
}
