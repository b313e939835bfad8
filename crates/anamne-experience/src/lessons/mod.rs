//! Lessons that finished attempts suggest: what ended an error, what made the difference, and what always failed.
//!
//! They follow from the attempts alone, and are derived each time they are asked for: so later outcomes change them, and
//! an attempt that is forgotten leaves nothing behind. After ReasoningBank (Ouyang et al. 2025): title, description and
//! content, at most three of each attempt, from successes and failures.

mod rules;
mod wording;

use anamne_types::Row;
use jiff::Timestamp;

use crate::chance::{Evidence, chance};
use crate::view::Trajectory;

pub use wording::Words;

/// Lessons of one attempt at most.
pub const MOST_OF_ONE: usize = 3;

/// Bytes of the digest by which a lesson is known.
const KEY_BYTES: usize = 6;

/// What suggests a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A call ended an error.
    Recovery,
    /// Calls that only the attempt that succeeded made, after failed ones.
    Difference,
    /// The order of calls in which only the attempt that succeeded made them.
    Order,
    /// A call failed again and again, and never succeeded.
    FailingCall,
    /// An error that nothing ended.
    LastingError,
    /// A language model wrote it.
    Model,
}

/// A recorded call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallAt {
    /// The memory's row.
    pub row: Row,
    /// Which tool call of an episode it is; 0 for a record of its own.
    pub step: usize,
    /// Its normal form.
    pub normal: String,
}

/// A lesson that attempts suggest.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedLesson {
    /// What suggests it.
    pub rule: Rule,
    /// The goal of its newest attempt.
    pub goal: String,
    /// The normalised error that it is about; empty if it is about none.
    pub error: String,
    /// A call that met the error.
    pub failed: Option<CallAt>,
    /// The calls that it recommends, or advises against.
    pub calls: Vec<CallAt>,
    /// How often the error or the call failed, or how many attempts failed before.
    pub times: usize,
    /// Whether its newest attempt succeeded.
    pub from_success: bool,
    /// The attempts that suggest it, newest first: the rows that tell their ends.
    pub sources: Vec<Row>,
    /// When the first of them ended, microseconds since 1970.
    pub first_at: i64,
    /// How much its best attempt has to do with the goal asked for, 0 to 1.
    pub relevance: f32,
    /// What a model wrote, and the model's name.
    pub written: Option<(Words, String)>,
}

/// What came of an attempt that did as a lesson says, or met what it warns of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Later {
    /// The row that tells the attempt's end.
    pub row: Row,
    /// Whether the lesson was right.
    pub evidence: Evidence,
}

/// What a model wrote of an attempt: its lessons, each with the numbers of the steps that it cites, and its name.
pub type Written = (Vec<(Words, Vec<usize>)>, String);

