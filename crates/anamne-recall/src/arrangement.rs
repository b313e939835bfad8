//! How the results of one question are ordered where that is not as usual: by other weights, as a role sees them, by another
//! formula, looked at again by a reranker, or not all alike.
//!
//! Confidence was fitted on the usual scores, so that every result is judged by those, whatever it is ordered by.

use std::collections::BTreeMap;

use anamne_embed::Reranker;
use anamne_store::RecallConfig;
use anamne_types::{Ranking, Recall, Refusal, Signals};

use crate::answer::diversify;
use crate::confidence::{Verdict, judge, judge_plainly};
use crate::diversity::{self, Likeness};
use crate::error::RecallError;
use crate::formulas::{self, Part};
use crate::model::{Features, Weights};
use crate::near;
use crate::past::Texts;
use crate::rank::{Ranked, sort};
use crate::recaller::Recaller;
use crate::reranking;
use crate::roles::Standpoint;
use crate::views::Columns;
use crate::weights;
use crate::words::Reader;

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
    /// The rare word of the question that it came first for.
    pub(crate) rare_word: Option<String>,
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
    pub(crate) fn judge(
        &self,
        reader: &mut Reader<'_>,
        ranked: &mut [Ranked],
        in_full: bool,
    ) -> Verdict {
        if !in_full {
            return judge_plainly(ranked, ranked.len());
        }
        let by_features = self.weights.is_some() || self.standpoint.is_some();
        if !by_features {
            return judge(reader, ranked, ranked.len());
        }
        for ranked in &mut *ranked {
            let role_fit = 0.0;
            let usual = Features {
                role_fit,
                ..ranked.features
            };
            ranked.score = usual.score();
        }
        sort(ranked);
        let verdict = judge(reader, ranked, ranked.len());
        for ranked in &mut *ranked {
            ranked.score = ranked.features.score_by(self.weights_shown());
        }
        sort(ranked);
        verdict
    }
}

/// What ordering reads beside the results: the memories as the question sees them.
pub(crate) struct Sight<'a> {
    pub(crate) columns: &'a dyn Columns,
    pub(crate) texts: Texts<'a>,
}

impl Recaller<'_> {
    /// Orders results where that is not as usual, with `in_full` saying whether they were ranked by all features. Returns
    /// whether the reranker failed; then the order is the one without it.
    pub(crate) fn arrange(
        &self,
        arrangement: &Arrangement<'_>,
        recall: &Recall,
        sight: &Sight<'_>,
        ranked: &mut Vec<Ranked>,
        in_full: bool,
    ) -> Result<bool, RecallError> {
        formulas::order(arrangement.ranking, ranked, |ranked| {
            near::of(self.source, sight, recall.as_of.known, ranked)
        })?;
        // What is not sure enough is no result, and takes nothing away from those that are.
        let (mut sure, unsure): (Vec<_>, Vec<_>) = std::mem::take(ranked)
            .into_iter()
            .partition(|ranked| ranked.confidence >= recall.min_confidence);
        let mut has_failed = false;
        if let Some(reranker) = arrangement.reranker {
            sure = diversify(sure, sight.columns, recall.limit.max(reranking::LOOKED_AT));
            has_failed = reranking::look_again(reranker, &recall.query, sight, &mut sure)?;
        }
        if arrangement.diversity > 0.0 {
            let table = self.weighted_table();
            let table = table.map(|table| (table, self.embedder.dimensions()));
            let likeness = |pool: &[Ranked]| Likeness::of(pool, sight.columns, table);
            sure = diversity::spread(sure, recall.limit, arrangement.diversity, likeness);
        }
        sure.extend(unsure);
        *ranked = if in_full {
            diversify(sure, sight.columns, recall.limit)
        } else {
            sure
        };
        Ok(has_failed)
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
            candidate: crate::candidates::Candidate::unfound(
                anamne_types::Row(row),
                anamne_store::view::Attributes::default(),
            ),
            features,
            score: 0.0,
            confidence: 0.0,
            aside: None,
        }
    }
}
