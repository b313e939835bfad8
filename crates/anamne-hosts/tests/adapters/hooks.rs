//! Foreign hooks beside ours, settings that switch hooks off, and command lines.

use anamne_hosts::SetupScope;
use anamne_hosts::hook::HookEvent;
use anamne_ingest::Platform;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::place::Home;

const SETTINGS: &str = ".claude/settings.json";

#[test]
fn claude_code_runs_the_program_without_a_shell() {
    let home = Home::new();
    Home::apply(&home.set_up("claude-code", &SetupScope::Person));
    let hooks = &home.json(SETTINGS)["hooks"];
    let expected = json!([{"hooks": [{
        "type": "command",
        "command": "anamne",
        "args": ["hook", "session-end", "--host", "claude-code"],
        "timeout": 3
    }]}]);
    assert_eq!(hooks["SessionEnd"], expected);
    assert_eq!(hooks.as_object().unwrap().len(), 5);
}

#[test]
fn a_shells_line_is_quoted() {
    let home = Home::new().with_program("/it's/anamne");
    Home::apply(&home.set_up("gemini", &SetupScope::Person));
    let hook = &home.json(".gemini/settings.json")["hooks"]["BeforeAgent"][0]["hooks"][0];
    assert_eq!(
        hook["command"],
        r"'/it'\''s/anamne' hook prompt --host gemini"
    );
    assert_eq!(hook["timeout"], 10_000);
}

#[test]
fn a_path_that_windows_cannot_quote_is_told_and_nothing_is_guessed() {
    let mut home = Home::new().with_program(r"C:\100%\anamne.exe");
    home.machine.platform = Platform::Windows;
    let plan = home.set_up("gemini", &SetupScope::Person);
    assert!(
        plan.by_hand
            .iter()
            .any(|sentence| sentence.contains(r"C:\100%"))
    );
    assert!(
        plan.changes
            .iter()
            .all(|change| !change.after.as_ref().unwrap().contains("hook"))
    );
}

/// A group of a person with our hook in the middle of it.
fn mixed(command: &str) -> Value {
    json!({"matcher": "x", "hooks": [
        {"type": "command", "command": "first"},
        {"type": "command", "command": command, "timeout": 99},
        {"type": "command", "command": "last"}
    ]})
}

#[test]
fn our_hook_in_a_group_of_others_is_updated_in_place_and_taken_out_alone() {
    let home = Home::new();
    let others = json!({"hooks": [{"type": "command", "command": "after"}]});
    let old = mixed("/old/anamne hook turn-end --host claude-code");
    home.write(
        SETTINGS,
        json!({"hooks": {"Stop": [old, others]}}).to_string(),
    );
    Home::apply(&home.set_up("claude-code", &SetupScope::Person));
    let stop = home.json(SETTINGS)["hooks"]["Stop"].clone();
    assert_eq!(stop.as_array().unwrap().len(), 2);
    let ours = &stop[0]["hooks"][1];
    assert_eq!(ours["command"], "anamne");
    assert_eq!(
        ours["args"],
        json!(["hook", "turn-end", "--host", "claude-code"])
    );
    assert_eq!(ours["timeout"], 99);
    Home::apply(&home.remove("claude-code", &SetupScope::Person));
    let stop = &home.json(SETTINGS)["hooks"]["Stop"];
    let mut rest = mixed("");
    rest["hooks"].as_array_mut().unwrap().remove(1);
    assert_eq!(*stop, json!([rest, others]));
}

#[test]
fn a_second_hook_of_ours_and_one_at_another_event_go() {
    let home = Home::new();
    let ours = |event: &str| {
        let command = format!("anamne hook {event} --host claude-code");
        json!({"hooks": [{"type": "command", "command": command}]})
    };
    let hooks = json!({"Stop": [ours("turn-end"), ours("turn-end")], "PreToolUse": [ours("tool")]});
    home.write(SETTINGS, json!({"hooks": hooks}).to_string());
    Home::apply(&home.set_up("claude-code", &SetupScope::Person));
    let hooks = &home.json(SETTINGS)["hooks"];
    assert_eq!(hooks["Stop"].as_array().unwrap().len(), 1);
    assert_eq!(hooks["PreToolUse"], json!([]));
}

