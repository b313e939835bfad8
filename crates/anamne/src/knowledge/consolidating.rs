//! Consolidation: merges memories that say the same, and finds insights in repeated statements.

use anamne_knowledge::consolidation::{
    Insight, MOST_MEMORIES, Proposal, ProposalKind, insights, plan,
};
use anamne_store::{LogQuery, Order, Visibility};
use anamne_types::{
    Actor, ActorKind, Assertion, Filter, Kind, Link, LinkType, Memory, MemoryId, Skipped,
};

use crate::Error;
use crate::core::Inner;
use crate::space::Space;

/// The actor name of consolidation in the log.
pub(crate) const NAME: &str = "consolidation";

/// Memories read per batch.
const READ_AT_ONCE: usize = 512;

/// Number of latest memories that insights are searched in.
const LATEST: usize = 4_000;

impl Inner {
    /// Applies the planned merges, except those that someone has undone; returns the applied ones, and the skipped
    /// memories.
    pub(crate) fn consolidate(
        &self,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(Vec<Proposal>, Skipped), Error> {
        let actor = Actor {
            kind: ActorKind::System,
            name: NAME.to_owned(),
        };
        let mut folded = Vec::new();
        let (proposals, mut passed) = self.foldable()?;
        for mut proposal in proposals {
            if !go_on() {
                break;
            }
            let mut losers = Vec::with_capacity(proposal.losers.len());
            for loser in proposal.losers {
                let link = Link {
                    from: proposal.winner,
                    to: loser,
                    link_type: LinkType::Supersedes,
                    weight: proposal.confidence,
                    reason: proposal.reason.clone(),
                    created_at: self.source.now(),
                };
                match self.source.link(&actor, &link) {
                    Ok(_) => losers.push(loser),
                    // It or the winner was forgotten since the plan was made.
                    Err(error) if error.is_of_one_memory() => {
                        passed.add(loser, &error, error.next_step());
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            proposal.losers = losers;
            if !proposal.losers.is_empty() {
                folded.push(proposal);
            }
        }
        Ok((folded, passed))
    }

    /// The possible merges, except those that someone has undone.
    fn foldable(&self) -> Result<(Vec<Proposal>, Skipped), Error> {
        let kinds = vec![Kind::Fact, Kind::Skill, Kind::Thought];
        let mut passed = Skipped::default();
        let mut memories = self.latest(kinds, MOST_MEMORIES, &mut passed)?;
        // Assertions about the graph are kept word for word.
        memories.retain(|memory| !memory.metadata.contains_key(Assertion::KEY));
        let mut foldable = Vec::new();
        for mut proposal in plan(&memories).proposals {
            if proposal.kind == ProposalKind::Kept {
                continue;
            }
            let mut losers = Vec::new();
            for loser in proposal.losers {
                if !self.was_merged(loser)? {
                    losers.push(loser);
                }
            }
            proposal.losers = losers;
            if !proposal.losers.is_empty() {
                foldable.push(proposal);
            }
        }
        Ok((foldable, passed))
    }

    /// Whether a memory was merged before. If it is no longer superseded, a person has undone that, which is final.
    pub(crate) fn was_merged(&self, memory: MemoryId) -> Result<bool, Error> {
        let query = LogQuery {
            actor_names: vec![NAME.to_owned()],
            memory: Some(memory),
            limit: 1,
            ..LogQuery::default()
        };
        Ok(!self.source.log(&query)?.is_empty())
    }

    /// The latest live memories of these kinds that have not expired, at most `limit`; those damaged in both copies are added to `passed`.
    fn latest(
        &self,
        kinds: Vec<Kind>,
        limit: usize,
        passed: &mut Skipped,
    ) -> Result<Vec<Memory>, Error> {
        let filter = Filter {
            kinds,
            ..Filter::default()
        };
        let mut ids = self
            .source
            .select(&filter, Visibility::Live, Order::NewestFirst)?;
        ids.truncate(limit);
        let now = self.source.now();
        let stands = |memory: &Memory| memory.deleted_at.is_none() && !memory.has_expired(now);
        let mut memories = Vec::with_capacity(ids.len());
        for some in ids.chunks(READ_AT_ONCE) {
            let found = self.source.get_undamaged(some, passed)?.into_iter();
            memories.extend(found.filter(stands));
        }
        Ok(memories)
    }
}

impl Space {
    /// The possible merges of memories that say the same in other words: facts, skills and thoughts, never messages or
    /// episodes. Also returns the skipped memories, which are damaged in both copies.
    pub fn foldable(&self) -> Result<(Vec<Proposal>, Skipped), Error> {
        self.inner.foldable()
    }

    /// Applies the possible merges: the winner supersedes the losers, which stay in the store and rank behind it.
    /// Removing the link undoes a merge for good. The background does this nightly. Returns the applied merges, and the
    /// memories skipped because they are damaged or were changed meanwhile.
    pub fn consolidate(&self) -> Result<(Vec<Proposal>, Skipped), Error> {
        self.require_write()?;
        let folded = self.inner.consolidate(&mut || true)?;
        self.after_write();
        Ok(folded)
    }

    /// What at least three of the latest memories say, on at least two days, with these memories. Also returns the
    /// skipped memories, which are damaged in both copies.
    pub fn insights(&self) -> Result<(Vec<Insight>, Skipped), Error> {
        let kinds = vec![Kind::Message, Kind::Thought, Kind::Fact, Kind::Episode];
        let mut passed = Skipped::default();
        let latest = self.inner.latest(kinds, LATEST, &mut passed)?;
        Ok((insights(&latest), passed))
    }
}
