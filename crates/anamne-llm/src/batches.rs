//! Asynchronous batches of embeddings: a file of texts that the provider answers within a day, for half the price.
//!
//! The maximum cost is reserved in the ledger before anything is sent, under the key of the batch, so that whichever
//! process comes next settles it, once. Starting a batch is the only request here that costs money; it is never
//! repeated by itself. A caller that doesn't know whether it arrived looks for the batch by its key.

use std::io::{BufRead, Read};
use std::time::Duration;

use serde_json::Value;

use super::asking::{at_most, likely};
use super::ledger::{Order, Outcome};
use super::{Bridge, BridgeError, Call, Price, Usage};

/// The batches of a provider's embedding API. Every method blocks for at most `longest`.
pub trait BatchApi: Send + Sync {
    /// The request for a text, as a line of the file, without a line break. Its answer has this number.
    fn line(&self, number: u32, text: &str) -> String;

    /// Uploads a file of such lines; returns its id.
    fn upload(&self, name: &str, lines: &[u8], longest: Duration) -> Result<String, BridgeError>;

    /// The id of the uploaded file with this name.
    fn find_file(&self, name: &str, longest: Duration) -> Result<Option<String>, BridgeError>;

    /// Starts the batch of an uploaded file.
    fn start(&self, file: &str, key: &str, longest: Duration)
    -> Result<BatchProgress, BridgeError>;

    /// The started batch with this key.
    fn find(&self, key: &str, longest: Duration) -> Result<Option<BatchProgress>, BridgeError>;

    /// How far a batch is.
    fn progress(&self, batch: &str, longest: Duration) -> Result<BatchProgress, BridgeError>;

    /// Asks the provider to stop working on a batch.
    fn cancel(&self, batch: &str, longest: Duration) -> Result<(), BridgeError>;

    /// The content of a file with answers.
    fn open(&self, file: &str, longest: Duration) -> Result<Box<dyn Read>, BridgeError>;

    /// The answer in a line of such a file; `None` if it isn't one.
    fn answer(&self, line: &str) -> Option<BatchLine>;

    /// Deletes a file. One that is gone already is no error.
    fn delete_file(&self, file: &str, longest: Duration) -> Result<(), BridgeError>;
}

/// How far a batch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchProgress {
    /// The provider's id of the batch.
    pub id: String,
    /// How it ended; `None` while it is worked on.
    pub end: Option<BatchEnd>,
    /// The ids of its files with answers and with errors, as far as there are any.
    pub files: Vec<String>,
}

/// How a batch ended. In every case some texts may have been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchEnd {
    /// It was worked on completely.
    Completed,
    /// The provider refused its file.
    Failed,
    /// The provider didn't get to all of it in time.
    Expired,
    /// It was cancelled.
    Cancelled,
}

impl BatchEnd {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The answer to one text.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchLine {
    /// The number of the text.
    pub number: u32,
    /// Its vector, as the model returned it, or what the provider said instead.
    pub vector: Result<Vec<f32>, String>,
    /// The reported tokens, if any.
    pub tokens: Option<u64>,
}

/// What the files of an ended batch had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchTally {
    /// Texts with a vector.
    pub answered: u64,
    /// Texts with an error.
    pub failed: u64,
    /// Lines that are no answer to a text of the batch.
    pub refused: u64,
    /// The reported tokens.
    pub tokens: u64,
    /// Texts with a vector whose tokens were not reported.
    pub unreported: u64,
    /// What the provider said about the first text with an error.
    pub error: String,
}

impl BatchTally {
    /// The reported tokens, if every text with a vector has some.
    pub fn reported(&self) -> Option<u64> {
        (self.answered > 0 && self.unreported == 0).then_some(self.tokens)
    }
}

/// Maximum length of a line of answers, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// How long a reservation counts before it is booked as spent in full: a batch ends within a day.
const RESERVED: Duration = Duration::from_hours(48);

impl Bridge {
    /// The batches of the embedding model, if it has any.
    pub fn batches(&self) -> Option<&dyn BatchApi> {
        self.embedder.as_ref()?.batches()
    }

    /// Reserves the maximum cost of a batch of these texts, at half the price. May be repeated.
    ///
    /// [`BridgeError::BudgetExceeded`] if a budget of the store or of the space has no room for it.
    pub fn reserve_batch(
        &self,
        call: &Call<'_>,
        key: &str,
        texts: &[&str],
    ) -> Result<(), BridgeError> {
        let model = self
            .embedder
            .as_ref()
            .map_or("", |embedder| embedder.name());
        let order = Order {
            space: call.space,
            model,
            at_most: at_most(texts),
            price: self.config.price_of(model).map(Price::of_batch),
            longest: RESERVED,
        };
        let budgets = &self.config.budgets;
        let now = self.clock.now();
        self.ledger
            .reserve_batch(key, &order, budgets, call.budgets, now)
    }

