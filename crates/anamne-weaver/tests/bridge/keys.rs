//! Where keys come from, and who may see them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anamne_weaver::bridge::{
    Bridge, BridgeConfig, BridgeError, Key, KeyOrigin, KeySources, Keychain, NoKeychain, Provider,
    Surroundings, ToolKeychain, write_key_file,
};
use tempfile::TempDir;

use crate::world::{KEY, NoVariables, ScriptedClock, ScriptedPace, alone_with_programs};

/// A keychain that knows one password.
struct OnePassword(&'static str);

impl Keychain for OnePassword {
    fn password(&self, service: &str, account: &str) -> Result<Option<String>, BridgeError> {
        let known = service == "anamne" && account == "api.openai.com";
        Ok(known.then(|| self.0.to_owned()))
    }
}

fn openai() -> BridgeConfig {
    BridgeConfig {
        enabled: true,
        provider: Provider::Openai,
        model: "model-1".to_owned(),
        ..BridgeConfig::default()
    }
}

fn key(text: &str) -> Key {
    Key::new(text, "the test").expect("a key")
}

#[test]
fn the_environment_comes_before_the_keychain_and_that_before_the_file() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("model.key");
    write_key_file(&file, &key("from-file")).expect("a file");
    let variable = |name: &str| (name == "OPENAI_API_KEY").then(|| "from-variable\n".to_owned());
    let find = |environment, keychain| {
        let sources = KeySources {
            environment,
            keychain,
            file: file.clone(),
        };
        openai().find_key(&sources).expect("a key").expect("a key")
    };
    let full = OnePassword("from-keychain");
    assert_eq!(
        find(&variable, &full),
        (
            key("from-variable"),
            KeyOrigin::Variable("OPENAI_API_KEY".to_owned())
        )
    );
    assert_eq!(
        find(&NoVariables, &full),
        (
            key("from-keychain"),
            KeyOrigin::Keychain("api.openai.com".to_owned())
        )
    );
    assert_eq!(
        find(&NoVariables, &NoKeychain),
        (key("from-file"), KeyOrigin::File(file.clone()))
    );
}

#[test]
fn the_usual_variable_is_not_sent_to_an_address_of_ones_own() {
    let folder = TempDir::new().expect("a folder");
    let variable = |_: &str| Some("a-key".to_owned());
    let sources = KeySources {
        environment: &variable,
        keychain: &NoKeychain,
        file: folder.path().join("model.key"),
    };
    let mut config = openai();
    config.base_url = Some("http://localhost:11434/v1".to_owned());
    assert_eq!(config.find_key(&sources).expect("no trouble"), None);
    config.key_env = Some("MY_KEY".to_owned());
    assert!(config.find_key(&sources).expect("no trouble").is_some());
}

