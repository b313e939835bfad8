//! Numbers of payment cards.

use std::ops::Range;
use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError, Row};

use super::checks::{luhn, value};
use super::number::{Gap, Number};
use super::scan::Scan;
use super::words::Topic;

/// The card number that a number starts with. O(1).
pub(super) fn at(scan: &mut Scan, number: &Number) -> Option<Range<usize>> {
    let parts = (1..=number.count().min(5))
        .rev()
        .find(|parts| is_card_shape(number, *parts))?;
    let digits = number.digits_of(parts);
    if !number.closes(scan.text, parts) || !luhn(digits) || is_test_number(digits) {
        return None;
    }
    let issuer = issuers()
        .issuers
        .iter()
        .find(|issuer| issuer.issues(digits))?;
    if parts == 1 {
        let decides = |topic| {
            matches!(
                topic,
                Topic::Card | Topic::Other | Topic::Phone | Topic::National(_)
            )
        };
        let nearest = scan.context.nearest(number.start(), decides);
        let before = super::scan::before(scan.text.as_bytes(), number.start());
        let is_id = nearest.is_some_and(|topic| topic != Topic::Card) || before == Some(b'/');
        if is_id || !(issuer.alone || nearest.is_some()) {
            return None;
        }
    }
    Some(number.start()..number.end_of(parts))
}

/// Whether the first groups have the shape that is printed on cards.
fn is_card_shape(number: &Number, parts: usize) -> bool {
    const SHAPES: [&[usize]; 6] = [
        &[4, 4, 4, 4, 3],
        &[4, 4, 4, 4],
        &[4, 6, 5],
        &[4, 6, 4],
        &[4, 4, 5],
        &[6, 13],
    ];
    if parts == 1 {
        return (13..=19).contains(&number.length(0));
    }
    let is_even = [Gap::Blank, Gap::Dash]
        .iter()
        .any(|gap| number.is_split_by(*gap, parts));
    let has_shape = |shape: &&[usize]| shape.len() == parts && number.has_lengths(shape);
    is_even && SHAPES.iter().any(has_shape)
}

/// Whether a number is printed in documentation: it repeats itself, counts up, or is listed.
fn is_test_number(digits: &[u8]) -> bool {
    let is_run = |width: usize, step: fn(u8) -> u8| {
        let follows = |pair: &[u8]| pair[1] == step(pair[0]);
        digits.windows(width).any(|run| run.windows(2).all(follows))
    };
    let mut kinds = digits.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let repeats = |period: usize| digits.windows(period + 1).all(|run| run[0] == run[period]);
    kinds.len() <= 4
        || (1..=8).any(repeats)
        || is_run(5, |digit| digit)
        || is_run(8, |digit| (digit + 1) % 10)
        || is_listed(digits)
}

fn is_listed(digits: &[u8]) -> bool {
    let ends = (value(&digits[..6]), value(&digits[digits.len() - 4..]));
    issuers().tests.contains(&ends)
}

struct Issuer {
    /// The first digits, from and to.
    range: (u64, u64),
    /// How many digits these have.
    width: usize,
    lengths: Vec<usize>,
    /// Digits without gaps and without a naming word are enough.
    alone: bool,
}

impl Issuer {
    fn issues(&self, digits: &[u8]) -> bool {
        let first = value(&digits[..self.width]);
        (self.range.0..=self.range.1).contains(&first) && self.lengths.contains(&digits.len())
    }
}

struct Issuers {
    issuers: Vec<Issuer>,
    /// The first six and the last four digits of published test numbers.
    tests: Vec<(u64, u64)>,
}

impl Issuers {
    fn load() -> Result<Self, LexiconError> {
        const TEXT: &str = include_str!("../../data/personal_cards.txt");
        let file = Lexicon::parse("personal_cards.txt", TEXT)?;
        let number = |row: &Row, cell: usize| {
            let parsed = row.cells[cell].parse::<u64>();
            parsed.map_err(|_| row.fault(format!("{:?} is no number", row.cells[cell])))
        };
        let mut issuers = Vec::new();
        for row in file.rows("issuers", 5)? {
            let lengths = row.cells[3]
                .split(' ')
                .map(str::parse)
                .collect::<Result<_, _>>();
            issuers.push(Issuer {
                range: (number(&row, 1)?, number(&row, 2)?),
                width: row.cells[1].len().min(6),
                lengths: lengths.map_err(|_| row.fault("bad lengths"))?,
                alone: row.cells[4] == "yes",
            });
        }
        let rows = file.rows("tests", 2)?;
        let tests = rows
            .iter()
            .map(|row| Ok((number(row, 0)?, number(row, 1)?)));
        Ok(Self {
            issuers,
            tests: tests.collect::<Result<_, LexiconError>>()?,
        })
    }
}

fn issuers() -> &'static Issuers {
    static ISSUERS: LazyLock<Issuers> =
        LazyLock::new(|| Issuers::load().expect("a test loads the data file"));
    &ISSUERS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::personal::tests::{check, check_none, grouped, with_luhn};

    #[test]
    fn cards_are_found_alone_and_in_groups() {
        Issuers::load().expect("the issuers");
        for (body, groups) in [
            ("453972018364927", &[4, 4, 4, 4][..]),
            ("528461907352846", &[4, 4, 4, 4]),
            ("222391846027351", &[4, 4, 4, 4]),
            ("37829104637281", &[4, 6, 5]),
            ("601174829304857", &[4, 4, 4, 4]),
            ("353782910463728", &[4, 4, 4, 4]),
        ] {
            let card = with_luhn(body);
            check(&format!("paid with {card}, thanks"), "card", &[&card]);
            for gap in [" ", "-"] {
                let card = grouped(&card, groups, gap);
                check(&format!("Card: {card} 12/29"), "card", &[&card]);
            }
        }
        let long = with_luhn("361948273645102"); // 16 digits of Diners
        check(&format!("credit card {long}"), "card", &[&long]);
        check_none(&format!("went to {long}"));
    }

    #[test]
    fn test_numbers_ids_and_wrong_checksums_are_not() {
        let card = with_luhn("453972018364927");
        let wrong = format!("{}{}", &card[..15], (card.as_bytes()[15] - b'0' + 1) % 10);
        for text in [
            wrong,
            format!("order id {card}"),
            format!("0.{card} x{card} {card}x {card}7 a_{card}"),
            format!("/v1/{card}/x"),
            "4242 ".repeat(4),
            format!("4111{}", "1".repeat(12)),
            grouped(
                &with_luhn(&format!("400000{}", "000000000")),
                &[4, 4, 4, 4],
                " ",
            ),
            format!("3782{}{}", "82246", "310005"),
            "**** **** **** 1234 and 4539 **** **** 1234 xxxx-xxxx-xxxx-1234".to_owned(),
            "1719482734651 1719482734651928 1719482734651928374".to_owned(),
        ] {
            check_none(&text);
        }
    }
}
