//! Which settings may be used: those that no other user can have written and that were approved on this machine.

use std::path::{Path, PathBuf};

use anamne_llm::{Approval, Approvals, BridgeConfig, BridgeError, Provider};
use jiff::Timestamp;
use tempfile::TempDir;

/// A user's folder and the stores beside it.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        Self { folder }
    }

    /// The folder of a store; created if missing.
    fn store(&self, name: &str) -> PathBuf {
        let store = self.folder.path().join(name);
        std::fs::create_dir_all(&store).expect("a folder");
        #[cfg(unix)]
        crate::world::set_mode(&store, 0o700);
        store
    }

    fn allowed(&self) -> PathBuf {
        self.folder.path().join("person/allowed.toml")
    }

    fn approvals(&self) -> Approvals {
        Approvals::open(&self.allowed()).expect("approvals")
    }

    fn approve(&self, store: &Path, config: &BridgeConfig) {
        let now = "2026-01-31T12:00:00Z".parse::<Timestamp>();
        let approved = self
            .approvals()
            .approve(store, config, now.expect("an instant"));
        approved.expect("a file");
    }

    fn of(&self, store: &Path, config: &BridgeConfig) -> Approval {
        self.approvals().of_store(store, config).expect("a store")
    }
}

fn settings() -> BridgeConfig {
    BridgeConfig {
        enabled: true,
        provider: Provider::Openai,
        model: "model-1".to_owned(),
        base_url: Some("https://llm.example.org/v1".to_owned()),
        ..BridgeConfig::default()
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        std::fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copied");
    }
}

#[test]
fn settings_take_effect_only_if_approved_for_this_store() {
    let machine = Machine::new();
    let store = machine.store("store");
    let config = settings();
    assert_eq!(machine.of(&store, &config), Approval::Missing);
    machine.approve(&store, &config);
    assert_eq!(machine.of(&store, &config), Approval::Given);
    assert_eq!(
        machine.of(&machine.store("other"), &config),
        Approval::Missing,
        "another store, with the same settings"
    );
    #[cfg(unix)]
    assert_eq!(crate::world::mode(&machine.allowed()), 0o600);
    // Fields that change neither where data goes nor the cost may be changed by hand.
    let mut patient = settings();
    patient.timeouts.total_seconds = 900;
    assert_eq!(machine.of(&store, &patient), Approval::Given);
    let mut elsewhere = settings();
    elsewhere.base_url = Some("https://evil.example/v1".to_owned());
    elsewhere.budgets.daily_dollars = 0.0;
    let changed = machine.of(&store, &elsewhere);
    assert_eq!(changed, Approval::Changed(vec!["base_url", "budgets"]));
    assert!(changed.reason().contains("base_url, budgets"));
    machine.approve(&store, &elsewhere);
    assert_eq!(machine.of(&store, &elsewhere), Approval::Given);
    assert_eq!(
        machine.of(&store, &config),
        Approval::Changed(vec!["base_url", "budgets"]),
        "the earlier ones count no longer"
    );
}

#[test]
fn an_approval_moves_with_the_store_and_is_not_copied() {
    let machine = Machine::new();
    let store = machine.store("store");
    machine.approve(&store, &settings());
    let copied = machine.store("copied");
    copy(&store, &copied);
    let found = machine.of(&copied, &settings());
    assert!(matches!(found, Approval::Elsewhere(_)), "{found:?}");
    assert!(found.reason().contains("store"), "{}", found.reason());
    // Another machine, or another user, has its own approvals.
    let other = Machine::new();
    assert_eq!(other.of(&copied, &settings()), Approval::Missing);
    // Both may be approved.
    machine.approve(&copied, &settings());
    assert_eq!(machine.of(&copied, &settings()), Approval::Given);
    assert_eq!(machine.of(&store, &settings()), Approval::Given);

    let moved = machine.folder.path().join("moved");
    std::fs::rename(&store, &moved).expect("moved");
    if cfg!(unix) {
        assert_eq!(machine.of(&moved, &settings()), Approval::Given);
    }
    // A foreign store in place of an approved one.
    let foreign = machine.store("store");
    assert_eq!(machine.of(&foreign, &settings()), Approval::Missing);
    std::fs::write(foreign.join("store.id"), "of another machine\n").expect("a file");
    assert_eq!(machine.of(&foreign, &settings()), Approval::Missing);
}

#[test]
fn a_file_that_cannot_be_understood_approves_nothing() {
    let machine = Machine::new();
    let store = machine.store("store");
    machine.approve(&store, &settings());
    for text in [
        "",
        "not toml",
        "format = 1\ncolour = 1",
        "format = 1\nstore = 3",
    ] {
        std::fs::write(machine.allowed(), text).expect("a file");
        let opened = Approvals::open(&machine.allowed());
        assert!(matches!(opened, Err(BridgeError::Unsafe { .. })), "{text}");
    }
    std::fs::write(machine.allowed(), "format = 2\ncolour = 1").expect("a file");
    let opened = Approvals::open(&machine.allowed());
    assert!(matches!(opened, Err(BridgeError::Newer { found: 2, .. })));
}

