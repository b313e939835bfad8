//! What the bridge asks of a model: one blocking call each for texts and for vectors.

use std::time::Duration;

use super::{BridgeError, Schema};

/// A language model that answers one request at a time; any number of threads may ask.
pub trait LanguageModel: Send + Sync {
    /// The model's name, as it stands in the settings, in prices and in the ledger.
    fn name(&self) -> &str;

    /// Asks once. Blocks for at most [`Request::longest`], counted again where the provider refuses an optional
    /// parameter and is asked once more without it.
    fn complete(&self, request: &Request) -> Result<Reply, BridgeError>;
}

/// A model behind a network that turns texts into vectors.
pub trait RemoteEmbedder: Send + Sync {
    /// The model's name, as it stands in the settings, in prices and in the ledger.
    fn name(&self) -> &str;

    /// The vectors of `texts`, in their order and all of one length, as the model gives them. Blocks for at most `longest`.
    fn embed(&self, texts: &[&str], longest: Duration) -> Result<Embedded, BridgeError>;
}

/// What a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What the model is to do; never holds text that others wrote.
    pub system: String,
    /// The conversation so far; the last turn is the engine's.
    pub messages: Vec<Message>,
    /// The form that the answer must have.
    pub schema: Option<Schema>,
    /// The longest answer, in tokens.
    pub max_output_tokens: u32,
    /// How freely the model chooses its words, from 0; `None` for the model's own setting.
    pub temperature: Option<f32>,
    /// How long one attempt may take.
    pub longest: Duration,
}

/// One turn of a conversation with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub speaker: Speaker,
    /// What is said.
    pub text: String,
}

/// Who says a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The engine that asks.
    Asker,
    /// The model that answers.
    Model,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The answer; JSON where a schema was asked for and the model kept to it.
    pub text: String,
    /// What it took, where the provider says so.
    pub usage: Option<Usage>,
    /// The model that answered, as the provider names it.
    pub model: String,
    /// Whether the answer was cut off because it reached the longest length.
    pub cut: bool,
}

/// What a model made of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// A vector for each text, in their order.
    pub vectors: Vec<Vec<f32>>,
    /// What it took, where the provider says so.
    pub usage: Option<Usage>,
    /// The model that answered, as the provider names it.
    pub model: String,
}

/// Tokens that went in and came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens that were read.
    pub input_tokens: u64,
    /// Tokens that were written, thoughts that are not shown included.
    pub output_tokens: u64,
}

impl Usage {
    /// Tokens in all.
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// Beside its texts, what a provider may add to a request: turns, tools, its own instructions.
const ENVELOPE_TOKENS: u64 = 1_024;

impl Request {
    /// The most that this may take: no tokenizer makes more than one token of a byte.
    pub fn at_most(&self) -> Usage {
        let bytes: usize = self.texts().map(str::len).sum();
        self.usage(bytes as u64 + self.schema_bytes())
    }

    /// What this is likely to take.
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