impl DerivedLesson {
    /// What it says in a normal form, as 12 hexadecimal digits: lessons that say the same have the same. O(bytes).
    pub fn key(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[self.rule as u8, u8::from(self.is_warning())]);
        if let Some((words, _)) = &self.written {
            hasher.update(words.normal().as_bytes());
        } else {
            hasher.update(self.error.as_bytes());
            for call in &self.calls {
                hasher.update(&[0]);
                hasher.update(call.normal.as_bytes());
            }
        }
        hasher.finalize().to_hex()[..2 * KEY_BYTES].to_owned()
    }

    /// Whether it says what not to do, or what to expect.
    pub fn is_warning(&self) -> bool {
        matches!(self.rule, Rule::FailingCall | Rule::LastingError)
    }

    /// What came of those of the attempts since its first one that did as it says: whether they succeeded. For a warning:
    /// whether they failed at what it warns of. `expected` is the share of all outcomes that succeed. O(attempts).
    pub fn later(&self, attempts: &[Trajectory], expected: f64) -> Vec<Later> {
        let since = attempts.iter().filter(|one| one.at >= self.first_at);
        let met = since.filter_map(|one| Some((one, self.was_right_in(one)?)));
        met.map(|(one, succeeded)| Later {
            row: one.row,
            evidence: Evidence {
                at: one.at,
                succeeded,
                expected: self.expected(expected),
                relevance: f64::from(one.relevance),
            },
        })
        .collect()
    }

    /// How likely it is right, after `later`: see [`chance`]. `expected` is the share of all outcomes that succeed. O(attempts).
    pub fn confidence(&self, later: &[Later], expected: f64, now: Timestamp) -> f64 {
        let evidence: Vec<Evidence> = later.iter().map(|one| one.evidence).collect();
        chance(self.expected(expected), &evidence, now)
    }

    /// How likely it is right without any case.
    fn expected(&self, expected: f64) -> f64 {
        if self.is_warning() {
            1.0 - expected
        } else {
            expected
        }
    }

    /// Whether an attempt confirms it; `None` if the attempt says nothing about it.
    fn was_right_in(&self, attempt: &Trajectory) -> Option<bool> {
        if self.sources.contains(&attempt.row) && !self.is_warning() {
            return Some(attempt.succeeded);
        }
        let made = |call: &CallAt, ok: bool| {
            let mut steps = attempt.steps.iter();
            steps.any(|step| step.succeeded == ok && step.call == call.normal)
        };
        match self.rule {
            Rule::FailingCall => {
                let call = self.calls.first()?;
                if made(call, true) {
                    return Some(false);
                }
                made(call, false).then_some(true)
            }
            Rule::LastingError => {
                let mut met = attempt.steps.iter().filter(|step| step.error == self.error);
                met.next().map(|_| !attempt.succeeded)
            }
            _ => {
                let is_followed =
                    !self.calls.is_empty() && self.calls.iter().all(|call| made(call, true));
                is_followed.then_some(attempt.succeeded)
            }
        }
    }
}

/// The lessons that attempts suggest, those of the newest attempts first. Each attempt is compared with the earlier ones
/// at its goal. Where a model wrote of an attempt, its lessons take the place of those of the rules.
///
/// `attempts` are in any order of goals; those of one goal are newest first. O(attempts² · steps).
pub fn lessons(
    attempts: &[Trajectory],
    written: &dyn Fn(&Trajectory) -> Option<Written>,
) -> Vec<DerivedLesson> {
    let mut lessons: Vec<(String, DerivedLesson)> = Vec::new();
    for (place, attempt) in attempts.iter().enumerate() {
        let is_earlier = |one: &&Trajectory| one.goal == attempt.goal && one.row < attempt.row;
        let earlier: Vec<_> = attempts[place + 1..].iter().filter(is_earlier).collect();
        let found = match written(attempt) {
            Some(written) => of_model(attempt, written),
            None => rules::lessons(attempt, &earlier),
        };
        for lesson in found.into_iter().take(MOST_OF_ONE) {
            let key = lesson.key();
            match lessons.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => known.add(lesson),
                None => lessons.push((key, lesson)),
            }
        }
    }
    lessons.into_iter().map(|(_, lesson)| lesson).collect()
}

impl DerivedLesson {
    /// Adds the attempts that suggest the same.
    fn add(&mut self, other: Self) {
        self.times = self.times.max(other.times);
        self.first_at = self.first_at.min(other.first_at);
        self.relevance = self.relevance.max(other.relevance);
        self.sources.extend(other.sources);
    }

    /// A lesson of one attempt that says nothing yet.
    fn of(rule: Rule, attempt: &Trajectory) -> Self {
        Self {
            rule,
            goal: attempt.goal.clone(),
            error: String::new(),
            failed: None,
            calls: Vec::new(),
            times: 0,
            from_success: attempt.succeeded,
            sources: vec![attempt.row],
            first_at: attempt.at,
            relevance: attempt.relevance,
            written: None,
        }
    }
}

fn of_model(attempt: &Trajectory, (lessons, model): Written) -> Vec<DerivedLesson> {
    let lesson = |(words, steps): (Words, Vec<usize>)| {
        let cited = steps.iter().filter_map(|step| attempt.steps.get(*step));
        let calls = cited.filter(|step| step.succeeded).map(CallAt::of);
        DerivedLesson {
            calls: calls.collect(),
            written: Some((words, model.clone())),
            ..DerivedLesson::of(Rule::Model, attempt)
        }
    };
    lessons.into_iter().map(lesson).collect()
}

#[cfg(test)]
mod tests;
