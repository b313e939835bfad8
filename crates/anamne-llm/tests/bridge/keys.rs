//! Where keys come from, and who may read them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anamne_llm::{
    Approvals, Bridge, BridgeConfig, BridgeContext, BridgeError, Environment, Key, KeyOrigin,
    KeySources, Keychain, NoKeychain, Provider, ToolKeychain, bind_key_file, write_key_file,
};
use anamne_store::Clock;
use anamne_types::NextStep;
use tempfile::TempDir;

use crate::world::{KEY, NoVariables, ScriptedClock, ScriptedPace, alone_with_programs};

/// The account of a key for OpenAI's own API.
const ACCOUNT: &str = "openai@https://api.openai.com:443";

/// A keychain with the password of one account.
struct OnePassword(&'static str, &'static str);

impl Keychain for OnePassword {
    fn is_there(&self) -> bool {
        true
    }

    fn password(&self, service: &str, account: &str) -> Result<Option<String>, BridgeError> {
        let known = service == "anamne" && account == self.0;
        Ok(known.then(|| self.1.to_owned()))
    }

    fn keep(&self, service: &str, account: &str, key: &Key) -> Result<(), BridgeError> {
        NoKeychain.keep(service, account, key)
    }
}

/// Only the key file, without approvals.
fn sources<'a>(
    environment: &'a dyn Environment,
    keychain: &'a dyn Keychain,
    file: &Path,
    approvals: &'a Approvals,
) -> KeySources<'a> {
    KeySources {
        environment,
        keychain,
        file: file.to_owned(),
        approvals,
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
    write_key_file(&file, ACCOUNT, &key("from-file")).expect("a file");
    let variable = |name: &str| (name == "OPENAI_API_KEY").then(|| "from-variable\n".to_owned());
    let none = Approvals::default();
    let find = |environment, keychain| {
        let sources = sources(environment, keychain, &file, &none);
        openai().find_key(&sources).expect("a key").expect("a key")
    };
    let full = OnePassword(ACCOUNT, "from-keychain");
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
            KeyOrigin::Keychain(ACCOUNT.to_owned())
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
    let none = Approvals::default();
    let file = folder.path().join("model.key");
    let sources = sources(&variable, &NoKeychain, &file, &none);
    let mut config = openai();
    config.base_url = Some("http://localhost:11434/v1".to_owned());
    assert_eq!(config.find_key(&sources).expect("no error"), None);
    config.key_env = Some("ANAMNE_TEST_KEY".to_owned());
    assert!(config.find_key(&sources).expect("no error").is_some());
}

#[test]
fn a_variable_that_is_not_known_to_hold_a_key_is_not_even_read() {
    let folder = TempDir::new().expect("a folder");
    let read = std::cell::RefCell::new(Vec::new());
    let variable = |name: &str| {
        read.borrow_mut().push(name.to_owned());
        Some("a-secret-of-something-else".to_owned())
    };
    let file = folder.path().join("model.key");
    let mut config = openai();
    config.base_url = Some("https://llm.example.org/v1".to_owned());
    let mut approvals = Approvals::open(&folder.path().join("allowed.toml")).expect("no file");
    for name in [
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "PGPASSWORD",
        "ANAMNE_STORE",
    ] {
        config.key_env = Some(name.to_owned());
        let found = config.find_key(&sources(&variable, &NoKeychain, &file, &approvals));
        let message = found.expect_err("not allowed").to_string();
        assert!(
            message.contains(name) && message.contains("llm.example.org"),
            "{message}"
        );
    }
    assert_eq!(read.borrow().as_slice(), [""; 0]);

    // Approved for one host.
    config.key_env = Some("GITHUB_TOKEN".to_owned());
    approvals
        .allow_variable("GITHUB_TOKEN", &config)
        .expect("a file");
    let approvals = Approvals::open(&folder.path().join("allowed.toml")).expect("a file");
    let sources = sources(&variable, &NoKeychain, &file, &approvals);
    assert!(config.find_key(&sources).expect("a key").is_some());
    for other in ["https://llm.example.org:8443/v1", "https://example.org/v1"] {
        config.base_url = Some(other.to_owned());
        assert!(
            matches!(
                config.find_key(&sources),
                Err(BridgeError::VariableNotAllowed { .. })
            ),
            "{other}"
        );
    }
}

