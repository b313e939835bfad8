//! Identity numbers of countries. Their rules are published by the authorities of each country.
//!
//! A number is found by itself if its shape and its checksum are rare enough together; others need a word that names them.

mod america;
mod asia;
mod coded;
mod east;
mod europe;
mod latin;
mod lettered;
mod world;

use std::ops::Range;

use super::number::{Gap, Number};
use super::scan::Scan;
use super::words::Topic;

/// How a number meets the rules of a country.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It breaks them.
    None,
    /// It meets them, but other numbers do so too.
    IfNamed,
    /// So many other numbers meet them that only the country's own word will do.
    IfOwnName,
    /// Hardly any other number meets them.
    Alone,
}

impl Fit {
    /// `Alone` if something is so, `IfNamed` otherwise.
    fn alone_if(is_so: bool) -> Self {
        if is_so { Self::Alone } else { Self::IfNamed }
    }
}

/// The first groups of a number.
#[derive(Clone, Copy)]
struct Form<'number> {
    digits: &'number [u8],
    number: &'number Number,
    parts: usize,
}

impl Form<'_> {
    /// Whether the groups have these lengths and this between them.
    fn is_split(&self, lengths: &[usize], gap: Gap) -> bool {
        self.parts == lengths.len()
            && self.number.has_lengths(lengths)
            && self.number.is_split_by(gap, self.parts)
    }

    /// Whether any rule accepts groups of these lengths; a quick check before the rules.
    fn has_known_groups(&self) -> bool {
        let in_threes =
            || self.digits.len() <= 10 && (1..self.parts).all(|part| self.number.length(part) == 3);
        let is_known =
            |lengths: &&[usize]| lengths.len() == self.parts && self.number.has_lengths(lengths);
        // The numbers of the Netherlands and of Medicare have any groups.
        let is_free = self.parts <= 4 && (9..=11).contains(&self.digits.len());
        self.parts == 1 || is_free || in_threes() || GROUPS.iter().any(is_known)
    }

    /// Whether it is one group of this length.
    fn is_packed(&self, length: usize) -> bool {
        self.parts == 1 && self.digits.len() == length
    }

    /// Whether it is one group, or groups of three, of this length.
    fn is_packed_or_in_threes(&self, length: usize) -> bool {
        let in_threes = (1..=self.parts).all(|part| self.number.length(part - 1) == 3);
        self.digits.len() == length && (self.parts == 1 || (in_threes && self.is_even()))
    }

    fn is_even(&self) -> bool {
        [Gap::Blank, Gap::Dash, Gap::Dot]
            .iter()
            .any(|gap| self.number.is_split_by(*gap, self.parts))
    }
}

/// The most groups of a number that a rule accepts.
const MOST_GROUPS: usize = 5;

/// The lengths of groups that rules accept, besides one group, groups of three after the first.
const GROUPS: [&[usize]; 29] = [
    &[2, 10],
    &[4, 6],
    &[6, 3],
    &[6, 4],
    &[6, 5],
    &[6, 7],
    &[7, 1],
    &[8, 1],
    &[8, 4],
    &[9, 1],
    &[2, 8, 1],
    &[2, 8, 2],
    &[3, 2, 4],
    &[3, 3, 4],
    &[3, 6, 1],
    &[4, 4, 4],
    &[5, 7, 1],
    &[6, 2, 4],
    &[6, 4, 3],
    &[1, 3, 3, 1],
    &[3, 3, 3, 2],
    &[3, 4, 4, 2],
    &[3, 4, 7, 1],
    &[3, 5, 2, 1],
    &[4, 2, 2, 2],
    &[4, 2, 2, 5],
    &[6, 4, 2, 1],
    &[1, 4, 5, 2, 1],
    &[2, 2, 2, 3, 2],
];

type Rule = fn(Form) -> Fit;

