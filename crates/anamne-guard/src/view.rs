//! A text as a person sees it: without invisible characters and without the escape sequences of terminals.

use std::ops::Range;

use anamne_text::quote::{is_invisible, shows};

/// What is visible of a text.
pub(crate) struct View {
    /// The visible text.
    pub(crate) text: String,
    /// Where something is left out, as a place in the visible text, and how many bytes are left out up to there.
    gaps: Vec<(usize, usize)>,
}

impl View {
    /// The visible text; `None` if that is all of it. O(bytes).
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut view = Self {
            text: String::new(),
            gaps: Vec::new(),
        };
        let (mut done, mut left_out) = (0, 0);
        while let Some(hidden) = next_hidden(text, done) {
            view.text.push_str(&text[done..hidden.start]);
            left_out += hidden.len();
            view.gaps.push((view.text.len(), left_out));
            done = hidden.end;
        }
        view.text.push_str(text.get(done..).filter(|_| done > 0)?);
        Some(view)
    }

    /// The place in the whole text: with what is hidden in it, without what is hidden before and after it. O(log gaps).
    pub(crate) fn place(&self, span: &Range<usize>) -> Range<usize> {
        let left_out = |gaps: usize| gaps.checked_sub(1).map_or(0, |last| self.gaps[last].1);
        let before_start = self.gaps.partition_point(|(at, _)| *at <= span.start);
        let before_end = self.gaps.partition_point(|(at, _)| *at < span.end);
        span.start + left_out(before_start)..span.end + left_out(before_end)
    }
}

/// The first bytes of characters that may be invisible, white space aside.
static MAY_BE_HIDDEN: [bool; 256] = {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        set[byte] = matches!(
            byte as u8,
            0..=8 | 0x0E..=0x1F | 0x7F | 0xC2 | 0xCD | 0xD8 | 0xE1..=0xE3 | 0xEF..=0xF4
        );
        byte += 1;
    }
    set
};

/// The next invisible character or escape sequence. O(bytes up to its end).
fn next_hidden(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at = next_suspect(bytes, at)?;
        let mut following = text[at..].chars();
        let one = following.next()?;
        let previous = text[..at].chars().next_back();
        let is_hidden = is_invisible(one) && !one.is_whitespace();
        if is_hidden && !shows(one, previous, following.next()) {
            return Some(at..at + sequence(&bytes[at..]).unwrap_or(one.len_utf8()));
        }
        at += one.len_utf8();
    }
}

/// The next byte that may begin an invisible character. Printable ASCII is skipped by blocks.
fn next_suspect(bytes: &[u8], mut at: usize) -> Option<usize> {
    const BLOCK: usize = 32;
    let is_plain = |byte: u8| matches!(byte, b' '..0x7F | b'\n' | b'\t');
    loop {
        let rest = bytes.get(at..)?;
        let blocks = rest.chunks_exact(BLOCK);
        let plain =
            blocks.take_while(|block| block.iter().fold(true, |all, byte| all & is_plain(*byte)));
        at += plain.count() * BLOCK;
        let block = &bytes[at..(at + BLOCK).min(bytes.len())];
        if let Some(suspect) = block
            .iter()
            .position(|byte| MAY_BE_HIDDEN[usize::from(*byte)])
        {
            return Some(at + suspect);
        }
        if block.len() < BLOCK {
            return None;
        }
        at += BLOCK;
    }
}

