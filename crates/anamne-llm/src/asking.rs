//! Asks a model within all limits: budgets, rate, time, retries, answer schema.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anamne_store::Clock;
use serde_json::{Value, json};

use super::breaker::Breaker;
use super::extract::extract;
use super::ledger::{Order, Outcome};
use super::pace::wait;
use super::quote::without_control_tokens;
use super::rate::RateLimit;
use super::{
    Approvals, BridgeConfig, BridgeError, Budgets, Embedded, EmbeddingName, Environment, Key,
    KeySources, Keychain, LanguageModel, Ledger, Message, Pace, Purpose, RemoteEmbedder, Reply,
    Request, Schema, Usage, language_model, remote_embedder,
};

/// The settings file of the bridge, in the store folder.
pub const MODEL_FILE: &str = "model.toml";

/// The key file, in the store folder.
pub const KEY_FILE: &str = "model.key";

/// The name of the key file of a source of embeddings, in the store folder.
pub fn embedding_key_file(source: &str) -> String {
    format!("embeddings-{source}.key")
}

/// The ledger database, in the store folder.
pub const CATALOG_FILE: &str = "catalog.db";

/// External dependencies of the bridge, passed in by the caller.
pub struct BridgeContext<'a> {
    /// Wall-clock time.
    pub clock: Arc<dyn Clock>,
    /// Monotonic time, and sleep.
    pub pace: Arc<dyn Pace>,
    /// Environment variables.
    pub environment: &'a dyn Environment,
    /// The system keychain.
    pub keychain: &'a dyn Keychain,
    /// The approvals file of this machine, in the user's own folder, outside every store.
    pub approvals: &'a Path,
}

/// The paying space and the cancellation of a call.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The space that the cost is booked to.
    pub space: &'a str,
    /// Checked before each attempt and while waiting; a running attempt ends on its own or by timeout.
    pub cancelled: &'a dyn Fn() -> bool,
    /// The budgets of the space, in addition to those of the store.
    pub budgets: Option<&'a Budgets>,
    /// The time limit of the whole call, if it is shorter than `timeouts.total_seconds`.
    pub longest: Option<Duration>,
    /// Whether a provider that can't be reached is tried again.
    pub is_patient: bool,
}

impl<'a> Call<'a> {
    /// A call that is never cancelled.
    pub fn of(space: &'a str) -> Self {
        Self {
            space,
            cancelled: &|| false,
            budgets: None,
            longest: None,
            is_patient: true,
        }
    }

    /// The same call within these budgets of its space too.
    #[must_use]
    pub fn within_budgets(self, budgets: &'a Budgets) -> Self {
        Self {
            budgets: Some(budgets),
            ..self
        }
    }

    /// The same call for somebody who waits: without a second attempt to reach the provider, and within `longest`.
    #[must_use]
    pub fn waited_for(self, longest: Option<Duration>) -> Self {
        Self {
            longest,
            is_patient: false,
            ..self
        }
    }
}

/// The only way to call a model. Safe to use from any number of threads.
pub struct Bridge {
    pub(crate) config: BridgeConfig,
    model: Arc<dyn LanguageModel>,
    pub(crate) embedder: Option<Arc<dyn RemoteEmbedder>>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) clock: Arc<dyn Clock>,
    pace: Arc<dyn Pace>,
    rate: RateLimit,
    breaker: Breaker,
}

/// The expected usage, space and deadline of one request.
struct Work<'a> {
    call: &'a Call<'a>,
    /// The deadline of the whole call in [`Pace`] time, including retries and corrections.
    deadline: Duration,
    /// The time from its start to the deadline.
    limit: Duration,
    model: &'a str,
    at_most: Usage,
    likely: Usage,
    /// How often it may be tried.
    attempts: u32,
    /// Whether the provider charges nothing for it, so that it is not booked.
    is_free: bool,
}

/// Pause after the first failure; doubles with each further failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Maximum characters of an invalid answer that are sent back to the model.
const MAX_REPEATED_CHARACTERS: usize = 8_000;

impl Bridge {
    /// The bridge configured by `model.toml` in the store folder; `None` if it is disabled or missing.
    ///
    /// Sends nothing. Errors: unusable settings, settings not approved on this machine, a missing key, a ledger that
    /// can't be opened.
    pub fn open(
        store: &Path,
        surroundings: &BridgeContext<'_>,
    ) -> Result<Option<Self>, BridgeError> {
        let config = BridgeConfig::load(&store.join(MODEL_FILE))?;
        if !config.enabled {
            return Ok(None);
        }
        let approvals = Approvals::open(surroundings.approvals)?;
        approvals.require(store, &config)?;
        let sources = KeySources {
            environment: surroundings.environment,
            keychain: surroundings.keychain,
            file: store.join(KEY_FILE),
            approvals: &approvals,
        };
        let key = config.find_key(&sources)?.map(|(key, _)| key);
        Self::to(config, key, store, surroundings).map(Some)
    }

