//! Finds memories that say the same, and proposes merges.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anamne_types::{Kind, Memory, MemoryId, Row};
use rustc_hash::{FxHashMap, FxHashSet};

use super::form::Form;
use super::verdict::{Likeness, MergeVerdict, verdict};
use crate::summaries::words::Weights;

/// Maximum number of memories per plan: those with the highest rows; the rest is left to another plan.
pub const MOST_MEMORIES: usize = 50_000;

/// Number of MinHash permutations.
const MINIMA: usize = 32;

/// Number of minima in a band; memories that share a band are compared.
const BAND: usize = 2;

/// Maximum number of preceding memories of a bucket that a memory is compared with.
const BEFORE: usize = 12;

/// The kind of a proposal.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProposalKind {
    /// The losers say the same as the winner: merge them into it.
    Merged,
    /// The winner is later and says all that the losers say and more: it supersedes them.
    Superseded,
    /// Similar but different: keep both. For the record only.
    Kept,
}

/// A proposal to the engine.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Proposal {
    /// The kind of proposal.
    pub kind: ProposalKind,
    /// The memory to keep.
    pub winner: MemoryId,
    /// The memories that it replaces; for a kept pair the other one.
    pub losers: Vec<MemoryId>,
    /// The reason, for people. It contains no text of the memories, so it may be logged.
    pub reason: String,
    /// Confidence, 0 to 1: the minimum over the losers.
    pub confidence: f32,
    /// The comparison with each loser, for the record.
    pub audit: Vec<Audit>,
}

/// The comparison of a loser with its winner.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Audit {
    /// The loser.
    pub memory: MemoryId,
    /// The cosine of both vectors.
    pub cosine: f32,
    /// The longest common subsequence of words, as a share of the longer text.
    pub overlap: f32,
}

/// Proposals, with the number of comparisons.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Plan {
    /// The proposals, by the winner's row. No memory loses twice, and no winner of one loses in another.
    pub proposals: Vec<Proposal>,
    /// Number of memories compared.
    pub memories: usize,
    /// Number of pairs compared.
    pub pairs: usize,
}

/// Finds facts, skills and thoughts that say the same, and proposes what to do.
///
/// Messages, episodes and documents record what happened, and are never merged; nor are forgotten or superseded memories.
/// Candidate pairs are found by MinHash over words: at most O(memories · 192) comparisons. The plan does not depend on the
/// order of `memories`.
pub fn plan(memories: &[Memory]) -> Plan {
    let mut considered: Vec<&Memory> = memories
        .iter()
        .filter(|memory| is_considered(memory))
        .collect();
    considered.sort_by_key(|memory| Reverse(memory.row));
    considered.dedup_by_key(|memory| memory.row);
    considered.truncate(MOST_MEMORIES);
    considered.reverse();
    let mut weights = Weights::builtin();
    let forms: Vec<Form> = considered
        .iter()
        .map(|memory| Form::of(memory, &mut weights))
        .collect();
    let pairs = likely_pairs(&forms);
    let judged = judged(&forms, &pairs);
    let ids: Vec<MemoryId> = considered.iter().map(|memory| memory.id).collect();
    Plan {
        proposals: proposals(&forms, &ids, &judged),
        memories: considered.len(),
        pairs: pairs.len(),
    }
}

fn is_considered(memory: &Memory) -> bool {
    let foldable = matches!(memory.kind(), Kind::Fact | Kind::Skill | Kind::Thought);
    foldable && memory.superseded_by.is_none() && memory.deleted_at.is_none()
}

/// A band of minima, with kind and category.
type Key<'minima> = (&'minima [u64], (u8, u8));

