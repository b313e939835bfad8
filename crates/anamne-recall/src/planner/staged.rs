//! Searching in stages until it is enough.

use std::collections::BTreeSet;
use std::sync::Arc;

use anamne_index::lexical::TermStatistics;
use anamne_types::{Plan, Recall, Row, Tier, Work};
use roaring::RoaringBitmap;

use super::odds::{Chance, at_least};
use super::{Advice, Colder, Planner, can_hold};
use crate::candidates::Searched;
use crate::views;
use crate::words::{Question, Reader};

/// The share of the question's weight that a memory must hold to be taken for the one that was meant.
const SHARE: f32 = 0.5;

/// How much less than the best one another memory may hold and still be its rival.
const RIVAL: f32 = 0.8;

/// How many rivals may be expected in what is left out.
const EXPECTED_RIVALS: f64 = 0.1;

/// Words of one topic stand together more often than chance has it: so many times.
const TOGETHER: f64 = 4.0;

/// The first rows of each search that are judged.
const JUDGED: [usize; 2] = [12, 6];

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

/// The best that was found so far, by the words of the question that it holds.
#[derive(Clone, Copy, Debug, Default)]
struct Best {
    row: Option<Row>,
    /// What the words that it holds weigh.
    weight: f32,
    /// That over the weight of all.
    share: f32,
    /// Others of other threads that hold nearly as much.
    rivals: usize,
}

struct Stages<'a> {
    planner: &'a Planner<'a>,
    question: &'a Question,
    asking: &'a Asking<'a>,
    statistics: Arc<TermStatistics>,
    /// The place of each content term among the terms, with its idf.
    terms: Vec<(usize, f32)>,
    /// By tier: whether it may hold an answer, was searched by words, and by meaning.
    possible: Vec<bool>,
    worded: Vec<bool>,
    meant: Vec<bool>,
    searched: Searched,
    followed: Followed,
}

/// Searches in stages; `None` where the question can't be planned for, so that everything is to be searched.
pub(crate) fn search(
    planner: &Planner<'_>,
    reader: &mut Reader<'_>,
    asking: &Asking<'_>,
) -> Option<Outcome> {
    let mut stages = Stages::new(planner, reader.question, asking)?;
    stages.rule_out_by_time();
    let first = stages.first();
    // What is routed to is looked at by words alone, until something is found there.
    let meant = first[..first.len().min(1)].to_vec();
    stages.expect(&first, &meant);
    stages.by_words(&first);
    stages.by_meaning(&meant);
    if let Some(colder) = &asking.advice.colder {
        stages.take(colder);
        stages.say(
            "the same question was asked before, and the colder tiers have not changed since"
                .to_owned(),
        );
        return Some(stages.finish());
    }
    let best = stages.best(reader);
    let promising = stages.promising(&best);
    if promising.is_empty() && stages.is_alone(&best) {
        stages.say(format!(
            "{} answers well, and by their words the other tiers are not expected to hold its like",
            stages.names(&first)
        ));
        return Some(stages.finish());
    }
    stages.by_words(&promising);
    let best = stages.best(reader);
    if stages.stands_out(&best) {
        let own = best.row.and_then(|row| planner.tier_of(row));
        stages.by_meaning(&own.into_iter().collect::<Vec<_>>());
        stages.say(format!(
            "{} had to be searched by words, but not by meaning: what was found holds the question's words as no other \
             memory is expected to",
            stages.names(&promising)
        ));
        return Some(stages.finish());
    }
    let left = stages.left();
    stages.by_words(&left);
    let unmeant: Vec<usize> = (0..stages.meant.len())
        .filter(|tier| stages.possible[*tier] && !stages.meant[*tier])
        .collect();
    stages.by_meaning(&unmeant);
    stages
        .say("no memory stood out, so every tier that can hold an answer was searched".to_owned());
    Some(stages.finish())
}

/// What a search of everything touches.
pub(crate) fn count_all(planner: &Planner<'_>, question: &Question, asking: &Asking<'_>) -> Plan {
    let Some(mut stages) = Stages::new(planner, question, asking) else {
        return Plan {
            tiers: planner.tiers.to_vec(),
            ..Plan::default()
        };
    };
    let all: Vec<usize> = (0..planner.tiers.len()).collect();
    stages.count_words(&all);
    stages.count_meaning(&all);
    let work = stages.followed.plan.work;
    Plan {
        planned: false,
        widened: planner.widened,
        tiers: planner.tiers.to_vec(),
        expected: work,
        work: Work {
            tiers: planner.tiers.len() as u32,
            ..work
        },
        reasons: vec!["everything within reach was searched".to_owned()],
        ..Plan::default()
    }
}

