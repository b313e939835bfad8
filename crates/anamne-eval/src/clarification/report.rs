//! The shares of both halves, with Wilson intervals, as tables or JSON.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::questions::Half;
use super::runs::Outcome;

/// The 97.5 % point of the normal distribution.
const NORMAL: f64 = 1.959_964;

/// How many of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Share {
    hits: usize,
    all: usize,
}

impl Share {
    fn of<'a>(
        outcomes: impl Iterator<Item = &'a Outcome>,
        counts: impl Fn(&Outcome) -> bool,
    ) -> Self {
        outcomes.fold(Self::default(), |share, outcome| Self {
            hits: share.hits + usize::from(counts(outcome)),
            all: share.all + 1,
        })
    }

    fn value(self) -> f64 {
        self.hits as f64 / self.all.max(1) as f64
    }

    /// The 95 % interval by Wilson's score.
    fn interval(self) -> [f64; 2] {
        let all = self.all.max(1) as f64;
        let square = NORMAL * NORMAL;
        let share = self.value();
        let middle = (share + square / (2.0 * all)) / (1.0 + square / all);
        let spread = share * (1.0 - share) / all + square / (4.0 * all * all);
        let half = NORMAL * spread.sqrt() / (1.0 + square / all);
        [(middle - half).max(0.0), (middle + half).min(1.0)]
    }

    fn json(self) -> Value {
        json!({"hits": self.hits, "of": self.all, "share": self.value(), "interval": self.interval()})
    }

    fn shown(self) -> String {
        let [low, high] = self.interval();
        format!(
            "{}/{} {:.3} ({low:.3} to {high:.3})",
            self.hits,
            self.all,
            self.value()
        )
    }
}

/// The shares of one half.
struct Row {
    half: Half,
    recall: Share,
    /// Ambiguous questions of which the meant readings were named.
    meant: Share,
    false_alarms: Share,
    by_kind: Vec<(String, bool, Share)>,
}

/// All measured questions.
#[derive(Default)]
pub(super) struct Report {
    outcomes: Vec<Outcome>,
    /// Questions about conversations that are called ambiguous.
    conversations: Share,
}

impl Report {
    /// Adds the questions about one conversation, and how many of them are called ambiguous.
    pub(super) fn add_conversation(&mut self, called: usize, asked: usize) {
        self.conversations.hits += called;
        self.conversations.all += asked;
    }

    /// Adds the outcomes of one corpus.
    pub(super) fn add(&mut self, outcomes: Vec<Outcome>) {
        self.outcomes.extend(outcomes);
    }

    fn rows(&self) -> Vec<Row> {
        Half::ALL.into_iter().map(|half| self.row(half)).collect()
    }

    fn row(&self, half: Half) -> Row {
        let of = |ambiguous: bool| {
            let outcomes = self.outcomes.iter();
            outcomes.filter(move |outcome| {
                (outcome.question.half, outcome.question.ambiguous) == (half, ambiguous)
            })
        };
        let kinds: BTreeSet<(bool, &str)> = [true, false]
            .into_iter()
            .flat_map(of)
            .map(|outcome| (outcome.question.ambiguous, outcome.question.kind.as_str()))
            .collect();
        let by_kind = kinds.into_iter().rev().map(|(ambiguous, kind)| {
            let of_kind = of(ambiguous).filter(|outcome| outcome.question.kind == kind);
            (
                kind.to_owned(),
                ambiguous,
                Share::of(of_kind, Outcome::is_called),
            )
        });
        Row {
            half,
            recall: Share::of(of(true), Outcome::is_called),
            meant: Share::of(of(true), Outcome::has_meant_readings),
            false_alarms: Share::of(of(false), Outcome::is_called),
            by_kind: by_kind.collect(),
        }
    }

    /// The questions of the development half that were judged wrong, and those with other readings than meant.
    pub(super) fn wrong_in_development(&self) -> impl Iterator<Item = String> {
        let is_wrong = |outcome: &&Outcome| {
            let is_right = if outcome.question.ambiguous {
                outcome.has_meant_readings()
            } else {
                !outcome.is_called()
            };
            outcome.question.half == Half::Development && !is_right
        };
        self.outcomes.iter().filter(is_wrong).map(|outcome| {
            let question = &outcome.question;
            format!(
                "{}, {}: {:?}: {}",
                outcome.corpus, question.kind, question.text, outcome.wording
            )
        })
    }

    /// The halves that miss the floor of recall or the ceiling of false alarms.
    pub(super) fn missed(&self, floor: Option<f64>, ceiling: Option<f64>) -> Vec<String> {
        let mut missed = Vec::new();
        for row in self.rows() {
            let half = row.half.name();
            if floor.is_some_and(|floor| row.recall.value() < floor) {
                missed.push(format!("recall ({half})"));
            }
            if ceiling.is_some_and(|ceiling| row.false_alarms.value() > ceiling) {
                missed.push(format!("false alarms ({half})"));
            }
        }
        missed
    }

    /// Everything as tables.
    pub(super) fn tables(&self) -> String {
        let mut text = format!(
            "{:<12}{:>32}{:>32}{:>32}\n",
            "half", "recall", "with the meant readings", "false alarms"
        );
        for row in self.rows() {
            let shares = [row.recall, row.meant, row.false_alarms].map(Share::shown);
            let [recall, meant, alarms] = shares;
            let half = row.half.name();
            let _ = writeln!(text, "{half:<12}{recall:>32}{meant:>32}{alarms:>32}");
        }
        let called = self.conversations.shown();
        let _ = writeln!(
            text,
            "questions about conversations called ambiguous: {called}"
        );
        for row in self.rows() {
            let kinds = row.by_kind.iter().map(|(kind, ambiguous, share)| {
                let what = if *ambiguous {
                    "noticed"
                } else {
                    "false alarms"
                };
                format!("{kind}: {} of {} {what}", share.hits, share.all)
            });
            let kinds: Vec<String> = kinds.collect();
            let _ = write!(text, "\n{}: {}", row.half.name(), kinds.join("; "));
        }
        text
    }

    /// The same as JSON.
    pub(super) fn json(&self) -> String {
        let rows = self.rows().into_iter().map(|row| {
            let kinds = row
                .by_kind
                .iter()
                .map(|(kind, _, share)| (kind.clone(), share.json()));
            let shares = json!({
                "recall": row.recall.json(),
                "meant_readings": row.meant.json(),
                "false_alarms": row.false_alarms.json(),
                "kinds": kinds.collect::<Map<_, _>>(),
            });
            (row.half.name().replace(' ', "_"), shares)
        });
        let mut all: Map<String, Value> = rows.collect();
        all.insert("conversations".to_owned(), self.conversations.json());
        format!("{:#}", Value::from(all))
    }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn an_interval_is_wilson_s() {
        let check = |hits: usize, all: usize, expected: [f64; 2]| {
            let found = Share { hits, all }.interval();
            let near = |place: usize| (found[place] - expected[place]).abs() < 0.001;
            assert!(near(0) && near(1), "{hits} of {all}: {found:?}");
        };
        check(0, 30, [0.0, 0.1135]);
        check(15, 30, [0.3315, 0.6685]);
        check(30, 30, [0.8865, 1.0]);
    }
}
