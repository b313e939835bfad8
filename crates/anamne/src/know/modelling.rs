//! What a language model does in the background, where there is one: it reads memories and judges contradictions.
//!
//! Nothing waits for it. Where it fails, is too dear, or is switched off, what the rules read stays.

use anamne_jobs::{TaskContext, TaskError};
use anamne_knowledge::graph::ContradictionQuery;
use anamne_knowledge::reading::Utterance;
use anamne_knowledge::readings::Verdict;
use anamne_llm::{Bridge, BridgeError, Call, tasks};
use anamne_store::view::{MemoryFeed, MemoryState};
use anamne_types::{Assertion, Body, ConflictKind, Kind, Memory};
use jiff::SignedDuration;
use jiff::tz::TimeZone;

use crate::Error;
use crate::core::Inner;
use crate::derived::readings::OpenReadings;

/// Texts with fewer characters say too little to be worth a question.
const WORTH_READING: usize = 40;

/// Memories that are read between two looks at whether to stop.
const READ_AT_ONCE: usize = 8;

/// Contradictions that one task judges.
const JUDGED: usize = 50;

/// Where nothing says when a model can be asked again, it is tried after so long.
const LATER: SignedDuration = SignedDuration::from_mins(10);

impl Inner {
    /// Whether a model has something to read.
    pub(crate) fn is_model_behind(&self) -> Result<bool, Error> {
        if self.site.bridge.is_none() {
            return Ok(false);
        }
        let Some(readings) = self.derived.readings.open()? else {
            return Ok(false);
        };
        Ok(readings.position()? < MemoryFeed::head(&*self.source)?)
    }

    /// Has the model read what was written since, one memory after the other, and takes each reading into the graph.
    pub(crate) fn read_by_model(&self, context: &mut TaskContext<'_>) -> Result<(), TaskError> {
        let (Some(bridge), Some(readings)) = (
            &self.site.bridge,
            self.derived.readings.open().map_err(TaskError::failed)?,
        ) else {
            return Ok(());
        };
        let graph = self.derived.knowledge.open().map_err(TaskError::failed)?;
        let head = MemoryFeed::head(&*self.source).map_err(TaskError::failed)?;
        let begun = readings.position().map_err(TaskError::failed)?;
        loop {
            let reached = readings.position().map_err(TaskError::failed)?;
            let states = self.source.states_since(reached, READ_AT_ONCE);
            let states = states.map_err(TaskError::failed)?;
            if states.is_empty() {
                return Ok(());
            }
            let read = self.read_each(bridge, &readings, &states, context);
            // Also what was read before it failed or stopped.
            graph
                .follow_readings(&*self.source)
                .map_err(TaskError::failed)?;
            read?;
            let done = states.last().map_or(begun, |last| last.seq).0 - begun.0;
            context.progress(done, head.0.saturating_sub(begun.0), "events")?;
        }
    }

    fn read_each(
        &self,
        bridge: &Bridge,
        readings: &OpenReadings,
        states: &[MemoryState],
        context: &mut TaskContext<'_>,
    ) -> Result<(), TaskError> {
        for state in states {
            if context.should_stop() {
                return Err(TaskError::Stopped);
            }
            context.renew()?;
            let reading = self.reading_of(bridge, state, context)?;
            let text = state.memory.as_ref().map(|memory| memory.content.as_str());
            let put = readings.put(
                state.row,
                state.seq,
                bridge.model(),
                reading.as_ref().zip(text),
            );
            put.map_err(TaskError::failed)?;
        }
        Ok(())
    }

    /// What the model reads in a memory; `None` where it says too little, or the model can't.
    fn reading_of(
        &self,
        bridge: &Bridge,
        state: &MemoryState,
        context: &TaskContext<'_>,
    ) -> Result<Option<anamne_knowledge::reading::Reading>, TaskError> {
        let Some(memory) = state
            .memory
            .as_ref()
            .filter(|memory| is_worth_reading(memory))
        else {
            return Ok(None);
        };
        let utterance = Utterance {
            text: &memory.content,
            author: memory.author.as_deref().unwrap_or_default(),
            role: match &memory.body {
                Body::Message { role } => *role,
                _ => None,
            },
            at: memory.occurred_at,
        };
        match tasks::read(bridge, &Call::of(self.source.name().as_str()), &utterance) {
            Ok(reading) => Ok(Some(reading)),
            Err(error) => after(&error, context).map(|()| None),
        }
    }

