//! What was said about words near names.

use std::ops::Range;

/// What a word near the name of a password is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It says that what follows is another thing.
    Other,
    /// Nothing.
    Nothing,
    /// It has a password at this place, which is a finding already or not yet.
    Password {
        start: usize,
        end: usize,
        is_added: bool,
    },
}

/// What a word near the name of a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyVerdict {
    /// The key that it has.
    pub(super) key: Option<Key>,
    /// What it says about the words after it.
    pub(super) after: After,
}

/// A key in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) start: usize,
    pub(super) end: usize,
    /// It is a key only if no words stand before it.
    pub(super) needs_name: bool,
}

/// What follows a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The word is nothing itself: it has a name that says so, as what follows may have.
    Named,
    /// Another thing than a key.
    Other,
    /// Anything, after a word of letters.
    Word,
    /// Anything.
    Any,
}

/// What was said about words, so that none is judged again for every name near it.
#[derive(Debug, Default)]
pub(in crate::secrets) struct Verdicts {
    pub(super) passwords: Known<Verdict>,
    pub(super) before: Known<Option<(usize, usize)>>,
    pub(super) keys: Known<KeyVerdict>,
}

/// The last results by place.
#[derive(Debug)]
pub(super) struct Known<T>(Vec<Option<(usize, usize, T)>>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> Known<T> {
    /// More than the words that one name looks at on both sides.
    const SLOTS: usize = 128;

    fn slot(&mut self, place: &Range<usize>) -> &mut Option<(usize, usize, T)> {
        if self.0.is_empty() {
            self.0.resize(Self::SLOTS, None);
        }
        &mut self.0[place.start % Self::SLOTS]
    }

    /// What was said about a place.
    pub(super) fn get(&mut self, place: &Range<usize>) -> Option<T> {
        let (start, end, known) = (*self.slot(place))?;
        (start == place.start && end == place.end).then_some(known)
    }

    /// Keeps what is said about a place.
    pub(super) fn set(&mut self, place: &Range<usize>, result: T) -> T {
        *self.slot(place) = Some((place.start, place.end, result));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_known_for_the_same_place_only() {
        let mut known = Known::default();
        assert_eq!(known.get(&(1..4)), None);
        assert_eq!(known.set(&(1..4), 'a'), 'a');
        assert_eq!(known.get(&(1..4)), Some('a'));
        assert_eq!((known.get(&(1..5)), known.get(&(2..4))), (None, None));
        known.set(&(1 + Known::<char>::SLOTS..200), 'b');
        assert_eq!(known.get(&(1..4)), None);
    }
}
