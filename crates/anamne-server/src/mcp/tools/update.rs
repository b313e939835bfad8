//! `memory_update`: change a memory; its former versions stay in the history.

use anamne::text::quote::quote_name;
use anamne::{Body, Category, Edit, GuardNote, InvalidValue, Memory, MemoryId, Metadata, Space};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::store::{cited, guarded};
use super::{Effect, MemoryTool};
use crate::mcp::arguments::importance;
use crate::mcp::call_context::{CallContext, End};
use crate::mcp::reply::{Failure, Reply, plain};

/// Removes the end of recall. A null can't: hosts send it for what is left out.
const NEVER: &str = "never";

/// Removes what replaces the memory.
const NONE: &str = "none";

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Update {
    id: String,
    /// The new text, whole
    content: Option<String>,
    importance: Option<i64>,
    confidence: Option<f32>,
    category: Option<String>,
    add_tags: Option<Vec<String>>,
    remove_tags: Option<Vec<String>>,
    /// null removes
    metadata: Option<Metadata>,
    fields: Option<Metadata>,
    occurred_at: Option<String>,
    /// A time or never
    expires_at: Option<String>,
    /// An id or none
    superseded_by: Option<String>,
    restore: Option<bool>,
    space: Option<String>,
}

impl MemoryTool for Update {
    const NAME: &'static str = "memory_update";
    const TITLE: &'static str = "Update a memory";
    const DESCRIPTION: &'static str =
        "Correct or extend a memory. Omitted fields stay; versions are kept.";
    const EFFECT: Effect = Effect::Changes;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let space = call.space(self.space.as_deref())?;
        let id = space.resolve(&self.id)?;
        let restore = self.restore == Some(true);
        let edit = self.edit(call, &space)?;
        edit.check()?;
        if edit.is_empty() && !restore {
            let accepts = "given at least one field to change";
            return Err(InvalidValue::new("memory_update", accepts, "only the id").into());
        }
        let memory = change(&space, id, &edit, restore)?;
        let text = format!(
            "{} in the space {} is now version {}.{}",
            memory.citation(),
            quote_name(space.name()),
            memory.version,
            guarded(&GuardNote::of(&memory.metadata))
        );
        Ok(Reply::new(
            call,
            text,
            || json!({ "memory": plain(&memory) }),
        ))
    }
}

fn change(
    space: &Space,
    id: MemoryId,
    edit: &Edit,
    restore: bool,
) -> Result<Memory, anamne::Error> {
    let restored = restore.then(|| space.restore(id)).transpose()?;
    match restored {
        Some(memory) if edit.is_empty() => Ok(memory),
        _ => space.edit(id, edit),
    }
}

impl Update {
    fn edit(self, call: &CallContext, space: &Space) -> Result<Edit, Failure> {
        let now = space.now();
        let occurred_at = self.occurred_at.as_deref();
        let never_expires = self.expires_at.as_deref() == Some(NEVER);
        let expires_at = self.expires_at.as_deref().filter(|_| !never_expires);
        let category = self.category.as_deref().map(str::parse::<Category>);
        let category = category.transpose()?;
        let body = category.is_some().then_some(Body::Fact { category });
        let not_superseded = self.superseded_by.as_deref() == Some(NONE);
        let successor = self.superseded_by.as_deref().filter(|_| !not_superseded);
        let mut fields = self.fields.unwrap_or_default();
        if let Some(cited) = cited(&mut fields) {
            let follows = space.resolve(&cited)?.to_string();
            fields.insert("follows".to_owned(), follows.into());
        }
        Ok(Edit {
            importance: importance(self.importance)?,
            occurred_at: call.instant("occurred_at", occurred_at, End::Start, now)?,
            expires_at: call.future_instant("expires_at", expires_at, now)?,
            never_expires,
            superseded_by: successor.map(|id| space.resolve(id)).transpose()?,
            not_superseded,
            content: self.content,
            body,
            fields,
            confidence: self.confidence,
            trust: None,
            add_tags: self.add_tags.unwrap_or_default(),
            remove_tags: self.remove_tags.unwrap_or_default(),
            metadata: self.metadata.unwrap_or_default(),
        })
    }
}
