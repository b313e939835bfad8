//! Stores what was said since the last capture.

use std::path::Path;

use anamne::{Actor, Body, Draft, Remembered, Role, Space, StoreError};
use anamne_hosts::hook::{HookEvent, HookInput};
use anamne_ingest::transcripts::{self, Conversation, Position, TranscriptFormat};

use super::job::{Job, JobArguments, SharedJob};
use super::session::HookSite;
use super::{Effect, start_later};
use crate::failure::Failure;

/// Bytes of a transcript that are read while the host waits. More take longer than 100 ms.
const MOST_AT_ONCE: u64 = 512 << 10;

/// Captures the transcript at the end of a turn, before a compaction and at the end of a session.
pub(super) fn at_boundary(
    event: HookEvent,
    host: &str,
    input: &HookInput,
    site: &HookSite,
    job: &SharedJob,
) -> Result<Effect, Failure> {
    let (Some(session), Some(path)) = (&site.session, &input.transcript) else {
        return last_message(event, host, input, site);
    };
    let Some(format) = format_of(host) else {
        return last_message(event, host, input, site);
    };
    let rest = Job {
        host: host.to_owned(),
        store: Some(site.store.root().to_owned()),
        space: Some(site.space.clone()),
        work: JobArguments {
            session: input.session.clone(),
            transcript: Some(path.clone()),
            timed_out: None,
        },
    };
    job.set(rest.clone());
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    if bytes.saturating_sub(session.captured_bytes) > MOST_AT_ONCE {
        start_later(&rest);
        return Ok(Effect::default());
    }
    let (effect, _) = capture(host, format, path, input, site)?;
    if let Some(space) = site.existing_space()?
        && space.is_unsettled()?
    {
        start_later(&Job {
            work: JobArguments::default(),
            ..rest
        });
    }
    Ok(effect)
}

/// Captures all of a transcript that is left.
pub(super) fn everything(
    host: &str,
    input: &HookInput,
    site: &HookSite,
) -> Result<Effect, Failure> {
    let mut total = Effect::default();
    let (Some(path), Some(format)) = (&input.transcript, format_of(host)) else {
        return Ok(total);
    };
    loop {
        let (effect, goes_on) = capture(host, format, path, input, site)?;
        total.stored += effect.stored;
        total.redacted += effect.redacted;
        if !goes_on {
            return Ok(total);
        }
    }
}

/// Captures from where the last capture ended. Returns also whether there is more.
fn capture(
    host: &str,
    format: TranscriptFormat,
    path: &Path,
    input: &HookInput,
    site: &HookSite,
) -> Result<(Effect, bool), Failure> {
    let Some(known) = &site.session else {
        return Ok((Effect::default(), false));
    };
    let unreadable = |error: transcripts::TranscriptError| Failure::failed(error.to_string());
    let mut file = transcripts::file(format, path).map_err(unreadable)?;
    if let (true, Some(session)) = (file.session.is_empty(), &input.session) {
        // A database of all sessions.
        file.session.clone_from(session);
    }
    // Another process may have captured meanwhile.
    let from = Position {
        bytes: site.captured_bytes(input)?,
    };
    let conversation = transcripts::read(&file, from).map_err(unreadable)?;
    let effect = store(host, &conversation.drafts(format), &site.space()?)?;
    let reached = conversation.reached.unwrap_or_default();
    site.log
        .note_captured(known, reached.bytes, effect.stored)?;
    Ok((effect, goes_on(&conversation, from, file.bytes)))
}

/// Whether a reading ended before the end of the file because it was long enough.
fn goes_on(conversation: &Conversation, from: Position, bytes: u64) -> bool {
    conversation
        .reached
        .is_some_and(|reached| reached.bytes > from.bytes && reached.bytes + MOST_AT_ONCE < bytes)
}

/// Stores drafts in runs of one speaker, each attributed to that speaker. One that is refused doesn't stop the others.
pub(super) fn store(host: &str, drafts: &[Draft], space: &Space) -> Result<Effect, Failure> {
    let mut effect = Effect::default();
    for run in drafts.chunk_by(|one, other| role_of(one) == role_of(other)) {
        let speaker = space.acting_as(actor_of(host, &run[0]))?;
        for outcome in speaker.remember_each(run)? {
            count(&outcome, &mut effect);
        }
        if role_of(&run[0]) == Some(Role::Assistant) {
            for message in run {
                speaker.note_cited(&message.content)?;
            }
        }
    }
    Ok(effect)
}

fn count(outcome: &Result<Remembered, StoreError>, effect: &mut Effect) {
    if let Ok(remembered) = outcome {
        effect.stored += u64::from(!remembered.duplicate);
        if !remembered.duplicate {
            effect.redacted += remembered.guard.len() as u64;
        }
    }
}

fn role_of(draft: &Draft) -> Option<Role> {
    match draft.body {
        Body::Message { role } => role,
        _ => None,
    }
}

fn actor_of(host: &str, draft: &Draft) -> Actor {
    match role_of(draft) {
        Some(Role::User) => Actor::user(),
        Some(Role::Assistant) => Actor::agent(host),
        _ => Actor::tool(host),
    }
}

/// Without a transcript that can be read, what the host itself told: the agent's last message.
fn last_message(
    event: HookEvent,
    host: &str,
    input: &HookInput,
    site: &HookSite,
) -> Result<Effect, Failure> {
    let (Some(text), Some(session)) = (&input.last_message, &input.session) else {
        return Ok(Effect::default());
    };
    if event != HookEvent::TurnEnd || text.trim().is_empty() {
        return Ok(Effect::default());
    }
    let draft = told(host, session, text, Role::Assistant);
    store(host, &[draft], &site.space()?)
}

/// A message of a session without a transcript.
fn told(host: &str, session: &str, text: &str, role: Role) -> Draft {
    let mut draft = Draft::new(text)
        .body(Body::Message { role: Some(role) })
        .thread(format!("{host} {session}"))
        .author(host);
    draft.session = Some(session.to_owned());
    draft
}

/// The format of a host's transcripts, if they can be read.
fn format_of(host: &str) -> Option<TranscriptFormat> {
    anamne_hosts::host(host)?.transcripts
}
