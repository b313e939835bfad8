//! Statistics learned from past queries, in memory.

use std::collections::HashMap;
use std::sync::Arc;

use anamne_recall::{Advice, ColderHits};
use anamne_types::Tier;

use super::note::Note;

/// The key of a query or term: a keyed hash.
pub(super) type QueryHash = [u8; 16];
pub(super) type TermHash = i64;

/// Maximum number of terms with learned tiers.
pub(super) const MOST_TERMS: usize = 16_384;

/// Maximum number of queries with cached hits.
const MOST_ANSWERED: usize = 512;

/// Maximum age of cached hits, in microseconds: words like "yesterday" change their meaning.
const ANSWERED_AGE: i64 = 24 * 3_600 * 1_000_000;

/// Weight of the prior, in queries: by default, tiers are expected to answer in proportion to their size.
const PRIOR: f32 = 50.0;

/// Minimum and maximum of a tier's bias: its share of the answers relative to its share of the memories.
const BIAS_RANGE: [f32; 2] = [0.5, 3.0];

/// Terms of a query are learned from results above this confidence.
const MIN_LEARNED_CONFIDENCE: f32 = 0.5;

/// Maximum number of tiers that terms lead to.
const ROUTED: usize = 2;

/// The weight of the newest value in a running mean.
pub(super) const NEWEST: f64 = 1.0 / 64.0;

/// The key of the hashes of one file.
#[derive(Clone, Copy)]
pub(crate) struct Key(pub(super) [u8; 32]);

impl Key {
    /// For hashes that never leave this process, any key will do.
    pub(crate) const OF_MEMORY: Self = Self([0; 32]);

    /// The hash of a whole query, as if it were a term.
    pub(super) fn whole(&self, query: &str) -> TermHash {
        // No term begins with a space.
        self.term(&format!(" {query}"))
    }

    pub(super) fn query(&self, query: &str, bounds: &str) -> QueryHash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(query.as_bytes());
        hasher.update(&[0]);
        hasher.update(bounds.as_bytes());
        let mut hash = QueryHash::default();
        hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        hash
    }

    pub(crate) fn term(&self, term: &str) -> TermHash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(term.as_bytes());
        let mut hash = [0; 8];
        hash.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        i64::from_le_bytes(hash)
    }
}

/// The hits of a query in colder tiers, with a digest of these tiers at that time.
struct ColderAnswer {
    colder: Arc<ColderHits>,
    stand: i64,
    at: i64,
}

/// Cached hits of queries in this process; never recorded.
#[derive(Default)]
pub(super) struct Answers(HashMap<QueryHash, ColderAnswer>);

impl Answers {
    pub(super) fn of(&self, asked: &Note) -> Option<Arc<ColderHits>> {
        let known = self
            .0
            .get(&Key::OF_MEMORY.query(&asked.query, &asked.bounds))?;
        let age = asked.at.saturating_sub(known.at);
        let holds = known.stand == stand(&asked.tiers) && (0..ANSWERED_AGE).contains(&age);
        holds.then(|| known.colder.clone())
    }

