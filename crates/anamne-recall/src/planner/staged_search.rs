//! The stages of a search: searches tiers lexically or by vectors, and counts the work.

use std::sync::Arc;

use anamne_index::lexical::TermStatistics;
use anamne_types::{Plan, Recall, Tier, Work};
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use super::{Advice, ColderHits, Planner, can_hold};
use crate::candidates::Searched;
use crate::views::{SearchHit, best_first};
use crate::words::ParsedQuery;

/// Estimated bytes per posting: document, frequency and length.
const POSTING_BYTES: u64 = 3;

/// Estimated bytes read per dictionary lookup.
const LOOKUP_BYTES: u64 = 64;

/// The assumed share of queries for which the first stage is not enough, without statistics.
const DEFAULT_CONTINUATION: f32 = 0.5;

/// What a staged search needs besides the planner.
pub(crate) struct SearchRequest<'a> {
    pub(crate) recall: &'a Recall,
    /// The query vector; `None` if the vector search takes no part.
    pub(crate) vector: Option<&'a [f32]>,
    /// Hits per search.
    pub(crate) depth: usize,
    pub(crate) filter: Option<&'a RoaringBitmap>,
    pub(crate) advice: Advice,
}

/// The result of a planned search.
pub(crate) struct PlannedSearch {
    /// The hits; `None` if everything must be searched at once.
    pub(crate) searched: Option<Searched>,
    pub(crate) executed: ExecutedPlan,
}

/// The executed plan.
#[derive(Debug, Default)]
pub(crate) struct ExecutedPlan {
    pub(crate) plan: Plan,
    pub(crate) stages: u32,
    /// The hits in colder tiers, if all tiers that can contain an answer were searched.
    pub(crate) colder: Option<Arc<ColderHits>>,
}

/// A staged search in progress.
pub(super) struct StagedSearch<'a> {
    pub(super) planner: &'a Planner<'a>,
    pub(super) query: &'a ParsedQuery,
    pub(super) request: &'a SearchRequest<'a>,
    pub(super) statistics: Arc<TermStatistics>,
    /// The index of each content term among the terms, with its idf.
    pub(super) terms: Vec<(usize, f32)>,
    /// By tier: whether it can contain an answer, was searched lexically, and by vectors.
    pub(super) possible: Vec<bool>,
    lexical_searched: Vec<bool>,
    vector_searched: Vec<bool>,
    pub(super) searched: Searched,
    pub(super) executed: ExecutedPlan,
}

impl<'a> StagedSearch<'a> {
    pub(super) fn new(
        planner: &'a Planner<'a>,
        query: &'a ParsedQuery,
        request: &'a SearchRequest<'a>,
    ) -> Option<Self> {
        let statistics = planner.lexical.statistics(&query.terms).ok()?;
        let idf = statistics.idf();
        let all = &query.terms.terms;
        let terms = query.content.terms.iter().map(|term| {
            let index = all.iter().position(|known| known.text == term.text)?;
            Some((index, idf[index]))
        });
        let tiers = planner.tiers.len();
        Some(Self {
            planner,
            query,
            request,
            terms: terms.collect::<Option<Vec<_>>>()?,
            statistics,
            possible: vec![true; tiers],
            lexical_searched: vec![false; tiers],
            vector_searched: vec![false; tiers],
            searched: Searched::default(),
            executed: ExecutedPlan::default(),
        })
    }

    pub(super) fn add_reason(&mut self, reason: String) {
        self.executed.plan.reasons.push(reason);
    }

    pub(super) fn tier_names(&self, tiers: &[usize]) -> String {
        let names: Vec<String> = tiers
            .iter()
            .map(|tier| self.planner.tiers[*tier].to_string())
            .collect();
        names.join(", ")
    }

    pub(super) fn rule_out_by_time(&mut self) {
        let filter = &self.request.recall.filter;
        let mut ruled_out = Vec::new();
        for (index, tier) in self.planner.tiers.iter().enumerate() {
            if !can_hold(*tier, filter.since, filter.until) {
                self.possible[index] = false;
                ruled_out.push(index);
            }
        }
        if !ruled_out.is_empty() {
            let reason = format!(
                "{} can't contain the requested time",
                self.tier_names(&ruled_out)
            );
            self.add_reason(reason);
        }
    }