    /// The same with at most so many US dollars per month (UTC) for the whole store, if that is less than its budget; 0
    /// is no further limit.
    #[must_use]
    pub fn spending_at_most(mut self, monthly_dollars: f64) -> Self {
        let budget = &mut self.config.budgets.monthly_dollars;
        if monthly_dollars > 0.0 && (*budget == 0.0 || monthly_dollars < *budget) {
            *budget = monthly_dollars;
        }
        self
    }

    /// The bridge to an embedding model of a source in `model.toml`.
    ///
    /// Sends nothing. Errors as [`Bridge::open`], and [`BridgeError::NoSource`].
    pub fn open_for_embedding(
        store: &Path,
        surroundings: &BridgeContext<'_>,
        name: &EmbeddingName,
    ) -> Result<Self, BridgeError> {
        let stored = BridgeConfig::load(&store.join(MODEL_FILE))?;
        let config = stored.for_embeddings(name)?;
        let approvals = Approvals::open(surroundings.approvals)?;
        approvals.require(store, &stored)?;
        let sources = KeySources {
            environment: surroundings.environment,
            keychain: surroundings.keychain,
            file: Self::key_file(store, &name.source),
            approvals: &approvals,
        };
        let key = config.find_key(&sources)?.map(|(key, _)| key);
        let embedder = remote_embedder(
            &config,
            name.requested(),
            key.clone(),
            surroundings.clock.clone(),
        )?;
        let bridge = Self::to(config, key, store, surroundings)?;
        Ok(Self { embedder, ..bridge })
    }

    /// The file that is searched for the key of a source of embeddings: its own, else that of the language model, which
    /// is used if it is for the same account.
    pub fn key_file(store: &Path, source: &str) -> PathBuf {
        let own = store.join(embedding_key_file(source));
        match std::fs::symlink_metadata(&own) {
            Ok(_) => own,
            Err(_) => store.join(KEY_FILE),
        }
    }

    fn to(
        config: BridgeConfig,
        key: Option<Key>,
        store: &Path,
        surroundings: &BridgeContext<'_>,
    ) -> Result<Self, BridgeError> {
        let clock = surroundings.clock.clone();
        let model = language_model(&config, key, clock.clone())?;
        let ledger = Arc::new(Ledger::open(&store.join(CATALOG_FILE))?);
        Ok(Self::new(
            config,
            model,
            ledger,
            clock,
            surroundings.pace.clone(),
        ))
    }

    /// A bridge to a given model, with the limits of the settings.
    pub fn new(
        config: BridgeConfig,
        model: Arc<dyn LanguageModel>,
        ledger: Arc<Ledger>,
        clock: Arc<dyn Clock>,
        pace: Arc<dyn Pace>,
    ) -> Self {
        let retries = &config.retries;
        let open_for = Duration::from_secs(retries.open_seconds.into());
        Self {
            rate: RateLimit::new(config.limits.clone()),
            breaker: Breaker::new(retries.failures_until_open, open_for),
            config,
            model,
            embedder: None,
            ledger,
            clock,
            pace,
        }
    }

    /// The same bridge with an embedding model.
    #[must_use]
    pub fn with_embedder(self, embedder: Arc<dyn RemoteEmbedder>) -> Self {
        Self {
            embedder: Some(embedder),
            ..self
        }
    }

    /// The settings of the bridge.
    pub fn config(&self) -> &BridgeConfig {
        &self.config
    }

    /// The name of the model.
    pub fn model(&self) -> &str {
        self.model.name()
    }

    /// The ledger that costs are booked in.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Sends the request and returns the answer unchecked. `request.longest` is set for each attempt.
    pub fn ask(&self, call: &Call<'_>, request: &Request) -> Result<Reply, BridgeError> {
        self.ask_until(call, request, self.deadline(call))
    }

