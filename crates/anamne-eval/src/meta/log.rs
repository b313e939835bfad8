//! The query log, the same in every run.

use anamne::{Filter, Recall};
use jiff::tz::Offset;
use jiff::{Timestamp, ToSpan};

use super::material::Material;
use crate::chance::Chance;
use crate::store::{THREE_YEARS, time_of};

/// Mean age in days of the subject of a recent question.
const RECENT_DAYS: f64 = 21.0;

/// Words of the record in a question.
const KEPT: usize = 5;

/// The sort of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum QuestionSort {
    Recent,
    Repeated,
    Rephrased,
    Dated,
    Any,
    Unanswerable,
}

impl QuestionSort {
    pub(super) const ALL: [Self; 6] = [
        Self::Recent,
        Self::Repeated,
        Self::Rephrased,
        Self::Dated,
        Self::Any,
        Self::Unanswerable,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Recent => "recent",
            Self::Repeated => "repeated",
            Self::Rephrased => "rephrased",
            Self::Dated => "dated",
            Self::Any => "any time",
            Self::Unanswerable => "no answer",
        }
    }

    fn drawn(chance: &mut Chance) -> Self {
        match chance.below(100) {
            0..40 => Self::Recent,
            40..50 => Self::Repeated,
            50..60 => Self::Rephrased,
            60..72 => Self::Dated,
            72..92 => Self::Any,
            _ => Self::Unanswerable,
        }
    }
}

/// A question of the log.
#[derive(Clone)]
pub(super) struct LoggedQuestion {
    pub(super) sort: QuestionSort,
    pub(super) recall: Recall,
    /// The numbers of the records that each answer it; empty if unanswerable.
    pub(super) answers: Vec<u64>,
    /// The source of the question: the number of a record or of a known question.
    about: u64,
}

pub(super) fn of(material: &Material, queries: u64) -> Vec<LoggedQuestion> {
    let mut chance = Chance::new(20_260_101);
    let mut log: Vec<LoggedQuestion> = Vec::new();
    for number in 0..queries {
        let mut sort = QuestionSort::drawn(&mut chance);
        let earlier = (!log.is_empty()).then(|| log[chance.below(log.len())].clone());
        let asked = match (sort, earlier) {
            (QuestionSort::Repeated, Some(earlier)) => LoggedQuestion { sort, ..earlier },
            (QuestionSort::Rephrased, Some(earlier)) if !earlier.answers.is_empty() => {
                let words = rephrased(material, earlier.about, number, &mut chance);
                let recall = Recall {
                    query: words,
                    ..earlier.recall
                };
                LoggedQuestion {
                    sort,
                    recall,
                    ..earlier
                }
            }
            (QuestionSort::Unanswerable, _) => unanswerable(material, number, &mut chance),
            _ => {
                if matches!(sort, QuestionSort::Repeated | QuestionSort::Rephrased) {
                    sort = QuestionSort::Any;
                }
                about(material, sort, number, &mut chance)
            }
        };
        log.push(asked);
    }
    log
}

/// A question about a record of the age that its sort requires.
fn about(
    material: &Material,
    sort: QuestionSort,
    number: u64,
    chance: &mut Chance,
) -> LoggedQuestion {
    let record = match sort {
        QuestionSort::Recent => {
            let days = -RECENT_DAYS * (1.0 - chance.unit()).ln();
            let share = (days / THREE_YEARS).min(1.0);
            ((1.0 - share) * (material.records - 1) as f64) as u64
        }
        _ => chance.next() % material.records,
    };
    let (about, words, answers) = if let Some(generator) = &material.generator {
        (
            record,
            generator.rephrased(record, number, KEPT),
            vec![record],
        )
    } else {
        let known = nearest(material, record, chance);
        let question = &material.known[known as usize];
        (known, question.words.clone(), question.answers.clone())
    };
    let mut recall = Recall::new(words);
    if sort == QuestionSort::Dated {
        recall.filter = month_of(time_of(answers[0], material.records, THREE_YEARS));
    }
    LoggedQuestion {
        sort,
        recall,
        answers,
        about,
    }
}

/// One of the three known questions whose first evidence is nearest to a record.
fn nearest(material: &Material, record: u64, chance: &mut Chance) -> u64 {
    let mut known: Vec<u64> = (0..material.known.len() as u64).collect();
    known.sort_by_key(|known| {
        let answers = &material.known[*known as usize].answers;
        (answers[0].abs_diff(record), *known)
    });
    known[chance.below(known.len().min(3))]
}

fn rephrased(material: &Material, about: u64, number: u64, chance: &mut Chance) -> String {
    if let Some(generator) = &material.generator {
        generator.rephrased(about, number, KEPT)
    } else {
        // The same words except one, with a conversational prefix.
        let words: Vec<&str> = material.known[about as usize].words.split(' ').collect();
        let dropped = chance.below(words.len());
        let kept = words
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != dropped);
        let kept: Vec<&str> = kept.map(|(_, word)| *word).collect();
        format!("do you remember, {}", kept.join(" "))
    }
}

/// A question whose words don't occur together in any record.
fn unanswerable(material: &Material, number: u64, chance: &mut Chance) -> LoggedQuestion {
    let words = if let Some(generator) = &material.generator {
        generator.rephrased(0, number, 0)
    } else {
        let word = |_| {
            let question = &material.known[chance.below(material.known.len())].words;
            let words: Vec<&str> = question.split(' ').collect();
            words[chance.below(words.len())]
        };
        (0..6).map(word).collect::<Vec<_>>().join(" ")
    };
    LoggedQuestion {
        sort: QuestionSort::Unanswerable,
        recall: Recall::new(words),
        answers: Vec::new(),
        about: 0,
    }
}

/// The calendar month of a time.
fn month_of(at: Timestamp) -> Filter {
    let date = Offset::UTC.to_datetime(at).date().first_of_month();
    let instant = |date: jiff::civil::Date| Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok();
    Filter {
        since: instant(date),
        until: date.checked_add(1.month()).ok().and_then(instant),
        ..Filter::default()
    }
}