#[test]
fn a_kept_key_is_for_one_provider_scheme_host_and_port() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("model.key");
    let none = Approvals::default();
    let at = |url: &str| BridgeConfig {
        base_url: Some(url.to_owned()),
        ..openai()
    };
    let home = at("https://llm.example.org/v1");
    let account = home.key_account().expect("an address");
    assert_eq!(account, "openai@https://llm.example.org:443");
    write_key_file(&file, &account, &key(KEY)).expect("a file");
    let in_file = sources(&NoVariables, &NoKeychain, &file, &none);
    let missing = folder.path().join("none");
    let password = OnePassword("openai@https://llm.example.org:443", KEY);
    let in_keychain = sources(&NoVariables, &password, &missing, &none);
    for sources in [&in_file, &in_keychain] {
        let found = |config: &BridgeConfig| config.find_key(sources).expect("no error");
        assert!(found(&home).is_some());
        assert!(found(&at("https://LLM.example.org:443/v2")).is_some());
        for other in [
            "https://llm.example.org:8443/v1",
            "https://example.org/v1",
            "https://llm.example.org.evil.example/v1",
            "http://localhost/v1",
        ] {
            assert_eq!(found(&at(other)), None, "{other}");
        }
        let mut gemini = home.clone();
        gemini.provider = Provider::Gemini;
        assert_eq!(found(&gemini), None);
    }
    let message = openai().find_key(&in_file).expect_err("no key").to_string();
    assert!(
        message.contains("it holds a key for openai@https://llm.example.org:443"),
        "{message}"
    );
}

#[test]
fn keys_of_earlier_versions_go_to_the_host_that_they_were_for() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("model.key");
    let none = Approvals::default();
    // Stored under the host alone, which can only have meant the provider's own address.
    let by_host = OnePassword("api.openai.com", KEY);
    let keychain = sources(&NoVariables, &by_host, &file, &none);
    assert!(openai().find_key(&keychain).expect("a key").is_some());
    let mut other = openai();
    other.base_url = Some("https://api.openai.com:8443/v1".to_owned());
    assert_eq!(other.find_key(&keychain).expect("no error"), None);
    // Without a host.
    std::fs::write(&file, format!("{KEY}\n")).expect("a file");
    #[cfg(unix)]
    crate::world::set_mode(&file, 0o600);
    let in_file = sources(&NoVariables, &NoKeychain, &file, &none);
    let unbound = openai().find_key(&in_file);
    assert!(matches!(unbound, Err(BridgeError::KeyUnbound { .. })));
    assert!(bind_key_file(&file, ACCOUNT).expect("a file"));
    assert!(!bind_key_file(&file, "openai@https://evil.example:443").expect("bound before"));
    assert!(openai().find_key(&in_file).expect("a key").is_some());
}

