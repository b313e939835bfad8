//! Exports and imports of a space in either place, as streams of lines.

use std::io::{BufRead, BufReader, Read, Write};

use anamne::{ExportReport, ExportSelection, ImportOptions, ImportReport, Limits, Visibility};
use anamne_client::{Query, RemoteSpace};
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

/// Sends lines to a server, which imports them.
pub(crate) fn send(
    space: &RemoteSpace,
    lines: &mut dyn Read,
    options: ImportOptions,
) -> Result<ImportReport, anamne_client::ClientError> {
    #[derive(Deserialize)]
    struct Imported {
        report: ImportReport,
    }
    let policy = match options.bad_lines {
        anamne::BadLines::Skip => "skip",
        anamne::BadLines::Stop => "stop",
    };
    let query = Query::new()
        .with("bad_lines", policy)
        .with("trusted", options.trusted);
    let imported: Imported = space.send(&["import"], &query, LINES, lines)?;
    Ok(imported.report)
}
