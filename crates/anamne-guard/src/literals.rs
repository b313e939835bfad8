//! A search for many literals at once: short hash tables instead of a large automaton, so that it is built in
//! microseconds and stays in the first-level cache.

use std::ops::Range;

/// Literals of two bytes and more.
///
/// Each is filed under its last four bytes, or all of a shorter one. Two bit sets reject nearly every place of a text: one over
/// the hashes of four bytes, one over the last two bytes of shorter literals. The rest is compared with the literals there.
#[derive(Debug)]
pub(crate) struct Literals {
    all: Vec<Box<[u8]>>,
    /// Windows of four, three and two bytes.
    windows: [Windows; 3],
    /// A bit for each pair of bytes that ends a literal of two or three bytes.
    pairs: Box<[u64; 1024]>,
    ignores_case: bool,
}

/// The literals of one window length.
#[derive(Debug)]
struct Windows {
    /// A bit for each hash that occurs.
    bits: Box<[u64; Windows::WORDS]>,
    /// Windows and literals, by window, the longest literal first.
    rows: Vec<(u32, u32)>,
    /// Where the rows of a bucket begin; the next entry is where they end.
    starts: Vec<u32>,
}

impl Windows {
    const BITS: u32 = 15;
    const WORDS: usize = (1 << Self::BITS) / 64;
    const BUCKETS: u32 = 10;

    fn hash(window: u32) -> u32 {
        window.wrapping_mul(0x9E37_79B1) >> (32 - Self::BITS)
    }

    fn bucket(window: u32) -> usize {
        (Self::hash(window) >> (Self::BITS - Self::BUCKETS)) as usize
    }

    fn new(mut rows: Vec<(u32, u32)>, literals: &[Box<[u8]>]) -> Self {
        let mut bits = Box::new([0; Self::WORDS]);
        for (window, _) in &rows {
            let hash = Self::hash(*window) as usize;
            bits[hash / 64] |= 1 << (hash % 64);
        }
        rows.sort_by_key(|(window, literal)| {
            let length = literals[*literal as usize].len();
            (Self::bucket(*window), std::cmp::Reverse(length), *literal)
        });
        let buckets = 1_usize << Self::BUCKETS;
        let starts = (0..=buckets)
            .map(|bucket| rows.partition_point(|(window, _)| Self::bucket(*window) < bucket))
            .map(|start| start as u32);
        Self {
            bits,
            starts: starts.collect(),
            rows,
        }
    }

    /// One if the window may end a literal.
    #[inline]
    fn may_have(&self, window: u32) -> u64 {
        let hash = Self::hash(window) as usize;
        self.bits[hash / 64 % Self::WORDS] >> (hash % 64) & 1
    }

    fn of_bucket(&self, window: u32) -> &[(u32, u32)] {
        let bucket = Self::bucket(window);
        &self.rows[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

impl Literals {
    /// A search for literals; the index of each in the list is its number. Literals of one byte are never found.
    pub(crate) fn new<'literal>(literals: impl IntoIterator<Item = &'literal str>) -> Self {
        Self::with_case(literals, false)
    }

    /// The same without regard to the case of ASCII letters.
    pub(crate) fn ignoring_case<'literal>(
        literals: impl IntoIterator<Item = &'literal str>,
    ) -> Self {
        Self::with_case(literals, true)
    }

    fn with_case<'literal>(
        literals: impl IntoIterator<Item = &'literal str>,
        ignores_case: bool,
    ) -> Self {
        let fold = |literal: &str| {
            if ignores_case {
                literal.to_ascii_lowercase()
            } else {
                literal.to_owned()
            }
        };
        let literals: Vec<Box<[u8]>> = literals
            .into_iter()
            .map(|literal| fold(literal).into_bytes().into_boxed_slice())
            .collect();
        let mut rows = [Vec::new(), Vec::new(), Vec::new()];
        let mut pairs = Box::new([0; 1024]);
        for (number, literal) in literals.iter().enumerate() {
            let length = literal.len().min(4);
            if length < 2 {
                continue;
            }
            let end = &literal[literal.len() - length..];
            rows[4 - length].push((window_of(end), number as u32));
            if length < 4 {
                let pair = window_of(&end[length - 2..]) as usize;
                pairs[pair / 64] |= 1 << (pair % 64);
            }
        }
        Self {
            windows: rows.map(|rows| Windows::new(rows, &literals)),
            all: literals,
            pairs,
            ignores_case,
        }
    }

