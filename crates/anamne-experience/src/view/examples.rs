//! Successful runs to learn from.

use super::{CaseFilter, ExperienceView, RunSummary};
use crate::{ExperienceError, normal};

/// Similar goals among which examples are looked for, and the newest runs of each.
const MOST_EXAMINED: usize = 32;
const MOST_RUNS: usize = 64;

/// Calls of a run that are read.
const MOST_CALLS: usize = 32;

/// The fewest letters of a word of a goal that counts, and the first ones that are compared: `airport` and `airports`.
const FEWEST_LETTERS: usize = 4;
const COMPARED_LETTERS: usize = 5;

/// Words of a goal that are compared.
const MOST_WORDS: usize = 64;

/// Worth of naming all words of the goal, in cosines. Chosen on half of the tasks of `anamne-eval trajectories`.
const NEW_WORDS: f32 = 2.0;

/// A run with its calls.
struct Candidate {
    cosine: f32,
    run: RunSummary,
    calls: String,
}

impl ExperienceView {
    /// The successful runs to learn from, best first: the newest of each similar goal. Each next one has a similar goal, or
    /// calls with words of the goal that the ones before lack. O(goals).
    pub fn examples(&self, goal: &str, most: usize) -> Result<Vec<RunSummary>, ExperienceError> {
        let mut candidates = self.candidates(goal)?;
        let mut lacking = beginnings(goal);
        let words = lacking.len().max(1) as f32;
        let mut examples = Vec::new();
        while examples.len() < most && !candidates.is_empty() {
            let worth = |candidate: &Candidate| {
                let covered = lacking
                    .iter()
                    .filter(|word| candidate.calls.contains(*word));
                candidate.cosine + NEW_WORDS * covered.count() as f32 / words
            };
            let worths: Vec<f32> = candidates.iter().map(worth).collect();
            let best = (0..worths.len())
                .rev()
                .max_by(|one, other| worths[*one].total_cmp(&worths[*other]));
            let chosen = candidates.remove(best.unwrap_or_default());
            lacking.retain(|word| !chosen.calls.contains(word));
            examples.push(chosen.run);
        }
        Ok(examples)
    }

    fn candidates(&self, goal: &str) -> Result<Vec<Candidate>, ExperienceError> {
        let mut runs = self.similar_runs(goal, MOST_EXAMINED, MOST_RUNS)?;
        runs.retain(|(_, run)| run.outcome.succeeded && !run.run.is_empty());
        runs.dedup_by(|(_, next), (_, one)| next.goal == one.goal);
        let mut candidates = Vec::with_capacity(runs.len());
        for (cosine, run) in runs {
            let steps = self.cases(CaseFilter::Run(&run.run), MOST_CALLS)?;
            let steps = steps.into_iter().filter(|step| !step.ends_run);
            let calls: Vec<String> = steps.map(|step| step.call).collect();
            candidates.push(Candidate {
                cosine,
                run,
                calls: calls.join("\n"),
            });
        }
        Ok(candidates)
    }
}

/// The beginnings of the words of a goal.
fn beginnings(goal: &str) -> Vec<String> {
    let words = normal::name(goal).split(|character: char| !character.is_alphanumeric());
    let long = words.filter(|word| word.chars().count() >= FEWEST_LETTERS);
    let beginning = |word: &str| word.to_lowercase().chars().take(COMPARED_LETTERS).collect();
    let mut beginnings: Vec<String> = long.map(beginning).collect();
    beginnings.sort_unstable();
    beginnings.dedup();
    beginnings.truncate(MOST_WORDS);
    beginnings
}