    /// The estimated tokens of these texts.
    pub fn likely_tokens(texts: &[&str]) -> u64 {
        likely(texts).input_tokens
    }

    /// Books what a batch cost: the reported tokens, else the estimate for a batch that was worked on, else nothing. May
    /// be repeated.
    pub fn settle_batch(
        &self,
        key: &str,
        reported: Option<u64>,
        estimated: u64,
    ) -> Result<(), BridgeError> {
        let usage = |input_tokens| Usage {
            input_tokens,
            output_tokens: 0,
        };
        let outcome = match (reported, estimated) {
            (Some(tokens), _) => Outcome::Reported(usage(tokens)),
            (None, 0) => Outcome::Nothing,
            (None, tokens) => Outcome::Estimated(usage(tokens)),
        };
        self.ledger.settle_batch(key, outcome)
    }

    /// Sends one of the requests of [`BatchApi`] within the limits of the bridge. It is repeated after a failure if
    /// `is_repeatable`.
    pub fn ask_batches<T>(
        &self,
        call: &Call<'_>,
        is_repeatable: bool,
        ask: impl Fn(&dyn BatchApi, Duration) -> Result<T, BridgeError>,
    ) -> Result<T, BridgeError> {
        let api = self.batches().ok_or(BridgeError::NotOffered {
            provider: self.config.provider.as_str(),
            what: "batches",
            hint: "set embedding.batch_from to 0",
        })?;
        let attempts = if is_repeatable {
            self.config.retries.attempts
        } else {
            1
        };
        self.ask_for_free(call, attempts, |longest| ask(api, longest))
    }

    /// Reads a file of answers to at most `most` texts line by line, and passes them to `take`, which tells whether it
    /// knows the number. Each line and their number are bounded.
    pub fn read_batch_file<E: From<BridgeError>>(
        &self,
        call: &Call<'_>,
        file: &str,
        most: u64,
        tally: &mut BatchTally,
        take: &mut dyn FnMut(u32, Result<Vec<f32>, String>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let content = self.ask_batches(call, true, |api, longest| api.open(file, longest))?;
        let api = self.batches().expect("it was asked");
        let mut lines = std::io::BufReader::new(content);
        for _ in 0..most {
            let Some(line) = next_line(&mut lines).map_err(|reason| self.cut_off(reason))? else {
                return Ok(());
            };
            let Some(BatchLine {
                number,
                vector,
                tokens,
            }) = api.answer(&line)
            else {
                tally.refused += 1;
                continue;
            };
            let error = vector.as_ref().err().cloned();
            if !take(number, vector)? {
                tally.refused += 1;
                continue;
            }
            match error {
                None => {
                    tally.answered += 1;
                    tally.tokens = tally.tokens.saturating_add(tokens.unwrap_or(0));
                    tally.unreported += u64::from(tokens.is_none());
                }
                Some(error) => {
                    tally.failed += 1;
                    if tally.error.is_empty() {
                        tally.error = error;
                    }
                }
            }
        }
        Ok(())
    }

    fn cut_off(&self, reason: &'static str) -> BridgeError {
        let host = self
            .config
            .address()
            .map(|address| address.host().to_owned());
        BridgeError::Malformed {
            host: host.unwrap_or_default(),
            reason,
        }
    }
}

/// The next line; `None` at the end.
fn next_line(lines: &mut impl BufRead) -> Result<Option<String>, &'static str> {
    let mut line = Vec::new();
    let read = lines.take(LONGEST_LINE).read_until(b'\n', &mut line);
    if read.map_err(|_| "the file of answers broke off")? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == LONGEST_LINE {
        return Err("a line of the file of answers is too long");
    }
    String::from_utf8(line)
        .map(Some)
        .map_err(|_| "the file of answers is not UTF-8")
}

/// The value of a string field of an answer that names a file or a batch; `None` if it can't be one.
pub(crate) fn id_of(answer: &Value, field: &str) -> Option<String> {
    let id = answer.get(field)?.as_str()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let fits = (1..=200).contains(&id.len()) && id.bytes().all(plain);
    fits.then(|| id.to_owned())
}
