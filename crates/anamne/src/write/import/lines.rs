//! Imports JSON lines.

use std::io::{BufRead, Read};

use anamne_store::ImportItem;
use anamne_text::json_size::has_more_values;
use anamne_types::Limits;
use serde::de::IgnoredAny;

use super::dump;
use super::intake::{ImportWriter, RecordPosition};
use super::record::{ImportedLink, Record};
use super::{ImportOptions, ImportReport, LineOutcome};
use crate::Error;
use crate::space::Space;

/// Maximum length of a line: the longest content with every byte escaped, and room for the rest.
const LONGEST_LINE: u64 = 8 * Limits::CONTENT_BYTES as u64;

/// Maximum values per line: more than the largest body and metadata have together.
const MOST_VALUES: usize = 400_000;

/// Imports records or a dump from `reader` into `space`, and calls `progress` after every batch, and `outcome` for every
/// line.
///
/// A record that exists already (by its id, else by its position in its thread, else by its content) changes nothing,
/// so an interrupted import can be repeated.
pub(crate) fn import<'a>(
    space: &'a Space,
    mut reader: impl BufRead,
    options: ImportOptions,
    progress: &'a mut dyn FnMut(&ImportReport),
    outcome: Option<&'a mut dyn FnMut(LineOutcome)>,
) -> Result<ImportReport, Error> {
    let mut intake = ImportWriter::new(space, options, progress).telling(outcome);
    let mut first = Vec::new();
    if dump::is_dump(&mut reader).map_err(unreadable)? {
        let mut limited = reader.by_ref().take(LONGEST_LINE);
        limited.read_until(b'\n', &mut first).map_err(unreadable)?;
        let rest = reader.fill_buf().map_err(unreadable)?;
        if rest.trim_ascii().is_empty() || !is_document(&first) {
            dump::import(first.as_slice().chain(reader), &mut intake)?;
            return intake.finish();
        }
    }
    let mut reader = first.as_slice().chain(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = read_line(&mut reader, &mut line)?;
        if read == 0 {
            return intake.finish();
        }
        intake.report.lines += 1;
        intake.report.bytes += read as u64;
        let place = RecordPosition {
            line: intake.report.lines,
            file: None,
        };
        match parse(&line) {
            Ok(Some((arrival, links))) => intake.take(place, read, arrival, links)?,
            Ok(None) => {}
            Err(reason) => intake.skip_record(&place, &reason)?,
        }
    }
}

fn unreadable(source: std::io::Error) -> Error {
    Error::Stream {
        action: "read the import",
        source,
    }
}

/// Whether a line is a whole JSON document, so that what follows is another one.
fn is_document(line: &[u8]) -> bool {
    let text = std::str::from_utf8(line).unwrap_or_default();
    serde_json::from_str::<IgnoredAny>(text.trim_start_matches('\u{feff}')).is_ok()
}

/// Reads one line, of which at most [`LONGEST_LINE`] bytes are kept; returns the number of bytes consumed.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> Result<usize, Error> {
    let mut limited = reader.by_ref().take(LONGEST_LINE);
    let read = limited.read_until(b'\n', line).map_err(unreadable)?;
    if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
        let skipped = reader.skip_until(b'\n').map_err(unreadable)?;
        return Ok(read + skipped);
    }
    Ok(read)
}

/// Parses a line as an arrival with its links; `None` if it is empty.
fn parse(line: &[u8]) -> Result<Option<(ImportItem, Vec<ImportedLink>)>, String> {
    if line.len() as u64 >= LONGEST_LINE {
        return Err(format!("longer than {LONGEST_LINE} bytes"));
    }
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8: {error}"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    if has_more_values(text, MOST_VALUES) {
        return Err(format!("more than {MOST_VALUES} JSON values"));
    }
    let record: Record = serde_json::from_str(text).map_err(|error| worded(&error))?;
    record.into_arrival().map(Some)
}

/// Why a line is no record. It is one line of JSON, so that only the column is said.
fn worded(error: &serde_json::Error) -> String {
    let reason = error
        .to_string()
        .replace(" at line 1 column ", " at column ")
        .replace(" at column 0", "");
    if error.is_data() {
        reason
    } else {
        format!("not JSON: {reason}")
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, MOST_VALUES, has_more_values, parse};

    #[test]
    fn a_line_of_too_many_values_is_refused_before_it_is_parsed() {
        let many = format!(r#"{{"text":"x","n":[{}0]}}"#, "0,".repeat(MOST_VALUES));
        let reason = parse(many.as_bytes()).expect_err("refused");
        assert!(reason.contains("JSON values"), "{reason}");
        // Separators inside strings don't count.
        let text = format!(
            r#"{{"text":"{}\"{}"}}"#,
            ",[{".repeat(200_000),
            ",".repeat(9)
        );
        assert!(!has_more_values(&text, 2));
        assert!(parse(text.as_bytes()).is_ok());
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let reason = |line: &str| parse(line.as_bytes()).expect_err("refused");
        assert!(reason("- [ ] call Ada").starts_with("not JSON: "));
        assert!(!reason("not JSON").contains("line 1"));
        assert_eq!(reason(r#"{"txt":"x"}"#), "missing field `text`");
        let other = "invalid type: sequence, expected an object with the fields of a memory";
        assert_eq!(reason("[1]"), other);
    }

    #[test]
    fn a_line_that_is_too_long_is_not_called_broken() {
        let mut long = format!(r#"{{"text":"{}"#, "a ".repeat(LONGEST_LINE as usize / 2));
        long.truncate(LONGEST_LINE as usize);
        let reason = parse(long.as_bytes()).expect_err("refused");
        assert!(reason.starts_with("longer than"), "{reason}");
    }

    #[test]
    fn deep_nesting_is_refused_and_not_followed() {
        let deep = format!(r#"{{"text":"x","n":{}}}"#, "[".repeat(300_000));
        assert!(parse(deep.as_bytes()).is_err());
    }
}
