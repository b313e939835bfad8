//! The model interfaces: one blocking call each for text and for embeddings.

use std::time::Duration;

use super::{BatchApi, BridgeError, Purpose, Schema};

/// A language model with blocking requests; callable from any number of threads.
pub trait LanguageModel: Send + Sync {
    /// The model's name in settings, prices and the ledger.
    fn name(&self) -> &str;

    /// Sends one request. Blocks for at most [`Request::longest`]; if the provider rejects an optional parameter, the
    /// request is sent again without it and the time starts over.
    fn complete(&self, request: &Request) -> Result<Reply, BridgeError>;
}

/// A remote embedding model.
pub trait RemoteEmbedder: Send + Sync {
    /// The model's name in settings, prices and the ledger.
    fn name(&self) -> &str;

    /// The vectors of `texts`, in their order and of equal length, as returned by the model. Blocks for at most
    /// `longest`.
    fn embed(
        &self,
        texts: &[&str],
        purpose: Purpose,
        longest: Duration,
    ) -> Result<Embedded, BridgeError>;

    /// Its asynchronous batches, if its API has any.
    fn batches(&self) -> Option<&dyn BatchApi> {
        None
    }
}

/// A request to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The instructions; never contains text that others wrote.
    pub system: String,
    /// The conversation so far; the last turn is the engine's.
    pub messages: Vec<Message>,
    /// The schema of the answer.
    pub schema: Option<Schema>,
    /// Maximum length of the answer, in tokens.
    pub max_output_tokens: u32,
    /// The sampling temperature, from 0; `None` for the model's default.
    pub temperature: Option<f32>,
    /// Timeout of one attempt.
    pub longest: Duration,
}

/// One turn of a conversation with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The speaker.
    pub speaker: Speaker,
    /// The text.
    pub text: String,
}

/// The speaker of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The engine.
    Asker,
    /// The model.
    Model,
}

/// The answer of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The text of the answer; JSON if a schema was given and the model followed it.
    pub text: String,
    /// The reported usage, if any.
    pub usage: Option<Usage>,
    /// The provider's name of the model that answered.
    pub model: String,
    /// Whether the answer was truncated at the maximum length.
    pub cut: bool,
}

/// The result of embedding texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// One vector per text, in order.
    pub vectors: Vec<Vec<f32>>,
    /// The reported usage, if any.
    pub usage: Option<Usage>,
    /// The provider's name of the model that answered.
    pub model: String,
}

/// Input and output tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens, including hidden thinking tokens.
    pub output_tokens: u64,
}

impl Usage {
    /// Total tokens.
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Tokens that a provider may add to the texts of a request: turn markers, tools, its own instructions.
const ENVELOPE_TOKENS: u64 = 1_024;

impl Request {
    /// Upper bound of the usage: no tokenizer produces more than one token per byte.
    pub fn at_most(&self) -> Usage {
        let bytes: usize = self.texts().map(str::len).sum();
        self.usage(bytes as u64 + self.schema_bytes())
    }

    /// Estimated usage.
    pub fn likely(&self) -> Usage {
        let tokens: usize = self.texts().map(anamne_text::tokens::estimate_tokens).sum();
        self.usage(tokens as u64 + self.schema_bytes() / 3)
    }

    fn usage(&self, input_tokens: u64) -> Usage {
        Usage {
            input_tokens: input_tokens + ENVELOPE_TOKENS,
            output_tokens: self.max_output_tokens as u64,
        }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.system.as_str())
            .chain(self.messages.iter().map(|message| message.text.as_str()))
    }

    fn schema_bytes(&self) -> u64 {
        let bytes = self
            .schema
            .as_ref()
            .map(|schema| schema.as_json().to_string().len());
        bytes.unwrap_or(0) as u64
    }
}

impl Message {
    /// A turn of the engine.
    pub fn asked(text: impl Into<String>) -> Self {
        Self {
            speaker: Speaker::Asker,
            text: text.into(),
        }
    }

    /// A turn of the model.
    pub fn answered(text: impl Into<String>) -> Self {
        Self {
            speaker: Speaker::Model,
            text: text.into(),
        }
    }
}