    /// The tiers of the first stage: the hottest one, and those where similar queries were answered.
    pub(super) fn first_tiers(&self) -> Vec<usize> {
        let advice = &self.request.advice;
        let is_wanted = |tier: &Tier| {
            *tier == Tier::Active || (advice.colder.is_none() && advice.routed.contains(tier))
        };
        let tiers = self.planner.tiers.iter().enumerate();
        let mut first: Vec<usize> = tiers
            .filter(|(index, tier)| self.possible[*index] && is_wanted(tier))
            .map(|(index, _)| index)
            .collect();
        if first.is_empty() && advice.colder.is_none() {
            first.extend((0..self.possible.len()).find(|index| self.possible[*index]));
        }
        first
    }

    /// Adds cached hits of the colder tiers.
    pub(super) fn add_cached(&mut self, colder: &Arc<ColderHits>) {
        let depth = self.request.depth;
        merge(&mut self.searched.lexical, colder.lexical.clone(), depth);
        merge(&mut self.searched.vectors, colder.vectors.clone(), depth);
        self.executed.colder = Some(colder.clone());
    }

    /// The hits in colder tiers, if these were searched completely.
    fn colder_hits(&self) -> Option<Arc<ColderHits>> {
        let is_fully_searched = |tier: usize| {
            self.lexical_searched[tier]
                && (self.vector_searched[tier] || self.request.vector.is_none())
        };
        let all =
            (0..self.possible.len()).all(|tier| !self.possible[tier] || is_fully_searched(tier));
        let is_colder = |hit: &&SearchHit| {
            let tier = self.planner.tier_of(hit.row);
            tier.is_some_and(|tier| self.planner.tiers[tier] != Tier::Active)
        };
        let colder = |hits: &[SearchHit]| hits.iter().filter(is_colder).copied().collect();
        all.then(|| {
            Arc::new(ColderHits {
                lexical: colder(&self.searched.lexical),
                vectors: colder(&self.searched.vectors),
            })
        })
    }

    /// Possible tiers that were not searched lexically yet.
    pub(super) fn pending_lexical(&self) -> Vec<usize> {
        self.possible(|tier| !self.lexical_searched[tier])
    }

    /// Possible tiers that were not searched by vectors yet.
    pub(super) fn pending_vectors(&self) -> Vec<usize> {
        self.possible(|tier| !self.vector_searched[tier])
    }

