//! Stores what was said since the last capture.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use anamne::{Body, Draft, HookLog, HookSession, Role};
use anamne_hosts::Machine;
use anamne_hosts::hook::{HookEvent, HookInput};
use anamne_ingest::transcripts::{self, Conversation, Position, TranscriptError, TranscriptFormat};

use super::job::{JobArguments, SharedJob};
use super::session::HookSite;
use super::{Effect, later, start_later};
use crate::failure::Failure;

/// Bytes of a transcript that are read while the host waits. More take longer than 100 ms.
const MOST_AT_ONCE: u64 = 512 << 10;

/// How long after a hook a host has written or completed its transcript that does so afterwards.
const COMPLETED_AFTER: Duration = Duration::from_secs(3);

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
    let work = JobArguments {
        session: input.session.clone(),
        transcript: Some(path.clone()),
        ..JobArguments::default()
    };
    let rest = site.job(host, work);
    job.set(rest.clone());
    if let (HookEvent::TurnEnd, Some(said), false) = (event, &input.last_message, path.exists()) {
        // Claude Code writes it afterwards in print mode, and never with `--no-session-persistence`.
        later::start_with(rest, said);
        return Ok(Effect::default());
    }
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let is_long = bytes.saturating_sub(session.captured_bytes) > MOST_AT_ONCE;
    if is_long || is_completed_later(format) {
        start_later(&rest);
        return Ok(Effect::default());
    }
    let (effect, _) = capture(host, format, path, input, site)?;
    if site.remote.is_none() && site.is_unsettled()? {
        start_later(&site.job(host, JobArguments::default()));
    }
    Ok(effect)
}

/// Finds the transcript that is captured at this event, where the host didn't tell it.
pub(super) fn find_transcript(
    event: HookEvent,
    host: &str,
    input: &mut HookInput,
    machine: &Machine,
) {
    let is_boundary = matches!(
        event,
        HookEvent::TurnEnd | HookEvent::BeforeCompaction | HookEvent::SessionEnd
    );
    if let (true, None, Some(session), Some(format)) = (
        is_boundary,
        &input.transcript,
        &input.session,
        format_of(host),
    ) {
        input.transcript = transcripts::recorded_at(format, session, machine);
    }
}

/// Whether a host adds the end of a turn to its transcript after the hook has run.
fn is_completed_later(format: TranscriptFormat) -> bool {
    format == TranscriptFormat::Cline
}

/// Waits until a transcript has changed since a time, but not for long.
fn wait_for_change(path: &Path, since: SystemTime) {
    let has_changed = || {
        let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified());
        modified.is_ok_and(|modified| modified > since)
    };
    let deadline = Instant::now() + COMPLETED_AFTER;
    while !has_changed() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Captures all of a transcript that is left, in a process of its own. If there is none, the agent's last message.
pub(super) fn everything(
    host: &str,
    input: &HookInput,
    site: &HookSite,
) -> Result<Effect, Failure> {
    let mut total = Effect::default();
    let (Some(path), Some(format)) = (&input.transcript, format_of(host)) else {
        return Ok(total);
    };
    let since = if is_completed_later(format) {
        SystemTime::now()
    } else {
        SystemTime::UNIX_EPOCH
    };
    wait_for_change(path, since);
    if input.last_message.is_some() && !path.exists() {
        return last_message(HookEvent::TurnEnd, host, input, site);
    }
    loop {
        let (effect, goes_on) = capture(host, format, path, input, site)?;
        total.stored += effect.stored;
        total.redacted += effect.redacted;
        total.problem = effect.problem;
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
    let unreadable = |error: &TranscriptError| {
        let problem = problem_of(error);
        let effect = Effect {
            problem,
            ..Effect::default()
        };
        Ok((effect, false))
    };
    let mut file = match transcripts::file(format, path) {
        Ok(file) => file,
        Err(error) => return unreadable(&error),
    };
    if let (true, Some(session)) = (file.session.is_empty(), &input.session) {
        // A database of all sessions.
        file.session.clone_from(session);
    }
    // Another process may have captured meanwhile.
    let from = site.captured(input)?;
    let conversation = match transcripts::read(&file, from) {
        Ok(conversation) => conversation,
        Err(error) => return unreadable(&error),
    };
    let drafts = without_told(&site.log, known, conversation.drafts(format))?;
    let effect = site.keep(host, &drafts)?;
    let reached = conversation.reached.unwrap_or_default();
    site.log
        .note_captured(known, reached.bytes, reached.mark, effect.stored)?;
    Ok((effect, goes_on(&conversation, from, file.bytes)))
}

/// The messages that were not stored before the transcript that tells them was there.
pub(crate) fn without_told(
    log: &HookLog,
    session: &HookSession,
    mut drafts: Vec<Draft>,
) -> Result<Vec<Draft>, Failure> {
    let told = log.told(session)?;
    drafts.retain(|draft| !(is_of_agent(draft) && told.contains(&draft.content)));
    Ok(drafts)
}

fn is_of_agent(draft: &Draft) -> bool {
    matches!(
        draft.body,
        Body::Message {
            role: Some(Role::Assistant)
        }
    )
}

/// Why a transcript can't be read, in one word.
fn problem_of(error: &TranscriptError) -> &'static str {
    match error {
        TranscriptError::Io { source, .. } if source.kind() == ErrorKind::NotFound => {
            "no_transcript"
        }
        TranscriptError::Io { .. } => "unreadable_transcript",
        _ => "unknown_transcript",
    }
}

/// Whether a reading ended before the end of the file because it was long enough.
fn goes_on(conversation: &Conversation, from: Position, bytes: u64) -> bool {
    conversation
        .reached
        .is_some_and(|reached| reached.bytes > from.bytes && reached.bytes + MOST_AT_ONCE < bytes)
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
    let effect = site.keep(host, &[draft])?;
    if let (Some(known), Some(_), 1..) = (&site.session, &input.transcript, effect.stored) {
        site.log.note_told(known, text)?;
    }
    Ok(effect)
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
