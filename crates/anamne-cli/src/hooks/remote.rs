//! The memory of a server: read while the host waits, written through the file of unsent captures.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use anamne::text::quote::escape_invisible;
use anamne::text::tokens::estimate_tokens;
use anamne::{Clock, Context, Draft, Store, SystemClock, UnsentBatch, UnsentCaptures};
use anamne_client::{Captured, Client, ClientError, NetError, RemoteSpace};
use jiff::Timestamp;

use super::Effect;
use crate::failure::Failure;
use crate::server;

/// When the last answer of a server must be there, counted from the start of the process: before the watchdog ends it.
const LATEST_ANSWER: Duration = Duration::from_millis(230);

/// The most entries of a block: more don't fit into the tokens of any hook.
const MOST_ENTRIES: usize = 200;

/// How long the server may take to store one batch, when no host waits.
const LONGEST_SENDING: Duration = Duration::from_secs(30);

/// The server that has the memory.
pub(super) struct Remote {
    /// Its address.
    pub(super) address: String,
    captures: UnsentCaptures,
    started: Instant,
    client: OnceCell<Client>,
}

impl Remote {
    /// The server at an address, for a session in `space`; `None` if the space is private on this machine, so that
    /// nothing of its project leaves the machine, neither what was said nor a prompt.
    pub(super) fn of(
        address: String,
        store: &Store,
        space: &str,
        started: Instant,
    ) -> Result<Option<Self>, Failure> {
        let captures = store.unsent_captures()?;
        let stays_here = captures.stays_here(space)?;
        Ok((!stays_here).then(|| Self {
            address,
            captures,
            started,
            client: OnceCell::new(),
        }))
    }

    /// A space of the server, whose requests end in time for the host.
    pub(super) fn space(&self, name: &str) -> Result<RemoteSpace, Failure> {
        let client = self.client()?;
        let left = LATEST_ANSWER.saturating_sub(self.started.elapsed());
        Ok(client
            .within(left.max(Duration::from_millis(1)))
            .space(name))
    }

    fn client(&self) -> Result<&Client, Failure> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = server::connect(&self.address)?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Keeps what was said until it is sent.
    pub(super) fn keep(
        &self,
        host: &str,
        space: &str,
        drafts: &[Draft],
        now: Timestamp,
    ) -> Result<Effect, Failure> {
        let added = self.captures.add(&self.address, space, host, drafts, now)?;
        Ok(Effect {
            stored: added.memories,
            redacted: added.redacted,
            ..Effect::default()
        })
    }

    /// Whether anything waits to be sent.
    pub(super) fn has_waiting(&self) -> Result<bool, Failure> {
        Ok(self.captures.has_waiting(&self.address, &[])?)
    }

    /// Sends what waits, in order, unless another process does. Returns the last problem; empty if there was none.
    pub(super) fn send(&self) -> Result<&'static str, Failure> {
        let client = self.client()?.within(LONGEST_SENDING);
        let mut sending = Sending {
            remote: self,
            client,
            stuck: Vec::new(),
            problem: "",
        };
        // What was added after the last look, before the turn ended, would wait for the next hook otherwise.
        while sending.goes_on()? {
            if !sending.take_turn()? {
                break;
            }
        }
        Ok(sending.problem)
    }
}

/// One process that sends.
struct Sending<'a> {
    remote: &'a Remote,
    client: Client,
    /// Spaces to which nothing can be sent now.
    stuck: Vec<String>,
    problem: &'static str,
}

