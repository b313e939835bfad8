//! Precision, recall, F1 and false alarms, with intervals.

use std::collections::BTreeMap;
use std::ops::{AddAssign, Range};

use super::set::{Expected, Record};
use crate::chance::Chance;

/// Resamples of the bootstrap.
const RESAMPLES: usize = 1_000;
/// The quantiles that bound a 95 % interval.
const BOUNDS: [f64; 2] = [0.025, 0.975];

/// What a scanner found in one text.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// Places, in bytes.
    Spans(Vec<Range<usize>>),
    /// Whether it found anything: some scanners tell the line only.
    Anything(bool),
}

impl Found {
    /// The same without places.
    pub(super) fn by_line(&self) -> Self {
        Self::Anything(self.is_anything())
    }

    fn is_anything(&self) -> bool {
        match self {
            Self::Spans(spans) => !spans.is_empty(),
            Self::Anything(anything) => *anything,
        }
    }

    /// Whether a value was found: at least half of it, by one finding.
    fn has(&self, expected: &Expected) -> bool {
        match self {
            Self::Spans(spans) => {
                let length = expected.span.len();
                spans
                    .iter()
                    .any(|span| overlap(span, &expected.span) * 2 >= length)
            }
            Self::Anything(anything) => *anything,
        }
    }

    /// Whether every value of the text was found.
    pub(super) fn is_hit(&self, record: &Record) -> bool {
        record.expected.iter().all(|expected| self.has(expected))
    }

    /// Whether something was found that is no part of any value.
    pub(super) fn is_wrong(&self, record: &Record) -> bool {
        match self {
            _ if record.is_clean() => self.is_anything(),
            Self::Spans(spans) => spans.iter().any(|span| {
                let touches = |expected: &Expected| overlap(span, &expected.span) > 0;
                !record.expected.iter().any(touches)
            }),
            Self::Anything(_) => false,
        }
    }
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> usize {
    let end = one.end.min(other.end);
    end.saturating_sub(one.start.max(other.start))
}

/// Counts of texts.
#[derive(Clone, Copy, Default)]
struct Tally {
    labelled: f64,
    /// Labelled texts in which everything was found.
    hits: f64,
    clean: f64,
    /// Clean texts in which something was found.
    alarms: f64,
    /// Labelled texts in which something else was found.
    strays: f64,
}

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Self) {
        self.labelled += other.labelled;
        self.hits += other.hits;
        self.clean += other.clean;
        self.alarms += other.alarms;
        self.strays += other.strays;
    }
}

impl Tally {
    fn of(record: &Record, found: &Found) -> Self {
        let count = |holds: bool| f64::from(u8::from(holds));
        let (is_clean, is_wrong) = (record.is_clean(), found.is_wrong(record));
        Self {
            labelled: count(!is_clean),
            hits: count(!is_clean && found.is_hit(record)),
            clean: count(is_clean),
            alarms: count(is_clean && is_wrong),
            strays: count(!is_clean && is_wrong),
        }
    }

    /// Precision, recall, F1, false alarms per clean text.
    fn measures(&self) -> [f64; 4] {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let precision = share(self.hits, self.hits + self.alarms + self.strays);
        let recall = share(self.hits, self.labelled);
        let f1 = share(2.0 * precision * recall, precision + recall);
        [precision, recall, f1, share(self.alarms, self.clean)]
    }
}

/// A share with its 95 % interval.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measure {
    /// The share.
    pub(super) value: f64,
    /// The lower and the upper bound.
    pub(super) bounds: [f64; 2],
}

/// The recall of one class.
pub(super) struct ClassRecall {
    /// Values of the class.
    pub(super) values: usize,
    /// The share that was found.
    pub(super) recall: Measure,
}

/// What one scanner reached.
pub(super) struct Scores {
    /// The scanner.
    pub(super) name: String,
    /// Precision, recall, F1, false alarms per clean text.
    pub(super) measures: [Measure; 4],
    /// Labelled texts that were missed, clean texts with findings, labelled texts with other findings.
    pub(super) faults: [usize; 3],
    /// Recall by class, of values.
    pub(super) classes: BTreeMap<String, ClassRecall>,
    /// Recall of the hard labelled texts, and false alarms per hard clean text.
    pub(super) hard: [Measure; 2],
}

