//! The filter in front of standard output and standard error.
//!
//! Every control character and every invisible character is shown as an escape such as `\u{1B}` or `\u{202E}`. Only the
//! marks of [`crate::style`] become escape sequences.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

use anamne::text::quote::{escape_invisible, is_invisible};

use crate::style;

/// How line breaks in a text are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineBreaks {
    /// Shown as `\n`: the text is one line.
    Shown,
    /// Lines after the first are indented, so that none of them can look like a line of this program.
    Indented,
    /// Kept: the text is from this program, such as its help.
    Kept,
}

/// The text safe for a terminal, with styles.
pub(crate) fn safe(text: &str, breaks: LineBreaks) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t');
    if text
        .bytes()
        .all(|byte| is_plain(byte) || (byte == b'\n' && breaks == LineBreaks::Kept))
    {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 32);
    let mut previous = None;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some((sequence, after)) = style::leading(rest) {
            shown.push_str(&sequence);
            rest = after;
            continue;
        }
        rest = &rest[character.len_utf8()..];
        let next = without_marks(rest).chars().next();
        match (character, breaks) {
            ('\r', _) if next == Some('\n') => {}
            ('\n', LineBreaks::Shown) => shown.push_str("\\n"),
            ('\n', LineBreaks::Indented) => shown.push_str("\n  "),
            ('\n', LineBreaks::Kept) | ('\t', _) => shown.push(character),
            _ => push(&mut shown, previous, character, next),
        }
        previous = Some(character);
    }
    Cow::Owned(shown)
}

/// The text safe for a terminal, without styles.
pub(crate) fn plain(text: &str, breaks: LineBreaks) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some((_, after)) = style::leading(rest) {
            rest = after;
            continue;
        }
        bare.push(character);
        rest = &rest[character.len_utf8()..];
    }
    safe(&bare, breaks).into_owned()
}

fn without_marks(mut text: &str) -> &str {
    while let Some((_, after)) = style::leading(text) {
        text = after;
    }
    text
}

/// Adds a character, escaped if it is invisible between these neighbours.
fn push(shown: &mut String, previous: Option<char>, character: char, next: Option<char>) {
    if !is_invisible(character) {
        shown.push(character);
        return;
    }
    // A joiner or a selector is part of some scripts and emoji, depending on its neighbours.
    let between: String = [previous, Some(character), next]
        .into_iter()
        .flatten()
        .collect();
    if !character.is_control() && escape_invisible(&between).contains(character) {
        shown.push(character);
    } else {
        let _ = write!(shown, "\\u{{{:X}}}", u32::from(character));
    }
}

/// JSON with invisible characters escaped, which doesn't change its value.
pub(crate) fn safe_json(json: &str) -> Cow<'_, str> {
    // Inside strings these two are already escaped; between strings they are layout.
    let is_hidden = |character: char| !matches!(character, '\n' | '\t') && is_invisible(character);
    if !json.chars().any(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 32);
    for character in json.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// JSON lines for a terminal; filters what is written line by line.
pub(crate) struct JsonLines<W: Write> {
    writer: W,
    line: Vec<u8>,
}

impl<W: Write> JsonLines<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self {
            writer,
            line: Vec::new(),
        }
    }

    /// Writes the last line if it has no line break yet.
    pub(crate) fn finish(mut self) -> std::io::Result<()> {
        self.hand_over()?;
        self.writer.flush()
    }

    fn hand_over(&mut self) -> std::io::Result<()> {
        let line = String::from_utf8_lossy(&self.line);
        self.writer.write_all(safe_json(&line).as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

impl<W: Write> Write for JsonLines<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.hand_over()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{BOLD, RED, paint};

    /// Every non-text character, between letters, at both ends, and beside another one.
    fn hostile() -> impl Iterator<Item = String> {
        let invisible = (0..=0x10_ffff_u32)
            .filter_map(char::from_u32)
            .filter(|character| is_invisible(*character));
        invisible.flat_map(|one| {
            [
                format!("a{one}b"),
                format!("{one}[31m{one}]0;x{one}\\{one}"),
            ]
        })
    }

    /// A shown text without the escape sequences of the table.
    fn without_styles(shown: &str) -> String {
        let sequences = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m"];
        sequences.iter().fold(shown.to_owned(), |text, sequence| {
            text.replace(sequence, "")
        })
    }

    #[test]
    fn nothing_that_is_invisible_passes_and_no_text_can_forge_a_style() {
        for text in hostile() {
            for breaks in [LineBreaks::Shown, LineBreaks::Indented, LineBreaks::Kept] {
                let shown = safe(&text, breaks);
                let allowed = |character: char| {
                    character == '\t' || (character == '\n' && breaks != LineBreaks::Shown)
                };
                assert!(
                    !shown
                        .chars()
                        .any(|character| is_invisible(character) && !allowed(character)),
                    "{text:?} became {shown:?}"
                );
                let styled = format!("{}: {text}", paint(RED, &text));
                let bare = without_styles(&safe(&styled, breaks));
                assert!(!bare.contains('\u{1b}'), "{text:?} became {bare:?}");
            }
        }
    }

    #[test]
    fn a_text_looks_the_same_in_a_style_and_without() {
        for text in [
            "👩\u{200d}🚀 ❤\u{fe0f}",
            "می\u{200c}خواهم",
            "a\u{200d}b",
            "\u{1b}[1mx\u{1b}[0m",
            "a\r\nb\tc",
        ] {
            let plainly = safe(text, LineBreaks::Shown);
            let painted: String = text.chars().map(|one| paint(BOLD, one)).collect();
            assert_eq!(without_styles(&safe(&painted, LineBreaks::Shown)), plainly);
            assert_eq!(plain(&painted, LineBreaks::Shown), plainly);
        }
        assert_eq!(safe("👩\u{200d}🚀", LineBreaks::Shown), "👩\u{200d}🚀");
        assert_eq!(safe("a\u{200d}b", LineBreaks::Shown), "a\\u{200D}b");
    }

    #[test]
    fn line_breaks_are_shown_or_indented_or_kept() {
        let text = "one\r\nerror: two\n\u{1b}[2J";
        assert_eq!(
            safe(text, LineBreaks::Shown),
            "one\\nerror: two\\n\\u{1B}[2J"
        );
        assert_eq!(
            safe(text, LineBreaks::Indented),
            "one\n  error: two\n  \\u{1B}[2J"
        );
        assert_eq!(safe(text, LineBreaks::Kept), "one\nerror: two\n\\u{1B}[2J");
    }

    #[test]
    fn json_stays_the_same_data() {
        for text in hostile() {
            let json = serde_json::to_string(&text).expect("JSON");
            let shown = safe_json(&json);
            assert!(!shown.contains(is_invisible), "{shown:?}");
            assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), text);
        }
    }

    #[test]
    fn an_export_to_a_terminal_is_the_same_data_however_it_is_cut() {
        let line = "{\"content\":\"a\u{9b}31m \u{202e}b \u{e0041} \u{7f}\"}\n";
        let text = line.repeat(3) + "{\"last\":\"\u{200b}\"}";
        for size in 1..text.len() {
            let mut shown = Vec::new();
            let mut lines = JsonLines::new(&mut shown);
            for part in text.as_bytes().chunks(size) {
                lines.write_all(part).expect("memory takes all");
            }
            lines.finish().expect("memory takes all");
            let shown = String::from_utf8(shown).expect("UTF-8");
            assert_eq!(shown, safe_json(&text));
            for (shown, written) in shown.lines().zip(text.lines()) {
                let parsed = |text| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
                assert_eq!(parsed(shown), parsed(written));
            }
        }
    }
}
