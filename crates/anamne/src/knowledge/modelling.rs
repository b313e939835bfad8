//! Background work of the optional language model: reading memories and judging contradictions.
//!
//! Nothing waits for it. If it fails, exceeds its budget or is disabled, the results of the rules stay.

use anamne_jobs::{TaskContext, TaskError};
use anamne_knowledge::enrichment::Enriched;
use anamne_knowledge::graph::ContradictionQuery;
use anamne_knowledge::reading::Utterance;
use anamne_knowledge::readings::ConflictReading;
use anamne_llm::{Bridge, BridgeError, Call, tasks};
use anamne_store::view::{MemoryFeed, MemoryState};
use anamne_types::{Assertion, Body, ConflictKind, EnrichedPart, Enrichment, Kind, Memory};
use jiff::SignedDuration;
use jiff::tz::TimeZone;

use crate::Error;
use crate::core::Inner;
use crate::derived::readings::OpenReadings;
use crate::knowledge::wording_times::WordingFeed;
use crate::models::remote::budgets;

/// Texts up to this number of characters are not worth a call.
const WORTH_READING: usize = 40;

/// Memories per batch.
const READ_AT_ONCE: usize = 8;

/// Maximum number of contradictions judged per task.
const JUDGED: usize = 50;

/// Delay before the next attempt if the error doesn't specify one.
const LATER: SignedDuration = SignedDuration::from_mins(10);

impl Inner {
    /// Whether the model has memories to read.
    pub(crate) fn is_model_behind(&self) -> Result<bool, Error> {
        if self.site.bridge.is_none() {
            return Ok(false);
        }
        let Some(readings) = self.derived.readings.open()? else {
            return Ok(false);
        };
        Ok(readings.position()? < MemoryFeed::head(&*self.source)?)
    }

    /// Lets the model read new memories one by one, and adds each reading to the graph.
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
            // Also the readings made before a failure or a stop.
            let feed = WordingFeed {
                feed: &*self.source,
                source: &self.source,
            };
            graph.follow_readings(&feed).map_err(TaskError::failed)?;
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

    /// The model's reading of a memory; `None` if the text is too short or private, or the model can't read it.
    fn reading_of(
        &self,
        bridge: &Bridge,
        state: &MemoryState,
        context: &TaskContext<'_>,
    ) -> Result<Option<anamne_knowledge::reading::Reading>, TaskError> {
        let Some(memory) = state
            .memory
            .as_ref()
            .filter(|memory| is_worth_reading(memory) && self.may_send(bridge, memory))
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
        let budgets = budgets(&self.source.config().budgets);
        let call = Call::of(self.source.name().as_str()).within_budgets(&budgets);
        match tasks::read(bridge, &call, &utterance) {
            Ok(reading) => Ok(Some(reading)),
            Err(error) => after(&error, context).map(|()| None),
        }
    }

    /// Whether the model has memories to enrich, and may.
    pub(crate) fn is_model_enrichment_behind(&self) -> Result<bool, Error> {
        let config = self.source.config();
        if self.site.bridge.is_none() || !config.enrichment.on || !config.enrichment.by_model {
            return Ok(false);
        }
        let Some(readings) = self.derived.readings.open()? else {
            return Ok(false);
        };
        Ok(readings.enriched_position()? < MemoryFeed::head(&*self.source)?)
    }

    /// Lets the model enrich new memories one by one. A text is asked about once.
    pub(crate) fn enrich_by_model(&self, context: &mut TaskContext<'_>) -> Result<(), TaskError> {
        let (Some(bridge), Some(readings)) = (
            &self.site.bridge,
            self.derived.readings.open().map_err(TaskError::failed)?,
        ) else {
            return Ok(());
        };
        let head = MemoryFeed::head(&*self.source).map_err(TaskError::failed)?;
        loop {
            let reached = readings.enriched_position().map_err(TaskError::failed)?;
            let states = self.source.states_since(reached, READ_AT_ONCE);
            let states = states.map_err(TaskError::failed)?;
            let Some(last) = states.last() else {
                return Ok(());
            };
            let done = last.seq.0.min(head.0);
            for state in &states {
                if context.should_stop() {
                    return Err(TaskError::Stopped);
                }
                context.renew()?;
                let enriched = self.enrichment_of(bridge, &readings, state, context)?;
                let text = state.memory.as_ref().map(|memory| memory.content.as_str());
                let said = enriched.as_ref().zip(text);
                let put = readings.put_enrichment(state.row, state.seq, bridge.model(), said);
                put.map_err(TaskError::failed)?;
            }
            context.progress(done, head.0, "events")?;
        }
    }