impl Scores {
    /// Scores what was found in each text. Texts of one template resemble each other, so intervals are of templates.
    pub(super) fn new(name: &str, records: &[Record], found: &[Found]) -> Self {
        let judged: Vec<(&Record, &Found)> = records.iter().zip(found).collect();
        let tallies = |is_counted: &dyn Fn(&Record) -> bool| {
            let mut labelled: BTreeMap<usize, Tally> = BTreeMap::new();
            let mut clean: BTreeMap<usize, Tally> = BTreeMap::new();
            for (record, found) in judged.iter().filter(|(record, _)| is_counted(record)) {
                let side = if record.is_clean() {
                    &mut clean
                } else {
                    &mut labelled
                };
                *side.entry(record.template).or_default() += &Tally::of(record, found);
            }
            [labelled, clean].map(|side| side.into_values().collect::<Vec<_>>())
        };
        let all = tallies(&|_| true);
        let total = sum(all.iter().flatten());
        let hard = measured(&tallies(&|record| record.is_hard));
        Self {
            name: name.to_owned(),
            measures: measured(&all),
            faults: [total.labelled - total.hits, total.alarms, total.strays]
                .map(|count| count as usize),
            classes: classes(&judged),
            hard: [hard[1], hard[3]],
        }
    }
}

fn sum<'tally>(tallies: impl Iterator<Item = &'tally Tally>) -> Tally {
    tallies.fold(Tally::default(), |mut sum, tally| {
        sum += tally;
        sum
    })
}

fn measured(sides: &[Vec<Tally>; 2]) -> [Measure; 4] {
    let mut chance = Chance::new(RESAMPLES as u64);
    let mut samples: [Vec<f64>; 4] = Default::default();
    for _ in 0..RESAMPLES {
        let mut drawn = Tally::default();
        for side in sides {
            for _ in 0..side.len() {
                drawn += &side[chance.below(side.len())];
            }
        }
        for (sample, value) in samples.iter_mut().zip(drawn.measures()) {
            sample.push(value);
        }
    }
    let values = sum(sides.iter().flatten()).measures();
    let mut measures = values.map(|value| Measure {
        value,
        bounds: [value; 2],
    });
    for (measure, sample) in measures.iter_mut().zip(&mut samples) {
        sample.sort_unstable_by(f64::total_cmp);
        measure.bounds =
            BOUNDS.map(|bound| sample[(bound * (RESAMPLES - 1) as f64).round() as usize]);
    }
    measures
}

fn classes(judged: &[(&Record, &Found)]) -> BTreeMap<String, ClassRecall> {
    let mut by_class: BTreeMap<&str, BTreeMap<usize, Tally>> = BTreeMap::new();
    for (record, found) in judged {
        for expected in &record.expected {
            let of_template = by_class.entry(&expected.class).or_default();
            let tally = of_template.entry(record.template).or_default();
            tally.labelled += 1.0;
            tally.hits += f64::from(u8::from(found.has(expected)));
        }
    }
    let recall = |of_templates: BTreeMap<usize, Tally>| {
        let tallies: Vec<Tally> = of_templates.into_values().collect();
        ClassRecall {
            values: sum(tallies.iter()).labelled as usize,
            recall: measured(&[tallies, Vec::new()])[1],
        }
    };
    let classes = by_class.into_iter();
    classes
        .map(|(class, tallies)| (class.to_owned(), recall(tallies)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::set::Half;

    fn record(template: usize, span: Option<Range<usize>>) -> Record {
        let expected = span.map(|span| Expected {
            span,
            class: "jwt".to_owned(),
        });
        Record {
            text: "0123456789".repeat(3),
            expected: expected.into_iter().collect(),
            group: "jwt".to_owned(),
            extension: "txt".to_owned(),
            is_hard: template == 0,
            half: Half::Development,
            template,
            author: 0,
        }
    }

    #[test]
    fn half_of_a_value_is_enough_and_less_is_not() {
        let labelled = record(0, Some(10..20));
        let found = |span: Range<usize>| Found::Spans(vec![span]);
        assert!(found(15..30).is_hit(&labelled));
        assert!(found(0..30).is_hit(&labelled));
        assert!(!found(16..30).is_hit(&labelled));
        assert!(!found(16..30).is_wrong(&labelled));
        assert!(found(20..30).is_wrong(&labelled));
        assert!(found(0..1).is_wrong(&record(1, None)));
    }

    #[test]
    fn measures_count_texts() {
        let records = [
            record(0, Some(0..10)),
            record(1, Some(0..10)),
            record(2, None),
            record(3, None),
        ];
        let found = [
            Found::Spans(vec![0..10, 20..25]),
            Found::Spans(vec![]),
            Found::Anything(true),
            Found::Anything(false),
        ];
        let scores = Scores::new("one", &records, &found);
        let values = scores.measures.map(|measure| measure.value);
        // One hit; one false alarm and one stray finding.
        assert!((values[0] - 1.0 / 3.0).abs() < 1e-9);
        assert!((values[1] - 0.5).abs() < 1e-9);
        assert!((values[3] - 0.5).abs() < 1e-9);
        assert_eq!(scores.faults, [1, 1, 1]);
        assert!((scores.hard[0].value - 1.0).abs() < 1e-9);
        let class = &scores.classes["jwt"];
        assert_eq!(class.values, 2);
        let [low, high] = class.recall.bounds;
        assert!(low <= 0.5 && 0.5 <= high);
    }
}
