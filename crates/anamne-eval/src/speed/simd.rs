//! Recall with the vector instructions of lesser processors, next to bare tantivy.
//!
//! All levels answer the same questions over the same store in turn, several times; the time of a question is its
//! fastest, so that neither other programs nor a slower phase of the machine favours a level.

use anamne::{Recall, Signals, SimdLevel, Space};

use super::figures::{Section, Timed};
use super::peers::Peers;
use super::site::{RESULTS, Site};
use crate::failure::Failure;
use crate::latencies::Latencies;
use crate::store::ask;

/// How often each level answers all questions.
const ROUNDS: usize = 5;

const SIGNALS: [Signals; 3] = [Signals::Full, Signals::Lexical, Signals::Semantic];

/// The fastest time of each question, in milliseconds.
struct Fastest(Vec<f64>);

impl Fastest {
    fn of(questions: usize) -> Self {
        Self(vec![f64::INFINITY; questions])
    }

    fn ask(
        &mut self,
        questions: &[String],
        ask: impl Fn(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for (fastest, question) in self.0.iter_mut().zip(questions) {
            let mut once = Latencies::default();
            once.time(|| ask(question))?;
            *fastest = fastest.min(once.p50());
        }
        Ok(())
    }

    fn latencies(self) -> Latencies {
        self.0.into_iter().collect()
    }
}

/// Asks the questions at every level that the processor supports, then selects the current level again.
pub(crate) fn measure(site: &Site, peers: &Peers, questions: u64) -> Result<Section, Failure> {
    let current = SimdLevel::current();
    let space = site.open()?;
    let section = at_every_level(&space, peers, &site.generator.questions(questions));
    current.select()?;
    section
}

fn at_every_level(space: &Space, peers: &Peers, questions: &[String]) -> Result<Section, Failure> {
    let new = || Fastest::of(questions.len());
    let mut tantivy = new();
    let levels = SimdLevel::supported();
    let mut ours: Vec<_> = levels.iter().map(|_| SIGNALS.map(|_| new())).collect();
    for _ in 0..ROUNDS {
        tantivy.ask(questions, |question| peers.tantivy.ask(question))?;
        for (level, fastest) in levels.iter().zip(&mut ours) {
            level.select()?;
            for (signals, fastest) in SIGNALS.into_iter().zip(fastest) {
                fastest.ask(questions, |question| {
                    let recall = Recall::new(question).limit(RESULTS).signals(signals);
                    ask(space, &recall).map(drop)
                })?;
            }
        }
    }
    let tantivy = tantivy.latencies();
    let tantivy = Timed::new("tantivy", "bare tantivy", &tantivy);
    let mut figures = Vec::new();
    for (level, fastest) in levels.iter().zip(ours) {
        let [full, words, meaning] = fastest.map(Fastest::latencies);
        let (key, label) = (format!("{level}"), format!("{level}, recall of {RESULTS}"));
        let full = Timed::new(&key, &label, &full);
        figures.extend([full.p95_beside(tantivy), full.p50_beside(tantivy)]);
        for (name, times) in [("words", &words), ("meaning", &meaning)] {
            let (key, label) = (
                format!("{level}_{name}"),
                format!("{level}, by {name} alone"),
            );
            let alone = Timed::new(&key, &label, times);
            figures.extend([alone.p95(), alone.p50()]);
        }
    }
    Ok(Section::new("simd", figures))
}
