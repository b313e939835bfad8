//! The recaller's part in planning: it asks the planner, and tells what came of it.

use std::time::Instant;

use anamne_types::{Hit, Plan, Ranking, Recall, RecallScope, Signals, Tier, TimeWords, Work};
use roaring::RoaringBitmap;

use crate::looking;
use crate::model;
use crate::planner::{self, Advice, Asked, Asking, Followed, Found, Outcome, Trace};
use crate::rank::Ranked;
use crate::reach::Reach;
use crate::recaller::Recaller;
use crate::words::Reader;

/// The first results that tiers are credited for.
const CREDITED: usize = 10;

/// How a question was answered.
pub(crate) struct Answered<'a> {
    pub(crate) results: &'a [Hit],
    pub(crate) ranked: &'a [Ranked],
    /// The plan, where there was one.
    pub(crate) followed: Option<&'a Followed>,
    pub(crate) started: Instant,
}

impl Recaller<'_> {
    /// Searches in stages where there is something to plan, or counts what a search of everything touches; `None` where
    /// there is neither.
    pub(crate) fn planned(
        &self,
        recall: &Recall,
        reader: &mut Reader<'_>,
        asked: &looking::Asked,
        reach: &Reach,
    ) -> Option<Outcome> {
        let planner = self.planner.as_ref()?;
        let has_vector = !asked.vector.is_empty() && recall.signals != Signals::Lexical;
        let leaves_out = planner.may_leave_out
            && recall.signals == Signals::Full
            && recall.ranking == Ranking::Full;
        // What the question's words were taken for may be another time each time it is asked.
        let is_settled = recall.scope == RecallScope::All && recall.time_words != TimeWords::Only;
        let advice = match self.experience {
            Some(experience) if leaves_out && is_settled => {
                let rows = reach.rows.as_ref();
                self.with_asked(recall, reader, rows, |asked| experience.advise(asked))
            }
            _ => Advice::default(),
        };
        let asking = Asking {
            recall,
            vector: has_vector.then_some(asked.vector.as_slice()),
            depth: model::DEPTH.max(recall.limit),
            filter: reach.rows.as_ref(),
            advice,
        };
        let mut staged = leaves_out
            .then(|| planner::search(planner, reader, &asking))
            .flatten();
        if let Some(outcome) = &mut staged
            && !is_settled
        {
            outcome.followed.colder = None;
        }
        Some(staged.unwrap_or_else(|| Outcome {
            searched: None,
            followed: Followed {
                plan: planner::count_all(planner, reader.question, &asking),
                ..Followed::default()
            },
        }))
    }

    /// Tells what was learned.
    pub(crate) fn note(
        &self,
        recall: &Recall,
        reader: &Reader<'_>,
        filter: Option<&RoaringBitmap>,
        answered: &Answered<'_>,
    ) {
        let Answered {
            results,
            ranked,
            followed: outcome,
            started,
        } = *answered;
        let Some(experience) = self.experience else {
            return;
        };
        let tier_of = |row| match &self.planner {
            Some(planner) => planner.tier_of(row).map(|place| planner.tiers[place]),
            None => self.tiers.first().map(|(tier, _)| *tier),
        };
        let found = |hit: &Hit| {
            let row = hit.memory.row;
            let ranked = ranked.iter().find(|ranked| ranked.candidate.row == row);
            let candidate = ranked.map(|ranked| &ranked.candidate);
            Some(Found {
                row,
                tier: tier_of(row)?,
                by_words: candidate.is_some_and(|candidate| candidate.lexical.is_some()),
                by_meaning: candidate.is_some_and(|candidate| candidate.vector_rank.is_some()),
            })
        };
        let plan = outcome.map(|followed| &followed.plan);
        let reached = || {
            self.tiers
                .iter()
                .map(|(tier, _)| *tier)
                .collect::<Vec<Tier>>()
        };
        let trace = Trace {
            found: results.iter().take(CREDITED).filter_map(found).collect(),
            confidence: results.first().map_or(0.0, |best| best.confidence),
            results: results.len(),
            searched: plan.map_or_else(reached, |plan| plan.tiers.clone()),
            left_out: plan.map_or_else(Vec::new, |plan| plan.left_out.clone()),
            work: plan.map_or_else(Work::default, |plan| plan.work),
            colder: outcome.and_then(|followed| followed.colder.clone()),
            stages: outcome.map_or(0, |followed| followed.stages),
            widened: plan.is_some_and(|plan| plan.widened),
            took_ms: started.elapsed().as_secs_f64() * 1_000.0,
        };
        self.with_asked(recall, reader, filter, |asked| {
            experience.note(asked, trace);
        });
    }

    /// What there is to say where nothing was planned or counted: a view could not take part, or the question is as of an
    /// instant.
    pub(crate) fn unplanned(&self, recall: &Recall) -> Plan {
        let reason = if recall.as_of.is_now() {
            "a view can't take part, so everything that can was searched"
        } else {
            "a question as of an instant searches everything within reach"
        };
        Plan {
            tiers: self.tiers.iter().map(|(tier, _)| *tier).collect(),
            reasons: vec![reason.to_owned()],
            ..Plan::default()
        }
    }

    fn with_asked<T>(
        &self,
        recall: &Recall,
        reader: &Reader<'_>,
        filter: Option<&RoaringBitmap>,
        tell: impl FnOnce(&Asked<'_>) -> T,
    ) -> T {
        let terms = reader.question.content.terms.iter();
        let terms: Vec<&str> = terms.map(|term| term.text.as_str()).collect();
        tell(&Asked {
            recall,
            terms: &terms,
            tiers: &self.tiers,
            selected: filter.map(|filter| {
                let ends = (filter.min(), filter.max());
                (filter.len(), ends.0.unwrap_or(0), ends.1.unwrap_or(0))
            }),
        })
    }
}