#[test]
fn a_missing_key_names_the_places_to_put_one() {
    let folder = TempDir::new().expect("a folder");
    let none = Approvals::default();
    let file = folder.path().join("model.key");
    let sources = sources(&NoVariables, &NoKeychain, &file, &none);
    let message = openai().find_key(&sources).expect_err("no key").to_string();
    for place in [
        "OPENAI_API_KEY",
        "service anamne, account openai@https://api.openai.com:443",
        "model.key",
    ] {
        assert!(message.contains(place), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_can_read_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("model.key");
    let none = Approvals::default();
    let sources = sources(&NoVariables, &NoKeychain, &file, &none);
    for (mode, accepted) in [
        (0o600, true),
        (0o400, true),
        (0o640, false),
        (0o604, false),
        (0o660, false),
        (0o610, false),
    ] {
        write_key_file(&file, ACCOUNT, &key(KEY)).expect("a file");
        assert_eq!(crate::world::mode(&file), 0o600);
        crate::world::set_mode(&file, mode);
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
        let message = format!("{error} {error:?}");
        assert!(
            text.trim().is_empty() || !message.contains(text.trim()),
            "{message}"
        );
    }
    assert_eq!(format!("{:?}", key(KEY)), "Key(…)");
    let folder = TempDir::new().expect("a folder");
    let none = Approvals::default();
    let sources = sources(&NoVariables, &NoKeychain, folder.path(), &none);
    assert!(
        matches!(openai().find_key(&sources), Err(BridgeError::Unsafe { .. })),
        "a folder"
    );
}

#[cfg(unix)]
#[test]
fn a_key_file_is_written_anew_and_never_through_a_link() {
    let folder = TempDir::new().expect("a folder");
    let (file, other) = (folder.path().join("model.key"), folder.path().join("other"));
    std::fs::write(&other, "precious").expect("a file");
    std::os::unix::fs::symlink(&other, &file).expect("a link");
    let none = Approvals::default();
    let sources = sources(&NoVariables, &NoKeychain, &file, &none);
    let linked = openai().find_key(&sources);
    assert!(
        matches!(linked, Err(BridgeError::Unsafe { .. })),
        "{linked:?}"
    );
    write_key_file(&file, ACCOUNT, &key(KEY)).expect("a file");
    assert_eq!(std::fs::read_to_string(&other).expect("a file"), "precious");
    assert_eq!(crate::world::mode(&file), 0o600);
    assert!(openai().find_key(&sources).expect("a key").is_some());
}

#[cfg(unix)]
fn tool(folder: &Path, script: &str) -> ToolKeychain {
    let path = folder.join("tool");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
    crate::world::set_mode(&path, 0o700);
    ToolKeychain::behind(&path, Duration::from_secs(30))
}

#[cfg(unix)]
#[test]
fn the_tool_of_the_system_is_asked_by_service_and_account() {
    let _alone = alone_with_programs();
    let folder = TempDir::new().expect("a folder");
    let check = |script: &str, expected: Option<&str>| {
        let found = tool(folder.path(), script).password("anamne", "api.openai.com");
        assert_eq!(found.expect("no error").as_deref(), expected, "{script}");
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
    assert_eq!(missing.password("anamne", "host").expect("no error"), None);
}

#[cfg(unix)]
#[test]
fn a_tool_gets_the_key_by_standard_input_and_not_as_an_argument() {
    let _alone = alone_with_programs();
    let folder = TempDir::new().expect("a folder");
    // Records its arguments, and stores the password as the real tool does.
    let script = "cd \"$(dirname \"$0\")\"; echo \"$*\" >> called; \
                  case $1 in store) cat > kept;; lookup) cat kept;; esac";
    let keychain = tool(folder.path(), script);
    assert!(keychain.is_there() && !NoKeychain.is_there());
    keychain.keep("anamne", ACCOUNT, &key(KEY)).expect("kept");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!(read("kept"), KEY, "without a line break");
    let called = read("called");
    assert!(!called.contains(KEY), "{called}");
    let stored = format!("service anamne account {ACCOUNT}\n");
    assert!(
        called.starts_with("store --label=") && called.contains(&stored),
        "{called}"
    );
    let found = keychain.password("anamne", ACCOUNT).expect("no error");
    assert_eq!(found.as_deref(), Some(KEY));
}

#[cfg(unix)]
#[test]
fn a_tool_that_does_not_keep_the_key_is_not_believed() {
    let _alone = alone_with_programs();
    let folder = TempDir::new().expect("a folder");
    for script in [
        "exit 1",
        "exit 0",
        "cat > /dev/null; echo another",
        "kill -9 $$",
    ] {
        let kept = tool(folder.path(), script).keep("anamne", ACCOUNT, &key(KEY));
        let error = kept.expect_err(script);
        let message = format!("{error} {error:?}");
        assert!(
            matches!(error, BridgeError::Keychain { .. }),
            "{script}: {message}"
        );
        assert_eq!(
            error.next_step(),
            Some(NextStep::KeepKeyInFile),
            "{message}"
        );
        assert!(!message.contains(KEY), "{script}: {message}");
    }
    let none = NoKeychain.keep("anamne", ACCOUNT, &key(KEY));
    assert!(matches!(none, Err(BridgeError::Keychain { .. })));
}

#[cfg(unix)]
#[test]
fn a_tool_that_hangs_is_a_keychain_without_the_key() {
    let _alone = alone_with_programs();
    let folder = TempDir::new().expect("a folder");
    tool(folder.path(), "exec sleep 600");
    let hasty = ToolKeychain::behind(&folder.path().join("tool"), Duration::from_millis(20));
    assert_eq!(hasty.password("anamne", "host").expect("no error"), None);
}

#[test]
fn a_bridge_is_opened_from_the_stores_folder() {
    let folder = TempDir::new().expect("a folder");
    let approved = folder.path().join("person/allowed.toml");
    let store = folder.path().join("store");
    std::fs::create_dir(&store).expect("a folder");
    #[cfg(unix)]
    crate::world::set_mode(&store, 0o700);
    let clock = ScriptedClock::at("2026-01-31T12:00:00Z");
    let surroundings = BridgeContext {
        clock: clock.clone(),
        pace: Arc::new(ScriptedPace::default()),
        environment: &NoVariables,
        keychain: &NoKeychain,
        approvals: &approved,
    };
    let open = || Bridge::open(&store, &surroundings);
    assert!(
        open().expect("no error").is_none(),
        "off where nothing is said"
    );
    assert!(!store.join("catalog.db").exists(), "and nothing is made");
    let settings = store.join("model.toml");
    openai().save(&settings).expect("settings");
    assert!(matches!(
        open().map(drop),
        Err(BridgeError::NotApproved { .. })
    ));
    let mut approvals = Approvals::open(&approved).expect("no file");
    approvals
        .approve(&store, &openai(), clock.now())
        .expect("a file");
    assert!(matches!(open().map(drop), Err(BridgeError::NoKey { .. })));
    write_key_file(&store.join("model.key"), ACCOUNT, &key(KEY)).expect("a key");
    let bridge = open().expect("no error").expect("a bridge");
    assert_eq!(bridge.model(), "model-1");
    assert!(store.join("catalog.db").exists());
    let mut off = openai();
    off.enabled = false;
    off.save(&settings).expect("settings");
    assert!(open().expect("no error").is_none());
}