    /// Asks for an answer that fits `request.schema`, and asks once more if the first one doesn't.
    ///
    /// [`BridgeError::Unusable`] if neither fits. Without a schema any JSON object fits.
    pub fn ask_for_json(&self, call: &Call<'_>, request: &Request) -> Result<Value, BridgeError> {
        let deadline = self.deadline(call);
        let reply = self.ask_until(call, request, deadline)?;
        let problem = match usable(&reply, request)? {
            Ok(value) => return Ok(value),
            Err(problem) => problem,
        };
        let mut corrected = request.clone();
        let shown: String = reply.text.chars().take(MAX_REPEATED_CHARACTERS).collect();
        if !shown.trim().is_empty() {
            corrected
                .messages
                .push(Message::answered(without_control_tokens(&shown)));
        }
        corrected.messages.push(Message::asked(format!(
            "That answer can't be used: {problem}. Do the same task once more, with the same data, and answer with one \
             JSON object of the form asked for, and nothing else."
        )));
        let reply = self.ask_until(call, &corrected, deadline)?;
        usable(&reply, request)?.map_err(|reason| BridgeError::Unusable {
            model: self.model.name().to_owned(),
            reason,
        })
    }

    /// Embeds texts; the vectors are in the order of the texts.
    ///
    /// [`BridgeError::NotOffered`] if the bridge has no embedding model.
    pub fn embed(
        &self,
        call: &Call<'_>,
        texts: &[&str],
        purpose: Purpose,
    ) -> Result<Embedded, BridgeError> {
        let embedder = self.embedder.as_ref().ok_or(BridgeError::NotOffered {
            provider: self.config.provider.as_str(),
            what: "vectors",
            hint: "open it for an embedding model",
        })?;
        if texts.is_empty() {
            return Ok(Embedded {
                vectors: Vec::new(),
                usage: None,
                model: embedder.name().to_owned(),
            });
        }
        let work = Work {
            call,
            deadline: self.deadline(call),
            limit: self.longest(call),
            model: embedder.name(),
            at_most: at_most(texts),
            likely: likely(texts),
            attempts: self.config.retries.attempts,
            is_free: false,
        };
        self.guarded(&work, |longest| {
            let embedded = embedder.embed(texts, purpose, longest)?;
            Ok((embedded.usage, embedded))
        })
    }

    /// Sends a request that the provider charges nothing for, at most `attempts` times.
    pub(crate) fn ask_for_free<T>(
        &self,
        call: &Call<'_>,
        attempts: u32,
        attempt: impl Fn(Duration) -> Result<T, BridgeError>,
    ) -> Result<T, BridgeError> {
        let work = Work {
            call,
            deadline: self.deadline(call),
            limit: self.longest(call),
            model: self
                .embedder
                .as_ref()
                .map_or("", |embedder| embedder.name()),
            at_most: Usage::default(),
            likely: Usage::default(),
            attempts,
            is_free: true,
        };
        self.guarded(&work, |longest| Ok((None, attempt(longest)?)))
    }

    fn ask_until(
        &self,
        call: &Call<'_>,
        request: &Request,
        deadline: Duration,
    ) -> Result<Reply, BridgeError> {
        let mut request = request.clone();
        request.max_output_tokens = request
            .max_output_tokens
            .saturating_add(self.config.thinking_tokens);
        let work = Work {
            call,
            deadline,
            limit: self.longest(call),
            model: self.model.name(),
            at_most: request.at_most(),
            likely: request.likely(),
            attempts: self.config.retries.attempts,
            is_free: false,
        };
        self.guarded(&work, |longest| {
            let reply = self.model.complete(&Request {
                longest,
                ..request.clone()
            })?;
            Ok((reply.usage, reply))
        })
    }

    /// Retries until an attempt succeeds, fails permanently, or time or attempts run out.
    fn guarded<T>(
        &self,
        work: &Work<'_>,
        attempt: impl Fn(Duration) -> Result<(Option<Usage>, T), BridgeError>,
    ) -> Result<T, BridgeError> {
        let (cancelled, deadline) = (work.call.cancelled, work.deadline);
        let longest_pause = Duration::from_secs(self.config.retries.longest_pause_seconds.into());
        let mut failure = None;
        for number in 0..work.attempts {
            if cancelled() {
                return Err(BridgeError::Cancelled);
            }
            let leave = match self.breaker.enter(self.pace.elapsed()) {
                Ok(leave) => leave,
                Err(remaining) => {
                    return Err(failure.unwrap_or_else(|| BridgeError::CircuitOpen {
                        model: work.model.to_owned(),
                        remaining,
                    }));
                }
            };
            self.wait_for_rate(work)?;
            let error = match self.paid(work, &attempt) {
                Ok(value) => {
                    leave.succeeded();
                    return Ok(value);
                }
                Err(error) => error,
            };
            let rest = error.retry_after().filter(|&rest| rest > longest_pause);
            if error.is_provider_failure() {
                leave.failed(self.pace.elapsed(), rest);
            }
            let pause = self.pause_after(&error, number, longest_pause);
            let last = number + 1 == work.attempts;
            let gives_up = !work.call.is_patient && error.is_unreachable();
            let is_final = last || rest.is_some() || !error.is_transient() || gives_up;
            if is_final || pause >= self.left(deadline) {
                return Err(error);
            }
            failure = Some(error);
            wait(self.pace.as_ref(), pause, cancelled)?;
        }
        Err(failure.unwrap_or_else(|| deadline_passed(work)))
    }

