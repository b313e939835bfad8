//! How the results of one question are ordered where that is not as usual: by other weights, as a role sees them, by another
//! formula, looked at again by a reranker, or not all alike.
//!
//! Confidence was fitted on the usual scores, so that every result is judged by those, whatever it is ordered by.

use std::collections::BTreeMap;

use anamne_embed::Reranker;
use anamne_store::RecallConfig;
use anamne_types::{MemoryId, Ranking, Recall, Refusal, Row, Signals};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::diversify;
use crate::candidates::{Candidate, surroundings};
use crate::confidence::judge;
use crate::diversity::{self, Likeness};
use crate::error::RecallError;
use crate::formulas::{self, Part};
use crate::looking::Looking;
use crate::model::{Features, Weights};
use crate::rank::{Ranked, best_first};
use crate::reranking;
use crate::roles::Standpoint;
use crate::weights;

/// What a question and its space say about the order of results, beside the usual.
pub(crate) struct Arrangement<'a> {
    /// Other weights than the usual ones.
    pub(crate) weights: Option<Weights>,
    /// How memories look to the role as which it is asked.
    pub(crate) standpoint: Option<Standpoint>,
    /// What looks at the first results again.
    reranker: Option<&'a dyn Reranker>,
    ranking: Ranking,
    diversity: f32,
}

/// What made the place of a result, beside the weighted sum of its features.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aside {
    /// The parts of its score, where another formula made it.
    pub(crate) formula: Vec<Part>,
    /// The reranker's score and what it weighed.
    pub(crate) reranker: Option<(f32, f32)>,
    /// How like it is to a result before it, where that counted.
    pub(crate) likeness: Option<f32>,
}

impl<'a> Arrangement<'a> {
    /// What `recall` asks for in a space with these settings.
    ///
    /// Refused: names of features or roles that there are not; weights or a role beside another formula or a single signal,
    /// where they would say nothing.
    pub(crate) fn of(
        recall: &Recall,
        settings: &RecallConfig,
        reranker: Option<&'a dyn Reranker>,
    ) -> Result<Self, Refusal> {
        let is_full = recall.signals == Signals::Full;
        let by_features = is_full && recall.ranking == Ranking::Full;
        if !by_features {
            check_alone("weights", !recall.weights.is_empty())?;
            check_alone("role", recall.role.is_some())?;
        }
        if !is_full && recall.ranking != Ranking::Full {
            let accepts = "full where a single signal is asked for";
            return Err(Refusal::new("ranking", accepts, "another formula"));
        }
        let standpoint = recall
            .role
            .as_ref()
            .map(|role| Standpoint::of(role, settings));
        let weights = weights::overridden(&settings.weights, &recall.weights)?;
        Ok(Self {
            weights: weights.filter(|_| by_features),
            standpoint: standpoint.transpose()?,
            reranker: reranker.filter(|_| is_full),
            ranking: recall.ranking,
            diversity: recall.diversity,
        })
    }

    /// The weights that an explanation shows.
    pub(crate) fn weights_shown(&self) -> &Weights {
        self.weights.as_ref().unwrap_or(&Weights::USUAL)
    }

    /// Whether results are ordered by the scores that confidence was fitted on, and by nothing else.
    pub(crate) fn is_usual(&self) -> bool {
        self.weights.is_none()
            && self.standpoint.is_none()
            && self.reranker.is_none()
            && self.ranking == Ranking::Full
            && self.diversity == 0.0
    }

    /// Whether what the searches find must be in exact order.
    pub(crate) fn is_exact(&self) -> bool {
        self.ranking != Ranking::Full
    }

    /// Judges every result by the score that confidence was fitted on; then they are ordered by their own again.
    fn judge(&self, ranked: &mut [Ranked], in_full: bool) {
        let by_features = in_full && (self.weights.is_some() || self.standpoint.is_some());
        if !by_features {
            return judge(ranked, ranked.len());
        }
        for ranked in &mut *ranked {
            let role_fit = 0.0;
            let usual = Features {
                role_fit,
                ..ranked.features
            };
            ranked.score = usual.score();
        }
        ranked.sort_unstable_by(best_first);
        judge(ranked, ranked.len());
        for ranked in &mut *ranked {
            ranked.score = ranked.features.score_by(self.weights_shown());
        }
        ranked.sort_unstable_by(best_first);
    }
}

