//! Sources of embeddings that are the test's server.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anamne::SystemClock;
use anamne::llm::{
    Bridge, BridgeConfig, BridgeError, EmbeddingName, EmbeddingSource, EmbeddingSources, Ledger,
    Pace, PriceRule, Provider, language_model, remote_embedder,
};

/// Time that passes by sleeping alone.
#[derive(Default)]
struct NoWaiting(Mutex<Duration>);

impl Pace for NoWaiting {
    fn elapsed(&self) -> Duration {
        *self.0.lock().expect("no panic")
    }

    fn sleep(&self, pause: Duration) {
        *self.0.lock().expect("no panic") += pause;
    }

    fn jitter(&self) -> f64 {
        0.0
    }
}

/// The source `local`, which is the server; and `far`, the same server behind settings of another machine.
pub(crate) struct Sources {
    config: BridgeConfig,
    /// The address that is really asked.
    url: String,
    ledger: Arc<Ledger>,
}

impl Sources {
    /// The sources of a server that embeds in OpenAI's form, in a store.
    pub(crate) fn at(server: &str, root: &Path) -> Self {
        let source = |url: &str| EmbeddingSource {
            provider: Provider::Openai,
            base_url: Some(url.to_owned()),
            key_env: None,
        };
        let mut config = BridgeConfig::default();
        config.embeddings.insert("local".to_owned(), source(server));
        let elsewhere = source("https://embeddings.example.org/v1");
        config.embeddings.insert("far".to_owned(), elsewhere);
        config.limits.requests_per_minute = 0;
        config.limits.tokens_per_minute = 0;
        config.prices.push(PriceRule {
            prefix: "embed".to_owned(),
            input: 10.0,
            output: 0.0,
        });
        let ledger = Ledger::open(&root.join("catalog.db")).expect("a ledger");
        Self {
            config,
            url: server.to_owned(),
            ledger: Arc::new(ledger),
        }
    }
}

impl EmbeddingSources for Sources {
    fn settings(&self, name: &EmbeddingName) -> Result<BridgeConfig, BridgeError> {
        self.config.for_embeddings(name)
    }

    fn open(&self, name: &EmbeddingName) -> Result<Bridge, BridgeError> {
        let settings = self.settings(name)?;
        let here = BridgeConfig {
            base_url: Some(self.url.clone()),
            ..settings.clone()
        };
        let clock = Arc::new(SystemClock);
        let model = language_model(&here, None, clock.clone())?;
        let embedder = remote_embedder(&here, None, None, clock.clone())?;
        let pace = Arc::new(NoWaiting::default());
        let bridge = Bridge::new(settings, model, self.ledger.clone(), clock, pace);
        Ok(bridge.with_embedder(embedder.expect("an embedding model")))
    }
}
