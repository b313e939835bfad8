//! Files that can't be read or understood are left alone and named; variables and links lead to the right ones.

use anamne_hosts::{Connection, SetupScope};

use crate::place::Home;

/// Set-up leaves this file alone, names it, and connects nothing in it.
fn check(id: &str, path: &str, text: &[u8], reason: &str) {
    let home = Home::new();
    home.write(path, text);
    let plan = home.set_up(id, &SetupScope::Person);
    assert!(
        plan.changes
            .iter()
            .all(|change| change.path != home.path(path)),
        "{path}"
    );
    let left: Vec<_> = plan
        .left_alone
        .iter()
        .filter(|left| left.path == home.path(path))
        .collect();
    assert_eq!(left.len(), 1, "{path}: {plan:?}");
    assert!(left[0].reason.contains(reason), "{}", left[0].reason);
    let warnings = home.status(id, &SetupScope::Person).warnings;
    let name = home.path(path).display().to_string();
    assert!(
        warnings.iter().any(|one| one.contains(&name)),
        "{path}: {warnings:?}"
    );
    assert!(home.remove(id, &SetupScope::Person).changes.is_empty());
}

#[test]
fn a_file_that_cannot_be_understood_is_left_alone_and_named() {
    check(
        "claude-code",
        ".claude.json",
        b"{\"mcpServers\": {",
        "line 1",
    );
    check(
        "claude-code",
        ".claude.json",
        b"{\"mcpServers\": [1]}",
        "mcpServers",
    );
    check("claude-code", ".claude.json", b"\xff\xfe{}", "UTF-8");
    check("claude-code", ".claude/settings.json", b"[]", "table");
    check(
        "claude-code",
        ".claude/settings.json",
        b"{\"hooks\": {\"Stop\": {}}}",
        "Stop",
    );
    check("codex", ".codex/config.toml", b"model = \n", "line 1");
    check("codex", ".codex/hooks.json", b"{\"hooks\": 3}", "hooks");
    check(
        "gemini",
        ".gemini/settings.json",
        b"{\"hooks\": {\"AfterAgent\": \"x\"}}",
        "AfterAgent",
    );
    check("goose", ".config/goose/config.yaml", b"a: [\n", "line");
}

#[test]
fn one_bad_part_of_a_file_keeps_set_up_from_the_other_parts_of_it() {
    let home = Home::new();
    home.write(
        ".gemini/settings.json",
        "{\"mcpServers\": {}, \"hooks\": []}",
    );
    let plan = home.set_up("gemini", &SetupScope::Person);
    let changed: Vec<_> = plan
        .changes
        .iter()
        .map(|change| change.path.clone())
        .collect();
    assert_eq!(changed, [home.path(".gemini/GEMINI.md")]);
}

#[test]
fn an_instruction_file_with_broken_markers_is_left_alone() {
    let home = Home::new();
    Home::apply(&home.set_up("codex", &SetupScope::Person));
    let text = home
        .read(".codex/AGENTS.md")
        .replace("anamne:end", "anamne:e");
    home.write(".codex/AGENTS.md", text);
    let plan = home.set_up("codex", &SetupScope::Person);
    assert_eq!(plan.left_alone[0].path, home.path(".codex/AGENTS.md"));
    assert_eq!(
        home.status("codex", &SetupScope::Person).instructions,
        Some(false)
    );
}

#[test]
fn a_file_above_eight_mebibytes_is_left_alone() {
    let home = Home::new();
    home.write(".codex/AGENTS.md", vec![b'x'; (8 << 20) + 1]);
    let plan = home.set_up("codex", &SetupScope::Person);
    assert_eq!(plan.left_alone[0].path, home.path(".codex/AGENTS.md"));
}

