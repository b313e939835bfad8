//! What is added to a conversation: quoted data in a marked block, never more than the host takes.

use std::fmt::Write;

use anamne::text::tokens::estimate_tokens;
use anamne::{
    Context, ContextPreset, ContextRequest, Error, HookSession, MemoryId, PromptRequest, zone_name,
};
use anamne_client::ClientError;
use anamne_hosts::hook::{HookEvent, HookInput, StartReason, limit, takes_context};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::Effect;
use super::held::is_command;
use super::remote::{checked, word_of};
use super::session::HookSite;
use super::watchdog::Reply;
use crate::failure::Failure;
use crate::reached::Reached;

/// The most tokens at the start of a session.
const SESSION_TOKENS: usize = 1_200;

/// Those of them for `core`.
const CORE_SESSION_TOKENS: usize = 300;

/// The most tokens for a prompt.
const PROMPT_TOKENS: usize = PromptRequest::TOKENS;

/// Tokens of the marks around a block.
const MARK_TOKENS: usize = 24;

/// The fewest tokens that are worth a block.
const FEWEST_TOKENS: usize = 60;

/// The space that is read beside every other.
const CORE: &str = "core";

/// Days without a capture after which a briefing says that capture may not work.
const QUIET: jiff::SignedDuration = jiff::SignedDuration::from_hours(7 * 24);

/// Blocks for one answer, within a budget of tokens.
struct Injection<'a> {
    site: &'a HookSite,
    text: String,
    left: usize,
    /// The memories in the blocks, with their spaces.
    entries: Vec<(String, Vec<MemoryId>)>,
    /// Why the server gave no block, in one word; empty if it did, or has none.
    problem: &'static str,
}

/// Why a space has no block.
enum Unanswered {
    Here(Error),
    There(ClientError),
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        Self::Here(error)
    }
}

impl From<ClientError> for Unanswered {
    fn from(error: ClientError) -> Self {
        Self::There(error)
    }
}

impl<'a> Injection<'a> {
    fn new(site: &'a HookSite, budget: usize) -> Self {
        Self {
            site,
            text: String::new(),
            left: budget,
            entries: Vec::new(),
            problem: "",
        }
    }

    /// Room for the content of a block of at most `most` tokens with its marks; `None` if it isn't worth one.
    fn room(&self, most: usize) -> Option<usize> {
        let room = self.left.min(most).saturating_sub(MARK_TOKENS);
        (room >= FEWEST_TOKENS).then_some(room)
    }

    /// Adds what a space answers within at most `most` tokens, if it exists. A server that doesn't answer is not asked
    /// again.
    fn ask(
        &mut self,
        name: &str,
        most: usize,
        question: impl FnOnce(&Reached, usize) -> Result<Option<Context>, Unanswered>,
    ) -> Result<(), Failure> {
        let Some(room) = self.room(most).filter(|_| self.problem.is_empty()) else {
            return Ok(());
        };
        let Some(space) = self.site.reached(name)? else {
            return Ok(());
        };
        match question(&space, room) {
            Ok(Some(context)) if self.site.remote.is_some() => match checked(context, room) {
                Some(context) => self.add(name, &context),
                None => self.problem = "too_long_answer",
            },
            Ok(Some(context)) => self.add(name, &context),
            Ok(None) => {}
            Err(Unanswered::Here(error)) => return Err(error.into()),
            Err(Unanswered::There(error)) => self.problem = problem_of(&error, name),
        }
        Ok(())
    }

    fn add(&mut self, space: &str, context: &Context) {
        if context.entries.is_empty() {
            return;
        }
        let block = block_of(space, &context.text);
        self.left = self.left.saturating_sub(estimate_tokens(&block));
        self.text.push_str(&block);
        let ids = context.entries.iter().map(|entry| entry.id).collect();
        self.entries.push((space.to_owned(), ids));
    }

    /// Gives the blocks to the host and records what the session was shown.
    fn give(self, reply: &Reply) -> Result<Effect, Failure> {
        let nothing = Effect {
            problem: self.problem,
            ..Effect::default()
        };
        if self.text.is_empty() || !reply.give(self.text.trim_end()) {
            return Ok(nothing);
        }
        if let Some(session) = &self.site.session {
            for (space, ids) in &self.entries {
                self.site.log.note_shown(session, space, ids)?;
                note_texts(self.site, session, space, ids)?;
            }
        }
        let injected = self.entries.iter().map(|(_, ids)| ids.len() as u64).sum();
        Ok(Effect {
            injected,
            tokens: estimate_tokens(&self.text) as u64,
            ..nothing
        })
    }
}

