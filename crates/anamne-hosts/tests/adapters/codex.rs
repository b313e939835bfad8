//! Codex runs a hook only when the person trusts it.

use std::fmt::Write;

use anamne_hosts::SetupScope;

use crate::place::Home;

const PERSON: SetupScope = SetupScope::Person;

/// What Codex 0.169.0 records when the person trusts our hooks.
const DIGESTS: [(&str, &str); 5] = [
    (
        "session_start",
        "444223e97e0c39cdc9032f74eff96433dd4a93b4addacfda3966f4e2fc5887df",
    ),
    (
        "user_prompt_submit",
        "d4b94d790f0ad4009e626129f59f7a2b493670095c37595393febabd4d8638dd",
    ),
    (
        "stop",
        "e9524cc60c9d330cd1c40e2ffaaef6cb96c392cf1289469660816f7cb890372c",
    ),
    (
        "pre_compact",
        "eec845ec1a49730e883cd93b351c5dab46b4ce7a631bda86015ec60aa26ba8ea",
    ),
    (
        "session_end",
        "e0f31d3fda9fc34ed58b499e7efd3aaf806eba65b960df47b08e8fbf6d62fe5c",
    ),
];

fn trust(home: &Home, events: &[(&str, &str)]) {
    let mut config = home.read(".codex/config.toml");
    let file = home.path(".codex/hooks.json");
    for (event, digest) in events {
        let key = format!("{}:{event}:0:0", file.display());
        write!(
            config,
            "\n[hooks.state.'{key}']\ntrusted_hash = \"sha256:{digest}\"\n"
        )
        .unwrap();
    }
    home.write(".codex/config.toml", config);
}

fn waiting(home: &Home) -> Vec<&'static str> {
    let hooks = home.status("codex", &PERSON).hooks.into_iter();
    let waiting = hooks.filter(|hook| hook.waits_for_trust);
    waiting.map(|hook| hook.event.as_str()).collect()
}

#[test]
fn hooks_wait_until_the_person_trusts_them_and_set_up_says_so_until_then() {
    let home = Home::new();
    let plan = home.set_up("codex", &PERSON);
    assert!(plan.by_hand.iter().any(|one| one.contains("/hooks")));
    Home::apply(&plan);
    assert_eq!(waiting(&home).len(), 5);
    trust(&home, &DIGESTS[..4]);
    assert_eq!(waiting(&home), ["session-end"]);
    let again = home.set_up("codex", &PERSON);
    assert_eq!(again.changes, []);
    assert!(again.by_hand.iter().any(|one| one.contains("/hooks")));
    trust(&home, &DIGESTS[4..]);
    assert_eq!(waiting(&home), [""; 0]);
    assert_eq!(home.set_up("codex", &PERSON).by_hand, [""; 0]);
    assert_eq!(home.status("codex", &PERSON).warnings, [""; 0]);
}

#[test]
fn a_changed_or_moved_hook_waits_for_trust_again() {
    let home = Home::new();
    Home::apply(&home.set_up("codex", &PERSON));
    trust(&home, &DIGESTS);
    let home = home.with_program("/new/anamne");
    Home::apply(&home.set_up("codex", &PERSON));
    assert_eq!(waiting(&home).len(), 5);
    let home = home.with_program("anamne");
    Home::apply(&home.set_up("codex", &PERSON));
    assert_eq!(waiting(&home), [""; 0]);
    let mut hooks = home.json(".codex/hooks.json");
    let stop = hooks["hooks"]["Stop"].as_array_mut().unwrap();
    stop.insert(
        0,
        serde_json::json!({"hooks": [{"type": "command", "command": "x"}]}),
    );
    home.write(".codex/hooks.json", hooks.to_string());
    assert_eq!(waiting(&home), ["turn-end"]);
}

#[test]
fn a_hook_that_is_switched_off_in_codex_is_warned_of() {
    let home = Home::new();
    Home::apply(&home.set_up("codex", &PERSON));
    trust(&home, &DIGESTS);
    let config = home.read(".codex/config.toml") + "enabled = false\n";
    home.write(".codex/config.toml", config);
    let warnings = home.status("codex", &PERSON).warnings;
    assert!(warnings[0].contains("switched off"), "{warnings:?}");
}

#[test]
fn removal_takes_out_the_trust_in_our_hooks_and_no_other() {
    let home = Home::new();
    Home::apply(&home.set_up("codex", &PERSON));
    let untrusted = home.read(".codex/config.toml");
    let hooks = home.read(".codex/hooks.json");
    let file = home.path(".codex/hooks.json").display().to_string();
    let ours = DIGESTS[2].1;
    let others = format!(
        "\n[hooks.state.'{file}:stop:1:0']\ntrusted_hash = \"sha256:0123\"\n\
         \n[hooks.state.'/code/x/.codex/hooks.json:stop:0:0']\ntrusted_hash = \"sha256:{ours}\"\n\
         \n[hooks.state.'{file}:pre_compact:0:0x']\ntrusted_hash = \"sha256:{ours}\"\n"
    );
    home.write(".codex/config.toml", untrusted.clone() + &others);
    trust(&home, &DIGESTS);
    Home::apply(&home.remove("codex", &PERSON));
    let left = home.read(".codex/config.toml");
    assert_eq!(left.trim(), others.trim());

    // What remains after that has no empty tables.
    home.write(".codex/config.toml", untrusted);
    home.write(".codex/hooks.json", hooks);
    trust(&home, &DIGESTS);
    Home::apply(&home.remove("codex", &PERSON));
    assert_eq!(home.files(), [""; 0]);
}

#[test]
fn removal_from_a_project_leaves_the_settings_of_the_person() {
    let home = Home::new();
    let project = home.project();
    Home::apply(&home.set_up("codex", &PERSON));
    Home::apply(&home.set_up("codex", &project));
    trust(&home, &DIGESTS);
    let config = home.read(".codex/config.toml");
    Home::apply(&home.remove("codex", &project));
    assert_eq!(home.read(".codex/config.toml"), config);
}

#[test]
fn hostile_records_of_trust_are_ignored() {
    for record in [
        "[hooks]\nstate = 3",
        "[hooks]\nstate = []",
        "[hooks.state]\n'x:stop:0:0' = 1",
    ] {
        let home = Home::new();
        Home::apply(&home.set_up("codex", &PERSON));
        let config = home.read(".codex/config.toml");
        home.write(".codex/config.toml", format!("{config}\n{record}\n"));
        assert_eq!(waiting(&home).len(), 5, "{record}");
        let config = home.read(".codex/config.toml");
        Home::apply(&home.remove("codex", &PERSON));
        let left = home.read(".codex/config.toml");
        assert!(config.ends_with(&left) && left.contains(record), "{left}");
    }
}

#[test]
fn an_update_moves_no_hook_of_others() {
    let home = Home::new();
    Home::apply(&home.set_up("codex", &PERSON));
    let mut hooks = home.json(".codex/hooks.json");
    let other = serde_json::json!({"hooks": [{"type": "command", "command": "x"}]});
    hooks["hooks"]["Stop"]
        .as_array_mut()
        .unwrap()
        .push(other.clone());
    home.write(".codex/hooks.json", hooks.to_string());
    let home = home.with_program("/new/anamne");
    Home::apply(&home.set_up("codex", &PERSON));
    let stop = home.json(".codex/hooks.json")["hooks"]["Stop"].clone();
    assert_eq!(stop[1], other);
    assert_eq!(
        stop[0]["hooks"][0]["command"],
        "/new/anamne hook turn-end --host codex"
    );
}
