//! Exports and imports of a space in either place, as streams of lines.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};

use anamne::{
    ExportReport, ExportSelection, ImportOptions, ImportReport, Limits, LineOutcome, Visibility,
};
use anamne_client::{BothWays, ClientError, Problem, Query, RemoteSpace};
use serde::Deserialize;

use super::Reached;
use crate::failure::Failure;

/// The media type of lines of JSON.
const LINES: &str = "application/x-ndjson";

/// Maximum length of a line: the longest content with every byte escaped, and room for the rest.
const LONGEST_LINE: u64 = 16 * Limits::CONTENT_BYTES as u64;

/// The last line of an export.
#[derive(Deserialize)]
struct LastLine {
    report: ExportReport,
}

impl Reached {
    /// Writes the memories as lines of JSON.
    pub(crate) fn export(
        &self,
        writer: impl Write,
        selection: ExportSelection,
    ) -> Result<ExportReport, Failure> {
        match self {
            Self::Here(space) => Ok(space.export_visibility(writer, selection)?),
            Self::There(space) => fetch(space, writer, selection),
        }
    }
}

/// Copies the lines that a server sends, except the report at their end. One line is held at a time.
fn fetch(
    space: &RemoteSpace,
    mut writer: impl Write,
    selection: ExportSelection,
) -> Result<ExportReport, Failure> {
    let query = Query::new()
        .with("forgotten", selection.visibility == Visibility::Both)
        .with("personal", selection.personal)
        .with("report", true);
    let mut lines = BufReader::new(space.stream(&["export"], &query)?);
    let cut_off = |reason: &str| Failure::failed(format!("the export was cut off: {reason}"));
    let (mut line, mut next) = (Vec::new(), Vec::new());
    loop {
        next.clear();
        let read = (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut next);
        let read = read.map_err(|error| cut_off(&error.to_string()))?;
        if read == 0 {
            break;
        }
        if next.last() != Some(&b'\n') {
            return Err(cut_off("a line has no end"));
        }
        writer.write_all(&line)?;
        std::mem::swap(&mut line, &mut next);
    }
    let last = serde_json::from_slice::<LastLine>(&line);
    Ok(last.map_err(|_| cut_off("the report is missing"))?.report)
}

/// A line of the answer to an import.
#[derive(Deserialize)]
#[serde(untagged)]
enum Told {
    Outcome(LineOutcome),
    End { report: ImportReport },
    Problem { problem: Problem },
}

/// Why an import through a server failed.
pub(crate) enum SendFailure {
    /// The server refused it, or did not answer.
    Client(ClientError),
    /// The lines could not be read.
    Lines(std::io::Error),
    /// The answer was cut off.
    CutOff(String),
}

impl From<ClientError> for SendFailure {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

/// Sends lines to a server, which imports them, and tells the outcome of each as it comes, with the bytes that were sent
/// until then.
pub(crate) fn send(
    space: &RemoteSpace,
    lines: impl Read + Send + 'static,
    options: ImportOptions,
    tell: &mut dyn FnMut(&LineOutcome, u64),
) -> Result<ImportReport, SendFailure> {
    let policy = match options.bad_lines {
        anamne::BadLines::Skip => "skip",
        anamne::BadLines::Stop => "stop",
    };
    let query = Query::new()
        .with("bad_lines", policy)
        .with("trusted", options.trusted);
    // Only where it is asked for: an older server refuses a parameter that it doesn't know.
    let query = if options.updates {
        query.with("updates", true)
    } else {
        query
    };
    let mut answer = BufReader::new(space.send_and_read(&["import"], &query, LINES, lines)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut answer)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        if let Err(error) = read {
            return Err(broken(answer.get_ref(), &error));
        }
        if line.last() != Some(&b'\n') {
            return Err(SendFailure::CutOff("the report is missing".to_owned()));
        }
        let told = serde_json::from_slice(&line);
        match told.map_err(|error| SendFailure::CutOff(error.to_string()))? {
            Told::Outcome(outcome) => tell(&outcome, answer.get_ref().sent()),
            Told::End { report } => return Ok(report),
            Told::Problem { problem } => {
                return Err(ClientError::Problem(Box::new(problem)).into());
            }
        }
    }
}

/// Why the answer ended: the connection, or the lines that were sent.
fn broken(answer: &BothWays, error: &std::io::Error) -> SendFailure {
    if let Some(failure) = answer.body_failure() {
        return SendFailure::Lines(failure);
    }
    SendFailure::CutOff(match error.kind() {
        ErrorKind::TimedOut => "nothing came for too long".to_owned(),
        ErrorKind::UnexpectedEof => "the connection broke".to_owned(),
        _ => error.to_string(),
    })
}
