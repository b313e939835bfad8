//! The labelled texts: with and without secrets, with and without personal data.
//!
//! Texts are made from templates in `data/guard` and from values that are made at run time, so that no file of the
//! repository contains a secret. The same seed gives the same texts on every platform.

use std::ops::Range;

use clap::ValueEnum;

use crate::chance::Chance;
use crate::failure::Failure;

mod accounts;
mod blobs;
mod checksums;
mod encodings;
mod fill;
mod formats;
mod keys;
mod national;
mod passwords;
mod people;
mod templates;
mod tokens;
mod values;
mod words;

use templates::Template;

/// The seed of the published figures.
pub(super) const SEED: u64 = 17;

/// Which part of the templates. Detectors may be improved on the first; the second only measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Half {
    /// For finding out what is missed, and why.
    Development,
    /// For the published figures.
    HeldOut,
}

/// A value that must be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    /// Its place, in bytes.
    pub(super) span: Range<usize>,
    /// Its broad class, such as `jwt` or `iban`.
    pub(super) class: String,
}

/// A labelled text: usually one line, sometimes several.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// The text.
    pub(super) text: String,
    /// What must be found; empty in a clean text.
    pub(super) expected: Vec<Expected>,
    /// The class of secrets, or the group of a clean text.
    pub(super) group: String,
    /// The extension of a file that would contain it.
    pub(super) extension: String,
    /// Hard to find, or easily mistaken for a secret.
    pub(super) is_hard: bool,
    /// Its half.
    pub(super) half: Half,
    /// The number of its template.
    pub(super) template: usize,
    /// Whose template it is: 0 for those of the authors of the detectors, then one number for each other author.
    pub(super) author: usize,
}

impl Record {
    /// Whether nothing must be found.
    pub(super) fn is_clean(&self) -> bool {
        self.expected.is_empty()
    }
}

/// Which set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// Secrets.
    Secrets,
    /// Personal data.
    Personal,
}

/// A file of templates, and how many texts to make from each.
struct Source {
    text: &'static str,
    copies: usize,
    /// The half of all its templates; `None` if they alternate.
    half: Option<Half>,
    author: usize,
    /// Whether its templates have no labelled values.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "compared with the templates in tests")
    )]
    is_clean: bool,
}

impl Subject {
    fn sources(self) -> Vec<Source> {
        let source = |text, copies, half| Source {
            text,
            copies,
            half,
            author: 0,
            is_clean: false,
        };
        let clean = |text, copies, half| Source {
            is_clean: true,
            ..source(text, copies, half)
        };
        let (development, held_out) = (Some(Half::Development), Some(Half::HeldOut));
        match self {
            Self::Secrets => {
                let by = |author, source| Source { author, ..source };
                let authors = (1..).zip(AUTHORS).flat_map(|(author, [secrets, without])| {
                    [
                        by(author, source(secrets, 2, development)),
                        by(author, clean(without, 3, development)),
                    ]
                });
                let own = [
                    source(SECRETS, 2, development),
                    source(HELD_OUT_SECRETS, 2, held_out),
                    source(HELD_OUT_AUTHORS_SECRETS, 2, held_out),
                    clean(CLEAN, 7, development),
                    clean(HELD_OUT_CLEAN, 4, held_out),
                    clean(HELD_OUT_AUTHORS_CLEAN, 3, held_out),
                ];
                own.into_iter().chain(authors).collect()
            }
            Self::Personal => vec![source(PERSONAL, 3, None), clean(IMPERSONAL, 10, None)],
        }
    }
}

const SECRETS: &str = include_str!("../../../data/guard/secrets.txt");
const CLEAN: &str = include_str!("../../../data/guard/clean.txt");
const HELD_OUT_SECRETS: &str = include_str!("../../../data/guard/held_out_secrets.txt");
const HELD_OUT_CLEAN: &str = include_str!("../../../data/guard/held_out_clean.txt");
const HELD_OUT_AUTHORS_SECRETS: &str =
    include_str!("../../../data/guard/held_out_authors_secrets.txt");
const HELD_OUT_AUTHORS_CLEAN: &str = include_str!("../../../data/guard/held_out_authors_clean.txt");
const PERSONAL: &str = include_str!("../../../data/guard/personal.txt");
const IMPERSONAL: &str = include_str!("../../../data/guard/impersonal.txt");

