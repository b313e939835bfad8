//! `memory_get`: one memory, with its history and links.

use anamne::{InvalidValue, Memory, Version};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::get_text::{About, Page, beginning, show};
use super::{Effect, MemoryTool};
use crate::mcp::arguments::bounded;
use crate::mcp::budget::fit;
use crate::mcp::call_context::CallContext;
use crate::mcp::quote::entries;
use crate::mcp::reply::{Failure, Reply, plain};

/// Default token budget: a memory is opened to be read whole.
const BUDGET: i64 = 8_000;

/// Maximum characters of an earlier version in JSON.
const EARLIER: usize = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Get {
    /// Id or citation: m12
    id: String,
    token_budget: Option<i64>,
    offset: Option<i64>,
    space: Option<String>,
}

impl MemoryTool for Get {
    const NAME: &'static str = "memory_get";
    const TITLE: &'static str = "Get a memory";
    const DESCRIPTION: &'static str = "One full memory with its history and links.";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let budget = bounded("token_budget", self.token_budget, 50..=1_000_000, BUDGET)?;
        let offset = bounded("offset", self.offset, 0..=i64::from(u32::MAX), 0)?;
        let space = call.space(self.space.as_deref())?;
        let id = space.resolve(&self.id)?;
        // Before this reading, which counts too.
        let known_use = space.use_of(id)?;
        let signals = space.quality_signals(id)?;
        let memory = space.get(id)?;
        let start = start(&memory, offset)?;
        let history = space.history(id)?;
        let links = space.links(id)?;
        let strengths = space.link_strengths(&links)?;
        let history: Vec<Value> = history
            .iter()
            .map(|state| describe(state, &memory))
            .collect();
        let disputes = space.disputes(&memory)?;
        space.note_used(&[id])?;
        let entry = entries(call, [&memory].into_iter())?.pop();
        let Some(entry) = entry else {
            return Err(Failure::Unknown(self.id));
        };
        let provenance = entry.provenance;
        let enrichment = space.enrichments(&[&memory])?.pop().flatten();
        let about = About {
            known_use,
            history: &history,
            links: &links,
            strengths: &strengths,
            signals,
            disputes: &disputes,
            enrichment: enrichment.as_ref(),
        };
        let page = Page {
            start,
            offset,
            budget,
        };
        let (text, end) = show(entry, &about, &page);
        Ok(Reply::new(call, text, || {
            let part = &memory.content[start..end];
            let next = (end < memory.content.len()).then(|| offset + part.chars().count());
            let mut structured = json!({
                "memory": plain(&memory),
                "next_offset": next,
                "history": history,
                "links": plain(&links),
                "current_importance": signals.importance,
            });
            for (place, strength) in strengths.iter().enumerate() {
                structured["links"][place]["strength"] = plain(&strength.current);
            }
            structured["memory"]["content"] = json!(part);
            structured["memory"]["provenance"] = plain(&provenance);
            structured["use"] = plain(&known_use);
            if !disputes.is_empty() {
                structured["disputes"] = plain(&disputes);
            }
            if let Some(enrichment) = &enrichment {
                structured["enrichment"] = plain(enrichment);
            }
            fit_lists(&mut structured, budget);
            structured
        }))
    }
}

/// A version without what it shares with the current one: its content is included only if it differs.
fn describe(state: &Version, present: &Memory) -> Value {
    let mut described = plain(state);
    let differs = |memory: &&Memory| memory.content != present.content;
    let content = state.memory.as_ref().filter(differs);
    if let Some(object) = described.as_object_mut() {
        object.remove("memory");
        if let Some(memory) = content {
            object.insert("content".to_owned(), json!(memory.content));
        }
    }
    described
}

/// Where the content begins that follows `offset` characters.
fn start(memory: &Memory, offset: usize) -> Result<usize, InvalidValue> {
    let mut starts = memory.content.char_indices().map(|(at, _)| at);
    match starts.nth(offset) {
        Some(start) => Ok(start),
        None if offset == 0 => Ok(0),
        None => {
            let characters = memory.content.chars().count();
            let accepts = format!("less than the {characters} characters of the memory");
            Err(InvalidValue::new("offset", accepts, offset))
        }
    }
}

/// Shortens earlier versions, and leaves out the oldest ones and the last links that don't fit.
fn fit_lists(structured: &mut Value, budget: usize) {
    for state in structured["history"].as_array_mut().into_iter().flatten() {
        if let Some(content) = state["content"].as_str() {
            state["content"] = json!(beginning(content, EARLIER));
        }
    }
    let reverse = |structured: &mut Value| {
        if let Some(history) = structured["history"].as_array_mut() {
            history.reverse();
        }
    };
    reverse(structured);
    fit(structured, "history", budget);
    reverse(structured);
    fit(structured, "links", budget);
}
