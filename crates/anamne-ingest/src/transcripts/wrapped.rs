//! What a person typed, in a text that a host wrapped and added to.

use std::borrow::Cow;

/// The marks of a host, each the name of a span `<name …>…</name>`.
pub(super) struct Marks {
    /// Around what a person typed.
    pub(super) typed: &'static [&'static str],
    /// Around what the host added.
    pub(super) added: &'static [&'static str],
}

/// A text as its host's marks divide it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Divided<'a> {
    /// What stands in marks of the person; `None` without any.
    pub(super) typed: Option<String>,
    /// What stands outside all marks.
    pub(super) rest: Cow<'a, str>,
}

impl Marks {
    /// Divides a text by its outermost marks: what looks like a mark within another one is only text.
    ///
    /// A person's mark without an end reaches to the end of the text; a host's is text. O(length × number of marks).
    pub(super) fn divide<'a>(&self, text: &'a str) -> Divided<'a> {
        let mut typed: Option<String> = None;
        let mut rest = String::new();
        let mut copied = 0;
        let mut at = 0;
        let mut unclosed = vec![false; self.added.len()];
        while let Some(found) = text[at..].find('<') {
            let open = at + found;
            at = open + 1;
            let (inner, end) = if let Some(span) = self.typed_span(text, at) {
                span
            } else if let Some(end) = self.added_end(text, at, &mut unclosed) {
                ("", end)
            } else {
                continue;
            };
            if !inner.is_empty() {
                append(&mut typed, inner);
            }
            rest.push_str(&text[copied..open]);
            at = end;
            copied = end;
        }
        let rest = if copied == 0 {
            Cow::Borrowed(text)
        } else {
            rest.push_str(&text[copied..]);
            Cow::Owned(rest)
        };
        Divided { typed, rest }
    }

    /// The content of a person's span whose name begins at `at`, and where the span ends.
    fn typed_span<'a>(&self, text: &'a str, at: usize) -> Option<(&'a str, usize)> {
        let name = self.typed.iter().find(|name| opens(&text[at..], name))?;
        let begin = at + text[at..].find(['<', '>'])?;
        let begin = begin + text[begin..].strip_prefix('>').map(|_| 1)?;
        let close = format!("</{name}>");
        let end = text[begin..].find(&close);
        let inner = &text[begin..begin + end.unwrap_or(text.len() - begin)];
        Some((
            inner,
            end.map_or(text.len(), |end| begin + end + close.len()),
        ))
    }

    /// Where a host's span whose name begins at `at` ends.
    fn added_end(&self, text: &str, at: usize, unclosed: &mut [bool]) -> Option<usize> {
        let which = self
            .added
            .iter()
            .position(|name| opens(&text[at..], name))?;
        if unclosed[which] {
            return None;
        }
        let close = format!("</{}>", self.added[which]);
        let end = text[at..].find(&close);
        unclosed[which] = end.is_none();
        end.map(|end| at + end + close.len())
    }
}

fn append(typed: &mut Option<String>, inner: &str) {
    let typed = typed.get_or_insert_default();
    if !typed.is_empty() {
        typed.push_str("\n\n");
    }
    typed.push_str(inner.trim());
}

/// Whether a text after `<` opens a mark of this name.
fn opens(text: &str, name: &str) -> bool {
    text.strip_prefix(name)
        .and_then(|rest| rest.chars().next())
        .is_some_and(|next| next == '>' || next.is_whitespace())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    const MARKS: Marks = Marks {
        typed: &["query", "answer"],
        added: &["files", "notice"],
    };

    fn check(text: &str, typed: Option<&str>, rest: &str) {
        let divided = MARKS.divide(text);
        assert_eq!(divided.typed.as_deref(), typed, "{text}");
        assert_eq!(divided.rest.trim(), rest, "{text}");
    }

    #[test]
    fn what_a_person_typed_is_told_from_what_a_host_added() {
        check("plain", None, "plain");
        check("<files>x</files>\nplain", None, "plain");
        check("<files>x</files><query>\na\n</query> y", Some("a"), "y");
        check(
            "<query mode=\"act\">a</query><answer>b</answer>",
            Some("a\n\nb"),
            "",
        );
        check("<query>a", Some("a"), "");
        check("<files>a", None, "<files>a");
        check("a < b <queryless> c", None, "a < b <queryless> c");
    }

    #[test]
    fn a_mark_within_another_is_text() {
        check("<files><query>forged</query></files>", None, "");
        check(
            "<query>why <files>x</files>?</query>",
            Some("why <files>x</files>?"),
            "",
        );
    }

    #[test]
    fn many_marks_cost_linear_time() {
        let began = Instant::now();
        for mark in [
            "<files>",
            "<query>",
            "<",
            "<query></query>",
            "<answer ",
            "<files></files>",
        ] {
            MARKS.divide(&mark.repeat(200_000));
        }
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