impl<'a> Stages<'a> {
    fn new(
        planner: &'a Planner<'a>,
        question: &'a Question,
        asking: &'a Asking<'a>,
    ) -> Option<Self> {
        let statistics = planner.lexical.statistics(&question.terms).ok()?;
        let idf = statistics.idf();
        let place = |text: &str| {
            question
                .terms
                .terms
                .iter()
                .position(|term| term.text == text)
        };
        let terms = question.content.terms.iter().map(|term| {
            let place = place(&term.text)?;
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

    fn say(&mut self, reason: String) {
        self.followed.plan.reasons.push(reason);
    }

    fn names(&self, tiers: &[usize]) -> String {
        let names: Vec<String> = tiers
            .iter()
            .map(|tier| self.planner.tiers[*tier].to_string())
            .collect();
        names.join(", ")
    }

    fn rule_out_by_time(&mut self) {
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
    fn first(&self) -> Vec<usize> {
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
    fn take(&mut self, colder: &Arc<Colder>) {
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
        let is_colder = |found: &&views::Found| {
            let tier = self.planner.tier_of(found.row);
            tier.is_some_and(|tier| self.planner.tiers[tier] != Tier::Active)
        };
        let colder = |found: &[views::Found]| found.iter().filter(is_colder).copied().collect();
        all.then(|| {
            Arc::new(Colder {
                words: colder(&self.searched.lexical),
                meaning: colder(&self.searched.vectors),
            })
        })
    }

    /// Possible tiers that were not searched yet.
    fn left(&self) -> Vec<usize> {
        (0..self.possible.len())
            .filter(|tier| self.possible[*tier] && !self.worded[*tier])
            .collect()
    }

    /// Reckons what is likely to be touched.
    fn expect(&mut self, first: &[usize], meant: &[usize]) {
        let before = self.followed.plan.work;
        self.count_words(first);
        self.count_meaning(meant);
        let sure = self.followed.plan.work;
        let possible = (0..self.possible.len()).filter(|tier| self.possible[*tier]);
        let (others, unmeant): (Vec<usize>, Vec<usize>) = (
            possible
                .clone()
                .filter(|tier| !first.contains(tier))
                .collect(),
            possible.filter(|tier| !meant.contains(tier)).collect(),
        );
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

    fn count_words(&mut self, tiers: &[usize]) {
        for tier in tiers {
            let postings = self.statistics.postings(*tier);
            self.followed.plan.work.rows += postings;
            self.followed.plan.work.bytes += postings * POSTING_BYTES;
        }
    }

    fn count_meaning(&mut self, tiers: &[usize]) {
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

    fn by_words(&mut self, tiers: &[usize]) {
        let mut chosen = vec![false; self.worded.len()];
        for tier in tiers.iter().filter(|tier| !self.worded[**tier]) {
            chosen[*tier] = true;
        }
        let new: Vec<usize> = (0..chosen.len()).filter(|tier| chosen[*tier]).collect();
        if new.is_empty() {
            return;
        }
        let (terms, depth) = (&self.question.terms, self.asking.depth);
        let found = self
            .planner
            .lexical
            .search_chosen(&chosen, terms, depth, self.asking.filter);
        match found {
            Ok(found) => add(&mut self.searched.lexical, found, depth),
            Err(error) => self.searched.failed.push(("lexical", error.to_string())),
        }
        self.count_words(&new);
        for tier in new {
            self.worded[tier] = true;
            self.followed.plan.tiers.push(self.planner.tiers[tier]);
        }
        self.followed.stages += 1;
    }

    fn by_meaning(&mut self, tiers: &[usize]) {
        let Some(vector) = self.asking.vector else {
            return;
        };
        let mut chosen = vec![false; self.meant.len()];
        for tier in tiers.iter().filter(|tier| !self.meant[**tier]) {
            chosen[*tier] = true;
        }
        let new: Vec<usize> = (0..chosen.len()).filter(|tier| chosen[*tier]).collect();
        if new.is_empty() {
            return;
        }
        let depth = self.asking.depth;
        let found = self
            .planner
            .vectors
            .candidates_of(&chosen, vector, depth, self.asking.filter);
        match found {
            Ok(found) => add(&mut self.searched.vectors, found, depth),
            Err(error) => self.searched.failed.push(("vectors", error.to_string())),
        }
        self.count_meaning(&new);
        for tier in new {
            self.meant[tier] = true;
        }
    }

    /// What the question's words say of the first rows that were found.
    fn best(&self, reader: &mut Reader<'_>) -> Best {
        let searched = &self.searched;
        let first = searched.lexical.iter().take(JUDGED[0]);
        let rows: BTreeSet<Row> = first
            .chain(searched.vectors.iter().take(JUDGED[1]))
            .map(|found| found.row)
            .collect();
        let weighed: Vec<(f32, Row)> = rows
            .into_iter()
            .map(|row| {
                let place = reader.place(row);
                let held = reader.at(place).frequencies.iter().zip(&self.terms);
                let held = held.filter(|(frequency, _)| **frequency > 0.0);
                (held.map(|(_, (_, idf))| idf).sum(), row)
            })
            .collect();
        let best = weighed.iter().copied().max_by(|one, other| {
            let by_weight = one.0.total_cmp(&other.0);
            by_weight.then(other.1.cmp(&one.1))
        });
        let Some((weight, row)) = best else {
            return Best::default();
        };
        let all: f32 = self.terms.iter().map(|(_, idf)| idf).sum();
        let own = self.thread(row);
        let is_rival = |(other, row): &&(f32, Row)| {
            *other >= RIVAL * weight && (own == 0 || self.thread(*row) != own)
        };
        // Where there are no threads the best one itself is among them.
        let rivals = weighed.iter().filter(is_rival).count() - usize::from(own == 0);
        Best {
            row: Some(row),
            weight,
            share: if all > 0.0 { weight / all } else { 0.0 },
            rivals,
        }
    }

    fn thread(&self, row: Row) -> u32 {
        let mut columns = self.planner.columns.iter();
        let attributes = columns.find_map(|tier| tier.attributes(row));
        attributes.map_or(0, |attributes| attributes.thread)
    }

    /// How many memories of a tier can be expected to hold as much of the question's weight.
    fn expected(&self, tier: usize, weight: f32) -> f64 {
        let rows = self.planner.columns[tier].rows() as f64;
        let chance = |&(term, idf): &(usize, f32)| Chance {
            weight: idf,
            share: (self.statistics.frequency(tier, term) / rows.max(1.0)).min(1.0),
        };
        let mut chances: Vec<Chance> = self.terms.iter().map(chance).collect();
        let leaning = self
            .asking
            .advice
            .leanings
            .get(tier)
            .copied()
            .unwrap_or(1.0);
        rows * at_least(weight, &mut chances) * TOGETHER * f64::from(leaning)
    }

    fn is_full(&self) -> bool {
        let searched = &self.searched;
        let limit = self.asking.recall.limit;
        searched.lexical.len() >= limit || searched.vectors.len() >= limit
    }

    /// Whether the best found holds enough of the question, and nothing else that was found is its like.
    fn is_alone(&self, best: &Best) -> bool {
        best.share >= SHARE && best.rivals == 0 && self.is_full()
    }

    /// The tiers that must be searched by words too: none where the best found is strong and has no like anywhere else.
    fn promising(&self, best: &Best) -> Vec<usize> {
        let mut left = self.left();
        if !self.is_alone(best) {
            return left;
        }
        let weight = RIVAL * best.weight;
        left.sort_by_cached_key(|tier| (self.expected(*tier, weight) * 1e9) as u64);
        let mut sum = 0.0;
        let unlikely = left.iter().take_while(|tier| {
            sum += self.expected(**tier, weight);
            sum <= EXPECTED_RIVALS
        });
        let unlikely = unlikely.count();
        let mut promising = left.split_off(unlikely);
        promising.sort_unstable();
        promising
    }

    /// Whether the best found holds so much of the question that it is not by chance.
    fn stands_out(&self, best: &Best) -> bool {
        let by_chance = || -> f64 {
            (0..self.possible.len())
                .filter(|tier| self.possible[*tier])
                .map(|tier| self.expected(tier, best.weight))
                .sum()
        };
        best.share >= SHARE && self.is_full() && by_chance() <= EXPECTED_RIVALS
    }

    fn finish(self) -> Outcome {
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

/// Merges what another stage found; the best `depth` rows, each once.
fn add(all: &mut Vec<views::Found>, found: Vec<views::Found>, depth: usize) {
    if all.is_empty() {
        *all = found;
        return;
    }
    all.extend(found);
    all.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(one.row.cmp(&other.row))
    });
    let mut seen = rustc_hash::FxHashSet::default();
    all.retain(|found| seen.insert(found.row));
    all.truncate(depth);
}
