//! Consolidation: merges memories that say the same, and finds insights in repeated statements.

use anamne_knowledge::consolidation::{
    ImportanceInputs, Insight, MOST_MEMORIES, Proposal, ProposalKind, access_strength, decay,
    importance, insights, plan,
};
use anamne_store::{LogQuery, Order, Visibility};
use anamne_types::{
    Actor, ActorKind, Assertion, Filter, Judgement, Kind, Link, LinkType, Memory, MemoryId, Skipped,
};
use serde::Serialize;

use crate::Error;
use crate::core::Inner;
use crate::space::Space;

/// The actor name of consolidation in the log.
pub(crate) const NAME: &str = "consolidation";

/// Memories read per batch.
const READ_AT_ONCE: usize = 512;

/// Number of latest memories that insights are searched in.
const LATEST: usize = 4_000;

/// The time constant of links and uses, in seconds: after ninety days they count for 37 %.
const DECAY_SECONDS: f64 = 90.0 * 86_400.0;

/// Quality signals of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QualitySignals {
    /// Usefulness by feedback, 0 to 1; 0.5 without feedback.
    pub utility: f32,
    /// Current importance, 1 to 10: from the stored importance, links and age.
    pub importance: f64,
}

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
    fn was_merged(&self, memory: MemoryId) -> Result<bool, Error> {
        let query = LogQuery {
            actor_names: vec![NAME.to_owned()],
            memory: Some(memory),
            limit: 1,
            ..LogQuery::default()
        };
        Ok(!self.source.log(&query)?.is_empty())
    }

    /// The latest live memories of these kinds, at most `limit`; those damaged in both copies are added to `passed`.
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
        let mut memories = Vec::with_capacity(ids.len());
        for some in ids.chunks(READ_AT_ONCE) {
            let found = self.source.get_undamaged(some, passed)?.into_iter();
            memories.extend(found.filter(|memory| memory.deleted_at.is_none()));
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

    /// The quality signals of a memory.
    pub fn quality_signals(&self, id: MemoryId) -> Result<QualitySignals, Error> {
        let memory = self.inner.source.get(id)?;
        let now = self.now();
        let age = |since: jiff::Timestamp| now.duration_since(since).as_secs_f64();
        let links = self.links(id)?;
        let regard = ImportanceInputs {
            stated: memory.importance,
            access: access_strength([age(memory.updated_at)], DECAY_SECONDS),
            links: links
                .iter()
                .map(|link| decay(f64::from(link.weight), age(link.created_at), DECAY_SECONDS))
                .sum(),
            age: age(memory.occurred_at),
            recency: f64::from(self.config().recall.recency_days) * 86_400.0,
        };
        Ok(QualitySignals {
            utility: utility(&memory),
            importance: importance(&regard),
        })
    }
}

/// The usefulness of a memory by its feedback: 0 to 1, ½ without feedback.
fn utility(memory: &Memory) -> f32 {
    0.5 + 0.5 * Judgement::of(&memory.metadata).quality()
}