#[test]
fn settings_that_switch_hooks_off_are_warned_of() {
    let check = |id: &str, path: &str, text: &str, expected: &str| {
        let home = Home::new();
        home.write(path, text);
        Home::apply(&home.set_up(id, &SetupScope::Person));
        let warnings = home.status(id, &SetupScope::Person).warnings;
        assert!(
            warnings.iter().any(|one| one.contains(expected)),
            "{id}: {warnings:?}"
        );
    };
    check(
        "claude-code",
        SETTINGS,
        "{\"disableAllHooks\": true}",
        "disableAllHooks",
    );
    check(
        "codex",
        ".codex/config.toml",
        "[features]\nhooks = false\n",
        "hooks is false",
    );
    check(
        "qwen",
        ".qwen/settings.json",
        "{\"disableAllHooks\": true}",
        "disableAllHooks",
    );
    let off = "{\"mcpServers\": {\"anamne\": {\"command\": \"anamne\", \"args\": [\"mcp\"], \"disabled\": true}}}";
    check("gemini", ".gemini/settings.json", off, "switched off");
}

#[test]
fn an_entry_of_another_program_is_warned_of() {
    let home = Home::new();
    Home::apply(&home.set_up("gemini", &SetupScope::Person));
    assert_eq!(home.status("gemini", &SetupScope::Person).warnings, [""; 0]);
    let home = home.with_program("/new/anamne");
    let warnings = home.status("gemini", &SetupScope::Person).warnings;
    assert!(warnings[0].contains("run set-up again"), "{warnings:?}");
}

#[cfg(unix)]
#[test]
fn scripts_are_written_as_programs_and_those_of_others_stay() {
    use crate::place::make_executable;
    let home = Home::new();
    let script = ".cline/hooks/UserPromptSubmit";
    let other = ".cline/hooks/TaskComplete";
    let unready = ".cline/hooks/TaskStart";
    home.write(
        script,
        "#!/bin/sh\nexec /old/anamne hook prompt --host cline\n",
    );
    make_executable(&home.path(script));
    home.write(other, "#!/bin/sh\necho mine\n");
    home.write(
        unready,
        "#!/bin/sh\nexec anamne hook session-start --host cline\n",
    );
    let plan = home.set_up("cline", &SetupScope::Person);
    let by_hand = plan.by_hand.join("\n");
    assert!(by_hand.contains("hook turn-end --host cline"), "{by_hand}");
    assert!(!by_hand.contains("hook prompt"), "{by_hand}");
    assert!(by_hand.contains("TaskStart executable"), "{by_hand}");
    Home::apply(&plan);
    assert_eq!(
        home.read(script),
        "#!/bin/sh\nexec anamne hook prompt --host cline\n"
    );
    let hooks = home.status("cline", &SetupScope::Person).hooks;
    let configured = hooks.iter().filter(|hook| hook.configured);
    let configured: Vec<_> = configured.map(|hook| hook.event).collect();
    assert_eq!(configured, [HookEvent::Prompt, HookEvent::BeforeCompaction]);
    Home::apply(&home.remove("cline", &SetupScope::Person));
    assert!(!home.path(script).exists() && !home.path(".cline/hooks/PreCompact").exists());
    assert_eq!(home.read(other), "#!/bin/sh\necho mine\n");
}

#[test]
fn windows_has_no_scripts() {
    let mut home = Home::new();
    home.machine.platform = anamne_ingest::Platform::Windows;
    let plan = home.set_up("cline", &SetupScope::Person);
    assert!(plan.changes.iter().all(|change| !change.executable));
    assert!(plan.by_hand[0].contains("On Windows"), "{plan:?}");
}

/// What a host's program says of its version.
type Version = fn(&std::path::Path) -> Option<String>;

const PLUGIN: &str = ".config/opencode/plugins/anamne.js";