impl Looking<'_> {
    /// Orders results where that is not as usual. Returns whether the reranker failed; then the order is the one without it.
    pub(crate) fn arrange(&self, ranked: &mut Vec<Ranked>) -> Result<bool, RecallError> {
        let (arrangement, recall, in_full) = (self.arrangement, self.recall, self.ranks_in_full());
        arrangement.judge(ranked, in_full);
        formulas::order(arrangement.ranking, ranked, |ranked| self.near(ranked))?;
        // What is not sure enough is no result, and takes nothing away from those that are.
        ranked.sort_by_key(|ranked| ranked.confidence < recall.min_confidence);
        let columns = self.columns;
        let mut has_failed = false;
        if let Some(reranker) = arrangement.reranker {
            let wanted = recall.limit.max(reranking::LOOKED_AT);
            *ranked = diversify(std::mem::take(ranked), columns, wanted);
            has_failed = self.rerank(reranker, ranked)?;
        }
        if arrangement.diversity > 0.0 {
            let sure = ranked.partition_point(|ranked| ranked.confidence >= recall.min_confidence);
            let unsure = ranked.split_off(sure);
            let table = self.recaller.weighted_table();
            let table = table.map(|table| (table, self.recaller.embedder.dimensions()));
            let likeness = |pool: &[Ranked]| Likeness::of(pool, columns, table);
            let all = std::mem::take(ranked);
            *ranked = diversity::spread(all, recall.limit, arrangement.diversity, likeness);
            ranked.extend(unsure);
        }
        if in_full {
            *ranked = diversify(std::mem::take(ranked), columns, recall.limit);
        }
        Ok(has_failed)
    }

    /// Has the first results looked at again; says whether that failed.
    fn rerank(
        &self,
        reranker: &dyn Reranker,
        ranked: &mut [Ranked],
    ) -> Result<bool, RecallError> {
        let recall = self.recall;
        let sure = |ranked: &&Ranked| ranked.confidence >= recall.min_confidence;
        let first = ranked.iter().take(reranking::LOOKED_AT).take_while(sure);
        let rows: Vec<Row> = first.map(|ranked| ranked.candidate.row).collect();
        let mut texts = vec![String::new(); rows.len()];
        for (row, memory) in self.texts().rows(&rows)? {
            if let Some(place) = rows.iter().position(|known| *known == row) {
                texts[place] = reranking::text(&memory.content, &memory.body);
            }
        }
        Ok(reranking::rerank(reranker, &recall.query, &texts, ranked).is_err())
    }

    /// Whether each result stands next to another of the first ones in its thread, or has a link with it.
    fn near(&self, ranked: &[Ranked]) -> Result<Vec<bool>, RecallError> {
        let columns = self.columns;
        let rows: Vec<Row> = ranked.iter().map(|ranked| ranked.candidate.row).collect();
        let memories = self.texts().rows(&rows)?;
        let rows_of: FxHashMap<MemoryId, Row> = memories
            .iter()
            .map(|(row, memory)| (memory.id, *row))
            .collect();
        let ids: FxHashMap<Row, MemoryId> = memories
            .iter()
            .map(|(row, memory)| (*row, memory.id))
            .collect();
        let mut near: FxHashSet<Row> = FxHashSet::default();
        for first in ranked
            .iter()
            .filter(|ranked| ranked.is_among_first(formulas::NEAR))
        {
            let Candidate {
                row, attributes, ..
            } = first.candidate;
            let [next_to_it, _] = surroundings(columns, row, &attributes);
            near.extend(next_to_it.into_iter().flatten());
            let Some(id) = ids.get(&row) else { continue };
            for link in self.recaller.source.links(*id)? {
                let other = if link.from == *id { link.to } else { link.from };
                near.extend(rows_of.get(&other));
            }
        }
        Ok(rows.iter().map(|row| near.contains(row)).collect())
    }
}

/// Refuses what would say nothing beside another formula or a single signal.
fn check_alone(field: &str, is_told: bool) -> Result<(), Refusal> {
    if !is_told {
        return Ok(());
    }
    let accepts =
        "left out unless ranking and signals are full, for other formulas have no features";
    Err(Refusal::new(field, accepts, "given"))
}

/// Checks what a space's settings say of features, which can be known here alone.
///
/// The refusal names the setting, and what there is.
pub fn check_settings(settings: &RecallConfig) -> Result<(), Refusal> {
    weights::overridden(&settings.weights, &BTreeMap::new()).map(drop)
}

#[cfg(test)]
impl Ranked {
    /// A result that nothing found, for tests.
    pub(crate) fn sample(row: u32, features: Features) -> Self {
        Self {
            candidate: Candidate {
                row: Row(row),
                attributes: anamne_store::view::Attributes::default(),
                lexical: None,
                lexical_rank: None,
                vector_rank: None,
                similarity: None,
            },
            features,
            score: 0.0,
            confidence: 0.0,
            aside: None,
        }
    }
}