impl Sending<'_> {
    fn goes_on(&self) -> Result<bool, Failure> {
        let captures = &self.remote.captures;
        Ok(captures.has_waiting(&self.remote.address, &self.stuck)?)
    }

    /// Sends what can be sent; `false` if another process does, or the server takes nothing.
    fn take_turn(&mut self) -> Result<bool, Failure> {
        let address = &self.remote.address;
        let Some(turn) = self.remote.captures.begin_sending()? else {
            return Ok(false);
        };
        let mut answers = true;
        while answers && let Some(batch) = turn.next(address, &self.stuck)? {
            let problem = if self.remote.captures.stays_here(&batch.space)? {
                // The space was made private since.
                SendingProblem::of_space("private")
            } else {
                match self.send(&batch) {
                    Ok(captured) => {
                        let left = not_stored(&batch, &captured);
                        turn.acknowledged(&batch, &left)?;
                        if left.is_empty() {
                            continue;
                        }
                        SendingProblem::of_space("not_stored")
                    }
                    Err(error) => SendingProblem::of(&error),
                }
            };
            turn.failed(address, &batch.space, problem.word, SystemClock.now())?;
            self.problem = problem.word;
            answers = problem.concerns_space;
            self.stuck.push(batch.space);
        }
        turn.finish()?;
        Ok(answers)
    }

    fn send(&self, batch: &UnsentBatch) -> Result<Captured, ClientError> {
        let space = self.client.space(&batch.space);
        space.capture(&batch.host, &batch.key, &batch.drafts)
    }
}

/// The drafts that the server could not store for a reason of its own. One that it refuses for what it is stays refused.
fn not_stored(batch: &UnsentBatch, captured: &Captured) -> Vec<Draft> {
    let outcomes = captured.outcomes.iter();
    let left = batch.drafts.iter().zip(outcomes).filter(|(_, outcome)| {
        let refusal = outcome.problem.as_ref();
        refusal.is_some_and(|problem| problem.field.is_none())
    });
    left.map(|(draft, _)| draft.clone()).collect()
}

/// Why something was not sent.
struct SendingProblem {
    /// In one word, without any content.
    word: &'static str,
    /// Whether other spaces may be better off.
    concerns_space: bool,
}

impl SendingProblem {
    fn of_space(word: &'static str) -> Self {
        Self {
            word,
            concerns_space: true,
        }
    }

    fn of(error: &ClientError) -> Self {
        let word = word_of(error);
        Self {
            word,
            concerns_space: matches!(word, "denied" | "not_found" | "refused"),
        }
    }
}

/// The block of a server that was asked for one of `tokens`; `None` if it is much longer than that. Its lines are marked by
/// the server. Another program may answer at the address, so its length and its characters are checked again.
pub(super) fn checked(mut block: Context, tokens: usize) -> Option<Context> {
    let is_short = block.text.len() <= tokens.saturating_mul(32)
        && estimate_tokens(&block.text) <= tokens.saturating_mul(2);
    if !is_short || block.entries.len() > MOST_ENTRIES {
        return None;
    }
    block.text = escape_invisible(&block.text).into_owned();
    Some(block)
}

/// Why a server gave no answer, in one word without any content.
pub(super) fn word_of(error: &ClientError) -> &'static str {
    match error {
        ClientError::Problem(problem) => match problem.kind() {
            "unauthenticated" => "key_refused",
            "denied" => "denied",
            "not_found" => "not_found",
            "refused" | "too_large" | "method_not_allowed" => "refused",
            "busy" | "overloaded" => "server_busy",
            _ => "server_failed",
        },
        ClientError::MissingRoute { status: 404, .. } => "not_found",
        ClientError::Key => "key_refused",
        ClientError::Net(_) if error.is_timeout() => "server_timeout",
        ClientError::Net(NetError::Certificate { .. }) => "certificate_refused",
        ClientError::Net(_) => "server_unreachable",
        ClientError::MissingRoute { .. } | ClientError::Address(_) => "refused",
        _ => "no_anamne_server",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: String) -> Context {
        Context {
            text,
            ..Context::default()
        }
    }

    #[test]
    fn a_block_that_is_much_longer_than_it_may_be_is_left_out() {
        let usual = checked(block("> a\u{202e}b".to_owned()), 100).expect("a block");
        assert!(!usual.text.contains('\u{202e}'), "{}", usual.text);
        assert!(checked(block("> many words ".repeat(1_000)), 100).is_none());
        assert!(checked(block(" ".repeat(1 << 20)), 100).is_none());
    }
}