/// The files of an author who had not seen the detectors: with secrets, and without.
macro_rules! author {
    ($number:literal) => {
        [
            include_str!(concat!(
                "../../../data/guard/authors/",
                $number,
                "_secrets.txt"
            )),
            include_str!(concat!(
                "../../../data/guard/authors/",
                $number,
                "_clean.txt"
            )),
        ]
    };
}

const AUTHORS: [[&str; 2]; 8] = [
    author!(1),
    author!(2),
    author!(3),
    author!(4),
    author!(5),
    author!(6),
    author!(7),
    author!(8),
];

/// All texts of a set.
pub(super) fn records(subject: Subject, seed: u64) -> Result<Vec<Record>, Failure> {
    let mut records = Vec::new();
    let mut number = 0;
    for source in subject.sources() {
        for template in templates::parse(source.text) {
            // Without a slot, all copies are the same.
            let copies = if template.text.contains(fill::SLOT) {
                source.copies
            } else {
                1
            };
            for copy in 0..copies {
                let mut record = record(&template, number, copy, seed)?;
                record.half = source.half.unwrap_or(record.half);
                record.author = source.author;
                records.push(record);
            }
            number += 1;
        }
    }
    Ok(records)
}

fn record(
    template: &Template<'_>,
    number: usize,
    copy: usize,
    seed: u64,
) -> Result<Record, Failure> {
    let mut chance = Chance::new(hash(template.text) ^ seed.rotate_left(32) ^ copy as u64);
    let (text, expected) = fill::fill(template, &mut chance)?;
    Ok(Record {
        text,
        expected,
        group: template.group.to_owned(),
        extension: template.extension.to_owned(),
        is_hard: template.is_hard,
        half: template.half,
        template: number,
        author: 0,
    })
}

/// FNV-1a: a template's texts don't depend on its neighbours.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn of(subject: Subject) -> (Vec<Record>, Vec<Record>) {
        let all = records(subject, SEED).expect("templates that can be filled");
        all.into_iter().partition(|record| !record.is_clean())
    }

    fn held_out(records: &[Record]) -> usize {
        let held_out = records.iter().filter(|record| record.half == Half::HeldOut);
        held_out.count()
    }

    #[test]
    fn the_secret_set_is_as_large_as_promised() {
        let (secret, clean) = of(Subject::Secrets);
        assert!(secret.len() >= 450, "{} with secrets", secret.len());
        assert!(clean.len() >= 4_200, "{} clean", clean.len());
        let hard = |records: &[Record]| records.iter().filter(|record| record.is_hard).count();
        assert!(hard(&secret) * 3 >= secret.len());
        assert!(hard(&clean) >= 800);
        assert!(held_out(&secret) >= 200, "{}", held_out(&secret));
        assert!(held_out(&clean) >= 2_000, "{}", held_out(&clean));
    }

    #[test]
    fn the_personal_set_is_as_large_as_promised() {
        let (personal, clean) = of(Subject::Personal);
        assert!(personal.len() >= 300, "{} personal", personal.len());
        assert!(clean.len() >= 1_500, "{} clean", clean.len());
        for records in [&personal, &clean] {
            let share = held_out(records) as f64 / records.len() as f64;
            assert!((share - 0.5).abs() < 0.03);
        }
    }

    #[test]
    fn clean_files_expect_nothing_and_the_others_something() {
        for subject in [Subject::Secrets, Subject::Personal] {
            for source in subject.sources() {
                let templates = templates::parse(source.text);
                for template in templates {
                    let is_marked = template.text.contains("⟦!");
                    assert_eq!(is_marked, !source.is_clean, "{}", template.text);
                }
            }
        }
    }

    #[test]
    fn texts_depend_on_the_seed_only_and_are_distinct() {
        let texts = |seed| -> Vec<String> {
            let records = records(Subject::Secrets, seed).expect("records");
            records.into_iter().map(|record| record.text).collect()
        };
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
        let all = texts(SEED);
        let distinct: BTreeSet<&String> = all.iter().collect();
        assert!(
            distinct.len() * 100 >= all.len() * 96,
            "{} of {}",
            distinct.len(),
            all.len()
        );
    }

    #[test]
    fn expected_values_are_whole_characters_inside_the_text() {
        for subject in [Subject::Secrets, Subject::Personal] {
            for record in of(subject).0 {
                for expected in &record.expected {
                    let value = record.text.get(expected.span.clone());
                    assert!(
                        value.is_some_and(|value| value.len() >= 3),
                        "{}",
                        record.text
                    );
                }
                assert!(!record.text.contains(['⟦', '⟧', '⟪', '⟫']));
            }
        }
    }
}