#[test]
fn a_missing_key_names_the_places_to_put_one() {
    let folder = TempDir::new().expect("a folder");
    let sources = KeySources {
        environment: &NoVariables,
        keychain: &NoKeychain,
        file: folder.path().join("model.key"),
    };
    let told = openai().find_key(&sources).expect_err("no key").to_string();
    for place in [
        "OPENAI_API_KEY",
        "service anamne, account api.openai.com",
        "model.key",
    ] {
        assert!(told.contains(place), "{told}");
    }
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("model.key");
    let sources = KeySources {
        environment: &NoVariables,
        keychain: &NoKeychain,
        file: file.clone(),
    };
    for (mode, accepted) in [
        (0o600, true),
        (0o400, true),
        (0o640, false),
        (0o604, false),
        (0o660, false),
        (0o610, false),
    ] {
        write_key_file(&file, &key(KEY)).expect("a file");
        assert_eq!(crate::world::mode(&file), 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("a mode");
        match openai().find_key(&sources) {
            Ok(found) => assert!(accepted && found.is_some(), "{mode:o}"),
            Err(error) => {
                assert!(!accepted, "{mode:o} {error}");
                assert!(matches!(error, BridgeError::KeyFileOpen { .. }));
                assert!(error.to_string().contains("chmod 600"));
                assert!(!format!("{error} {error:?}").contains(KEY));
            }
        }
    }
}

#[test]
fn what_is_no_key_is_refused_without_being_shown() {
    let long = "k".repeat(5_000);
    for text in [
        "",
        "  \n",
        "two words",
        "line\nline",
        "schlüssel",
        "\u{1b}[31m",
        &long,
    ] {
        let error = Key::new(text, "the test").expect_err("no key");
        let told = format!("{error} {error:?}");
        assert!(
            text.trim().is_empty() || !told.contains(text.trim()),
            "{told}"
        );
    }
    assert_eq!(format!("{:?}", key(KEY)), "Key(…)");
    let folder = TempDir::new().expect("a folder");
    let sources = KeySources {
        environment: &NoVariables,
        keychain: &NoKeychain,
        file: folder.path().to_owned(),
    };
    assert!(
        matches!(
            openai().find_key(&sources),
            Err(BridgeError::KeyUnusable { .. })
        ),
        "a folder"
    );
}

#[cfg(unix)]
fn tool(folder: &Path, script: &str) -> ToolKeychain {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("tool");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    ToolKeychain::behind(&path, Duration::from_secs(30))
}

#[cfg(unix)]
#[test]
fn the_tool_of_the_system_is_asked_by_service_and_account() {
    let _alone = alone_with_programs();
    let folder = TempDir::new().expect("a folder");
    let check = |script: &str, expected: Option<&str>| {
        let found = tool(folder.path(), script).password("anamne", "api.openai.com");
        assert_eq!(found.expect("no trouble").as_deref(), expected, "{script}");
    };
    check(
        "echo \"$*\"",
        Some("lookup service anamne account api.openai.com\n"),
    );
    check("echo secret; exit 1", None);
    check("exit 0", None);
    check("echo trouble >&2; exit 3", None);
    check("kill -9 $$", None);
    let missing = ToolKeychain::behind(&folder.path().join("none"), Duration::from_secs(30));
    assert_eq!(
        missing.password("anamne", "host").expect("no trouble"),
        None
    );
}

#[cfg(unix)]
#[test]
fn a_tool_that_hangs_is_a_keychain_without_the_key() {
    let _alone = alone_with_programs();
    let folder = TempDir::new().expect("a folder");
    tool(folder.path(), "exec sleep 600");
    let hasty = ToolKeychain::behind(&folder.path().join("tool"), Duration::from_millis(20));
    assert_eq!(hasty.password("anamne", "host").expect("no trouble"), None);
}

#[test]
fn a_bridge_is_opened_from_the_stores_folder() {
    let folder = TempDir::new().expect("a folder");
    let surroundings = Surroundings {
        clock: ScriptedClock::at("2026-01-31T12:00:00Z"),
        pace: Arc::new(ScriptedPace::default()),
        environment: &NoVariables,
        keychain: &NoKeychain,
    };
    let open = || Bridge::open(folder.path(), &surroundings);
    assert!(
        open().expect("no trouble").is_none(),
        "off where nothing is said"
    );
    assert!(
        !folder.path().join("catalog.db").exists(),
        "and nothing is made"
    );
    let settings = folder.path().join("model.toml");
    openai().save(&settings).expect("settings");
    assert!(matches!(open().map(drop), Err(BridgeError::NoKey { .. })));
    write_key_file(&folder.path().join("model.key"), &key(KEY)).expect("a key");
    let bridge = open().expect("no trouble").expect("a bridge");
    assert_eq!(bridge.model(), "model-1");
    assert!(folder.path().join("catalog.db").exists());
    let mut off = openai();
    off.enabled = false;
    off.save(&settings).expect("settings");
    assert!(open().expect("no trouble").is_none());
}
