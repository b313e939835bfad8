//! `model.toml`.

use anamne_llm::{BridgeConfig, BridgeError, PriceRule, Provider};
use tempfile::TempDir;

fn loaded(text: &str) -> Result<BridgeConfig, BridgeError> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("model.toml");
    std::fs::write(&path, text).expect("a file");
    BridgeConfig::load(&path)
}

#[test]
fn the_bridge_is_off_unless_someone_turns_it_on() {
    let folder = TempDir::new().expect("a folder");
    let missing = BridgeConfig::load(&folder.path().join("model.toml")).expect("settings");
    assert!(!missing.enabled);
    assert!(!loaded("").expect("settings").enabled);
    assert!(
        !loaded("provider = \"gemini\"\nmodel = \"x\"")
            .expect("settings")
            .enabled
    );
    let on = loaded("enabled = true\nprovider = \"openai\"\nmodel = \"x\"").expect("settings");
    assert!(on.enabled);
    assert!(
        on.budgets.daily_dollars > 0.0,
        "money is bounded unless someone says otherwise"
    );
}

#[test]
fn what_is_written_is_read_back() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("model.toml");
    let mut config = BridgeConfig {
        enabled: true,
        provider: Provider::Openai,
        model: "owner/model-1:8b".to_owned(),
        embedding_model: "embed-1".to_owned(),
        base_url: Some("http://127.0.0.1:11434/v1".to_owned()),
        key_env: Some("MY_KEY".to_owned()),
        ..BridgeConfig::default()
    };
    config.budgets.monthly_tokens = 1_000_000;
    config.prices.push(PriceRule {
        prefix: "owner/".to_owned(),
        input: 0.5,
        output: 1.5,
    });
    config.save(&path).expect("a file");
    config.save(&path).expect("a file in the place of another");
    assert_eq!(BridgeConfig::load(&path).expect("settings"), config);
    #[cfg(unix)]
    assert_eq!(crate::world::mode(&path), 0o600);
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .collect();
    assert_eq!(names.len(), 1, "nothing unfinished is left behind");
}

#[test]
fn settings_that_mean_nothing_are_refused() {
    for text in [
        "colour = 1",
        "[budgets]\nweekly_dollars = 1",
        "[timeouts]\ntotal_seconds = 0",
        "[retries]\nattempts = 0",
        "[budgets]\ndaily_dollars = -1",
        "[budgets]\ndaily_dollars = nan",
        "[[prices]]\nprefix = \"x\"\ninput = -1",
        "[[prices]]\nprefix = \"x\"\ninput = inf",
        "provider = \"other\"",
        "enabled = true",
        "enabled = true\nmodel = \"two words\"",
        "model = \"../../x\"",
        "base_url = \"http://example.org/v1\"",
        "base_url = \"https://name:word@example.org/v1\"",
        "[embeddings.Upper]\nprovider = \"openai\"",
        "[embeddings.local]\nprovider = \"anthropic\"",
        "[embeddings.local]\nprovider = \"openai\"\nbase_url = \"http://example.org/v1\"",
        "[embeddings.local]\nprovider = \"openai\"\nkey_env = \"A KEY\"",
        "[embeddings.local]\nmodel = \"x\"",
        "key_env = \"\"",
        "key_env = \"A KEY\"",
        "key_env = \"\\u001b[31mKEY\"",
        "key_env = \"1KEY\"",
        "base_url = \"https://example.org:99999/v1\"",
        "not toml",
    ] {
        assert!(
            matches!(loaded(text), Err(BridgeError::Config { .. })),
            "{text}"
        );
    }
    assert!(matches!(
        loaded("format = 2\ncolour = 1"),
        Err(BridgeError::Newer { found: 2, .. })
    ));
}

#[test]
fn configured_prices_override_listed_ones_and_the_longest_prefix_wins() {
    let mut config =
        loaded("enabled = true\nprovider = \"openai\"\nmodel = \"x\"").expect("settings");
    let input =
        |config: &BridgeConfig, model: &str| config.price_of(model).map(|price| price.input);
    assert_eq!(input(&config, "gpt-4o-mini"), Some(0.15));
    assert_eq!(input(&config, "unheard-of"), None);
    for (prefix, input) in [("gpt-", 7.0), ("gpt-4o", 8.0)] {
        config.prices.push(PriceRule {
            prefix: prefix.to_owned(),
            input,
            output: 0.0,
        });
    }
    assert_eq!(input(&config, "gpt-4o-mini"), Some(8.0));
    assert_eq!(input(&config, "gpt-9"), Some(7.0));
    config.prices.clear();
    config.base_url = Some("http://localhost:1/v1".to_owned());
    assert_eq!(
        input(&config, "gpt-4o-mini"),
        None,
        "this machine sends no bills"
    );
}