    /// Calls back for every occurrence within a part of a text, overlapping ones too, by end, longest first.
    /// O(bytes + occurrences) if few literals share their last four bytes.
    #[inline]
    pub(crate) fn visit(
        &self,
        bytes: &[u8],
        part: Range<usize>,
        mut found: impl FnMut(usize, Range<usize>),
    ) {
        let four = &self.windows[0];
        let Some(text) = bytes.get(part.clone()) else {
            return;
        };
        let mut window = 0_u32;
        for (at, byte) in text.iter().enumerate() {
            let byte = if self.ignores_case {
                byte.to_ascii_lowercase()
            } else {
                *byte
            };
            window = window >> 8 | u32::from(byte) << 24;
            let pair = (window >> 16) as usize;
            let is_pair = self.pairs[pair / 64 % 1024] >> (pair % 64) & 1;
            if four.may_have(window) | is_pair != 0 {
                let end = part.start + at + 1;
                self.compare(bytes, part.start, end, window, &mut found);
            }
        }
    }

    /// Whether any literal occurs in a text. O(bytes).
    pub(crate) fn occur_in(&self, text: &str) -> bool {
        let mut occurs = false;
        self.visit(text.as_bytes(), 0..text.len(), |_, _| occurs = true);
        occurs
    }

    #[cold]
    fn compare(
        &self,
        bytes: &[u8],
        least: usize,
        end: usize,
        window: u32,
        found: &mut impl FnMut(usize, Range<usize>),
    ) {
        for (windows, shift) in self.windows.iter().zip([0, 8, 16]) {
            let window = window >> shift;
            if windows.may_have(window) == 0 {
                continue;
            }
            for (other, number) in windows.of_bucket(window) {
                let number = *number as usize;
                if *other == window && self.ends_with(&bytes[least..end], number) {
                    found(number, end - self.all[number].len()..end);
                }
            }
        }
    }

    fn ends_with(&self, text: &[u8], number: usize) -> bool {
        let literal = &self.all[number];
        let Some(from) = text.len().checked_sub(literal.len()) else {
            return false;
        };
        if literal.len() <= 4 {
            // The window is all of it.
            return true;
        }
        if self.ignores_case {
            text[from..].eq_ignore_ascii_case(literal)
        } else {
            text[from..] == literal[..]
        }
    }

    /// The length of the longest literal, in bytes.
    #[cfg(test)]
    pub(crate) fn longest(&self) -> usize {
        let lengths = self.all.iter().map(|literal| literal.len());
        lengths.max().unwrap_or(0)
    }
}

/// The last bytes of a text as a number: the last one in the highest place, as if the text were shifted in.
fn window_of(end: &[u8]) -> u32 {
    let shifted = end
        .iter()
        .fold(0_u32, |window, byte| window >> 8 | u32::from(*byte) << 24);
    shifted >> (8 * (4 - end.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(literals: &Literals, text: &str) -> Vec<(usize, Range<usize>)> {
        let mut all = Vec::new();
        literals.visit(text.as_bytes(), 0..text.len(), |number, place| {
            all.push((number, place));
        });
        all
    }

    #[test]
    fn occurrences_come_by_end_and_the_longest_first() {
        let literals = Literals::new(["key", "ey", "api_key", "yes", "ke"]);
        assert_eq!(
            found(&literals, "api_keyes"),
            [(4, 4..6), (2, 0..7), (0, 4..7), (1, 5..7), (3, 6..9)]
        );
    }

    #[test]
    fn a_part_is_searched_alone() {
        let literals = Literals::new(["pass", "ss"]);
        let mut all = Vec::new();
        literals.visit(b"pass pass", 1..9, |number, place| {
            all.push((number, place));
        });
        assert_eq!(all, [(1, 2..4), (0, 5..9), (1, 7..9)]);
    }

    #[test]
    fn case_is_ignored_where_asked() {
        let literals = Literals::ignoring_case(["Phone", "né le"]);
        assert_eq!(found(&literals, "PHONE né LE"), [(0, 0..5), (1, 6..12)]);
    }

    /// All occurrences by comparing at every place.
    fn naive(literals: &[String], text: &str) -> Vec<(usize, Range<usize>)> {
        let mut all = Vec::new();
        for end in 0..=text.len() {
            let mut here: Vec<_> = (0..literals.len())
                .filter(|number| literals[*number].len() >= 2)
                .filter(|number| text.as_bytes()[..end].ends_with(literals[*number].as_bytes()))
                .collect();
            here.sort_by_key(|number| (std::cmp::Reverse(literals[*number].len()), *number));
            all.extend(
                here.into_iter()
                    .map(|number| (number, end - literals[number].len()..end)),
            );
        }
        all
    }

    proptest! {
        #[test]
        fn it_finds_what_comparing_everywhere_finds(
            literals in prop::collection::vec("[abé]{1,6}", 0..24),
            text in "[abcé]{0,80}",
        ) {
            let search = Literals::new(literals.iter().map(String::as_str));
            prop_assert_eq!(found(&search, &text), naive(&literals, &text));
        }
    }
}
