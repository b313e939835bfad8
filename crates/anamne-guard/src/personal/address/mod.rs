//! Street addresses: a house number and a word for a street.

mod lists;
mod street;
#[cfg(test)]
mod tests;
mod town;
mod words;

use std::ops::Range;

use super::scan::Scan;
use super::words::Topic;
use street::{is_before_name, is_year_after_word, number_first, number_last};
use town::with_town;

/// The most bytes that a name of a street and a town take.
const MOST: usize = 72;

/// The address around the digits of a house number. O(1).
pub(super) fn at(scan: &mut Scan, start: usize, end: usize) -> Option<Range<usize>> {
    let text = scan.text;
    let may_follow = is_before_name(text.as_bytes(), end);
    let may_precede = start >= 2
        && text.as_bytes()[start - 1] == b' '
        && !text.as_bytes()[start - 2].is_ascii_whitespace();
    if !may_follow && !may_precede {
        return None;
    }
    scan.steps += MOST;
    let candidate = may_precede.then(|| number_last(text, start, end)).flatten();
    let candidate = candidate.or_else(|| {
        let may_follow = may_follow && !is_year_after_word(text, start, end);
        may_follow.then(|| number_first(text, start, end)).flatten()
    })?;
    let (finish, has_postcode) = with_town(text, candidate.span.end);
    let span = candidate.span.start..finish;
    let is_address = match candidate.strength {
        Strength::Enough => true,
        Strength::NeedsContext => {
            let names_it = |topic| topic == Topic::Address;
            has_postcode || scan.context.nearest(span.start, names_it).is_some()
        }
        Strength::NeedsPostcode => has_postcode && end - start < 4,
    };
    is_address.then_some(span)
}

/// What a street with a house number needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strength {
    /// Nothing more.
    Enough,
    /// A postcode, or a word such as `address`.
    NeedsContext,
    /// A postcode and a town.
    NeedsPostcode,
}

impl Strength {
    fn enough_if(is_so: bool) -> Self {
        if is_so {
            Self::Enough
        } else {
            Self::NeedsContext
        }
    }
}

/// A street with a house number.
struct Candidate {
    span: Range<usize>,
    strength: Strength,
}
