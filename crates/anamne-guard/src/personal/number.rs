//! Groups of digits.

use super::scan::end_of_digits;

/// What stands between two groups of digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// A blank.
    Blank,
    /// `-`, with blanks or without.
    Dash,
    /// `.`, with a blank after it or without.
    Dot,
    /// `/`, with blanks or without.
    Slash,
    /// A parenthesis.
    Parenthesis,
}

#[derive(Clone, Copy, Debug, Default)]
struct Part {
    start: usize,
    end: usize,
    /// How many digits stand before the end.
    digits: usize,
    /// What stands after it, if another group follows.
    gap: Option<Gap>,
}

/// Up to nine groups of digits, with one separator between each two.
#[derive(Clone, Debug)]
pub(super) struct Number {
    parts: [Part; Number::MOST_PARTS],
    count: usize,
    digits: [u8; Number::MOST_DIGITS],
    length: usize,
}

impl Number {
    const MOST_PARTS: usize = 9;
    const MOST_DIGITS: usize = 24;

    /// The number at a place; `None` for one with too many digits in a group. O(1).
    pub(super) fn read(text: &str, start: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut number = Self {
            parts: [Part::default(); Self::MOST_PARTS],
            count: 0,
            digits: [0; Self::MOST_DIGITS],
            length: 0,
        };
        let mut at = start;
        while number.count < Self::MOST_PARTS {
            let bound = bytes.len().min(at + Self::MOST_DIGITS);
            let end = end_of_digits(&bytes[..bound], at);
            if end == at || number.length + end - at >= Self::MOST_DIGITS {
                break;
            }
            number.push(&bytes[at..end], at);
            let Some((gap, next)) = gap_at(bytes, end) else {
                break;
            };
            number.parts[number.count - 1].gap = Some(gap);
            at = next;
        }
        // The last group has a follower only if it was read.
        let last = number.count.checked_sub(1)?;
        number.parts[last].gap = None;
        Some(number)
    }

    fn push(&mut self, digits: &[u8], start: usize) {
        for digit in digits {
            self.digits[self.length] = digit - b'0';
            self.length += 1;
        }
        self.parts[self.count] = Part {
            start,
            end: start + digits.len(),
            digits: self.length,
            gap: None,
        };
        self.count += 1;
    }

    /// The digits, as values.
    pub(super) fn digits(&self) -> &[u8] {
        &self.digits[..self.length]
    }

    /// The digits of the first groups.
    pub(super) fn digits_of(&self, parts: usize) -> &[u8] {
        let count = parts.checked_sub(1).and_then(|last| self.parts.get(last));
        &self.digits[..count.map_or(0, |part| part.digits)]
    }

    /// How many groups there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The length of a group; 0 if there is none.
    pub(super) fn length(&self, part: usize) -> usize {
        self.parts.get(part).map_or(0, |part| part.end - part.start)
    }

    /// The lengths of the first groups are these.
    pub(super) fn has_lengths(&self, lengths: &[usize]) -> bool {
        let same = |(part, length): (usize, &usize)| self.length(part) == *length;
        lengths.len() <= self.count() && lengths.iter().enumerate().all(same)
    }

    /// The value of a group.
    pub(super) fn value(&self, part: usize) -> u64 {
        let from = self.digits_of(part).len();
        let digits = self.digits_of(part + 1).get(from..).unwrap_or_default();
        digits
            .iter()
            .take(18)
            .fold(0, |value, digit| value * 10 + u64::from(*digit))
    }

    /// What stands after a group.
    pub(super) fn gap(&self, part: usize) -> Option<Gap> {
        self.parts.get(part).and_then(|part| part.gap)
    }

    /// Whether the first groups are all separated by this.
    pub(super) fn is_split_by(&self, gap: Gap, parts: usize) -> bool {
        (1..parts).all(|part| self.gap(part - 1) == Some(gap))
    }