#[test]
fn a_plugin_is_written_for_the_generation_it_was_seen_in_and_taken_out_of_another() {
    let mut home = Home::new();
    Home::apply(&home.set_up("opencode", &SetupScope::Person));
    assert!(home.read(PLUGIN).contains("const COMMAND = [\"anamne\"]\n"));
    let others: [(Version, &str); 2] = [
        (|_| Some("2.0.23".to_owned()), "OpenCode 2 takes other"),
        (|_| Some("v10.1.0\n".to_owned()), "OpenCode 10 takes other"),
    ];
    for (version, says) in others {
        let mut home = Home::new();
        Home::apply(&home.set_up("opencode", &SetupScope::Person));
        home.machine.version_of = version;
        let plan = home.set_up("opencode", &SetupScope::Person);
        assert!(plan.by_hand[0].contains(says), "{plan:?}");
        Home::apply(&plan);
        assert!(!home.path(PLUGIN).exists());
        assert_eq!(home.set_up("opencode", &SetupScope::Person).changes, []);
    }
    let unknown: [Version; 2] = [|_| None, |_| Some("no version".to_owned())];
    for version in unknown {
        home.machine.version_of = version;
        let plan = home.set_up("opencode", &SetupScope::Person);
        assert_eq!((plan.changes, plan.by_hand), (vec![], vec![]));
        let mut new = Home::new();
        new.machine.version_of = version;
        let plan = new.set_up("opencode", &SetupScope::Person);
        assert!(plan.by_hand[0].contains("can't find out"), "{plan:?}");
        Home::apply(&plan);
        assert!(!new.path(PLUGIN).exists());
    }
}

#[test]
fn no_program_is_started_where_there_is_none_or_for_a_status() {
    let home = Home::new().without_programs();
    let plan = home.set_up("opencode", &SetupScope::Person);
    assert!(plan.by_hand[0].contains("`opencode`"), "{plan:?}");
    let mut home = Home::new();
    home.machine.version_of = |_| panic!("a status starts no program");
    home.status("opencode", &SetupScope::Person);
}

#[test]
fn a_plugin_that_somebody_changed_is_updated_with_a_diff_but_never_deleted() {
    let home = Home::new();
    Home::apply(&home.set_up("opencode", &SetupScope::Person));
    let written = home.read(PLUGIN);
    let changed = written.replace("PATIENCE = 300", "PATIENCE = 900");
    home.write(PLUGIN, &changed);
    let warnings = home.status("opencode", &SetupScope::Person).warnings;
    assert!(warnings[0].contains("run set-up again"), "{warnings:?}");
    let removal = home.remove("opencode", &SetupScope::Person);
    assert_eq!(removal.left_alone[0].path, home.path(PLUGIN));
    let plan = home.set_up("opencode", &SetupScope::Person);
    assert_eq!(plan.changes[0].before.as_deref(), Some(&*changed));
    assert_eq!(plan.changes[0].after.as_deref(), Some(&*written));
    home.write(PLUGIN, "export const Mine = () => {}\n");
    let plan = home.set_up("opencode", &SetupScope::Person);
    assert_eq!(plan.left_alone[0].path, home.path(PLUGIN));
    assert_eq!(home.remove("opencode", &SetupScope::Person).left_alone, []);
}

/// Settings of any shape below `hooks`.
fn hooks() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        "[a-z \"'\\\\]{0,12}".prop_map(Value::from),
        Just(json!("anamne hook prompt --host claude-code")),
        Just(json!({"command": "x", "hooks": [{"command": "y"}]})),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let key = prop_oneof![
            Just("Stop".to_owned()),
            Just("UserPromptSubmit".to_owned()),
            Just("hooks".to_owned()),
            Just("command".to_owned()),
            Just("args".to_owned()),
            "[A-Za-z]{1,6}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn settings_of_any_shape_are_left_alone_or_set_up_once(hooks in hooks()) {
        let home = Home::new();
        let text = json!({"hooks": hooks, "model": "x"}).to_string();
        home.write(SETTINGS, &text);
        let plan = home.set_up("claude-code", &SetupScope::Person);
        Home::apply(&plan);
        prop_assert_eq!(&home.json(SETTINGS)["model"], "x");
        prop_assert_eq!(home.set_up("claude-code", &SetupScope::Person).changes, []);
        if plan.left_alone.is_empty() {
            Home::apply(&home.remove("claude-code", &SetupScope::Person));
            let after = home.read(SETTINGS);
            prop_assert!(!after.contains("hook\",\"prompt\"") && !after.contains("turn-end"), "{}", after);
        } else {
            prop_assert_eq!(home.read(SETTINGS), text);
        }
    }
}
