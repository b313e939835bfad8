//! What hooks and hosts put into a person's text.

use std::borrow::Cow;

/// The mark around everything that Anamne injects.
const OWN: &str = "anamne-memory";

/// Marks that hosts put around what isn't a person's text.
const HOSTS: [&str; 7] = [
    "system-reminder",
    "hook_context",
    "qwen:user-prompt-submit-context",
    "session_context",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
];

/// A text without the spans that hooks and hosts injected, and without white space around what is left.
///
/// An unclosed span of our own reaches to the end of the text. An unclosed mark of a host is kept: a person may write
/// about it. O(length of the text).
pub(super) fn without_injected(text: &str) -> Cow<'_, str> {
    let text = without_spans(text, &[OWN], true);
    match text {
        Cow::Borrowed(text) => trimmed(without_spans(text, &HOSTS, false)),
        Cow::Owned(text) => trimmed(Cow::Owned(without_spans(&text, &HOSTS, false).into_owned())),
    }
}

/// A text without the spans `<name …>…</name>` of any of these names. O(length of the text × number of names).
pub(super) fn without_spans<'a>(text: &'a str, names: &[&str], to_end: bool) -> Cow<'a, str> {
    let mut kept = String::new();
    let mut copied = 0;
    let mut at = 0;
    // Names without a closing mark behind this place: they aren't searched for again.
    let mut unclosed = vec![false; names.len()];
    while let Some(found) = text[at..].find('<') {
        let open = at + found;
        at = open + 1;
        let Some(which) = names.iter().position(|name| opens(&text[at..], name)) else {
            continue;
        };
        let Some(end) = end_of_span(&text[at..], names[which], &mut unclosed[which], to_end) else {
            continue;
        };
        kept.push_str(&text[copied..open]);
        at += end;
        copied = at;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[copied..]);
    Cow::Owned(kept)
}

/// Whether a text after `<` opens a mark of this name.
fn opens(text: &str, name: &str) -> bool {
    text.strip_prefix(name)
        .and_then(|rest| rest.chars().next())
        .is_some_and(|next| next == '>' || next == '/' || next.is_whitespace())
}

/// Where a span that begins here ends.
fn end_of_span(text: &str, name: &str, unclosed: &mut bool, to_end: bool) -> Option<usize> {
    let close = format!("</{name}>");
    let end = (!*unclosed).then(|| text.find(&close)).flatten();
    *unclosed = end.is_none();
    match end {
        Some(end) => Some(end + close.len()),
        None => to_end.then_some(text.len()),
    }
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(without_injected(text), expected);
    }

    #[test]
    fn what_was_injected_is_cut_out() {
        check("a question", "a question");
        check("  a\n<anamne-memory>old</anamne-memory>\n", "a");
        check(
            "<anamne-memory n=\"2\">x</anamne-memory> a <anamne-memory>y</anamne-memory> b",
            "a  b",
        );
        check("a <anamne-memory>never closed", "a");
        check("<system-reminder>do this</system-reminder>a", "a");
        check(
            "a\n\n<hook_context>\n<anamne-memory>x</anamne-memory></hook_context>",
            "a",
        );
        check(
            "<qwen:user-prompt-submit-context>x</qwen:user-prompt-submit-context>a",
            "a",
        );
        check("<anamne-memory>only</anamne-memory>", "");
    }

    #[test]
    fn what_a_person_writes_about_marks_stays() {
        check(
            "why is <system-reminder> there?",
            "why is <system-reminder> there?",
        );
        check("x <anamne-memoryless> y", "x <anamne-memoryless> y");
        check("if a < b && c > d", "if a < b && c > d");
        check("</anamne-memory> a", "</anamne-memory> a");
    }

    #[test]
    fn many_marks_cost_linear_time() {
        let began = Instant::now();
        for mark in [
            "<system-reminder>",
            "<",
            "<anamne-memory>",
            "<hook_context></hook_context>",
        ] {
            let text = mark.repeat(50_000);
            assert!(without_injected(&text).len() <= text.len());
        }
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
