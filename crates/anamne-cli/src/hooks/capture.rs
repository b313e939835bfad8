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
use super::{Effect, held, later, start_later};
use crate::failure::Failure;

/// Bytes of a transcript that are read while the host waits. More take longer than 100 ms.
const MOST_AT_ONCE: u64 = 512 << 10;

/// The problem of a transcript that isn't there.
const NO_TRANSCRIPT: &str = "no_transcript";

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
        return without_transcript(event, host, input, site);
    };
    let Some(format) = format_of(host) else {
        return without_transcript(event, host, input, site);
    };
    let work = JobArguments {
        session: input.session.clone(),
        transcript: Some(path.clone()),
        ..JobArguments::default()
    };
    let rest = site.job(host, work);
    job.set(rest.clone());
    if event == HookEvent::TurnEnd && !path.exists() {
        // Claude Code writes it afterwards in print mode, and never with `--no-session-persistence`.
        if let Some(said) = &input.last_message {
            later::start_with(rest, said);
            return Ok(Effect::default());
        }
        if held::is_any(input, site)? {
            start_later(&rest);
            return Ok(Effect::default());
        }
    }
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let is_long = bytes.saturating_sub(session.captured_bytes) > MOST_AT_ONCE;
    if is_long || is_completed_later(format) {
        start_later(&rest);
        return Ok(Effect::default());
    }
    let (effect, _) = capture(event, host, format, input, site)?;
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

/// Captures all of a transcript that is left, in a process of its own. If there is none, what the host told.
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
    loop {
        let (effect, goes_on) = capture(HookEvent::TurnEnd, host, format, input, site)?;
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
    event: HookEvent,
    host: &str,
    format: TranscriptFormat,
    input: &HookInput,
    site: &HookSite,
) -> Result<(Effect, bool), Failure> {
    let (Some(known), Some(path)) = (&site.session, &input.transcript) else {
        return Ok((Effect::default(), false));
    };
    let unreadable = |error: &TranscriptError| {
        let mut effect = without_transcript(event, host, input, site)?;
        let problem = problem_of(error);
        if effect.stored == 0 || problem != NO_TRANSCRIPT {
            effect.problem = problem;
        }
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
    let mut effect = site.keep(host, &drafts)?;
    let told = held::settle(event, host, input, &conversation, site)?;
    effect.stored += told.stored;
    effect.redacted += told.redacted;
    let reached = conversation.reached.unwrap_or_default();
    site.log
        .note_captured(known, reached.bytes, reached.mark, effect.stored)?;
    Ok((effect, goes_on(&conversation, from, file.bytes)))
}

/// The messages that were not stored before the transcript that tells them was there. Tools tell nothing without one.
pub(crate) fn without_told(
    log: &HookLog,
    session: &HookSession,
    mut drafts: Vec<Draft>,
) -> Result<Vec<Draft>, Failure> {
    let told = log.told(session)?;
    drafts.retain(|draft| !(is_speech(draft) && told.contains(&draft.content)));
    Ok(drafts)
}

fn is_speech(draft: &Draft) -> bool {
    matches!(
        draft.body,
        Body::Message {
            role: Some(Role::User | Role::Assistant)
        }
    )
}

/// Why a transcript can't be read, in one word.
fn problem_of(error: &TranscriptError) -> &'static str {
    match error {
        TranscriptError::Io { source, .. } if source.kind() == ErrorKind::NotFound => NO_TRANSCRIPT,
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

/// Without a transcript that can be read, what the host itself told: what the person said, and the agent's last message.
fn without_transcript(
    event: HookEvent,
    host: &str,
    input: &HookInput,
    site: &HookSite,
) -> Result<Effect, Failure> {
    held::store(host, input, last_message(event, host, input).as_ref(), site)
}

/// The agent's last message, at the end of its turn.
fn last_message(event: HookEvent, host: &str, input: &HookInput) -> Option<Draft> {
    let (text, session) = (input.last_message.as_ref()?, input.session.as_ref()?);
    let is_said = event == HookEvent::TurnEnd && !text.trim().is_empty();
    is_said.then(|| told(host, session, text, Role::Assistant))
}

/// A message of a session without a transcript.
pub(super) fn told(host: &str, session: &str, text: &str, role: Role) -> Draft {
    let mut draft = Draft::new(text)
        .body(Body::Message { role: Some(role) })
        .thread(format!("{host} {session}"))
        .author(host);
    draft.session = Some(session.to_owned());
    draft
}

/// The format of a host's transcripts, if they can be read.
pub(super) fn format_of(host: &str) -> Option<TranscriptFormat> {
    anamne_hosts::host(host)?.transcripts
}