    /// The possible tiers that satisfy a condition.
    fn possible(&self, condition: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.possible.len()).collect();
        all.retain(|tier| self.possible[*tier] && condition(*tier));
        all
    }

    /// Estimates the work.
    pub(super) fn estimate_work(&mut self, first: &[usize], with_vectors: &[usize]) {
        let before = self.executed.plan.work;
        self.count_lexical(first);
        self.count_vectors(with_vectors);
        let first_work = self.executed.plan.work;
        let others = self.possible(|tier| !first.contains(&tier));
        let others_by_vectors = self.possible(|tier| !with_vectors.contains(&tier));
        self.count_lexical(&others);
        self.count_vectors(&others_by_vectors);
        let all = self.executed.plan.work;
        let advice = &self.request.advice;
        let continuation = match &advice.colder {
            Some(_) => 0.0,
            None => f64::from(advice.going_on.unwrap_or(DEFAULT_CONTINUATION)),
        };
        let between = |first_work: u64, all: u64| {
            first_work + ((all - first_work) as f64 * continuation) as u64
        };
        self.executed.plan.expected = Work {
            tiers: between(first.len() as u64, (first.len() + others.len()) as u64) as u32,
            rows: between(first_work.rows, all.rows),
            bytes: between(first_work.bytes, all.bytes),
            edges: 0,
        };
        self.executed.plan.work = before;
        let lookups = (self.query.terms.terms.len() * self.planner.tiers.len()) as u64;
        self.executed.plan.work.bytes += lookups * LOOKUP_BYTES;
    }

    pub(super) fn count_lexical(&mut self, tiers: &[usize]) {
        for tier in tiers {
            let postings = self.statistics.postings(*tier);
            self.executed.plan.work.rows += postings;
            self.executed.plan.work.bytes += postings * POSTING_BYTES;
        }
    }

    pub(super) fn count_vectors(&mut self, tiers: &[usize]) {
        if self.request.vector.is_none() {
            return;
        }
        for tier in tiers {
            let (vectors, bytes) = self.planner.vectors.cost(*tier, self.request.depth);
            let scanned = match self.request.filter {
                Some(filter) => vectors.min(filter.len()),
                None => vectors,
            };
            self.executed.plan.work.rows += scanned;
            self.executed.plan.work.bytes += bytes * scanned / vectors.max(1);
        }
    }

    pub(super) fn search_lexical(&mut self, tiers: &[usize]) {
        let Some((chosen, new)) = mark_searched(&mut self.lexical_searched, tiers) else {
            return;
        };
        let (terms, depth) = (&self.query.terms, self.request.depth);
        let lexical = self.planner.lexical;
        match lexical.search_chosen(&chosen, terms, depth, self.request.filter) {
            Ok(hits) => merge(&mut self.searched.lexical, hits, depth),
            Err(_) => self.searched.failed.push("lexical"),
        }
        self.count_lexical(&new);
        let new = new.into_iter().map(|tier| self.planner.tiers[tier]);
        self.executed.plan.tiers.extend(new);
        self.executed.stages += 1;
    }

    pub(super) fn search_vectors(&mut self, tiers: &[usize]) {
        let Some(vector) = self.request.vector else {
            return;
        };
        let Some((chosen, new)) = mark_searched(&mut self.vector_searched, tiers) else {
            return;
        };
        let (vectors, depth) = (self.planner.vectors, self.request.depth);
        match vectors.candidates_of(&chosen, vector, depth, self.request.filter) {
            Ok(hits) => merge(&mut self.searched.vectors, hits, depth),
            Err(_) => self.searched.failed.push("vectors"),
        }
        self.count_vectors(&new);
    }

    pub(super) fn finish(self) -> PlannedSearch {
        let colder = self.executed.colder.clone().or_else(|| self.colder_hits());
        let mut executed = ExecutedPlan {
            colder,
            ..self.executed
        };
        let plan = &mut executed.plan;
        plan.planned = true;
        plan.widened = self.planner.widened;
        plan.work.tiers = plan.tiers.len() as u32;
        let left_out = self
            .planner
            .tiers
            .iter()
            .filter(|tier| !plan.tiers.contains(tier));
        plan.left_out = left_out.copied().collect();
        PlannedSearch {
            searched: Some(self.searched),
            executed,
        }
    }
}

/// Marks tiers as searched: returns a flag per tier and the indices of those newly marked; `None` if there are none.
fn mark_searched(searched: &mut [bool], tiers: &[usize]) -> Option<(Vec<bool>, Vec<usize>)> {
    let mut chosen = vec![false; searched.len()];
    for tier in tiers {
        chosen[*tier] = !std::mem::replace(&mut searched[*tier], true) || chosen[*tier];
    }
    let new: Vec<usize> = (0..chosen.len()).filter(|tier| chosen[*tier]).collect();
    (!new.is_empty()).then_some((chosen, new))
}

/// Merges the hits of another stage; keeps the best `depth` rows, each once.
fn merge(all: &mut Vec<SearchHit>, hits: Vec<SearchHit>, depth: usize) {
    if all.is_empty() {
        *all = hits;
        return;
    }
    all.extend(hits);
    all.sort_by(|one, other| best_first((one.score, one.row), (other.score, other.row)));
    let mut seen = FxHashSet::default();
    all.retain(|hit| seen.insert(hit.row));
    all.truncate(depth);
}