/// The briefing at the start of a session: from the project's space and `core`.
pub(super) fn at_session_start(
    host: &str,
    input: &HookInput,
    site: &HookSite,
    reply: &Reply,
) -> Result<Effect, Failure> {
    if input.is_subagent || !takes_context(host, HookEvent::SessionStart) {
        return Ok(Effect::default());
    }
    if let Some(session) = &site.session {
        match input.reason {
            // The conversation is gone, and with it what it was shown.
            StartReason::Compact | StartReason::Clear => {
                site.log.forget_shown(session)?;
            }
            // The conversation goes on with what it was shown.
            _ if !site.log.shown(session)?.is_empty() => {
                return Ok(Effect::default());
            }
            _ => {}
        }
    }
    let mut injection = Injection::new(site, budget_of(host, SESSION_TOKENS));
    if site.space != CORE {
        injection.ask(CORE, CORE_SESSION_TOKENS, briefing)?;
    }
    injection.ask(&site.space, usize::MAX, briefing)?;
    if let Some(sessions) = silent_sessions(site)? {
        let _ = writeln!(
            injection.text,
            "Anamne has stored nothing from the last {sessions} sessions of this project. `anamne status` shows why."
        );
    }
    injection.give(reply)
}

fn silent_sessions(site: &HookSite) -> Result<Option<u64>, Failure> {
    let silent = site.log.silent_sessions(&site.space, QUIET, site.now);
    Ok(silent?)
}

fn briefing(space: &Reached, tokens: usize) -> Result<Option<Context>, Unanswered> {
    let mut request = ContextRequest::preset(ContextPreset::SessionStart);
    request.token_budget = tokens;
    Ok(Some(match space {
        Reached::Here(space) => space.context(&request)?,
        Reached::There(space) => space.briefing(tokens)?,
    }))
}

/// The problem of a server that gave no block. A space that is not there, or a `core` that this key may not read, is none.
fn problem_of(error: &ClientError, space: &str) -> &'static str {
    match word_of(error) {
        "not_found" => "",
        "denied" if space == CORE => "",
        word => word,
    }
}

/// The memories that a prompt is likely about, from the project's space and `core`.
pub(super) fn at_prompt(
    host: &str,
    input: &HookInput,
    site: &HookSite,
    reply: &Reply,
) -> Result<Effect, Failure> {
    let prompt = input.prompt.as_deref().unwrap_or_default().trim();
    if input.is_subagent || is_command(prompt) || !takes_context(host, HookEvent::Prompt) {
        return Ok(Effect::default());
    }
    let shown = match &site.session {
        Some(session) => shown_as_they_are(site, session)?,
        None => Vec::new(),
    };
    let mut injection = Injection::new(site, budget_of(host, PROMPT_TOKENS));
    let question = |space: &Reached, tokens: usize| {
        let mut request = PromptRequest::new(prompt);
        request.token_budget = tokens;
        request.shown.clone_from(&shown);
        request.zone = Some(zone_name(&TimeZone::system(), Timestamp::now()));
        Ok(match space {
            Reached::Here(space) => space.for_prompt(&request)?.context,
            Reached::There(space) => space.for_prompt(&request)?,
        })
    };
    injection.ask(&site.space, usize::MAX, question)?;
    if site.space != CORE {
        injection.ask(CORE, usize::MAX, question)?;
    }
    injection.give(reply)
}

/// Notes the texts that a session was shown, of memories on this machine.
fn note_texts(
    site: &HookSite,
    session: &HookSession,
    space: &str,
    ids: &[MemoryId],
) -> Result<(), Failure> {
    if site.remote.is_none()
        && let Some(opened) = site.existing(space)?
    {
        let memories = opened.get_each(ids)?;
        site.log.note_shown_texts(session, space, &memories)?;
    }
    Ok(())
}

/// The memories that a session was shown, without those of this machine whose text has changed since.
fn shown_as_they_are(site: &HookSite, session: &HookSession) -> Result<Vec<MemoryId>, Failure> {
    let mut shown = site.log.shown(session)?;
    if shown.is_empty() || site.remote.is_some() {
        return Ok(shown);
    }
    for name in [site.space.as_str(), CORE] {
        if let Some(space) = site.existing(name)? {
            let changed = site.log.changed_since(session, &space.get_each(&shown)?)?;
            shown.retain(|id| !changed.contains(id));
        }
    }
    Ok(shown)
}

/// The tokens that fit into the host's limit of characters, at least three of them each.
fn budget_of(host: &str, tokens: usize) -> usize {
    tokens.min(limit(host) / 4)
}

/// A context block between marks, by which capture and imports recognise it. Nothing in it can end it.
fn block_of(space: &str, text: &str) -> String {
    let inside = text.replace("anamne-memory", "anamne memory");
    format!(
        "<anamne-memory space=\"{space}\">\n{}\n</anamne-memory>\n",
        inside.trim_end()
    )
}
