//! What earlier questions taught, in memory.

use std::collections::HashMap;

use anamne_recall::Advice;
use anamne_types::Tier;

use super::note::Note;

/// What a question or a term is known by: a keyed hash.
pub(super) type QueryHash = [u8; 16];
pub(super) type TermHash = i64;

/// Queries whose routes are kept, and terms.
pub(super) const MOST_ROUTES: usize = 4_096;
pub(super) const MOST_TERMS: usize = 16_384;

/// A route is followed for so long, in microseconds: words like "yesterday" mean another day then.
const ROUTE_AGE: i64 = 24 * 3_600 * 1_000_000;

/// Questions that speak for the sizes of tiers before any was asked.
const PRIOR: f32 = 50.0;

/// How much more or less often than its size lets expect a tier is taken to answer at most.
const LEANING: [f32; 2] = [0.5, 3.0];

/// An answer surer than this says where its words are answered.
const SURE: f32 = 0.5;

/// Tiers that terms lead to at most.
const ROUTED: usize = 2;

/// Of a running mean so much is the newest value.
pub(super) const NEWEST: f64 = 1.0 / 64.0;

/// The key of the hashes of one file.
#[derive(Clone, Copy)]
pub(super) struct Key(pub(super) [u8; 32]);

impl Key {
    pub(super) fn query(&self, query: &str, bounds: &str) -> QueryHash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(query.as_bytes());
        hasher.update(&[0]);
        hasher.update(bounds.as_bytes());
        let mut hash = QueryHash::default();
        hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        hash
    }

    pub(super) fn term(&self, term: &str) -> TermHash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(term.as_bytes());
        let mut hash = [0; 8];
        hash.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        i64::from_le_bytes(hash)
    }
}

/// From which tiers a question was answered.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) tiers: Vec<Tier>,
    pub(super) stand: i64,
    pub(super) at: i64,
}

/// Everything that is learned, under one key.
pub(super) struct Learned {
    pub(super) key: Key,
    pub(super) routes: HashMap<QueryHash, Route>,
    pub(super) terms: HashMap<TermHash, Vec<(Tier, u32)>>,
    /// How often each tier held the best result.
    pub(super) best: HashMap<Tier, f32>,
    /// How often the first stage was not enough, by shape: questions, share.
    pub(super) going_on: HashMap<String, (u32, f32)>,
}

impl Learned {
    pub(super) fn new(key: Key) -> Self {
        Self {
            key,
            routes: HashMap::new(),
            terms: HashMap::new(),
            best: HashMap::new(),
            going_on: HashMap::new(),
        }
    }

    /// What it says of a question.
    pub(super) fn advise(&self, asked: &Note) -> Advice {
        let query = self.key.query(&asked.query, &asked.bounds);
        let settled = self.routes.get(&query).filter(|route| {
            route.stand == stand(&asked.tiers)
                && (0..ROUTE_AGE).contains(&asked.at.saturating_sub(route.at))
        });
        let going_on = self.going_on.get(&asked.shape);
        Advice {
            settled: settled.map(|route| route.tiers.clone()),
            routed: self.routed(asked),
            leanings: self.leanings(&asked.tiers),
            going_on: going_on.filter(|(times, _)| *times >= 16).map(|(_, share)| *share),
        }
    }

    /// The colder tiers to which at least half of the question's terms, and two of them, lead.
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
        let enough = (asked.terms.len() as f32 / 2.0).max(2.0);
        let mut routed: Vec<(Tier, f32)> =
            votes.into_iter().filter(|(_, votes)| *votes >= enough).collect();
        routed.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        routed.truncate(ROUTED);
        routed.into_iter().map(|(tier, _)| tier).collect()
    }

    fn leanings(&self, tiers: &[(Tier, usize)]) -> Vec<f32> {
        let rows: usize = tiers.iter().map(|(_, rows)| rows).sum();
        let asked: f32 = self.best.values().sum();
        let leaning = |(tier, own): &(Tier, usize)| {
            let share = *own as f32 / rows.max(1) as f32;
            let held = self.best.get(tier).copied().unwrap_or(0.0);
            let leaning = (held + PRIOR * share) / ((asked + PRIOR) * share).max(f32::MIN_POSITIVE);
            leaning.clamp(LEANING[0], LEANING[1])
        };
        tiers.iter().map(leaning).collect()
    }

    /// Learns from a question.
    pub(super) fn learn(&mut self, note: &Note) {
        if !note.teaches() {
            return;
        }
        if let Some(tiers) = note.answered_from() {
            if self.routes.len() >= MOST_ROUTES {
                self.routes.clear();
            }
            let query = self.key.query(&note.query, &note.bounds);
            let route = Route {
                tiers,
                stand: stand(&note.tiers),
                at: note.at,
            };
            self.routes.insert(query, route);
        }
        if let Some(tier) = leads_to(note) {
            if self.terms.len() >= MOST_TERMS {
                self.terms.clear();
            }
            for term in &note.terms {
                let tiers = self.terms.entry(self.key.term(term)).or_default();
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

/// Whether the first stage was not enough.
pub(super) fn went_on(note: &Note) -> f32 {
    f32::from(u8::from(note.trace.stages > 1))
}

/// The colder tier where a question's words were answered, if that is sure.
pub(super) fn leads_to(note: &Note) -> Option<Tier> {
    let best = note.trace.found.first()?;
    (note.trace.confidence > SURE && best.tier != Tier::Active).then_some(best.tier)
}

/// A digest of how many memories the colder tiers have: another one when one of them changed.
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
