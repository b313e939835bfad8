//! The search strategies: named sets of parameters of a recall.

use anamne_types::{Answer, Hit, Limits, Memory, MemoryId, Ranking, Recall, Signals};
use rustc_hash::FxHashSet;

/// Which of the results found are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Selection {
    /// The best.
    Best,
    /// The best of each thread that was not shown yet.
    OtherThreads,
}

/// How to search: a named set of parameters of [`Recall`].
///
/// The strategies are those of [`Strategy::ALL`]; equality is by name.
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    name: &'static str,
    description: &'static str,
    signals: Signals,
    weights: &'static [(&'static str, f32)],
    selection: Selection,
}

impl PartialEq for Strategy {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Strategy {}

/// What was shown of a question's earlier searches.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    memories: FxHashSet<MemoryId>,
    threads: FxHashSet<String>,
}

impl Shown {
    /// Adds a memory.
    pub fn add(&mut self, memory: &Memory) {
        self.memories.insert(memory.id);
        self.threads.extend(memory.thread.clone());
    }

    /// Whether a memory was shown.
    pub fn has(&self, memory: MemoryId) -> bool {
        self.memories.contains(&memory)
    }

    /// The number of memories shown.
    pub fn len(&self) -> usize {
        self.memories.len()
    }

    /// Whether nothing was shown.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }
}

const PLAIN: Strategy = Strategy {
    name: "default",
    description: "the question as it is, all signals",
    signals: Signals::Full,
    weights: &[],
    selection: Selection::Best,
};

impl Strategy {
    /// The least number of results requested of a search, from which those to show are selected; more where few of each
    /// conversation are shown.
    const CANDIDATES: usize = 40;
    const CANDIDATES_OF_THREADS: usize = 100;

    /// The recall without any change.
    pub const DEFAULT: Self = PLAIN;

    /// All strategies, the default first: those of twelve without which a learner found less or later in the half of the
    /// conversations on which they were chosen.
    pub const ALL: [Self; 5] = [
        PLAIN,
        Self {
            name: "words",
            description: "only the question's words",
            signals: Signals::Lexical,
            ..PLAIN
        },
        Self {
            name: "own_text",
            description: "each memory by its own text, without its conversation",
            weights: &[
                ("window_lexical", 0.0),
                ("window_words", 0.0),
                ("window_semantic", 0.0),
                ("thread_lexical", 0.0),
                ("thread_words", 0.0),
                ("thread_feedback", 0.0),
                ("lsi_similarity", 0.0),
            ],
            ..PLAIN
        },
        Self {
            name: "early",
            description: "old memories first",
            weights: &[("recency", -3.0)],
            ..PLAIN
        },
        Self {
            name: "other_threads",
            description: "the best of each conversation that was not shown yet",
            selection: Selection::OtherThreads,
            ..PLAIN
        },
    ];

    /// The strategy with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.name == name)
    }

    /// Its name: lower-case words joined by `_`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it does, as a phrase.
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// Its place in [`Strategy::ALL`].
    pub fn number(&self) -> usize {
        Self::ALL
            .iter()
            .position(|strategy| strategy == self)
            .unwrap_or(0)
    }

    /// Whether it prefers conversations that were not shown.
    pub fn prefers_other_threads(&self) -> bool {
        self.selection == Selection::OtherThreads
    }

    /// The recall that finds its candidates: at least 40 or 100, and as many as `recall` asks for besides those shown.
    ///
    /// Query, filter, tiers, scope and time stay as they are in `recall`. A strategy only changes what the caller left
    /// open: signals other than all, another formula and weights of the caller stay. Weights and roles are dropped where
    /// only one signal is used, which refuses them. Linear in the query.
    pub fn candidates(&self, recall: &Recall, shown: &Shown) -> Recall {
        let mut recall = recall.clone();
        let wanted = recall.limit.saturating_add(shown.len());
        let least = match self.selection {
            Selection::Best => Self::CANDIDATES,
            Selection::OtherThreads => Self::CANDIDATES_OF_THREADS,
        };
        recall.limit = wanted.clamp(least, Limits::RESULTS);
        let is_open = recall.signals == Signals::Full && recall.ranking == Ranking::Full;
        if !is_open {
            return recall;
        }
        recall.signals = self.signals;
        if self.signals == Signals::Full {
            for (name, weight) in self.weights {
                recall.weights.entry((*name).to_owned()).or_insert(*weight);
            }
        } else {
            recall.weights.clear();
            recall.role = None;
        }
        recall
    }

    /// Selects the results to show, at most `limit`: none that was shown before. O(results · `limit`).
    pub fn page<'answer>(
        &self,
        answer: &'answer Answer,
        shown: &Shown,
        limit: usize,
    ) -> Vec<&'answer Hit> {
        let mut page: Vec<&Hit> = Vec::new();
        let new = || {
            let hits = answer.results.iter();
            hits.filter(|hit| !shown.has(hit.memory.id))
        };
        if self.prefers_other_threads() {
            for hit in new() {
                let mut threads = page.iter().map(|selected| &selected.memory.thread);
                let is_other = hit.memory.thread.as_ref().is_none_or(|thread| {
                    !shown.threads.contains(thread)
                        && threads.all(|selected| selected.as_ref() != Some(thread))
                });
                if is_other && page.len() < limit {
                    page.push(hit);
                }
            }
        }
        // Where there are too few, the best follow.
        for hit in new() {
            let mut selected = page.iter();
            if page.len() < limit && selected.all(|one| one.memory.id != hit.memory.id) {
                page.push(hit);
            }
        }
        page
    }
}

#[cfg(test)]
mod tests;
