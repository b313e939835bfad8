//! What is added to a conversation: quoted data in a marked block, never more than the host takes.

use std::fmt::Write;

use anamne::text::tokens::estimate_tokens;
use anamne::{Context, ContextPreset, ContextRequest, MemoryId, PromptRequest, Space};
use anamne_hosts::hook::{HookEvent, HookInput, StartReason, limit, takes_context};

use super::Effect;
use super::session::HookSite;
use super::watchdog::Reply;
use crate::failure::Failure;

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
}

impl<'a> Injection<'a> {
    fn new(site: &'a HookSite, budget: usize) -> Self {
        Self {
            site,
            text: String::new(),
            left: budget,
            entries: Vec::new(),
        }
    }

    /// Room for the content of a block of at most `most` tokens with its marks; `None` if it isn't worth one.
    fn room(&self, most: usize) -> Option<usize> {
        let room = self.left.min(most).saturating_sub(MARK_TOKENS);
        (room >= FEWEST_TOKENS).then_some(room)
    }

    fn add(&mut self, space: &Space, context: &Context) {
        if context.entries.is_empty() {
            return;
        }
        let block = block_of(space.name(), &context.text);
        self.left = self.left.saturating_sub(estimate_tokens(&block));
        self.text.push_str(&block);
        let ids = context.entries.iter().map(|entry| entry.id).collect();
        self.entries.push((space.name().to_owned(), ids));
    }

    /// Gives the blocks to the host and records what the session was shown.
    fn give(self, reply: &Reply) -> Result<Effect, Failure> {
        if self.text.is_empty() || !reply.give(self.text.trim_end()) {
            return Ok(Effect::default());
        }
        if let Some(session) = &self.site.session {
            for (space, ids) in &self.entries {
                let noted = self.site.log.note_shown(session, space, ids);
                noted?;
            }
        }
        let injected = self.entries.iter().map(|(_, ids)| ids.len() as u64).sum();
        Ok(Effect {
            injected,
            tokens: estimate_tokens(&self.text) as u64,
            ..Effect::default()
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
    let core = if site.space == CORE {
        None
    } else {
        site.existing(CORE)?
    };
    if let (Some(core), Some(room)) = (core, injection.room(CORE_SESSION_TOKENS)) {
        injection.add(&core, &briefing(&core, room)?);
    }
    if let (Some(space), Some(room)) = (site.existing_space()?, injection.room(usize::MAX)) {
        injection.add(&space, &briefing(&space, room)?);
    }
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

fn briefing(space: &Space, tokens: usize) -> Result<Context, Failure> {
    let mut request = ContextRequest::preset(ContextPreset::SessionStart);
    request.token_budget = tokens;
    Ok(space.context(&request)?)
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
        Some(session) => site.log.shown(session)?,
        None => Vec::new(),
    };
    let mut injection = Injection::new(site, budget_of(host, PROMPT_TOKENS));
    let core = if site.space == CORE {
        None
    } else {
        site.existing(CORE)?
    };
    for space in site.existing_space()?.into_iter().chain(core) {
        if let Some(room) = injection.room(usize::MAX) {
            let mut request = PromptRequest::new(prompt);
            request.token_budget = room;
            request.shown.clone_from(&shown);
            if let Some(context) = space.for_prompt(&request)?.context {
                injection.add(&space, &context);
            }
        }
    }
    injection.give(reply)
}

/// Whether a prompt is nothing that memory could know: empty, or a command of the host.
fn is_command(prompt: &str) -> bool {
    prompt.is_empty() || (prompt.starts_with('/') && !prompt.contains(char::is_whitespace))
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