    /// What the model says about a memory; `None` if it was asked before, the text is too short, private or not of a kind that is
    /// enriched, or the model can't say.
    fn enrichment_of(
        &self,
        bridge: &Bridge,
        readings: &OpenReadings,
        state: &MemoryState,
        context: &TaskContext<'_>,
    ) -> Result<Option<Enriched>, TaskError> {
        let is_wanted = |memory: &&Memory| {
            is_worth_reading(memory)
                && Enrichment::applies_to(memory)
                && !EnrichedPart::removed_from(&memory.metadata).contains(&EnrichedPart::All)
                && self.may_send(bridge, memory)
        };
        let Some(memory) = state.memory.as_ref().filter(is_wanted) else {
            return Ok(None);
        };
        let known = readings.enrichment(state.row, &memory.content);
        if known.map_err(TaskError::failed)?.is_some() {
            return Ok(None);
        }
        let call = Call::of(self.source.name().as_str());
        match tasks::enrich(bridge, &call, &memory.content) {
            Ok(enriched) => Ok(Some(enriched)),
            Err(error) => after(&error, context).map(|()| None),
        }
    }

    /// Lets the model judge unresolved contradictions.
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
            let said = sides.map(|side| tasks::SourceText {
                text: &side.quote,
                author: side.author.as_deref().unwrap_or_default(),
                on: side.evidence.at.to_zoned(TimeZone::UTC).date(),
            });
            let budgets = budgets(&self.source.config().budgets);
            let call = Call::of(self.source.name().as_str()).within_budgets(&budgets);
            let ids = sides.map(|side| side.evidence.memory);
            let may_send = self.may_send_all(bridge, &ids).map_err(TaskError::failed)?;
            let judged_now = if may_send {
                tasks::judge(bridge, &call, &said[0], &said[1])
                    .map_err(|error| after(&error, context))
            } else {
                Err(Ok(()))
            };
            let judgement = match judged_now {
                Ok(judgement) => judgement,
                Err(failed) => {
                    failed?;
                    // It is not judged again; the result of the rules stays.
                    let stands = ConflictReading {
                        kind: Some(contradiction.kind),
                        reason: String::new(),
                    };
                    let kept = readings.judge(&contradiction.id, bridge.model(), &stands);
                    kept.map_err(TaskError::failed)?;
                    continue;
                }
            };
            let verdict = ConflictReading {
                kind: match judgement.verdict {
                    tasks::ConflictVerdict::None => None,
                    tasks::ConflictVerdict::Superseded => Some(ConflictKind::Superseded),
                    tasks::ConflictVerdict::Contested => Some(ConflictKind::Contested),
                },
                reason: judgement.reason,
            };
            let kept = readings.judge(&contradiction.id, bridge.model(), &verdict);
            kept.map_err(TaskError::failed)?;
            graph
                .refresh_contradiction(&contradiction.id)
                .map_err(TaskError::failed)?;
            judged += 1;
        }
        Ok(())
    }

    /// Whether there are open contradictions that the model has not judged.
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
    !matches!(memory.kind(), Kind::Summary | Kind::Experience)
        && !memory.metadata.contains_key(Assertion::KEY)
        && memory.content.chars().nth(WORTH_READING).is_some()
}

/// Handles a model failure: ignored if another memory may succeed; else the task fails or waits.
pub(crate) fn after(error: &BridgeError, context: &TaskContext<'_>) -> Result<(), TaskError> {
    let wait = |until| {
        Err(TaskError::Postponed {
            until,
            reason: error.to_string(),
        })
    };
    let later = |pause: SignedDuration| context.now().checked_add(pause).unwrap_or(context.now());
    match error {
        // Only this answer is unusable: the rules' reading stays.
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