/// The length of an escape sequence: a colour, the movement of a cursor, a character set, a title, a link. O(length).
fn sequence(bytes: &[u8]) -> Option<usize> {
    let count = |from: usize, is_part: fn(u8) -> bool| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| is_part(**byte)).count()
    };
    let ends_at = |end: usize| {
        let last = bytes.get(end)?;
        (b'@'..=b'~').contains(last).then_some(end + 1)
    };
    match bytes {
        [0x1B, b'[', ..] | [0xC2, 0x9B, ..] => {
            ends_at(2 + count(2, |byte| (b' '..=b'?').contains(&byte)))
        }
        [0x1B, b']', ..] => {
            let end = 2 + count(2, |byte| byte >= b' ');
            match bytes.get(end..)? {
                [7, ..] => Some(end + 1),
                [0x1B, b'\\', ..] => Some(end + 2),
                _ => None,
            }
        }
        [0x1B, b'(' | b')', _, ..] => ends_at(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Guard, Policy};

    #[test]
    fn every_invisible_character_has_a_first_byte_of_the_table() {
        for one in (char::MIN..=char::MAX).filter(|one| is_invisible(*one)) {
            let first = one.encode_utf8(&mut [0; 4]).as_bytes()[0];
            assert!(
                MAY_BE_HIDDEN[usize::from(first)] || one.is_whitespace(),
                "{one:?}"
            );
        }
    }

    #[test]
    fn sequences_end_where_terminals_end_them() {
        for (text, visible) in [
            ("a\u{1b}[01;31m\u{1b}[Kb", "ab"),
            ("a\u{1b}(B\u{1b}[mb", "ab"),
            ("a\u{9b}1mb", "ab"),
            ("\u{1b}]8;;https://x.io\u{1b}\\a\u{1b}]8;;\u{7}b", "ab"),
            ("a\u{1b}[12\nb", "a[12\nb"),
            ("a\u{1b}]0;b", "a]0;b"),
            ("\u{feff}a\u{200b}\u{ad}b\0", "ab"),
        ] {
            let view = View::of(text).map(|view| view.text);
            assert_eq!(view.as_deref(), Some(visible), "{text:?}");
        }
    }

    #[test]
    fn hidden_characters_are_found_at_every_place() {
        for length in 0..100 {
            for (filler, size) in [("a", 1), ("é", 2), ("日", 3)] {
                let text = format!("{}\u{ad}{}", filler.repeat(length), filler.repeat(70));
                let hidden = next_hidden(&text, 0);
                assert_eq!(hidden, Some(length * size..length * size + 2), "{text}");
                assert_eq!(next_hidden(&filler.repeat(length), 0), None);
            }
        }
    }

    #[test]
    fn what_scripts_and_emoji_need_is_visible() {
        for text in [
            "",
            "a\tb\r\nc\u{2028}d",
            "ärgerlich – 日本語",
            "👩\u{200d}💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
        ] {
            assert!(View::of(text).is_none(), "{text:?}");
        }
    }

    /// What the default guard makes of a text.
    fn redacted(text: &str) -> String {
        let guard = Guard::new(Policy::default());
        guard.check(text).expect("nothing is refused").text.into()
    }

    #[test]
    fn secrets_with_hidden_characters_are_replaced_whole() {
        let (head, tail) = ("AKIAQYLP", "MN5HNM2NLPZA");
        for hidden in [
            "\u{200b}",
            "\u{200d}",
            "\u{feff}",
            "\u{ad}",
            "\u{2060}",
            "\u{fe0f}",
            "\u{202e}",
            "\0",
            "\u{1b}[0m",
            "\u{1b}[01;31m\u{1b}[K",
            "\u{e0041}",
        ] {
            let text = format!("größe{hidden} {hidden}{head}{hidden}{tail}{hidden} end{hidden}");
            let expected =
                format!("größe{hidden} {hidden}[secret:aws-access-key]{hidden} end{hidden}");
            assert_eq!(redacted(&text), expected);
        }
    }

    #[test]
    fn what_hidden_characters_separate_is_still_found() {
        let (id, word) = ("AKIAQYLPMN5HNM2NLPZA", "abc");
        assert_eq!(
            redacted(&format!("{id}\0{word}")),
            format!("[secret:aws-access-key]\0{word}")
        );
    }

    #[test]
    fn many_sequences_cost_linear_time() {
        for shape in [
            "\u{1b}[", "\u{1b}]", "\u{1b}]a", "\u{1b}[0", "\u{200b}", "\u{1b}(",
        ] {
            let text = shape.repeat(1 << 18);
            assert!(View::of(&text).is_some(), "{shape:?}");
        }
    }
}