/// Pairs that share a band of minima, by index.
fn likely_pairs(forms: &[Form]) -> Vec<(usize, usize)> {
    let minima: Vec<[u64; MINIMA]> = forms.iter().map(Form::minima).collect();
    let mut pairs = FxHashSet::default();
    for band in (0..MINIMA).step_by(BAND) {
        let mut buckets: FxHashMap<Key<'_>, Vec<usize>> = FxHashMap::default();
        for (at, form) in forms
            .iter()
            .enumerate()
            .filter(|(_, form)| !form.words.is_empty())
        {
            let bucket = buckets
                .entry((&minima[at][band..band + BAND], form.sort))
                .or_default();
            pairs.extend(bucket.iter().rev().take(BEFORE).map(|before| (*before, at)));
            bucket.push(at);
        }
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_unstable();
    pairs
}

/// A pair in order of time, with its verdict.
struct JudgedPair {
    earlier: usize,
    later: usize,
    verdict: MergeVerdict,
    likeness: Likeness,
}

fn judged(forms: &[Form], pairs: &[(usize, usize)]) -> Vec<JudgedPair> {
    let when = |at: usize| (forms[at].at, forms[at].row);
    let of = |&(a, b): &(usize, usize)| {
        let (earlier, later) = if when(a) <= when(b) { (a, b) } else { (b, a) };
        let (verdict, likeness) = verdict(&forms[earlier], &forms[later]);
        JudgedPair {
            earlier,
            later,
            verdict,
            likeness,
        }
    };
    pairs
        .iter()
        .map(of)
        .filter(|judged| judged.verdict != MergeVerdict::Unrelated)
        .collect()
}

fn proposals(forms: &[Form], ids: &[MemoryId], judged: &[JudgedPair]) -> Vec<Proposal> {
    let mut winners = MergeForest::of(forms, judged);
    let mut folded: BTreeMap<(Row, ProposalKind), (usize, Vec<usize>)> = BTreeMap::new();
    for loser in 0..forms.len() {
        let winner = winners.of_place(loser);
        if winner == loser {
            continue;
        }
        let Some(kind) = relation(forms, loser, winner) else {
            continue;
        };
        folded
            .entry((forms[winner].row, kind))
            .or_insert_with(|| (winner, Vec::new()))
            .1
            .push(loser);
    }
    let mut proposals: Vec<(Row, Proposal)> = folded
        .into_iter()
        .map(|((row, kind), (winner, losers))| (row, folding(forms, ids, kind, winner, &losers)))
        .collect();
    let folded: FxHashSet<MemoryId> = proposals
        .iter()
        .flat_map(|(_, proposal)| proposal.losers.iter().copied())
        .collect();
    let stays = |at: usize| !folded.contains(&ids[at]);
    let apart = judged
        .iter()
        .filter(|pair| stays(pair.earlier) && stays(pair.later));
    proposals.extend(apart.filter_map(|pair| kept(forms, ids, pair)));
    proposals.sort_by_key(|(row, proposal)| (*row, proposal.kind, proposal.losers.clone()));
    proposals
        .into_iter()
        .map(|(_, proposal)| proposal)
        .collect()
}

/// The relation of a loser to its winner; `None` if they were connected only through others, and differ.
fn relation(forms: &[Form], loser: usize, winner: usize) -> Option<ProposalKind> {
    let when = |at: usize| (forms[at].at, forms[at].row);
    let (earlier, later) = if when(loser) <= when(winner) {
        (loser, winner)
    } else {
        (winner, loser)
    };
    match verdict(&forms[earlier], &forms[later]).0 {
        MergeVerdict::Same => Some(ProposalKind::Merged),
        MergeVerdict::Contained if later == winner => Some(ProposalKind::Superseded),
        _ => None,
    }
}

/// The winner of each memory, as a union-find forest.
struct MergeForest {
    parents: Vec<usize>,
}

impl MergeForest {
    fn of(forms: &[Form], judged: &[JudgedPair]) -> Self {
        let mut winners = Self {
            parents: (0..forms.len()).collect(),
        };
        for pair in judged {
            if !matches!(pair.verdict, MergeVerdict::Same | MergeVerdict::Contained) {
                continue;
            }
            let (a, b) = (winners.of_place(pair.earlier), winners.of_place(pair.later));
            let (winner, loser) = if is_better(&forms[a], &forms[b]) {
                (a, b)
            } else {
                (b, a)
            };
            winners.parents[loser] = winner;
        }
        winners
    }

    fn of_place(&mut self, place: usize) -> usize {
        let mut at = place;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }
}

/// Whether `a` wins: by more words, then by rank, then by the lower row.
fn is_better(a: &Form, b: &Form) -> bool {
    let rank = |form: &Form| (form.words.len(), form.regard, Reverse(form.row));
    rank(a) > rank(b)
}

fn folding(
    forms: &[Form],
    ids: &[MemoryId],
    kind: ProposalKind,
    winner: usize,
    losers: &[usize],
) -> Proposal {
    let audit: Vec<Audit> = losers
        .iter()
        .map(|loser| seen(forms, ids, *loser, winner))
        .collect();
    let sure = |audit: &Audit| match kind {
        ProposalKind::Merged => 0.9 + 0.1 * audit.cosine.clamp(0.0, 1.0),
        _ => 0.5 + 0.45 * audit.cosine.clamp(0.0, 1.0),
    };
    let reason = match kind {
        ProposalKind::Merged => "the same words in the same order, but for their form".to_owned(),
        _ => "it came later, and says all of it and more".to_owned(),
    };
    Proposal {
        kind,
        winner: ids[winner],
        losers: losers.iter().map(|loser| ids[*loser]).collect(),
        reason,
        confidence: audit.iter().map(sure).fold(1.0, f32::min),
        audit,
    }
}

fn seen(forms: &[Form], ids: &[MemoryId], loser: usize, winner: usize) -> Audit {
    let (_, likeness) = verdict(&forms[loser], &forms[winner]);
    Audit {
        memory: ids[loser],
        cosine: likeness.cosine,
        overlap: likeness.overlap,
    }
}

fn kept(forms: &[Form], ids: &[MemoryId], pair: &JudgedPair) -> Option<(Row, Proposal)> {
    let MergeVerdict::Differ(reason) = &pair.verdict else {
        return None;
    };
    let proposal = Proposal {
        kind: ProposalKind::Kept,
        winner: ids[pair.later],
        losers: vec![ids[pair.earlier]],
        reason: reason.clone(),
        confidence: 1.0 - 0.5 * pair.likeness.overlap,
        audit: vec![seen(forms, ids, pair.earlier, pair.later)],
    };
    Some((forms[pair.later].row, proposal))
}
