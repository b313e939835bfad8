//! Failures of a command: message, JSON and exit code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::process::ExitCode;

use anamne::llm::BridgeError;
use anamne::queue::QueueError;
use anamne::text::echo::shorten_values;
use anamne::{Error, ErrorKind, InvalidValue, NextStep, StoreError};
use serde::{Serialize, Serializer};

use crate::next_step::{self, report_hint};
use crate::output::{counted, memories, paint, report, report_json, report_message};
use crate::style::ERROR;
use crate::wording::{at_most_characters, number};

/// Maximum characters of a message for a person.
const LONGEST_MESSAGE: usize = 2_000;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of standard output has gone; not an error.
    ClosedPipe,
    /// Standard output already reports the problem.
    Reported,
    /// Done, but not everywhere or not for every entry; what is missing was reported.
    Incomplete,
    /// An error with its next step.
    Report(Box<FailureReport>),
}

/// A failure as written by `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct FailureReport {
    #[serde(serialize_with = "as_word")]
    kind: ErrorKind,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<NextStep>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// What was imported before the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<PartialImport>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn as_word<S: Serializer>(kind: &ErrorKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.as_str())
}

/// What was imported before the failure; it stays.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct PartialImport {
    pub(crate) imported: u64,
    pub(crate) known: u64,
    pub(crate) links: u64,
}

impl Failure {
    fn stored(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::Report(Box::new(FailureReport {
            kind,
            message: shorten_values(&message.into()).into_owned(),
            field: None,
            next_step: None,
            hint: None,
            taken: None,
        }))
    }

    /// Something requested doesn't exist.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::stored(ErrorKind::NotFound, message)
    }

    /// An operation failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::stored(ErrorKind::Failed, message)
    }

    /// A value is invalid.
    pub(crate) fn refused(field: &str, message: impl Into<String>) -> Self {
        let mut failure = Self::stored(ErrorKind::Refused, message);
        if let Self::Report(stored) = &mut failure {
            stored.field = Some(field.to_owned());
        }
        failure
    }

    /// The caller may not do it.
    pub(crate) fn denied(message: impl Into<String>) -> Self {
        Self::stored(ErrorKind::Denied, message)
    }

    /// Another process or too many requests are in the way.
    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self::stored(ErrorKind::Busy, message)
    }

    /// The command line is invalid.
    pub(crate) fn usage(message: String) -> Self {
        Self::stored(ErrorKind::Refused, message)
    }

    /// The kind of failure in one word, without any content.
    pub(crate) fn kind_word(&self) -> &'static str {
        match self {
            Self::Report(report) => report.kind.as_str(),
            Self::ClosedPipe => "closed_pipe",
            Self::Reported | Self::Incomplete => "failed",
        }
    }

    /// The message; a failure that has none is returned.
    pub(crate) fn into_message(self) -> Result<String, Self> {
        match self {
            Self::Report(report) => Ok(report.message),
            other => Err(other),
        }
    }

    /// Adds a hint on what to do next.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Report(stored) = &mut self {
            stored.hint = Some(hint.into());
        }
        self
    }

    /// Adds the engine's next step, with its text.
    #[must_use]
    pub(crate) fn step(mut self, step: Option<NextStep>) -> Self {
        if let Self::Report(stored) = &mut self {
            stored.next_step = step;
            stored.hint = step.map(|step| next_step::words(step).to_owned());
        }
        self
    }

    /// Adds the next step that a server named, with its text.
    #[must_use]
    pub(crate) fn step_of_server(mut self, step: Option<NextStep>) -> Self {
        if let Self::Report(stored) = &mut self {
            stored.next_step = step;
            stored.hint = step.map(|step| next_step::words_of_server(step).into_owned());
        }
        self
    }

    /// Says where to look for something that was not found, unless a hint says so already.
    #[must_use]
    pub(crate) fn listed_by(mut self, command: &str) -> Self {
        if let Self::Report(stored) = &mut self
            && stored.kind == ErrorKind::NotFound
            && stored.hint.is_none()
        {
            stored.hint = Some(format!("list them with `{command}`"));
        }
        self
    }

    /// No language model is configured.
    pub(crate) fn no_model() -> Self {
        Self::not_found("no model configured")
            .hint("configure one with `anamne model set --provider … --model …`")
    }

    /// Adds what was imported.
    #[must_use]
    pub(crate) fn taken(mut self, taken: PartialImport) -> Self {
        if let Self::Report(stored) = &mut self {
            stored.taken = Some(taken);
        }
        self
    }

    /// Prints the failure to standard error.
    pub(crate) fn report(&self, json: bool) {
        let Self::Report(stored) = self else {
            return;
        };
        if json {
            #[derive(Serialize)]
            struct Whole<'a> {
                error: &'a FailureReport,
            }
            report_json(&Whole { error: stored });
            return;
        }
        let message = at_most_characters(&stored.message, LONGEST_MESSAGE);
        report_message(format_args!("{} {message}", paint(ERROR, "error:")));
        if let Some(PartialImport {
            imported,
            known,
            links,
        }) = stored.taken
        {
            report(format_args!(
                "before it: {} imported, {} known already, {} created",
                memories(imported),
                number(known),
                counted(links, "link")
            ));
        }
        if let Some(hint) = &stored.hint {
            report_hint(hint);
        }
    }

    /// 0 done, 1 failed, 2 invalid, 3 not found, 4 done, but not everywhere or not for every entry.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::ClosedPipe => ExitCode::SUCCESS,
            Self::Reported => ExitCode::from(1),
            Self::Incomplete => ExitCode::from(4),
            Self::Report(stored) => ExitCode::from(match stored.kind {
                ErrorKind::Refused | ErrorKind::Denied => 2,
                ErrorKind::NotFound => 3,
                _ => 1,
            }),
        }
    }
}

impl From<InvalidValue> for Failure {
    fn from(refusal: InvalidValue) -> Self {
        Self::refused(refusal.field(), refusal.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        Self::failed(format!("can't write the answer: {error}"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if let Error::Stream { source, .. } = &error
            && source.kind() == std::io::ErrorKind::BrokenPipe
        {
            return Self::ClosedPipe;
        }
        if let Some(refusal) = error.refusal() {
            return refusal.clone().into();
        }
        let failure = Self::stored(error.kind(), error.to_string()).step(error.next_step());
        match error {
            Error::Bridge(BridgeError::NoKey { .. }) => failure.hint(
                "store it with `anamne model key`, or for a source of embeddings with `anamne model key --for SOURCE`",
            ),
            _ => failure,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Error::from(error).into()
    }
}

impl From<BridgeError> for Failure {
    fn from(error: BridgeError) -> Self {
        Error::from(error).into()
    }
}

impl From<QueueError> for Failure {
    fn from(error: QueueError) -> Self {
        Error::from(error).into()
    }
}

/// Reports panics like any other failure: their messages may contain foreign text.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(String::new, |place| format!(" at {place}"));
        let message = panic.payload_as_str().unwrap_or("without a message");
        report_panic(&place, message);
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            report_message(trace);
        }
    }));
}

fn report_panic(place: &str, message: &str) {
    let message = at_most_characters(message, LONGEST_MESSAGE);
    report_message(format_args!(
        "{} internal error{place}: {message}",
        paint(ERROR, "error:")
    ));
    report_hint("this is a bug in anamne; please report it with the command you ran");
}
