//! `memory_context`: a context block.

use anamne::text::quote::quote_name;
use anamne::text::tokens::estimate_tokens;
use anamne::{ContextPreset, ContextRequest, InvalidValue, ModelBudget, Recall};
use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Value, json};

use super::scope::{Scope, without_shared_descriptions};
use super::{Effect, MemoryTool, search};
use crate::mcp::arguments::bounded;
use crate::mcp::budget::fit;
use crate::mcp::call_context::CallContext;
use crate::mcp::quote::DEFAULT_BUDGET;
use crate::mcp::reply::{Failure, Reply, escaped, plain};
use crate::mcp::schema::{self, input_schema};

/// The block's share of the budget if its entries are listed as well, in percent.
const BLOCK: usize = 50;

/// Tokens of the sentence that says how many did not fit.
const NOTE: usize = 12;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Context {
    /// Not with preset
    #[serde(default)]
    query: String,
    #[schemars(schema_with = "presets")]
    #[serde(default)]
    preset: Option<String>,
    token_budget: Option<i64>,
    for_model: Option<String>,
    min_confidence: Option<f32>,
    #[serde(flatten)]
    scope: Scope,
}

fn presets(_: &mut SchemaGenerator) -> Schema {
    schema::one_of(ContextPreset::ALL.iter().map(|word| word.as_str()))
}

impl MemoryTool for Context {
    const NAME: &'static str = "memory_context";
    const TITLE: &'static str = "Context block";
    const DESCRIPTION: &'static str = "One block of memories about a topic, with \
citations. Call with preset first in a session. Filters as in memory_search.";
    const EFFECT: Effect = Effect::Reads;
    const ALWAYS_LOADED: bool = true;

    fn schema() -> JsonObject {
        without_shared_descriptions(input_schema::<Self>())
    }

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let (token_budget, remark) = self.token_budget()?;
        let preset: Option<ContextPreset> = self.preset.as_deref().map(str::parse).transpose()?;
        if preset.is_none() && self.query.is_empty() {
            let accepts = "given where no preset is";
            return Err(InvalidValue::new("query", accepts, "missing").into());
        }
        let mut spaces = search::spaces(call, self.scope.space.as_deref())?;
        spaces.core = false;
        let now = call.now();
        let mut recall = Recall::new(self.query)
            .limit(ContextRequest::considered(token_budget))
            .filter(self.scope.filter(call, now)?)
            .asked(now, &call.zone);
        recall.min_confidence = self.min_confidence.unwrap_or(Recall::UNLIKELY);
        let request = ContextRequest {
            recall,
            token_budget: block_budget(token_budget, &remark, call.structured),
            preset,
        };
        let context = call.store.context(&spaces, &request)?;
        let text = match (context.entries.is_empty(), context.over_budget()) {
            (true, 0) => "No relevant memories.".to_owned(),
            (true, count) => {
                format!("The budget is too small: none of {count} relevant memories fits.")
            }
            (false, 0) => context.text.clone(),
            (false, count) => format!("{}\n({count} more did not fit.)", context.text),
        };
        let mut text = text + &remark;
        let note = search::without_effect(&context.ignored_times);
        if estimate_tokens(&text) + estimate_tokens(&note) <= token_budget {
            text += &note;
        }
        Ok(Reply::new(call, text, || structure(&context, token_budget)))
    }
}

impl Context {
    /// The budget as given, else by the model's name, else the default, which a remark says for an unknown model.
    fn token_budget(&self) -> Result<(usize, String), InvalidValue> {
        let usual = bounded(
            "token_budget",
            self.token_budget,
            50..=1_000_000,
            DEFAULT_BUDGET,
        )?;
        match &self.for_model {
            None => Ok((usual, String::new())),
            Some(_) if self.token_budget.is_some() => {
                let accepts = "left out where token_budget is given";
                Err(InvalidValue::new("for_model", accepts, "given too"))
            }
            Some(model) => Ok(if let Some(budget) = ModelBudget::of(model) {
                (budget.tokens, String::new())
            } else {
                let name = quote_name(model);
                (usual, format!("\n(Unknown model {name}: {usual} tokens.)"))
            }),
        }
    }
}

/// What is left for the block beside the sentences behind it and, if they are wanted, its entries.
fn block_budget(budget: usize, remark: &str, structured: bool) -> usize {
    let left = if structured {
        budget * BLOCK / 100
    } else {
        budget.saturating_sub(NOTE + estimate_tokens(remark))
    };
    left.max(ContextRequest::LEAST_TOKENS)
}

/// The block and its entries, within the budget; entries that don't fit are only counted.
fn structure(context: &anamne::Context, budget: usize) -> Value {
    let mut structured = escaped(plain(context));
    structured["left_out"] = json!(context.over_budget());
    fit(&mut structured, "entries", budget);
    structured
}