#[test]
fn a_folder_in_place_of_a_file_is_left_alone() {
    let home = Home::new();
    home.folder(".claude.json");
    let plan = home.set_up("claude-code", &SetupScope::Person);
    assert_eq!(plan.left_alone[0].path, home.path(".claude.json"));
    assert_eq!(
        home.status("claude-code", &SetupScope::Person).server,
        Connection::Unreadable
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_a_broken_one_left_alone() {
    let home = Home::new();
    home.write("dotfiles/claude.json", "{\"mcpServers\": {}}");
    let link = home.path(".claude.json");
    std::os::unix::fs::symlink(home.path("dotfiles/claude.json"), &link).unwrap();
    let plan = home.set_up("claude-code", &SetupScope::Person);
    assert!(plan.changes.iter().any(|change| change.path == link));
    std::fs::remove_file(home.path("dotfiles/claude.json")).unwrap();
    let plan = home.set_up("claude-code", &SetupScope::Person);
    assert!(plan.left_alone.iter().any(|left| left.path == link));
}

#[test]
fn variables_move_the_files() {
    let check = |id: &str, variable: &str, expected: &str| {
        let mut home = Home::new();
        let folder = home.folder("moved");
        home.machine
            .variables
            .insert(variable.to_owned(), folder.display().to_string());
        let plan = home.set_up(id, &SetupScope::Person);
        assert!(
            plan.changes
                .iter()
                .all(|change| change.path.starts_with(&folder)),
            "{plan:?}"
        );
        let paths: Vec<_> = plan
            .changes
            .iter()
            .map(|change| change.path.clone())
            .collect();
        assert!(paths.contains(&folder.join(expected)), "{paths:?}");
        assert!(
            Home::adapter(id)
                .found(&home.machine)
                .is_some_and(|found| found.starts_with(&folder))
        );
    };
    check("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json");
    check("claude-code", "CLAUDE_CONFIG_DIR", "settings.json");
    check("codex", "CODEX_HOME", "config.toml");
    check("copilot", "COPILOT_HOME", "hooks/anamne.json");
    check("qwen", "QWEN_HOME", "settings.json");
    check(
        "cline",
        "CLINE_DIR",
        "data/settings/cline_mcp_settings.json",
    );
    let mut home = Home::new();
    let folder = home.path("moved").display().to_string();
    home.machine
        .variables
        .insert("GEMINI_CLI_HOME".to_owned(), folder);
    let plan = home.set_up("gemini", &SetupScope::Person);
    assert_eq!(
        plan.changes[0].path,
        home.path("moved/.gemini/settings.json")
    );
}

#[test]
fn opencode_keeps_reading_the_instructions_of_claude_code() {
    let home = Home::new();
    home.write(".claude/CLAUDE.md", "Tabs.\n");
    Home::apply(&home.set_up("opencode", &SetupScope::Person));
    assert!(home.read(".claude/CLAUDE.md").contains("anamne:begin"));
    assert!(!home.path(".config/opencode/AGENTS.md").exists());
    Home::apply(&home.remove("opencode", &SetupScope::Person));
    assert_eq!(home.read(".claude/CLAUDE.md"), "Tabs.\n");
}

#[test]
fn a_block_that_another_connected_host_reads_stays() {
    let home = Home::new();
    home.write("project/AGENTS.md", "Ours.\n");
    let project = home.project();
    Home::apply(&home.set_up("codex", &project));
    Home::apply(&home.set_up("opencode", &project));
    Home::apply(&home.remove("codex", &project));
    assert!(home.read("project/AGENTS.md").contains("anamne:begin"));
    Home::apply(&home.remove("opencode", &project));
    assert_eq!(home.read("project/AGENTS.md"), "Ours.\n");
}

#[test]
fn an_unchecked_host_gets_nothing_in_files_of_another_shape() {
    let check = |id: &str, path: &str, text: &str| {
        let home = Home::new();
        home.write(path, text);
        let plan = home.set_up(id, &SetupScope::Person);
        assert_eq!(plan.changes, [], "{id}");
        let name = home.path(path).display().to_string();
        assert!(
            plan.by_hand.iter().any(|one| one.contains(&name)),
            "{id}: {plan:?}"
        );
    };
    check("zed", ".config/zed/settings.json", "{\"theme\": \"One\"}");
    check("cursor", ".cursor/mcp.json", "{\"servers\": {}}");
    check("cursor", ".cursor/hooks.json", "{\"version\": 1}");
    check("kiro", ".kiro/hooks/anamne.json", "{\"hooks\": {}}");
    check("goose", ".config/goose/config.yaml", "model: x\n");
    check(
        "antigravity",
        ".gemini/config/hooks.json",
        "{\"version\": 1}",
    );
}

#[test]
fn claude_desktop_of_the_windows_store_is_found_and_its_file_named() {
    let mut home = Home::new();
    home.machine.platform = anamne_ingest::Platform::Windows;
    let folder = ".local/share/Packages/Claude_x1/LocalCache/Roaming/Claude";
    assert_eq!(Home::adapter("claude-desktop").found(&home.machine), None);
    home.folder(folder);
    let found = Home::adapter("claude-desktop").found(&home.machine);
    assert_eq!(found, Some(home.path(folder)));
    let plan = home.set_up("claude-desktop", &SetupScope::Person);
    let file = home.path(folder).join("claude_desktop_config.json");
    let name = file.display().to_string();
    assert!(plan.by_hand[0].contains(&name), "{plan:?}");
    assert_eq!(plan.changes, []);
}