    /// The separator of the first groups, if it is the same everywhere.
    pub(super) fn only_gap(&self, parts: usize) -> Option<Gap> {
        let gap = self.gap(0)?;
        self.is_split_by(gap, parts).then_some(gap)
    }

    /// Where the first digit stands.
    pub(super) fn start(&self) -> usize {
        self.parts.first().map_or(0, |part| part.start)
    }

    /// Where the last digit ends.
    pub(super) fn end(&self) -> usize {
        self.end_of(self.count())
    }

    /// Where the last of the first groups ends.
    pub(super) fn end_of(&self, parts: usize) -> usize {
        let last = parts
            .checked_sub(1)
            .and_then(|last| self.parts[..self.count].get(last));
        last.map_or(0, |part| part.end)
    }

    /// Whether the first groups stand alone: no further group belongs to them.
    pub(super) fn closes(&self, text: &str, parts: usize) -> bool {
        if parts == 0 || parts > self.count() {
            return false;
        }
        let follows = matches!(self.gap(parts - 1), Some(Gap::Dash | Gap::Dot | Gap::Slash))
            && text
                .as_bytes()
                .get(self.end_of(parts))
                .is_some_and(|byte| *byte != b' ');
        !follows && !super::scan::is_joined_after(text.as_bytes(), self.end_of(parts))
    }
}

/// The separator at a place, and where the next digit stands.
fn gap_at(bytes: &[u8], start: usize) -> Option<(Gap, usize)> {
    let mut at = start;
    let mut gap = None;
    for _ in 0..4 {
        let (one, length) = match bytes.get(at)? {
            b' ' => (Gap::Blank, 1),
            b'-' => (Gap::Dash, 1),
            b'.' => (Gap::Dot, 1),
            b'/' => (Gap::Slash, 1),
            b'(' | b')' => (Gap::Parenthesis, 1),
            0xC2 if bytes.get(at + 1) == Some(&0xA0) => (Gap::Blank, 2),
            0xE2 if bytes[at..].starts_with("\u{202f}".as_bytes()) => (Gap::Blank, 3),
            0xE2 if bytes[at..].starts_with("\u{2009}".as_bytes()) => (Gap::Blank, 3),
            0xE2 if bytes[at..].starts_with("\u{2011}".as_bytes()) => (Gap::Dash, 3),
            byte if byte.is_ascii_digit() => return Some((gap?, at)),
            _ => return None,
        };
        gap = Some(match (gap, one) {
            (None | Some(Gap::Blank), one) if gap != Some(one) => one,
            (Some(Gap::Parenthesis), Gap::Dash | Gap::Slash | Gap::Blank | Gap::Parenthesis)
            | (Some(Gap::Dash | Gap::Slash | Gap::Dot), Gap::Blank) => gap?,
            _ => return None,
        });
        at += length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_with_their_gaps() {
        let number = Number::read("+49 (0)30 12-34 x", 1).expect("a number");
        assert!(number.has_lengths(&[2, 1, 2, 2, 2]));
        assert_eq!(number.gap(0), Some(Gap::Parenthesis));
        assert_eq!((number.gap(3), number.gap(4)), (Some(Gap::Dash), None));
        assert_eq!(number.digits(), [4, 9, 0, 3, 0, 1, 2, 3, 4]);
        assert_eq!((number.value(2), number.end()), (30, 15));
        assert!(number.closes("+49 (0)30 12-34 x", 5));
    }

    #[test]
    fn odd_gaps_end_a_number() {
        for (text, count) in [
            ("1  2", 1),
            ("12--3", 1),
            ("1, 2", 1),
            ("1 - 2", 2),
            ("3. 5. 85", 3),
        ] {
            let number = Number::read(text, 0).expect("a number");
            assert_eq!(number.count(), count, "{text}");
        }
        let long = "7".repeat(30);
        assert!(Number::read(&long, 0).is_none());
    }
}
