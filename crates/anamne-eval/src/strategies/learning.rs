//! A stream of questions with feedback, and what was learned from it.

use anamne_experience::strategies::{Learned, Learner, Situation, Strategy};

use super::figures::{Figures, Outcomes};
use super::recorded::Question;
use super::replay::{Number, Played, play};
use crate::chance::Chance;

/// The share of the default's success that trying other strategies may cost, as in the engine.
const EXPLORATION: f64 = 0.05;

/// What a stream left behind.
#[derive(Default)]
pub(crate) struct Stream {
    /// What was learned.
    pub(crate) learned: Learned,
    /// What came of its questions while it was learned.
    pub(crate) outcomes: Outcomes,
}

/// The feedback that is learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Whether evidence was shown.
    Truth,
    /// That of a search drawn from all former ones.
    Shuffled,
}

/// Asks the questions in an order given by `seed`, and learns from each.
pub(crate) fn learn(questions: &[&Question], seed: u64, told: Told) -> Stream {
    let mut chance = Chance::new(seed);
    let mut order = questions.to_vec();
    for last in (1..order.len()).rev() {
        order.swap(last, chance.below(last + 1));
    }
    let mut stream = Stream::default();
    let mut former = Vec::new();
    for question in order {
        let learner = stream.learned.learner(EXPLORATION);
        let played = ask(question, &learner);
        stream.outcomes.add(question, Figures::of(&played));
        for (tried, (number, hit)) in played.searches.iter().enumerate() {
            former.push(*hit);
            let hit = match told {
                Told::Truth => *hit,
                Told::Shuffled => former[chance.below(former.len())],
            };
            let features = features(question, tried);
            let name = Strategy::ALL[*number].name();
            let success = f32::from(u8::from(hit));
            stream.learned.add(name, tried, features, success);
        }
    }
    stream
}

/// Asks the questions with what was learned, which stays as it is.
pub(crate) fn apply(questions: &[&Question], learned: &Learned) -> Outcomes {
    let learner = learned.learner(0.0);
    outcomes(questions, |question| ask(question, &learner))
}

/// Asks the questions with strategies in a fixed order.
pub(crate) fn in_order(questions: &[&Question], order: &[Number]) -> Outcomes {
    outcomes(questions, |question| {
        play(question, |tried| order.get(tried.len()).copied())
    })
}

/// One search for each question, with the strategy that finds evidence if one does.
pub(crate) fn in_hindsight(questions: &[&Question]) -> Outcomes {
    outcomes(questions, |question| {
        let one = |number: Number| play(question, |tried| tried.is_empty().then_some(number));
        let mut all = (0..Strategy::ALL.len()).map(one);
        all.find(Played::succeeded).unwrap_or_else(|| one(0))
    })
}

fn ask(question: &Question, learner: &Learner) -> Played {
    play(question, |tried| {
        let situation = Situation::from_features(features(question, tried.len()))?;
        let strategies: Vec<Strategy> = tried.iter().map(|number| Strategy::ALL[*number]).collect();
        let choice = learner.choose(&situation, &strategies)?;
        Some(choice.strategy.number())
    })
}

fn features(question: &Question, tried: usize) -> &[f32] {
    if tried == 0 {
        &question.before
    } else {
        &question.after
    }
}

fn outcomes(questions: &[&Question], ask: impl Fn(&Question) -> Played) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for question in questions {
        outcomes.add(question, Figures::of(&ask(question)));
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{Found, Search};
    use super::*;

    /// Questions of 3 words, whose evidence only `words` finds, or nothing does.
    fn questions(count: usize, found: bool) -> Vec<Question> {
        let recall = anamne::Recall::new("where is it?");
        let before = Situation::of_query(&recall);
        let after = before.after(&anamne::Answer::default());
        let search = |number: usize| Search {
            found: vec![Found {
                record: number as u32,
                thread: 0,
                evidence: found && number == 1,
                tokens: 9,
            }],
            milliseconds: 1.0,
        };
        let question = Question {
            set: "one".to_owned(),
            corpus: "conversation".to_owned(),
            counts: true,
            before: before.features(),
            after: after.features(),
            searches: (0..Strategy::ALL.len()).map(search).collect(),
            ..Question::default()
        };
        vec![question; count]
    }

    #[test]
    fn what_finds_evidence_is_learned_and_used_first() {
        let all = questions(150, true);
        let all: Vec<&Question> = all.iter().collect();
        let stream = learn(&all, 7, Told::Truth);
        let figures = apply(&all, &stream.learned).mean();
        assert!((figures.first - 1.0).abs() < 1e-9, "{figures:?}");
        assert!((figures.searches - 1.0).abs() < 1e-9, "{figures:?}");
        assert!((in_order(&all, &[0; 4]).mean().success).abs() < 1e-9);
        assert!((in_order(&all, &[0, 1]).mean().success - 1.0).abs() < 1e-9);
        assert!((in_hindsight(&all).mean().first - 1.0).abs() < 1e-9);
    }

    #[test]
    fn where_nothing_helps_searching_ends() {
        let all = questions(400, false);
        let all: Vec<&Question> = all.iter().collect();
        let stream = learn(&all, 7, Told::Truth);
        let figures = apply(&all, &stream.learned).mean();
        assert!((figures.searches - 1.0).abs() < 1e-9, "{figures:?}");
        assert!((figures.until - 5.0).abs() < 1e-9, "{figures:?}");
    }
}