/// The rules, by the country in `personal_words.txt`.
const RULES: [(&str, Rule); 58] = [
    ("us", america::united_states),
    ("br", america::brazil),
    ("ca", america::canada),
    ("in", asia::india),
    ("cn", asia::china),
    ("jp", asia::japan),
    ("kr", asia::korea),
    ("au", asia::australia),
    ("au-medicare", asia::medicare),
    ("nl", europe::netherlands),
    ("be", europe::belgium),
    ("pl", europe::poland),
    ("de", europe::germany),
    ("se", europe::sweden),
    ("no", europe::norway),
    ("dk", europe::denmark),
    ("fi", europe::finland),
    ("pt", europe::portugal),
    ("ch", europe::switzerland),
    ("us", america::united_states_taxpayer),
    ("ro", east::romania),
    ("cz", east::czechia),
    ("ee", east::baltic),
    ("kz", east::kazakhstan),
    ("lv", east::latvia),
    ("bg", east::bulgaria),
    ("hr", east::croatia),
    ("yu", east::yugoslavia),
    ("gr", east::greece),
    ("gr-tax", east::greek_tax),
    ("hu", east::hungary),
    ("hu-tax", east::hungarian_tax),
    ("ru", east::russia),
    ("ru-tax", east::russian_tax),
    ("ua", east::ukraine),
    ("tr", east::turkey),
    ("ar", latin::argentina),
    ("br-worker", latin::brazilian_worker),
    ("ec", latin::ecuador),
    ("uy", latin::uruguay),
    ("latin", latin::card),
    ("es-insurance", latin::spanish_insurance),
    ("gb-health", world::health_in_britain),
    ("at", world::austria),
    ("is", world::iceland),
    ("lu", world::luxembourg),
    ("za", world::south_africa),
    ("il", world::israel),
    ("th", world::thailand),
    ("id", world::indonesia),
    ("my", world::malaysia),
    ("vn", world::vietnam),
    ("pk", world::pakistan),
    ("eg", world::egypt),
    ("ae", world::emirates),
    ("sa", world::saudi_arabia),
    ("ir", world::iran),
    ("nz", world::new_zealand),
];

/// The identity number that a number starts with. O(1).
pub(super) fn at(scan: &mut Scan, number: &Number) -> Option<Range<usize>> {
    if let Some((country, fit, span)) = lettered::at(scan.text, number) {
        return is_accepted(scan, &span, country, fit).then_some(span);
    }
    for rule in coded::AFTER_DIGITS {
        if let Some((country, fit, span)) = rule(scan.text, number)
            && is_accepted(scan, &span, country, fit)
        {
            return Some(span);
        }
    }
    for parts in (1..=number.count().min(MOST_GROUPS)).rev() {
        let digits = number.digits_of(parts);
        let form = Form {
            digits,
            number,
            parts,
        };
        if !(7..=18).contains(&digits.len())
            || !form.has_known_groups()
            || !number.closes(scan.text, parts)
        {
            continue;
        }
        let span = number.start()..number.end_of(parts);
        for (country, rule) in RULES {
            let fit = rule(form);
            if fit != Fit::None && is_accepted(scan, &span, country, fit) {
                return Some(span);
            }
        }
    }
    None
}

/// The identity number that starts with letters. O(1).
pub(super) fn after_letters(scan: &mut Scan, from: usize, letters: usize) -> Option<Range<usize>> {
    let first = lettered::after_letters(scan.text, from, letters);
    let more = coded::AFTER_LETTERS
        .into_iter()
        .filter(|(count, _)| *count == letters)
        .filter_map(|(_, rule)| rule(scan.text, from));
    let mut all = first.into_iter().chain(more);
    all.find_map(|(country, fit, span)| is_accepted(scan, &span, country, fit).then_some(span))
}

fn is_accepted(scan: &mut Scan, span: &Range<usize>, country: &str, fit: Fit) -> bool {
    if fit == Fit::None {
        return false;
    }
    let names_it = |topic| matches!(topic, Topic::National(code) if code == country || (code == "any" && fit != Fit::IfOwnName));
    let names_else = |topic| matches!(topic, Topic::Phone | Topic::Other);
    let is_named = |topic| names_it(topic) || names_else(topic);
    match scan.context.nearest(span.start, is_named) {
        Some(topic) if names_it(topic) => true,
        Some(_) => false,
        None => fit == Fit::Alone || scan.context.follows(span.end, names_it),
    }
}

fn if_named(is_valid: bool) -> Fit {
    if is_valid { Fit::IfNamed } else { Fit::None }
}

/// Whether two digits each form a day and a month.
fn is_day(day: u64, month: u64) -> bool {
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 29,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// The number that two digits at a place form.
fn two(digits: &[u8], at: usize) -> u64 {
    super::checks::value(digits.get(at..at + 2).unwrap_or_default())
}

#[cfg(test)]
mod tests;
