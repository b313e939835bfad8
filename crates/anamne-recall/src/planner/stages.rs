//! What the stages of a search do: search some tiers by words or by meaning, and count what that touches.

use std::sync::Arc;

use anamne_index::lexical::TermStatistics;
use anamne_types::{Plan, Recall, Tier, Work};
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use super::{Advice, Colder, Planner, can_hold};
use crate::candidates::Searched;
use crate::views::{Found, best_first};
use crate::words::Question;

/// Bytes that a posting is reckoned to take: document, frequency and length.
const POSTING_BYTES: u64 = 3;

/// Bytes that looking a term up in a dictionary is reckoned to read.
const LOOK_UP_BYTES: u64 = 64;

/// How often the first stage is taken not to be enough where nothing was learned.
const GOING_ON: f32 = 0.5;

/// What a search in stages needs beside the planner.
pub(crate) struct Asking<'a> {
    pub(crate) recall: &'a Recall,
    /// The question as a vector; `None` where the search by meaning takes no part.
    pub(crate) vector: Option<&'a [f32]>,
    /// Rows that each search brings up.
    pub(crate) depth: usize,
    pub(crate) filter: Option<&'a RoaringBitmap>,
    pub(crate) advice: Advice,
}

/// What came of it.
pub(crate) struct Outcome {
    /// What was found; `None` where everything is to be searched at once.
    pub(crate) searched: Option<Searched>,
    pub(crate) followed: Followed,
}

/// The plan that was followed.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) plan: Plan,
    pub(crate) stages: u32,
    /// What was brought up in tiers that are not active, where all were searched that can hold an answer.
    pub(crate) colder: Option<Arc<Colder>>,
}

/// A search under way.
pub(super) struct Stages<'a> {
    pub(super) planner: &'a Planner<'a>,
    pub(super) question: &'a Question,
    pub(super) asking: &'a Asking<'a>,
    pub(super) statistics: Arc<TermStatistics>,
    /// The place of each content term among the terms, with its idf.
    pub(super) terms: Vec<(usize, f32)>,
    /// By tier: whether it may hold an answer, was searched by words, and by meaning.
    pub(super) possible: Vec<bool>,
    worded: Vec<bool>,
    meant: Vec<bool>,
    pub(super) searched: Searched,
    pub(super) followed: Followed,
}

impl<'a> Stages<'a> {
    pub(super) fn new(
        planner: &'a Planner<'a>,
        question: &'a Question,
        asking: &'a Asking<'a>,
    ) -> Option<Self> {
        let statistics = planner.lexical.statistics(&question.terms).ok()?;
        let idf = statistics.idf();
        let all = &question.terms.terms;
        let terms = question.content.terms.iter().map(|term| {
            let place = all.iter().position(|known| known.text == term.text)?;
            Some((place, idf[place]))
        });
        let tiers = planner.tiers.len();
        Some(Self {
            planner,
            question,
            asking,
            terms: terms.collect::<Option<Vec<_>>>()?,
            statistics,
            possible: vec![true; tiers],
            worded: vec![false; tiers],
            meant: vec![false; tiers],
            searched: Searched::default(),
            followed: Followed::default(),
        })
    }

    pub(super) fn say(&mut self, reason: String) {
        self.followed.plan.reasons.push(reason);
    }

    pub(super) fn names(&self, tiers: &[usize]) -> String {
        let names: Vec<String> = tiers
            .iter()
            .map(|tier| self.planner.tiers[*tier].to_string())
            .collect();
        names.join(", ")
    }

    pub(super) fn rule_out_by_time(&mut self) {
        let filter = &self.asking.recall.filter;
        let mut ruled_out = Vec::new();
        for (place, tier) in self.planner.tiers.iter().enumerate() {
            if !can_hold(*tier, filter.since, filter.until) {
                self.possible[place] = false;
                ruled_out.push(place);
            }
        }
        if !ruled_out.is_empty() {
            let reason = format!("{} can't hold the time asked about", self.names(&ruled_out));
            self.say(reason);
        }
    }

    /// The tiers that are searched first: the hottest one, and those where such questions were answered before.
    pub(super) fn first(&self) -> Vec<usize> {
        let advice = &self.asking.advice;
        let is_wanted = |tier: &Tier| {
            *tier == Tier::Active || (advice.colder.is_none() && advice.routed.contains(tier))
        };
        let tiers = self.planner.tiers.iter().enumerate();
        let mut first: Vec<usize> = tiers
            .filter(|(place, tier)| self.possible[*place] && is_wanted(tier))
            .map(|(place, _)| place)
            .collect();
        if first.is_empty() && advice.colder.is_none() {
            first.extend((0..self.possible.len()).find(|place| self.possible[*place]));
        }
        first
    }

    /// Adds what the question brought up in colder tiers before.
    pub(super) fn take(&mut self, colder: &Arc<Colder>) {
        let depth = self.asking.depth;
        add(&mut self.searched.lexical, colder.words.clone(), depth);
        add(&mut self.searched.vectors, colder.meaning.clone(), depth);
        self.followed.colder = Some(colder.clone());
    }

    /// What was brought up in colder tiers, where all of them were searched in every way.
    fn colder(&self) -> Option<Arc<Colder>> {
        let is_searched =
            |tier: usize| self.worded[tier] && (self.meant[tier] || self.asking.vector.is_none());
        let all = (0..self.possible.len()).all(|tier| !self.possible[tier] || is_searched(tier));
        let is_colder = |found: &&Found| {
            let tier = self.planner.tier_of(found.row);
            tier.is_some_and(|tier| self.planner.tiers[tier] != Tier::Active)
        };
        let colder = |found: &[Found]| found.iter().filter(is_colder).copied().collect();
        all.then(|| {
            Arc::new(Colder {
                words: colder(&self.searched.lexical),
                meaning: colder(&self.searched.vectors),
            })
        })
    }

