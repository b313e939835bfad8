//! Set-up, status and removal in every host, on files as people have them.

mod codex;
mod files;
mod hooks;
mod place;
mod round_trips;

use anamne_hosts::{Connection, SetupScope, hosts};

use place::Home;

/// The folder or file that shows a host to be installed, below the home folder.
const EVIDENCE: [(&str, &str); 16] = [
    ("amp", ".config/amp"),
    ("antigravity", ".gemini/config"),
    ("claude-code", ".claude"),
    ("claude-desktop", ".config/Claude"),
    ("cline", ".cline"),
    ("codex", ".codex"),
    ("copilot", ".copilot"),
    ("cursor", ".cursor"),
    ("devin", ".config/devin"),
    ("gemini", ".gemini/tmp"),
    ("goose", ".config/goose"),
    ("kiro", ".kiro"),
    ("opencode", ".config/opencode"),
    ("qwen", ".qwen"),
    ("vscode", ".config/Code/User"),
    ("zed", ".config/zed"),
];

#[test]
fn each_host_is_found_by_its_folder_and_only_by_it() {
    let ids: Vec<&str> = hosts().iter().map(|host| host.id).collect();
    assert_eq!(ids, EVIDENCE.map(|(id, _)| id));
    for (id, folder) in EVIDENCE {
        let home = Home::new();
        assert_eq!(Home::adapter(id).found(&home.machine), None, "{id}");
        let folder = home.folder(folder);
        assert_eq!(Home::adapter(id).found(&home.machine), Some(folder), "{id}");
    }
}

#[test]
fn each_host_without_files_gets_its_entry_or_the_person_the_text_to_add() {
    for host in hosts() {
        for is_project in [false, true] {
            let home = Home::new();
            let scope = if is_project {
                home.project()
            } else {
                SetupScope::Person
            };
            let plan = home.set_up(host.id, &scope);
            assert_eq!(plan.left_alone, [], "{}", host.id);
            let changes = plan
                .changes
                .iter()
                .filter_map(|change| change.after.as_deref());
            let mut texts = changes.chain(plan.by_hand.iter().map(String::as_str));
            let has_entry = |text: &str| {
                text.contains("anamne") && text.contains("\"mcp\"")
                    || text.contains("- mcp")
                    || text.contains("takes no servers")
            };
            assert!(texts.any(has_entry), "{}: {plan:?}", host.id);
            if host.checked.is_empty() {
                assert_eq!(plan.changes, [], "{}", host.id);
            }
        }
    }
}

#[test]
fn what_set_up_makes_in_an_empty_home_is_complete_stable_and_goes_again() {
    for host in hosts().iter().filter(|host| !host.checked.is_empty()) {
        for is_project in [false, true] {
            let home = Home::new();
            let scope = if is_project {
                home.project()
            } else {
                SetupScope::Person
            };
            let takes_server = host.id != "cline" || !is_project;
            Home::apply(&home.set_up(host.id, &scope));
            let status = home.status(host.id, &scope);
            if takes_server {
                assert_eq!(status.server, Connection::Current, "{}", host.id);
            }
            assert!(
                status.hooks.iter().all(|hook| hook.configured),
                "{}",
                host.id
            );
            assert_eq!(home.set_up(host.id, &scope).changes, [], "{}", host.id);
            Home::apply(&home.remove(host.id, &scope));
            assert_eq!(home.files(), [""; 0], "{}", host.id);
            assert_eq!(home.remove(host.id, &scope).changes, [], "{}", host.id);
        }
    }
}
