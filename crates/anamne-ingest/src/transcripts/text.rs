//! Bounds on texts of transcripts.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anamne_guard::{Action, Finding, Group, Guard, Policy};
use anamne_types::Limits;

use super::Skipped;

/// The longest text of a turn, in bytes: that of a memory, with room for the note on what is left out and for what the guard
/// writes in place of secrets.
pub(super) const MAX_TURN_BYTES: usize = Limits::CONTENT_BYTES - 4_000;

/// The longest error in a tool's line, in characters.
pub(super) const MAX_ERROR_CHARACTERS: usize = 200;

/// A turn's text, cut at [`MAX_TURN_BYTES`], or before a secret there, with a note that says so, and counted. O(result).
pub(super) fn capped(text: &str, skipped: &mut Skipped) -> String {
    if text.len() <= MAX_TURN_BYTES {
        return text.to_owned();
    }
    skipped.cut += 1;
    let end = text.floor_char_boundary(MAX_TURN_BYTES);
    let start = text.floor_char_boundary(end - REACH_BEFORE);
    let end = start + safe_end(&text[start..], end - start, str::to_owned, "\n[");
    let left_out = text.len() - end;
    format!("{}\n[{left_out} more bytes left out]", &text[..end])
}

/// The first line that isn't blank, at most `characters` long, with each control character as a space. It is cut before
/// a secret of which it would have only a part. O(that line and the blank ones before it).
pub(super) fn first_line(text: &str, characters: usize) -> String {
    let text = text.trim_start();
    let line = text.lines().next().unwrap_or_default().trim_end();
    let most = line.char_indices().nth(characters);
    let most = most.map_or(line.len(), |(at, _)| at);
    let is_whole = most == text.trim_end().len() && !line.contains(char::is_control);
    let end = if is_whole {
        most
    } else {
        safe_end(text, most, printable, "…")
    };
    let mut kept = printable(&line[..end]);
    kept.truncate(kept.trim_end().len());
    if end < line.len() {
        kept.push('…');
    }
    kept
}

/// How much of a text is read before and after a cut to find the secrets there, in bytes.
const REACH_BEFORE: usize = 16_384;
const REACH: usize = 2_048;

/// How often a cut is moved because of what it leaves.
const MOST_MOVES: usize = 8;

/// Knows everything that a space could look for, whatever the space looks for.
static GUARD: LazyLock<Guard> = LazyLock::new(|| {
    let actions =
        [Group::Secret, Group::Personal].map(|group| (group.name().to_owned(), Action::Mark));
    Guard::new(Policy::new(BTreeMap::from(actions)).expect("groups may be marked"))
});

/// Where a text that is to end at `end` may end: before a secret or personal datum that would be divided, or that the
/// guard would not know any more without what is left out. Of a part of the text `shown` is kept, and `mark` after its
/// end. O(`end` + [`REACH`]).
fn safe_end(text: &str, mut end: usize, shown: impl Fn(&str) -> String, mark: &str) -> usize {
    let found = GUARD.findings(&text[..text.floor_char_boundary(end + REACH)]);
    let place = |at: usize| shown(&text[..at]).len();
    for _ in 0..MOST_MOVES {
        let kept = shown(&text[..end]) + mark;
        let known = GUARD.findings(&kept);
        let is_known = |finding: &&Finding| {
            let (start, end) = (place(finding.span.start), place(finding.span.end));
            let mut known = known.iter();
            known.any(|known| known.span.start <= start && end <= known.span.end)
        };
        let mut inside = found.iter().filter(|finding| finding.span.start < end);
        match inside.find(|finding| finding.span.end > end || !is_known(finding)) {
            Some(lost) => end = lost.span.start,
            None => return end,
        }
    }
    found.first().map_or(end, |first| end.min(first.span.start))
}

/// A text with each control character as a space.
fn printable(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_cut_on_a_character_border_with_a_note() {
        let mut skipped = Skipped::default();
        assert_eq!(capped("short", &mut skipped), "short");
        assert_eq!(skipped.cut, 0);
        let text = "é".repeat(MAX_TURN_BYTES);
        let kept = capped(&format!("a{text}"), &mut skipped);
        assert!(
            kept.ends_with("\n[996002 more bytes left out]"),
            "{}",
            &kept[kept.len() - 40..]
        );
        assert!(kept.len() < MAX_TURN_BYTES + 50);
        assert_eq!(skipped.cut, 1);
    }

    #[test]
    fn a_turn_is_cut_before_a_secret() {
        let secret = format!("postgres://app:{}@db:5432/app", "kQ9xVb2LmZ7p");
        for cut in 16..=secret.len() {
            let filler = "word ".repeat(MAX_TURN_BYTES / 5);
            let text = format!("{}{secret} {filler}", &filler[cut..]);
            let kept = capped(&text, &mut Skipped::default());
            let end = &kept[kept.floor_char_boundary(MAX_TURN_BYTES - 1_000)..];
            let known = GUARD.findings(end).len() == 1;
            assert!(known || !end.contains("kQ"), "{cut}: {end}");
        }
    }

    #[test]
    fn the_first_line_has_no_part_of_a_secret() {
        let connection = "psql postgres://app:kQ9xVb2LmZ7p@db.x.io:5432/app".to_owned();
        let key = format!("git push {}", ["gh", "p_", "0123"].concat());
        let key = format!("deploy with AKIA{} tonight, {key}", "QYLPMN5HNM2NLPZA");
        for (text, value) in [(connection, "kQ9xVb2LmZ7p"), (key, "AKIAQYLPMN5HNM2NLPZA")] {
            let at = text.find(value).expect("the value");
            for characters in at..text.len() {
                let kept = first_line(&text, characters);
                let is_known = GUARD
                    .findings(&kept)
                    .iter()
                    .any(|known| kept[known.span.clone()] == *value);
                assert!(is_known || !kept.contains(&value[..2]), "{kept}");
            }
            assert_eq!(first_line(&text, text.len()), text);
        }
        let colored = format!("key AKIA{}\u{1b}[0m{} here", "QYLP", "MN5HNM2NLPZA");
        assert_eq!(first_line(&colored, 200), "key…");
    }

    #[test]
    fn a_line_full_of_secrets_ends_before_the_first_if_none_is_known_later() {
        let line = "postgres://a:kQ9xVb2L\u{1b}[0mmZ7p@b ".repeat(20);
        assert_eq!(
            first_line(&format!("run {line}"), 200),
            "run postgres://a:…"
        );
    }

    #[test]
    fn the_first_line_has_no_control_characters() {
        assert_eq!(first_line("\n\n  a\tb \r\nc", 200), "a b");
        assert_eq!(first_line("a\u{1b}[31mred", 200), "a [31mred");
        assert_eq!(first_line("éééé", 2), "éé…");
        assert_eq!(first_line("", 2), "");
    }
}
