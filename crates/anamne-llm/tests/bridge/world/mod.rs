//! Test fixtures: a scripted server, scripted time, a model without a network.

mod forms;
mod server;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anamne_llm::{
    Bridge, BridgeConfig, BridgeError, Environment, Key, LanguageModel, Ledger, Message, Pace,
    Provider, Reply, Request, Schema, Usage, language_model, remote_embedder,
};
use anamne_store::Clock;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) use forms::{Form, PROVIDERS};
pub(crate) use server::{Seen, Server, Turn};

/// A key that may only occur in its header.
pub(crate) const KEY: &str = "sk-0123456789-very-secret";

/// Time that only advances by sleeping.
#[derive(Default)]
pub(crate) struct ScriptedPace {
    elapsed: Mutex<Duration>,
}

impl Pace for ScriptedPace {
    fn elapsed(&self) -> Duration {
        *self.elapsed.lock().expect("no test panics while it sleeps")
    }

    fn sleep(&self, pause: Duration) {
        *self.elapsed.lock().expect("no test panics while it sleeps") += pause;
    }

    fn jitter(&self) -> f64 {
        0.5
    }
}

/// A clock that stands still until it is set.
pub(crate) struct ScriptedClock(Mutex<Timestamp>);

impl ScriptedClock {
    pub(crate) fn at(text: &str) -> Arc<Self> {
        Arc::new(Self(Mutex::new(text.parse().expect("an instant"))))
    }

    pub(crate) fn set(&self, text: &str) {
        *self
            .0
            .lock()
            .expect("no test panics while it sets the clock") = text.parse().expect("an instant");
    }

    pub(crate) fn pass_hours(&self, hours: i64) {
        let mut now = self
            .0
            .lock()
            .expect("no test panics while it sets the clock");
        *now = now
            .checked_add(hours.hours())
            .expect("a time within the calendar");
    }
}

impl Clock for ScriptedClock {
    fn now(&self) -> Timestamp {
        *self
            .0
            .lock()
            .expect("no test panics while it sets the clock")
    }
}

/// A model that answers with a closure.
pub(crate) struct ScriptedModel<F>(pub(crate) F);

impl<F: Fn(&Request) -> Result<Reply, BridgeError> + Send + Sync> LanguageModel
    for ScriptedModel<F>
{
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn complete(&self, request: &Request) -> Result<Reply, BridgeError> {
        (self.0)(request)
    }
}

/// A reply of the scripted model.
pub(crate) fn replied(text: &str, input_tokens: u64, output_tokens: u64) -> Reply {
    Reply {
        text: text.to_owned(),
        usage: Some(Usage {
            input_tokens,
            output_tokens,
        }),
        model: "scripted".to_owned(),
        cut: false,
    }
}

/// An empty environment.
pub(crate) struct NoVariables;

impl Environment for NoVariables {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

/// A bridge to a scripted server, or to a scripted model.
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) pace: Arc<ScriptedPace>,
    pub(crate) clock: Arc<ScriptedClock>,
    pub(crate) config: BridgeConfig,
    pub(crate) server: Server,
    /// The dimensions that the embedding model is asked for.
    pub(crate) dimensions: Option<usize>,
}

impl World {
    pub(crate) fn new(provider: Provider, script: Vec<Turn>) -> Self {
        let server = Server::start(script);
        let mut config = BridgeConfig {
            enabled: true,
            provider,
            model: "model-1".to_owned(),
            base_url: Some(server.url()),
            thinking_tokens: 0,
            ..BridgeConfig::default()
        };
        config.limits.requests_per_minute = 0;
        config.limits.tokens_per_minute = 0;
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            pace: Arc::default(),
            clock: ScriptedClock::at("2026-01-31T12:00:00Z"),
            config,
            server,
            dimensions: None,
        }
    }

    pub(crate) fn catalog(&self) -> std::path::PathBuf {
        self.folder.path().join("catalog.db")
    }

    pub(crate) fn model(&self) -> Arc<dyn LanguageModel> {
        let key = Key::new(KEY, "the test").expect("a key");
        language_model(&self.config, Some(key), self.clock.clone()).expect("a model")
    }

    pub(crate) fn bridge(&self) -> Bridge {
        let bridge = self.bridge_to(self.model());
        let key = Key::new(KEY, "the test").expect("a key");
        let embedder =
            remote_embedder(&self.config, self.dimensions, Some(key), self.clock.clone());
        match embedder.expect("settings that fit") {
            Some(embedder) => bridge.with_embedder(embedder),
            None => bridge,
        }
    }

    pub(crate) fn bridge_to(&self, model: Arc<dyn LanguageModel>) -> Bridge {
        let ledger = Arc::new(Ledger::open(&self.catalog()).expect("a ledger"));
        Bridge::new(
            self.config.clone(),
            model,
            ledger,
            self.clock.clone(),
            self.pace.clone(),
        )
    }
}

/// A small question.
pub(crate) fn question() -> Request {
    Request {
        system: "Say how many.".to_owned(),
        messages: vec![Message::asked("How many?")],
        schema: Some(number_schema()),
        max_output_tokens: 100,
        temperature: Some(0.0),
        longest: Duration::from_secs(20),
    }
}

/// `{"n": 0..=9}`
pub(crate) fn number_schema() -> Schema {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["n"],
        "additionalProperties": false,
    });
    Schema::new(schema).expect("known words")
}

/// Held while a program is written or started: a child process started while another thread writes a program inherits
/// the open file for a moment, and a file that is open for writing can't be executed.
pub(crate) fn alone_with_programs() -> MutexGuard<'static, ()> {
    static PROGRAMS: Mutex<()> = Mutex::new(());
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The mode of a file.
#[cfg(unix)]
pub(crate) fn mode(path: &Path) -> u32 {
    let metadata = std::fs::metadata(path).expect("a file");
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777
}

/// Sets the mode of a file or folder.
#[cfg(unix)]
pub(crate) fn set_mode(path: &Path, mode: u32) {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, permissions).expect("a mode");
}

/// The JSON in a request's body.
pub(crate) fn json_of(seen: &Seen) -> Value {
    serde_json::from_slice(&seen.body).expect("every request holds JSON")
}
