//! All conflicts of a space, in memory: the reference for a stored view.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use rustc_hash::{FxHashMap, FxHashSet};

use super::claim::Claim;
use super::judge::{Conflict, judge};
use super::keys::keys;

/// Number of claims that a look-up reads under one key: those of the nearest lower rows. So a claim is judged against at
/// most [`Keys::MOST`](super::Keys::MOST) times as many, whatever the size of the space.
pub const WINDOW: usize = 128;

/// The id of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimId {
    /// The memory's row.
    pub row: u32,
    /// The position of the claim among the memory's claims.
    pub place: u16,
}

/// Two conflicting claims of two memories.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The earlier claim.
    pub earlier: ClaimId,
    /// The later claim.
    pub later: ClaimId,
    /// Their conflict.
    pub conflict: Conflict,
}

/// The claims of all memories of a space, and their conflicts.
#[derive(Debug, Default)]
pub struct Conflicts {
    claims: BTreeMap<ClaimId, Claim>,
    listed: FxHashMap<u64, Vec<ClaimId>>,
}

impl Conflicts {
    /// An empty set of claims.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the claims of a memory that has none here yet. Rows may come in any order.
    pub fn insert(&mut self, row: u32, claims: Vec<Claim>) {
        for (place, claim) in claims.into_iter().enumerate() {
            let id = ClaimId {
                row,
                place: place as u16,
            };
            for key in keys(&claim).listed {
                let list = self.listed.entry(key).or_default();
                let at = list.partition_point(|known| *known < id);
                list.insert(at, id);
            }
            self.claims.insert(id, claim);
        }
    }

    /// Removes all claims of a memory.
    pub fn remove(&mut self, row: u32) {
        let gone: Vec<ClaimId> = self.claims.range(ids_of(row)).map(|(&id, _)| id).collect();
        for id in gone {
            let Some(claim) = self.claims.remove(&id) else {
                continue;
            };
            for key in keys(&claim).listed {
                if let Some(list) = self.listed.get_mut(&key) {
                    list.retain(|known| *known != id);
                }
            }
        }
    }

    /// The claims of a memory, in text order.
    pub fn claims_of(&self, row: u32) -> impl Iterator<Item = &Claim> {
        self.claims.range(ids_of(row)).map(|(_, claim)| claim)
    }

    /// The claim with this id.
    pub fn claim(&self, id: ClaimId) -> Option<&Claim> {
        self.claims.get(&id)
    }

    /// All conflicts, by the later claim and then the earlier; between any two sentences only the most confident one.
    pub fn links(&self) -> Vec<Link> {
        let mut links: BTreeMap<(u32, u32, usize, usize), Link> = BTreeMap::new();
        for (&id, claim) in &self.claims {
            for other in self.candidates(id, claim) {
                let Some(link) = self.link(id, other) else {
                    continue;
                };
                let (earlier, later) = (&self.claims[&link.earlier], &self.claims[&link.later]);
                let place = (
                    link.later.row,
                    link.earlier.row,
                    later.span.start,
                    earlier.span.start,
                );
                match links.get(&place) {
                    Some(known) if !is_surer(&link, known) => {}
                    _ => drop(links.insert(place, link)),
                }
            }
        }
        links.into_values().collect()
    }

    /// Claims of lower rows that may conflict with this one.
    fn candidates(&self, id: ClaimId, claim: &Claim) -> FxHashSet<ClaimId> {
        let mut found = FxHashSet::default();
        for key in keys(claim).sought {
            let list = self.listed.get(&key).map_or(&[][..], Vec::as_slice);
            let end = list.partition_point(|known| known.row < id.row);
            found.extend(&list[end.saturating_sub(WINDOW)..end]);
        }
        found
    }

    fn link(&self, one: ClaimId, other: ClaimId) -> Option<Link> {
        let order = |id: ClaimId| (self.claims[&id].at, id);
        let (earlier, later) = if order(one) < order(other) {
            (one, other)
        } else {
            (other, one)
        };
        let conflict = judge(&self.claims[&earlier], &self.claims[&later])?;
        Some(Link {
            earlier,
            later,
            conflict,
        })
    }
}

/// The range of all ids of a memory's claims.
fn ids_of(row: u32) -> RangeInclusive<ClaimId> {
    let at = |place| ClaimId { row, place };
    at(0)..=at(u16::MAX)
}

fn is_surer(link: &Link, known: &Link) -> bool {
    let order = |link: &Link| {
        (
            link.conflict.confidence,
            std::cmp::Reverse((link.earlier, link.later)),
        )
    };
    order(link) > order(known)
}