    /// One attempt: reserves its maximum cost before, settles the actual cost after.
    fn paid<T>(
        &self,
        work: &Work<'_>,
        attempt: impl Fn(Duration) -> Result<(Option<Usage>, T), BridgeError>,
    ) -> Result<T, BridgeError> {
        let longest = self.left(work.deadline);
        if longest.is_zero() {
            return Err(deadline_passed(work));
        }
        if work.is_free {
            return Ok(attempt(longest)?.1);
        }
        let order = Order {
            space: work.call.space,
            model: work.model,
            at_most: work.at_most,
            price: self.config.price_of(work.model),
            longest,
        };
        let budgets = &self.config.budgets;
        let of_space = work.call.budgets;
        let reservation = self
            .ledger
            .reserve(&order, budgets, of_space, self.clock.now())?;
        let answered = attempt(longest);
        let outcome = match &answered {
            Ok((usage, _)) => usage.map_or(Outcome::Estimated(work.likely), Outcome::Reported),
            Err(error) if error.may_be_charged() => Outcome::Estimated(work.likely),
            Err(_) => Outcome::Nothing,
        };
        self.ledger.settle(&reservation, outcome)?;
        Ok(answered?.1)
    }

    fn wait_for_rate(&self, work: &Work<'_>) -> Result<(), BridgeError> {
        while let Err(pause) = self.rate.take(self.pace.elapsed(), work.likely.total()) {
            if pause >= self.left(work.deadline) {
                return Err(deadline_passed(work));
            }
            wait(self.pace.as_ref(), pause, work.call.cancelled)?;
        }
        Ok(())
    }

    /// The provider's retry-after plus up to 10 %, or exponential backoff with 50 % to 100 % jitter.
    fn pause_after(&self, error: &BridgeError, number: u32, longest: Duration) -> Duration {
        let jitter = match self.pace.jitter() {
            jitter if (0.0..=1.0).contains(&jitter) => jitter,
            _ => 1.0,
        };
        if let Some(asked) = error.retry_after() {
            return asked.mul_f64(1.0 + jitter / 10.0);
        }
        let doubled = FIRST_PAUSE.saturating_mul(1 << number.min(16));
        doubled.min(longest).mul_f64(0.5 + jitter / 2.0)
    }

    fn longest(&self, call: &Call<'_>) -> Duration {
        let usual = self.config.longest_call();
        call.longest.map_or(usual, |longest| longest.min(usual))
    }

    fn deadline(&self, call: &Call<'_>) -> Duration {
        self.pace.elapsed() + self.longest(call)
    }

    fn left(&self, deadline: Duration) -> Duration {
        deadline.saturating_sub(self.pace.elapsed())
    }
}

/// The maximum usage of embedding texts: no tokenizer produces more than one token per byte.
pub(crate) fn at_most(texts: &[&str]) -> Usage {
    usage(texts, str::len)
}

/// The estimated usage of embedding texts.
pub(crate) fn likely(texts: &[&str]) -> Usage {
    usage(texts, anamne_text::tokens::estimate_tokens)
}

fn usage(texts: &[&str], count: fn(&str) -> usize) -> Usage {
    Usage {
        input_tokens: texts.iter().map(|text| count(text) as u64 + 8).sum(),
        output_tokens: 0,
    }
}

fn deadline_passed(work: &Work<'_>) -> BridgeError {
    BridgeError::DeadlinePassed {
        model: work.model.to_owned(),
        limit: work.limit,
    }
}

/// The parsed answer, or a description of the problem for the model.
fn usable(reply: &Reply, request: &Request) -> Result<Result<Value, String>, BridgeError> {
    let schema = match &request.schema {
        Some(schema) => schema.clone(),
        None => Schema::new(json!({"type": "object"}))?,
    };
    let found = extract(&reply.text, &schema);
    if found.is_err() && reply.cut {
        return Ok(Err(
            "truncated because it is too long; be shorter".to_owned()
        ));
    }
    Ok(found)
}