    pub(super) fn keep(&mut self, note: &Note) {
        let Some(colder) = &note.trace.colder else {
            return;
        };
        if self.0.len() >= MOST_ANSWERED {
            self.0.clear();
        }
        let answered = ColderAnswer {
            colder: colder.clone(),
            stand: stand(&note.tiers),
            at: note.at,
        };
        let query = Key::OF_MEMORY.query(&note.query, &note.bounds);
        // The age counts from the search, so reused hits keep theirs.
        let known = self.0.get(&query);
        if known.is_none_or(|known| !Arc::ptr_eq(&known.colder, colder)) {
            self.0.insert(query, answered);
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// All learned statistics, under one key.
pub(super) struct Learned {
    pub(super) key: Key,
    pub(super) terms: HashMap<TermHash, Vec<(Tier, u32)>>,
    /// How often each tier held the best result.
    pub(super) best: HashMap<Tier, f32>,
    /// How often the first stage was not enough, by query shape: number of queries, share.
    pub(super) going_on: HashMap<String, (u32, f32)>,
}

impl Learned {
    pub(super) fn new(key: Key) -> Self {
        Self {
            key,
            terms: HashMap::new(),
            best: HashMap::new(),
            going_on: HashMap::new(),
        }
    }

    /// The advice for a query.
    pub(super) fn advise(&self, asked: &Note) -> Advice {
        let going_on = self.going_on.get(&asked.shape);
        Advice {
            colder: None,
            routed: self.routed(asked),
            tier_bias: self.tier_bias(&asked.tiers),
            going_on: going_on
                .filter(|(times, _)| *times >= 16)
                .map(|(_, share)| *share),
        }
    }

    /// The colder tiers to which the whole query leads, or at least half of its terms and at least two.
    fn routed(&self, asked: &Note) -> Vec<Tier> {
        let mut votes: HashMap<Tier, f32> = HashMap::new();
        for term in &asked.terms {
            let Some(tiers) = self.terms.get(&self.key.term(term)) else {
                continue;
            };
            let all: u32 = tiers.iter().map(|(_, times)| times).sum();
            for (tier, times) in tiers {
                *votes.entry(*tier).or_default() += *times as f32 / all as f32;
            }
        }
        let whole = self.terms.get(&self.key.whole(&asked.query));
        for (tier, _) in whole.into_iter().flatten() {
            *votes.entry(*tier).or_default() += asked.terms.len() as f32 + 2.0;
        }
        let enough = (asked.terms.len() as f32 / 2.0).max(2.0);
        let mut routed: Vec<(Tier, f32)> = votes
            .into_iter()
            .filter(|(_, votes)| *votes >= enough)
            .collect();
        routed.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        routed.truncate(ROUTED);
        routed.into_iter().map(|(tier, _)| tier).collect()
    }

    fn tier_bias(&self, tiers: &[(Tier, usize)]) -> Vec<f32> {
        let rows: usize = tiers.iter().map(|(_, rows)| rows).sum();
        let asked: f32 = self.best.values().sum();
        let leaning = |(tier, own): &(Tier, usize)| {
            let share = *own as f32 / rows.max(1) as f32;
            let held = self.best.get(tier).copied().unwrap_or(0.0);
            let leaning = (held + PRIOR * share) / ((asked + PRIOR) * share).max(f32::MIN_POSITIVE);
            leaning.clamp(BIAS_RANGE[0], BIAS_RANGE[1])
        };
        tiers.iter().map(leaning).collect()
    }

    /// Learns from a query.
    pub(super) fn learn(&mut self, note: &Note) {
        if !note.teaches() {
            return;
        }
        if let Some(tier) = leads_to(note) {
            if self.terms.len() >= MOST_TERMS {
                self.terms.clear();
            }
            for term in leading(self.key, note) {
                let tiers = self.terms.entry(term).or_default();
                match tiers.iter_mut().find(|(known, _)| *known == tier) {
                    Some((_, times)) => *times += 1,
                    None => tiers.push((tier, 1)),
                }
            }
        }
        if let Some(best) = note.trace.found.first() {
            *self.best.entry(best.tier).or_default() += 1.0;
        }
        if note.trace.stages > 0 {
            let (times, share) = self.going_on.entry(note.shape.clone()).or_default();
            *times += 1;
            let weight = (1.0 / *times as f32).max(NEWEST as f32);
            *share += (went_on(note) - *share) * weight;
        }
    }
}

/// The hashes of a query's terms and of the whole query.
pub(super) fn leading(key: Key, note: &Note) -> Vec<TermHash> {
    let terms = note.terms.iter().map(|term| key.term(term));
    terms.chain([key.whole(&note.query)]).collect()
}

/// 1 if the first stage was not enough, else 0.
pub(super) fn went_on(note: &Note) -> f32 {
    f32::from(u8::from(note.trace.stages > 1))
}

/// The colder tier where a query was answered with enough confidence to learn from.
pub(super) fn leads_to(note: &Note) -> Option<Tier> {
    let best = note.trace.found.first()?;
    (note.trace.confidence > MIN_LEARNED_CONFIDENCE && best.tier != Tier::Active)
        .then_some(best.tier)
}

/// A digest of the number of memories per colder tier; it changes when one of them changes.
pub(super) fn stand(tiers: &[(Tier, usize)]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    for (tier, rows) in tiers.iter().filter(|(tier, _)| *tier != Tier::Active) {
        hasher.update(&tier.number().to_le_bytes());
        hasher.update(&(*rows as u64).to_le_bytes());
    }
    let mut digest = [0; 8];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(digest)
}
