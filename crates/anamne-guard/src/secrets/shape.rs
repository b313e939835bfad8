//! What a value is made of.

use super::steps;

/// Counts over a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    pub(super) length: usize,
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digits: usize,
    /// ASCII punctuation.
    pub(super) symbols: usize,
    /// White space and control characters.
    pub(super) blanks: usize,
    /// How many different bytes there are.
    pub(super) distinct: usize,
    /// How often the kind of letter or digit changes, without capital to small, skipping punctuation.
    changes: usize,
    /// The longest run of small letters.
    lower_run: usize,
    /// The longest run of digits or letters that each follow the one before.
    ladder: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Lower,
    Upper,
    Digit,
}

impl Shape {
    /// Counts a value. O(bytes).
    pub(super) fn of(value: &str) -> Self {
        steps::count(value.len());
        let mut shape = Self::default();
        let mut seen = [0_u128; 2];
        let (mut last, mut before, mut ladder, mut lower_run) = (None, 0_u8, 1, 0);
        for byte in value.bytes() {
            shape.length += 1;
            seen[usize::from(byte >> 7)] |= 1 << (byte & 0x7F);
            ladder = if byte == before.wrapping_add(1) {
                ladder + 1
            } else {
                1
            };
            shape.ladder = shape.ladder.max(ladder);
            before = byte;
            let sort = match byte {
                b'a'..=b'z' => Sort::Lower,
                b'A'..=b'Z' => Sort::Upper,
                b'0'..=b'9' => Sort::Digit,
                _ => {
                    shape.symbols += usize::from(byte.is_ascii_punctuation());
                    shape.blanks += usize::from(byte <= b' ');
                    continue;
                }
            };
            shape.count(sort, last);
            lower_run = if sort == Sort::Lower {
                lower_run + 1
            } else {
                0
            };
            shape.lower_run = shape.lower_run.max(lower_run);
            last = Some(sort);
        }
        shape.distinct = seen.map(u128::count_ones).iter().sum::<u32>() as usize;
        shape
    }

    fn count(&mut self, sort: Sort, last: Option<Sort>) {
        match sort {
            Sort::Lower => self.lower += 1,
            Sort::Upper => self.upper += 1,
            Sort::Digit => self.digits += 1,
        }
        let is_change = last.is_some_and(|last| last != sort);
        let is_capitalised = last == Some(Sort::Upper) && sort == Sort::Lower;
        self.changes += usize::from(is_change && !is_capitalised);
    }

    /// How often the kind of letter or digit changes.
    pub(super) fn changes(&self) -> usize {
        self.changes
    }

    /// Letters of both cases.
    pub(super) fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// How many of small letters, capitals, digits and punctuation occur.
    pub(super) fn sorts(&self) -> usize {
        [self.lower, self.upper, self.digits, self.symbols]
            .iter()
            .filter(|count| **count > 0)
            .count()
    }

    /// Whether it is a ladder such as `0123456789` or a repetition such as `xxxx`.
    pub(super) fn is_monotonous(&self) -> bool {
        self.ladder >= 8 || (self.length >= 12 && self.distinct < 6)
    }

    /// Whether it may be words run together: long runs of small letters, at most one digit, few changes.
    pub(super) fn may_be_words(&self) -> bool {
        let plain = self.letters() + self.digits;
        self.digits < 2 && self.lower_run >= 5 && self.changes * 4 <= plain
    }

    /// Whether a value of `least` or more bytes looks generated at random rather than written.
    pub(super) fn is_random(&self, least: usize) -> bool {
        if self.length < least || self.blanks > 0 || self.is_monotonous() {
            return false;
        }
        let plain = self.letters() + self.digits;
        let mixes = if self.digits == 0 {
            self.upper >= 3 && self.lower >= 3 && self.changes * 6 >= plain
        } else {
            self.letters() >= 2 && self.changes * 6 >= plain.min(60)
        };
        mixes && self.symbols * 3 <= self.length && self.distinct >= 8.min(self.length / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_values_differ_from_words() {
        for value in [
            "8f14e45fceea167a5a36dedd4bea2543",
            "kQ9xVb2LmZ7pTr4s",
            "Zm9vYmFyQmF6cXV4/9sLk2+Qa==",
            "p0x3k9d7q2m8w4z1",
        ] {
            assert!(Shape::of(value).is_random(16), "{value}");
        }
        for value in [
            "my-super-secret-api-key-2",
            "mySuperSecretApiKeyValue2",
            "SOME_LONG_CONSTANT_NAME",
            "0123456789abcdef",
            "xxxxxxxxxxxxxxxxxxxx",
            "12345678901234567890",
            "short1",
        ] {
            let shape = Shape::of(value);
            assert!(!shape.is_random(16) || shape.may_be_words(), "{value}");
        }
    }
}
