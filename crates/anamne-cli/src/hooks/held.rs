//! What a person said, from the prompt until a transcript tells it, or the turn ends without one that can be read.

use anamne::{Draft, HeldMessage, Role};
use anamne_hosts::hook::{HookEvent, HookInput};
use anamne_ingest::transcripts::{self, Conversation, Speaker};
use jiff::SignedDuration;

use super::Effect;
use super::capture::{format_of, told};
use super::session::HookSite;
use crate::failure::Failure;

/// Trust in what a person is told to have said: that of transcripts.
const TRUST: f32 = 0.9;

/// A process that goes on with a hook that ran out of time starts at the latest so long after it.
const LATE: SignedDuration = SignedDuration::from_secs(10);

/// The words of a prompt, unless a program wrote it, or it is a command of the host, or its session has no name.
pub(super) fn words_of(input: &HookInput) -> Option<String> {
    let (Some(prompt), Some(_), false) = (&input.prompt, &input.session, input.is_subagent) else {
        return None;
    };
    let text = transcripts::typed(prompt);
    (!is_command(&text)).then_some(text)
}

/// Holds the words of a prompt.
pub(super) fn hold(
    host: &str,
    input: &HookInput,
    text: &str,
    site: &HookSite,
) -> Result<(), Failure> {
    let Some(session) = &input.session else {
        return Ok(());
    };
    let draft = said(host, session, text, site);
    let captures = site.store.unsent_captures()?;
    Ok(captures.hold(session, &site.space, &draft, site.now)?)
}

/// The same after the hook ran out of time, unless it did so itself.
pub(super) fn hold_late(
    host: &str,
    input: &HookInput,
    text: &str,
    site: &HookSite,
) -> Result<(), Failure> {
    let is_of_now = |message: &HeldMessage| {
        let at = message.draft.occurred_at;
        at.is_some_and(|at| site.now.duration_since(at) < LATE)
    };
    if held(input, site)?.iter().any(is_of_now) {
        return Ok(());
    }
    hold(host, input, text, site)
}

/// Whether a prompt is nothing that memory could know: empty, or a command of the host.
pub(super) fn is_command(prompt: &str) -> bool {
    prompt.is_empty() || (prompt.starts_with('/') && !prompt.contains(char::is_whitespace))
}

fn said(host: &str, session: &str, text: &str, site: &HookSite) -> Draft {
    let mut draft = told(host, session, text, Role::User).author("user");
    draft.trust = Some(TRUST);
    draft.occurred_at = Some(site.now);
    // Two processes that end the same turn store it once.
    let at = site.now.as_microsecond();
    draft.external_id = Some(format!("{host}:{session}:{at}:prompt"));
    draft
}

/// Whether anything of the session is held.
pub(super) fn is_any(input: &HookInput, site: &HookSite) -> Result<bool, Failure> {
    Ok(!held(input, site)?.is_empty())
}

fn held(input: &HookInput, site: &HookSite) -> Result<Vec<HeldMessage>, Failure> {
    Ok(match &input.session {
        Some(session) => site.store.unsent_captures()?.held(session)?,
        None => Vec::new(),
    })
}

/// Stores what is held, then what the agent said after it. A transcript that appears later doesn't store it again.
pub(super) fn store(
    host: &str,
    input: &HookInput,
    after: Option<&Draft>,
    site: &HookSite,
) -> Result<Effect, Failure> {
    let held = held(input, site)?;
    let mut drafts: Vec<Draft> = held.iter().map(|message| message.draft.clone()).collect();
    drafts.extend(after.cloned());
    let effect = site.keep(host, &drafts)?;
    if let (Some(session), Some(_)) = (&site.session, format_of(host)) {
        site.log.note_told_by_people(session, &held)?;
        if let (Some(message), 1..) = (after, effect.stored) {
            site.log.note_told(session, &message.content)?;
        }
    }
    site.store.unsent_captures()?.release(&held)?;
    Ok(effect)
}

/// Lets go what is held if a transcript has told new words of a person: it tells all of them. At the end of a session that
/// its transcript doesn't tell, what is held is stored.
pub(super) fn settle(
    event: HookEvent,
    host: &str,
    input: &HookInput,
    conversation: &Conversation,
    site: &HookSite,
) -> Result<Effect, Failure> {
    let mut turns = conversation.turns.iter();
    if turns.any(|turn| turn.speaker == Speaker::Person) {
        site.store.unsent_captures()?.release(&held(input, site)?)?;
    } else if event == HookEvent::SessionEnd {
        return store(host, input, None, site);
    }
    Ok(Effect::default())
}
