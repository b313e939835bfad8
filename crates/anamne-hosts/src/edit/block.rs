//! A marked block of lines in an instruction file.
//!
//! The block stands between two HTML comments, each on a line of its own, so that Markdown shows its lines alone:
//!
//! ```
//! use anamne_hosts::edit::block;
//!
//! let text = block::set_block("# Rules\n", "Ask the memory first.")?;
//! assert_eq!(block::block(&text)?, Some("Ask the memory first.\n"));
//! assert_eq!(block::remove_block(&text)?.as_deref(), Some("# Rules\n"));
//! # Ok::<(), anamne_hosts::edit::EditError>(())
//! ```

use std::ops::Range;

use super::EditError;
use super::splice::newline;

const BEGIN: &str = "<!-- anamne:begin";
const END: &str = "<!-- anamne:end";
const BEGIN_LINE: &str =
    "<!-- anamne:begin (written by `anamne setup`; `anamne setup --remove` takes it out) -->";
const END_LINE: &str = "<!-- anamne:end -->";

/// The lines of a block in a text.
struct Lines {
    /// From the start of the first marker's line to the end of the last one's, line ending included.
    whole: Range<usize>,
    body: Range<usize>,
}

/// The lines between the markers, with their line endings; `None` without a block. Fails if the markers don't pair up.
/// O(length of the text).
pub fn block(text: &str) -> Result<Option<&str>, EditError> {
    Ok(find(text)?.map(|lines| &text[lines.body]))
}

/// The text with `body` as its block: in place of the old one, or at the end after an empty line. Line endings are those of
/// the text. Fails if the markers in the text don't pair up, or if `body` contains a marker. O(length of the text).
pub fn set_block(text: &str, body: &str) -> Result<String, EditError> {
    let newline = newline(text);
    if body
        .lines()
        .any(|line| is_marker(line, BEGIN) || is_marker(line, END))
    {
        let reason = "the text of the block contains a marker".to_owned();
        return Err(EditError::Unsupported(reason));
    }
    let body: String = body.lines().flat_map(|line| [line, newline]).collect();
    if let Some(lines) = find(text)? {
        let (before, after) = (&text[..lines.body.start], &text[lines.body.end..]);
        return Ok(format!("{before}{body}{after}"));
    }
    let block = format!("{BEGIN_LINE}{newline}{body}{END_LINE}");
    Ok(match text {
        "" => format!("{block}{newline}"),
        _ if text.ends_with('\n') => format!("{text}{newline}{block}{newline}"),
        _ => format!("{text}{newline}{newline}{block}"),
    })
}

/// The text without its block, as it was before [`set_block`]; `None` if it has none. Fails if the markers don't pair up.
/// O(length of the text).
pub fn remove_block(text: &str) -> Result<Option<String>, EditError> {
    let Some(Lines { whole, .. }) = find(text)? else {
        return Ok(None);
    };
    let (mut before, after) = (&text[..whole.start], &text[whole.end..]);
    let ends_open = after.is_empty() && !text.ends_with('\n');
    if after.trim().is_empty() || starts_blank(after) {
        before = without_blank_line(before);
    }
    if ends_open {
        before = without_newline(before);
    }
    Ok(Some(format!("{before}{after}")))
}

fn starts_blank(text: &str) -> bool {
    text.starts_with('\n') || text.starts_with("\r\n")
}

fn without_newline(text: &str) -> &str {
    let shorter = text.strip_suffix('\n').unwrap_or(text);
    shorter.strip_suffix('\r').unwrap_or(shorter)
}

/// The text without the empty line at its end.
fn without_blank_line(text: &str) -> &str {
    let shorter = without_newline(text);
    if shorter.ends_with('\n') {
        shorter
    } else {
        text
    }
}

fn is_marker(line: &str, marker: &str) -> bool {
    let rest = line.trim().strip_prefix(marker);
    rest.is_some_and(|rest| rest.starts_with([' ', '-']) && rest.ends_with("-->"))
}

/// The only block of a text.
fn find(text: &str) -> Result<Option<Lines>, EditError> {
    let (mut begin, mut found): (Option<(usize, usize)>, Option<Lines>) = (None, None);
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.len();
        if is_marker(line, BEGIN) {
            if begin.is_some() || found.is_some() {
                return Err(broken(index, "the block of anamne begins twice"));
            }
            begin = Some((start, end));
        } else if is_marker(line, END) {
            let (first, body) = begin
                .take()
                .ok_or_else(|| broken(index, "the block of anamne ends without a beginning"))?;
            let (whole, body) = (first..end, body..start);
            found = Some(Lines { whole, body });
        }
        start = end;
    }
    match begin {
        Some((first, _)) => {
            let index = text[..first].matches('\n').count();
            Err(broken(index, "the block of anamne has no end"))
        }
        None => Ok(found),
    }
}

fn broken(index: usize, reason: &str) -> EditError {
    let (line, reason) = (index + 1, reason.to_owned());
    EditError::Syntax { line, reason }
}
