//! Folding together what says the same, and what follows from what was said again and again.

use anamne_knowledge::consolidation::{
    Insight, MOST_MEMORIES, Proposal, ProposalKind, Regard, access_strength, decay, importance,
    insights, plan,
};
use anamne_knowledge::signals::Signals;
use anamne_store::{Derived, LogQuery, Order, Standing};
use anamne_types::{
    Actor, ActorKind, Assertion, Filter, Judgement, Kind, Link, LinkType, Memory, MemoryId, Skipped,
};
use serde::Serialize;

use crate::Error;
use crate::core::Inner;
use crate::space::Space;

/// In whose name memories are folded.
const NAME: &str = "consolidation";

/// Memories that are read at a time.
const READ_AT_ONCE: usize = 512;

/// The latest memories in which insights are looked for.
const LATEST: usize = 4_000;

/// After so many seconds a link or a use counts for 37 %: ninety days.
const FADING: f64 = 90.0 * 86_400.0;

/// What the extractor knows of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Regarded {
    /// How new it was when it was written: 1 less its likeness to what was said just before it.
    pub novelty: f32,
    /// How well a thought fits its chain, and how far nothing contradicts it.
    pub consistency: f32,
    /// How useful it turned out; 0.5 where nobody said so.
    pub utility: f32,
    /// How much it matters by now, 1 to 10: what was told of it, its links and its age.
    pub importance: f64,
}

impl Inner {
    /// Folds what the plan proposes, unless somebody has taken that back before; returns what was folded, and the memories
    /// that were skipped.
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
                    // It was forgotten, or the winner was, since the plan was made.
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

    /// What may be folded, and was not unfolded by anybody.
    fn foldable(&self) -> Result<(Vec<Proposal>, Skipped), Error> {
        let kinds = vec![Kind::Fact, Kind::Skill, Kind::Thought];
        let mut passed = Skipped::default();
        let mut memories = self.latest(kinds, MOST_MEMORIES, &mut passed)?;
        // What people said of the graph itself holds word for word.
        memories.retain(|memory| !memory.metadata.contains_key(Assertion::KEY));
        let mut foldable = Vec::new();
        for mut proposal in plan(&memories).proposals {
            if proposal.kind == ProposalKind::Kept {
                continue;
            }
            let mut losers = Vec::new();
            for loser in proposal.losers {
                if !self.was_folded(loser)? {
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

    /// Whether a memory was folded once. One that is not superseded any more was unfolded by a person, who is right.
    fn was_folded(&self, memory: MemoryId) -> Result<bool, Error> {
        let query = LogQuery {
            actor_names: vec![NAME.to_owned()],
            memory: Some(memory),
            limit: 1,
            ..LogQuery::default()
        };
        Ok(!self.source.log(&query)?.is_empty())
    }

    /// The live memories of these kinds that happened last, at most so many, but for those that are damaged in both copies.
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
            .select(&filter, Standing::Live, Order::NewestFirst)?;
        ids.truncate(limit);
        let mut memories = Vec::with_capacity(ids.len());
        for some in ids.chunks(READ_AT_ONCE) {
            let found = self.source.get_sound(some, passed)?.into_iter();
            memories.extend(found.filter(|memory| memory.deleted_at.is_none()));
        }
        Ok(memories)
    }
}

impl Space {
    /// What says the same in other words, and would be folded together: facts, skills and thoughts, never what happened.
    /// Beside it, the memories that are damaged in both copies, which are skipped.
    pub fn foldable(&self) -> Result<(Vec<Proposal>, Skipped), Error> {
        self.inner.foldable()
    }

    /// Folds it: the winner supersedes the losers, which stay in the store and come behind it in every answer. Taking the
    /// link away undoes it for good. The background does this at night. Returns what was folded, and
    /// the memories that were skipped, for they are damaged or were changed meanwhile.
    pub fn consolidate(&self) -> Result<(Vec<Proposal>, Skipped), Error> {
        self.require_write()?;
        let folded = self.inner.consolidate(&mut || true)?;
        self.after_write();
        Ok(folded)
    }

    /// What at least three of the latest memories say, on at least two days, with the memories that say it.
    /// Beside it, the memories that are damaged in both copies, which are skipped.
    pub fn insights(&self) -> Result<(Vec<Insight>, Skipped), Error> {
        let kinds = vec![Kind::Message, Kind::Thought, Kind::Fact, Kind::Episode];
        let mut passed = Skipped::default();
        let latest = self.inner.latest(kinds, LATEST, &mut passed)?;
        Ok((insights(&latest), passed))
    }

    /// What the extractor knows of a memory; `None` where it has not read it yet, or never reads its kind.
    pub fn regarded(&self, id: MemoryId) -> Result<Option<Regarded>, Error> {
        let memory = self.inner.source.get(id)?;
        let Some(signals) = self.signals(&memory)? else {
            return Ok(None);
        };
        let conflicts = match self.inner.derived.knowledge.if_extracted() {
            Some(graph) => graph
                .disputes(&[memory.row])?
                .pop()
                .map_or(0, |found| found.len()),
            None => 0,
        };
        let now = self.now();
        let age = |since: jiff::Timestamp| now.duration_since(since).as_secs_f64();
        let links = self.links(id)?;
        let regard = Regard {
            told: memory.importance,
            access: access_strength([age(memory.updated_at)], FADING),
            links: links
                .iter()
                .map(|link| decay(f64::from(link.weight), age(link.created_at), FADING))
                .sum(),
            age: age(memory.occurred_at),
            recency: f64::from(self.config().recall.recency_days) * 86_400.0,
        };
        Ok(Some(Regarded {
            novelty: signals.novelty,
            consistency: signals.consistency(u32::try_from(conflicts).unwrap_or(u32::MAX)),
            utility: utility(&memory),
            importance: importance(&regard),
        }))
    }

    fn signals(&self, memory: &Memory) -> Result<Option<Signals>, Error> {
        if !self.inner.derived.summaries.exists() {
            return Ok(None);
        }
        Ok(self.inner.derived.summaries.open()?.signals(memory.row)?)
    }
}

/// How useful a memory turned out by what was said of it: 0 to 1, ½ where nothing was.
fn utility(memory: &Memory) -> f32 {
    0.5 + 0.5 * Judgement::of(&memory.metadata).standing()
}
