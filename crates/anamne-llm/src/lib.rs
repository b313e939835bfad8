//! The bridge to language models: optional, disabled by default, and never required.
//!
//! A [`LanguageModel`] answers one blocking request. The [`Bridge`] calls it within all limits: budgets shared by
//! several processes ([`Ledger`]), rate limits, timeouts, retries, a circuit breaker, and the schema of the answer. The
//! [`tasks`] ask it questions whose answers are values of the engine's own types.
//!
//! Text written by people or programs is sent as encoded data between delimiters, never as an instruction, and answers
//! are only data that fits the task's schema, bounded in length and count. After every error the caller can continue
//! without a model.
//!
//! This crate never reads the environment, the home folder or a clock by itself: they are passed in as
//! [`BridgeContext`]. Keys never appear in errors, logs or `Debug`. Other machines are reached by TLS only, and
//! redirects are not followed.
//!
//! ```
//! use std::sync::Arc;
//! use anamne_store::SystemClock;
//! use anamne_llm::{
//!     Bridge, BridgeConfig, BridgeError, Call, LanguageModel, Ledger, Reply, Request, SystemPace, Usage, tasks,
//! };
//!
//! // A model with a constant answer.
//! struct Parrot;
//!
//! impl LanguageModel for Parrot {
//!     fn name(&self) -> &str {
//!         "parrot"
//!     }
//!
//!     fn complete(&self, _: &Request) -> Result<Reply, BridgeError> {
//!         Ok(Reply {
//!             text: r#"{"verdict": "superseded", "reason": "The later one says that it moved."}"#.to_owned(),
//!             usage: Some(Usage { input_tokens: 200, output_tokens: 20 }),
//!             model: "parrot".to_owned(),
//!             cut: false,
//!         })
//!     }
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let ledger = Arc::new(Ledger::open(&folder.path().join("catalog.db"))?);
//! let config = BridgeConfig::default();
//! let bridge = Bridge::new(config, Arc::new(Parrot), ledger, Arc::new(SystemClock), Arc::new(SystemPace::new()));
//!
//! let said = |text| tasks::SourceText { text, author: "Ida", on: jiff::civil::date(2026, 1, 31) };
//! let judged = tasks::judge(&bridge, &Call::of("core"), &said("The club meets in the hall"), &said("We moved to the barn"))?;
//! assert_eq!(judged.verdict, tasks::ConflictVerdict::Superseded);
//! assert_eq!(bridge.ledger().costs(&Default::default())?[0].input_tokens, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approvals;
mod asking;
mod batches;
mod breaker;
mod config;
mod embeddings;
mod error;
mod extract;
mod guarded;
mod keys;
mod ledger;
mod model;
mod pace;
mod providers;
mod quote;
mod rate;
mod schema;
pub mod tasks;
mod transport;
mod wording;

pub use approvals::{Approval, Approvals, STORE_ID_FILE};
pub use asking::{
    Bridge, BridgeContext, CATALOG_FILE, Call, KEY_FILE, MODEL_FILE, embedding_key_file,
};
pub use batches::{BatchApi, BatchEnd, BatchLine, BatchProgress, BatchTally};
pub use config::{BridgeConfig, Provider, RateLimits, Retries, Timeouts};
pub use embeddings::{EmbeddingName, EmbeddingSource, EmbeddingSources, Purpose, Shortening};
pub use error::BridgeError;
pub use keys::{
    Environment, KEYCHAIN_SERVICE, Key, KeyOrigin, KeySources, Keychain, NoKeychain, ToolKeychain,
    bind_key_file, key_in_file, write_key_file,
};
pub(crate) use ledger::listed_price;
pub use ledger::{
    BudgetKind, BudgetState, Budgets, CostQuery, CostRow, CostsBy, Ledger, Money, Price, PriceRule,
};
pub use model::{Embedded, LanguageModel, Message, RemoteEmbedder, Reply, Request, Speaker, Usage};
pub use pace::{Pace, SystemPace};
pub use providers::{language_model, remote_embedder};
pub use schema::Schema;
