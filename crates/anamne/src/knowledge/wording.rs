//! Summaries and insights reworded by the optional language model. Each sentence cites the memories that support it.

use anamne_knowledge::consolidation::Insight;
use anamne_knowledge::summaries::Summary;
use anamne_llm::{Bridge, Call, tasks};
use anamne_types::{MadeBy, Memory, MemoryId};
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::Error;
use crate::models::remote::budgets;
use crate::space::Space;

/// Maximum characters shown of each memory.
const SHOWN: usize = 600;

/// Maximum number of memories shown at once.
const MOST: usize = 80;

/// A sentence written by a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RewordedSentence {
    /// The sentence.
    pub text: String,
    /// The model.
    pub made_by: MadeBy,
    /// The memories that support it.
    pub sources: Vec<MemoryId>,
    /// Their citations: `m12`.
    pub citations: Vec<String>,
}

impl RewordedSentence {
    fn of(bridge: &Bridge, text: String, places: &[usize], memories: &[Memory]) -> Self {
        let sources = places.iter().filter_map(|place| memories.get(*place));
        Self {
            text,
            made_by: MadeBy::Model(bridge.model().to_owned()),
            sources: sources.clone().map(|memory| memory.id).collect(),
            citations: sources.map(Memory::citation).collect(),
        }
    }
}

impl Space {
    /// A summary reworded by the model in at most `sentences` sentences, from the memories that it cites. `None`
    /// without a model. Errors are those of the bridge; they don't affect the original summary.
    pub fn reword_summary(
        &self,
        summary: &Summary,
        sentences: usize,
    ) -> Result<Option<Vec<RewordedSentence>>, Error> {
        self.require_write()?;
        let ids: Vec<_> = summary.sentences.iter().map(|one| one.memory).collect();
        self.ask_model(&ids, |bridge, call, said, memories| {
            let stored = tasks::summarise(bridge, call, said, sentences)?;
            let worded = stored.into_iter();
            Ok(worded
                .map(|one| RewordedSentence::of(bridge, one.text, &one.sources, memories))
                .collect())
        })
    }

    /// An insight reworded by the model; empty if the model finds no common statement in its memories. `None` without a
    /// model.
    pub fn reword_insight(
        &self,
        insight: &Insight,
    ) -> Result<Option<Vec<RewordedSentence>>, Error> {
        self.require_write()?;
        self.ask_model(&insight.sources, |bridge, call, said, memories| {
            let stored = tasks::insight(bridge, call, said)?;
            let worded =
                stored.map(|one| RewordedSentence::of(bridge, one.text, &one.sources, memories));
            Ok(worded.into_iter().collect())
        })
    }

    fn ask_model(
        &self,
        ids: &[MemoryId],
        ask: impl Fn(
            &Bridge,
            &Call<'_>,
            &[tasks::SourceText<'_>],
            &[Memory],
        ) -> Result<Vec<RewordedSentence>, Error>,
    ) -> Result<Option<Vec<RewordedSentence>>, Error> {
        let Some(bridge) = &self.inner.site.bridge else {
            return Ok(None);
        };
        let mut chosen = ids.to_vec();
        chosen.dedup();
        chosen.truncate(MOST);
        let mut memories = self.get_each(&chosen)?;
        memories.retain(|memory| self.inner.may_send(bridge, memory));
        let shown: Vec<String> = memories
            .iter()
            .map(|memory| memory.content.chars().take(SHOWN).collect())
            .collect();
        let said: Vec<_> = memories
            .iter()
            .zip(&shown)
            .map(|(memory, text)| tasks::SourceText {
                text,
                author: memory.author.as_deref().unwrap_or_default(),
                on: memory.occurred_at.to_zoned(TimeZone::UTC).date(),
            })
            .collect();
        let budgets = budgets(&self.config().budgets);
        let call = Call::of(self.name()).within_budgets(&budgets);
        ask(bridge, &call, &said, &memories).map(Some)
    }
}