    /// Has the model judge the contradictions that nobody has decided.
    pub(crate) fn judge_by_model(&self, context: &mut TaskContext<'_>) -> Result<(), TaskError> {
        let (Some(bridge), Some(readings)) = (
            &self.site.bridge,
            self.derived.readings.open().map_err(TaskError::failed)?,
        ) else {
            return Ok(());
        };
        let graph = self.derived.knowledge.open().map_err(TaskError::failed)?;
        let open = ContradictionQuery {
            open: true,
            limit: 1_000,
            ..ContradictionQuery::default()
        };
        let mut judged = 0;
        for contradiction in graph.contradictions(&open).map_err(TaskError::failed)? {
            let known = readings
                .verdict(&contradiction.id)
                .map_err(TaskError::failed)?;
            if known.is_some() {
                continue;
            }
            if judged == JUDGED {
                return Ok(());
            }
            if context.should_stop() {
                return Err(TaskError::Stopped);
            }
            context.renew()?;
            let sides = [&contradiction.earlier, &contradiction.later];
            let said = sides.map(|side| tasks::Said {
                text: &side.quote,
                author: side.author.as_deref().unwrap_or_default(),
                on: side.evidence.at.to_zoned(TimeZone::UTC).date(),
            });
            let call = Call::of(self.source.name().as_str());
            let judgement = match tasks::judge(bridge, &call, &said[0], &said[1]) {
                Ok(judgement) => judgement,
                Err(error) => {
                    after(&error, context)?;
                    // It is not asked again; what the rules say stands.
                    let stands = Verdict {
                        kind: Some(contradiction.kind),
                        reason: String::new(),
                    };
                    let kept = readings.judge(&contradiction.id, bridge.model(), &stands);
                    kept.map_err(TaskError::failed)?;
                    continue;
                }
            };
            let verdict = Verdict {
                kind: match judgement.verdict {
                    tasks::Verdict::None => None,
                    tasks::Verdict::Superseded => Some(ConflictKind::Superseded),
                    tasks::Verdict::Contested => Some(ConflictKind::Contested),
                },
                reason: judgement.reason,
            };
            let kept = readings.judge(&contradiction.id, bridge.model(), &verdict);
            kept.map_err(TaskError::failed)?;
            graph
                .look_again(&contradiction.id)
                .map_err(TaskError::failed)?;
            judged += 1;
        }
        Ok(())
    }

    /// Whether contradictions are open that the model has not judged.
    pub(crate) fn has_unjudged(&self) -> Result<bool, Error> {
        let (Some(_), Some(readings)) = (&self.site.bridge, self.derived.readings.open()?) else {
            return Ok(false);
        };
        let open = ContradictionQuery {
            open: true,
            limit: 1_000,
            ..ContradictionQuery::default()
        };
        for contradiction in self.derived.knowledge.open()?.contradictions(&open)? {
            if readings.verdict(&contradiction.id)?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn is_worth_reading(memory: &Memory) -> bool {
    memory.kind() != Kind::Summary
        && !memory.metadata.contains_key(Assertion::KEY)
        && memory.content.chars().nth(WORTH_READING).is_some()
}

/// What follows from a model's failure: nothing, where another memory may go better; else the task waits.
fn after(error: &BridgeError, context: &TaskContext<'_>) -> Result<(), TaskError> {
    let wait = |until| {
        Err(TaskError::Postponed {
            until,
            reason: error.to_string(),
        })
    };
    let later = |pause: SignedDuration| context.now().checked_add(pause).unwrap_or(context.now());
    match error {
        // The answer alone was no good: the rules' reading stays.
        BridgeError::Unusable { .. }
        | BridgeError::Declined { .. }
        | BridgeError::TooLong { .. }
        | BridgeError::TooLarge { .. }
        | BridgeError::Malformed { .. } => Ok(()),
        BridgeError::BudgetExceeded {
            opens_at: Some(opens_at),
            ..
        } => wait(*opens_at),
        BridgeError::CircuitOpen { remaining, .. } => {
            wait(later(SignedDuration::try_from(*remaining).unwrap_or(LATER)))
        }
        error if error.retry_after().is_some() => {
            let pause = error.retry_after().unwrap_or_default();
            wait(later(SignedDuration::try_from(pause).unwrap_or(LATER)))
        }
        error if error.is_transient() => Err(TaskError::failed(error)),
        _ => wait(later(LATER)),
    }
}