#[test]
fn files_that_are_too_long_are_not_read() {
    let machine = Machine::new();
    let store = machine.store("store");
    let path = store.join("model.toml");
    settings().save(&path).expect("settings");
    let mut text = std::fs::read_to_string(&path).expect("text");
    text.push_str(&"# more\n".repeat(100_000));
    std::fs::write(&path, text).expect("a file");
    let refused = BridgeConfig::load(&path).expect_err("too long").to_string();
    assert!(refused.contains("longer than"), "{refused}");
}

#[cfg(unix)]
mod on_unix {
    use super::*;
    use crate::world::set_mode;

    /// Every file that decides where text and keys go, with the reader that rejects it.
    fn readers(machine: &Machine, store: &Path) -> Vec<(PathBuf, Box<dyn Fn() -> String>)> {
        let settings_file = store.join("model.toml");
        settings().save(&settings_file).expect("settings");
        machine.approve(store, &settings());
        let of_load = settings_file.clone();
        let load = move || BridgeConfig::load(&of_load).map(drop);
        let allowed = machine.allowed();
        let open = move || Approvals::open(&allowed).map(drop);
        let (approvals, of_store) = (machine.approvals(), store.to_owned());
        let identify = move || approvals.of_store(&of_store, &settings()).map(drop);
        let message = |read: Box<dyn Fn() -> Result<(), BridgeError>>| -> Box<dyn Fn() -> String> {
            Box::new(move || match read() {
                Ok(()) => String::new(),
                Err(error @ BridgeError::Unsafe { .. }) => error.to_string(),
                Err(error) => panic!("{error}"),
            })
        };
        vec![
            (settings_file, message(Box::new(load))),
            (machine.allowed(), message(Box::new(open))),
            (store.join("store.id"), message(Box::new(identify))),
        ]
    }

    #[test]
    fn files_writable_by_others_are_not_read() {
        let machine = Machine::new();
        let store = machine.store("store");
        for (path, read) in readers(&machine, &store) {
            let folder = path.parent().expect("a folder").to_owned();
            for (changed, mode, remedy) in [
                (&path, 0o666, "chmod go-w"),
                (&path, 0o660, "chmod go-w"),
                (&path, 0o602, "chmod go-w"),
                (&path, 0o644, ""),
                (&folder, 0o777, "chmod go-w"),
                (&folder, 0o770, "chmod go-w"),
                (&folder, 0o1777, "chmod go-w"),
                (&folder, 0o755, ""),
                (&folder, 0o700, ""),
            ] {
                set_mode(changed, mode);
                let message = read();
                assert_eq!(
                    message.is_empty(),
                    remedy.is_empty(),
                    "{path:?} {mode:o} {message}"
                );
                assert!(message.contains(remedy), "{path:?} {mode:o} {message}");
                set_mode(&path, 0o600);
            }
        }
    }

    #[test]
    fn links_pipes_and_folders_are_not_read() {
        let machine = Machine::new();
        let store = machine.store("store");
        for (path, read) in readers(&machine, &store) {
            let elsewhere = machine.folder.path().join("elsewhere");
            std::fs::rename(&path, &elsewhere).expect("moved");
            std::os::unix::fs::symlink(&elsewhere, &path).expect("a link");
            let message = read();
            assert!(message.contains("symbolic link"), "{path:?} {message}");
            std::fs::remove_file(&path).expect("removed");
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            assert!(made.expect("mkfifo").success());
            assert!(read().contains("not a regular file"), "{path:?}");
            std::fs::remove_file(&path).expect("removed");
            std::fs::create_dir(&path).expect("a folder");
            assert!(read().contains("not a regular file"), "{path:?}");
            std::fs::remove_dir(&path).expect("removed");
            std::fs::rename(&elsewhere, &path).expect("moved");
            assert_eq!(read(), "");
        }
    }

    #[test]
    fn files_of_other_users_are_not_read() {
        let machine = Machine::new();
        let store = machine.store("store");
        for (path, read) in readers(&machine, &store) {
            // Only root may change a file's owner; without that right only the rule itself is tested.
            if std::os::unix::fs::chown(&path, Some(12_345), None).is_err() {
                return;
            }
            let message = read();
            assert!(
                message.contains("belongs to user 12345"),
                "{path:?} {message}"
            );
            std::os::unix::fs::chown(&path, Some(0), None).expect("given back");
            let folder = path.parent().expect("a folder");
            std::os::unix::fs::chown(folder, Some(12_345), None).expect("given away");
            let message = read();
            assert!(
                message.contains("its folder belongs to user 12345"),
                "{path:?} {message}"
            );
            std::os::unix::fs::chown(folder, Some(0), None).expect("given back");
        }
    }
}
