//! `memory_validate`: verifies a space without changing it. Offered only on request.

use std::fmt::Write;

use anamne::text::quote::{on_one_line, quote_name};
use anamne::{ConflictKind, ContradictionQuery, Verification};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, MemoryTool};
use crate::mcp::call_context::CallContext;
use crate::mcp::next_step;
use crate::mcp::reply::{Failure, Reply, plain};

/// Maximum number of findings, and of notes, in the text.
const SHOWN: usize = 20;

/// Maximum number of contradictions that are counted.
const COUNTED: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Validate {
    space: Option<String>,
}

impl MemoryTool for Validate {
    const NAME: &'static str = "memory_validate";
    const TITLE: &'static str = "Verify a space";
    const DESCRIPTION: &'static str = "Verify journal, database and indexes of a space, and count open contradictions. Repairs nothing.";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let space = call.space(self.space.as_deref())?;
        let found = space.verify()?;
        let open = space.knowledge()?.contradictions(&ContradictionQuery {
            kind: Some(ConflictKind::Contested),
            open: true,
            limit: COUNTED,
            ..ContradictionQuery::default()
        })?;
        let text = describe(&found, open.len());
        Ok(Reply::new(call, text, || {
            let mut structured = plain(&found);
            structured["sound"] = Value::Bool(found.examination.findings.is_empty());
            structured["open_contradictions"] = json!(open.len());
            structured
        }))
    }
}

fn describe(found: &Verification, open: usize) -> String {
    let examined = &found.examination;
    let space = quote_name(&found.space);
    let mut text = if examined.findings.is_empty() {
        format!(
            "The space {space} is sound: all indexes verify (events: {}, segments: {}, rows: {}).",
            examined.events, examined.segments, examined.rows
        )
    } else {
        format!("Problems of the space {space}: {}", examined.findings.len())
    };
    for finding in examined.findings.iter().take(SHOWN) {
        let _ = write!(text, "\n> {}", on_one_line(&finding.to_string()));
    }
    if examined.findings.len() > SHOWN {
        let _ = write!(text, "\n> … and {} more", examined.findings.len() - SHOWN);
    }
    for note in examined.notes.iter().take(SHOWN) {
        let _ = write!(text, "\n> note: {}", on_one_line(note));
    }
    if !examined.findings.is_empty() {
        text.push_str("\nnext: a person can repair it from the other copy with `anamne repair`");
    }
    for step in examined
        .next_steps
        .iter()
        .filter_map(|step| next_step::words(*step))
    {
        let _ = write!(text, "\nnext: {step}");
    }
    let more = if open == COUNTED { " or more" } else { "" };
    let _ = write!(text, "\nopen contradictions: {open}{more}");
    text
}
