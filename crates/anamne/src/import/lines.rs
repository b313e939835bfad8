//! Reading memories from JSON lines.

use std::io::BufRead;

use anamne_store::Arrival;
use anamne_types::Limits;

use super::intake::{Intake, Place};
use super::record::{ImportedLink, Record};
use super::{ImportOptions, ImportReport};
use crate::Error;
use crate::space::Space;

/// The longest line that is read: the largest content with every byte escaped, and room for the rest.
const LONGEST_LINE: u64 = 8 * Limits::CONTENT_BYTES as u64;

/// Reads records from `reader` into `space`, and calls `progress` after every batch.
///
/// A record that is there already (by its id, else by its place in its thread, else by its content)
/// changes nothing, so an import that was interrupted is simply run again.
pub(crate) fn import(
    space: &Space,
    mut reader: impl BufRead,
    options: ImportOptions,
    progress: &mut dyn FnMut(&ImportReport),
) -> Result<ImportReport, Error> {
    let mut intake = Intake::new(space, options, progress);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = read_line(&mut reader, &mut line)?;
        if read == 0 {
            return intake.finish();
        }
        intake.report.lines += 1;
        intake.report.bytes += read as u64;
        let place = Place {
            line: intake.report.lines,
            file: None,
        };
        match parse(&line) {
            Ok(Some((arrival, links))) => intake.take(place, arrival, links)?,
            Ok(None) => {}
            Err(reason) => intake.pass_over(&place, reason)?,
        }
    }
}

/// Reads one line, but never more of it than [`LONGEST_LINE`]; returns the bytes read.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> Result<usize, Error> {
    let failed = |source| Error::Stream {
        action: "read the import",
        source,
    };
    let mut limited = std::io::Read::take(&mut *reader, LONGEST_LINE);
    let read = limited.read_until(b'\n', line).map_err(failed)?;
    if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
        let skipped = reader.skip_until(b'\n').map_err(failed)?;
        return Ok(read + skipped);
    }
    Ok(read)
}

/// A line as an arrival with its links; `None` for an empty one.
fn parse(line: &[u8]) -> Result<Option<(Arrival, Vec<ImportedLink>)>, String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8: {error}"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() as u64 >= LONGEST_LINE {
        return Err(format!("longer than {LONGEST_LINE} bytes"));
    }
    let record: Record = serde_json::from_str(text).map_err(|error| error.to_string())?;
    record.into_arrival().map(Some)
}