    /// Possible tiers that were not searched by words yet.
    pub(super) fn left(&self) -> Vec<usize> {
        self.possible(|tier| !self.worded[tier])
    }

    /// Possible tiers that were not searched by meaning yet.
    pub(super) fn unmeant(&self) -> Vec<usize> {
        self.possible(|tier| !self.meant[tier])
    }

    /// The tiers that may hold an answer, of which this is so.
    fn possible(&self, is_so: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.possible.len()).collect();
        all.retain(|tier| self.possible[*tier] && is_so(*tier));
        all
    }

    /// Reckons what is likely to be touched.
    pub(super) fn expect(&mut self, first: &[usize], meant: &[usize]) {
        let before = self.followed.plan.work;
        self.count_words(first);
        self.count_meaning(meant);
        let sure = self.followed.plan.work;
        let others = self.possible(|tier| !first.contains(&tier));
        let unmeant = self.possible(|tier| !meant.contains(&tier));
        self.count_words(&others);
        self.count_meaning(&unmeant);
        let all = self.followed.plan.work;
        let advice = &self.asking.advice;
        let going_on = match &advice.colder {
            Some(_) => 0.0,
            None => f64::from(advice.going_on.unwrap_or(GOING_ON)),
        };
        let between = |sure: u64, all: u64| sure + ((all - sure) as f64 * going_on) as u64;
        self.followed.plan.expected = Work {
            tiers: between(first.len() as u64, (first.len() + others.len()) as u64) as u32,
            rows: between(sure.rows, all.rows),
            bytes: between(sure.bytes, all.bytes),
            edges: 0,
        };
        self.followed.plan.work = before;
        let look_ups = (self.question.terms.terms.len() * self.planner.tiers.len()) as u64;
        self.followed.plan.work.bytes += look_ups * LOOK_UP_BYTES;
    }

    pub(super) fn count_words(&mut self, tiers: &[usize]) {
        for tier in tiers {
            let postings = self.statistics.postings(*tier);
            self.followed.plan.work.rows += postings;
            self.followed.plan.work.bytes += postings * POSTING_BYTES;
        }
    }

    pub(super) fn count_meaning(&mut self, tiers: &[usize]) {
        if self.asking.vector.is_none() {
            return;
        }
        for tier in tiers {
            let (vectors, bytes) = self.planner.vectors.cost(*tier, self.asking.depth);
            let scanned = match self.asking.filter {
                Some(filter) => vectors.min(filter.len()),
                None => vectors,
            };
            self.followed.plan.work.rows += scanned;
            self.followed.plan.work.bytes += bytes * scanned / vectors.max(1);
        }
    }

    pub(super) fn by_words(&mut self, tiers: &[usize]) {
        let Some((chosen, new)) = choose(&mut self.worded, tiers) else {
            return;
        };
        let (terms, depth) = (&self.question.terms, self.asking.depth);
        let lexical = self.planner.lexical;
        match lexical.search_chosen(&chosen, terms, depth, self.asking.filter) {
            Ok(found) => add(&mut self.searched.lexical, found, depth),
            Err(error) => self.searched.failed.push(("lexical", error.to_string())),
        }
        self.count_words(&new);
        let new = new.into_iter().map(|tier| self.planner.tiers[tier]);
        self.followed.plan.tiers.extend(new);
        self.followed.stages += 1;
    }

    pub(super) fn by_meaning(&mut self, tiers: &[usize]) {
        let Some(vector) = self.asking.vector else {
            return;
        };
        let Some((chosen, new)) = choose(&mut self.meant, tiers) else {
            return;
        };
        let (vectors, depth) = (self.planner.vectors, self.asking.depth);
        match vectors.candidates_of(&chosen, vector, depth, self.asking.filter) {
            Ok(found) => add(&mut self.searched.vectors, found, depth),
            Err(error) => self.searched.failed.push(("vectors", error.to_string())),
        }
        self.count_meaning(&new);
    }

    pub(super) fn finish(self) -> Outcome {
        let colder = self.followed.colder.clone().or_else(|| self.colder());
        let mut followed = Followed {
            colder,
            ..self.followed
        };
        let plan = &mut followed.plan;
        plan.planned = true;
        plan.widened = self.planner.widened;
        plan.work.tiers = plan.tiers.len() as u32;
        let left_out = self
            .planner
            .tiers
            .iter()
            .filter(|tier| !plan.tiers.contains(tier));
        plan.left_out = left_out.copied().collect();
        Outcome {
            searched: Some(self.searched),
            followed,
        }
    }
}

/// Marks those of these tiers as searched that were not yet: a mark for each tier, and their places; `None` where all were.
fn choose(searched: &mut [bool], tiers: &[usize]) -> Option<(Vec<bool>, Vec<usize>)> {
    let mut chosen = vec![false; searched.len()];
    for tier in tiers {
        chosen[*tier] = !std::mem::replace(&mut searched[*tier], true) || chosen[*tier];
    }
    let new: Vec<usize> = (0..chosen.len()).filter(|tier| chosen[*tier]).collect();
    (!new.is_empty()).then_some((chosen, new))
}

/// Merges what another stage found; the best `depth` rows, each once.
fn add(all: &mut Vec<Found>, found: Vec<Found>, depth: usize) {
    if all.is_empty() {
        *all = found;
        return;
    }
    all.extend(found);
    all.sort_by(|one, other| best_first((one.score, one.row), (other.score, other.row)));
    let mut seen = FxHashSet::default();
    all.retain(|found| seen.insert(found.row));
    all.truncate(depth);
}
