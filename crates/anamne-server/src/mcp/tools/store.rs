//! `memory_store`: store a memory.

use std::collections::BTreeSet;
use std::fmt::Write;

use anamne::text::quote::quote_name;
use anamne::{Category, Draft, GuardNote, InvalidValue, Kind, Memory, Metadata, Space};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Effect, MemoryTool};
use crate::mcp::arguments::importance;
use crate::mcp::call_context::{CallContext, End};
use crate::mcp::reply::{Failure, Reply, plain};
use crate::mcp::schema;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Store {
    /// Understandable on its own
    content: String,
    /// message by default
    kind: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "schema::category")]
    category: Option<Category>,
    tags: Option<Vec<String>>,
    /// Its conversation
    thread: Option<String>,
    author: Option<String>,
    session: Option<String>,
    /// 1 to 10
    importance: Option<i64>,
    occurred_at: Option<String>,
    metadata: Option<Metadata>,
    /// By kind: goal, steps, …
    fields: Option<Metadata>,
    /// Made if new
    space: Option<String>,
}

impl MemoryTool for Store {
    const NAME: &'static str = "memory_store";
    const TITLE: &'static str = "Store a memory";
    const DESCRIPTION: &'static str = "Store one memory: a decision and its reason, a preference, a fix, a \
constraint. Duplicates are not stored twice.";
    const EFFECT: Effect = Effect::Adds;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let named = self.space.clone();
        let given = Given::of(&self);
        // Validated before the space is created: an error changes nothing.
        let mut draft = self.draft()?;
        let mut fields = self.fields.clone().unwrap_or_default();
        let is_thought = draft.body.kind() == Kind::Thought;
        let cited = is_thought.then(|| cited(&mut fields)).flatten();
        draft.body = draft.body.with_fields(&fields)?;
        let draft = self.complete(draft, call)?;
        draft.check()?;
        let space = call.space_to_write(named.as_deref())?;
        let draft = with_cited(draft, cited, &space)?;
        let remembered = space.remember(draft.clone())?;
        let dropped = if remembered.duplicate && remembered.rewording.is_none() {
            dropped(&draft, &given, &space.read(remembered.id)?)
        } else {
            String::new()
        };
        let text = format!(
            "{} {} in the space {}.{dropped}{}",
            if remembered.rewording.is_some() {
                "Kept as a rewording of"
            } else if remembered.duplicate {
                "Already stored as"
            } else {
                "Stored as"
            },
            remembered.citation,
            quote_name(&remembered.space),
            guarded(&remembered.guard)
        );
        Ok(Reply::new(call, text, || plain(&remembered)))
    }
}

impl Store {
    /// The content and the empty body of the kind.
    fn draft(&self) -> Result<Draft, InvalidValue> {
        let mut draft = Draft::new(self.content.as_str());
        let kind = self.kind.as_deref().map(str::parse::<Kind>).transpose()?;
        match (kind, self.category) {
            (None | Some(Kind::Fact), Some(category)) => draft = draft.category(category),
            (Some(kind), Some(_)) => {
                let accepts = "fact, or left out, where a category is given";
                return Err(InvalidValue::new("kind", accepts, kind));
            }
            (Some(kind @ Kind::Chunk), None) => {
                let accepts = "another kind; chunks come from ingested documents";
                return Err(InvalidValue::new("kind", accepts, kind));
            }
            (Some(kind @ Kind::Experience), None) => {
                let accepts = "another kind; experience is recorded by its own tools";
                return Err(InvalidValue::new("kind", accepts, kind));
            }
            (Some(kind), None) => draft = draft.kind(kind),
            (None, None) => {}
        }
        Ok(draft)
    }

    fn complete(self, mut draft: Draft, call: &CallContext) -> Result<Draft, InvalidValue> {
        let now = call.now();
        draft.occurred_at =
            call.instant("occurred_at", self.occurred_at.as_deref(), End::Start, now)?;
        Ok(Draft {
            importance: importance(self.importance)?,
            tags: self.tags.unwrap_or_default(),
            thread: self.thread,
            author: self.author,
            session: self.session.or_else(|| call.session.clone()),
            metadata: self.metadata.unwrap_or_default(),
            ..draft
        })
    }
}

/// Which fields were told that have a default otherwise.
struct Given {
    kind: bool,
    fields: bool,
    session: bool,
}

impl Given {
    fn of(told: &Store) -> Self {
        Self {
            kind: told.kind.is_some(),
            fields: told.fields.is_some(),
            session: told.session.is_some(),
        }
    }
}

/// Names the told fields that the known memory with the same text does not have: they were not stored.
fn dropped(draft: &Draft, given: &Given, known: &Memory) -> String {
    fn differs<T: PartialEq>(told: Option<&T>, known: Option<&T>) -> bool {
        told.is_some() && told != known
    }
    let lacks_tag = draft.tags.iter().any(|tag| !known.tags.contains(tag));
    let mut metadata = draft.metadata.iter();
    let lacks_metadata = metadata.any(|(name, value)| known.metadata.get(name) != Some(value));
    let at = draft.occurred_at.as_ref();
    let session = draft.session.as_ref().filter(|_| given.session);
    let fields = [
        ("kind", given.kind && draft.body.kind() != known.kind()),
        (
            "category",
            draft.body.category().is_some() && draft.body.category() != known.body.category(),
        ),
        ("fields", given.fields && draft.body != known.body),
        ("tags", lacks_tag),
        (
            "thread",
            differs(draft.thread.as_ref(), known.thread.as_ref()),
        ),
        (
            "author",
            differs(draft.author.as_ref(), known.author.as_ref()),
        ),
        ("session", differs(session, known.session.as_ref())),
        (
            "importance",
            differs(draft.importance.as_ref(), Some(&known.importance)),
        ),
        ("occurred_at", differs(at, Some(&known.occurred_at))),
        ("metadata", lacks_metadata),
    ];
    let dropped = fields.into_iter().filter(|(_, is_dropped)| *is_dropped);
    let names: Vec<&str> = dropped.map(|(name, _)| name).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(" Not changed: {}; use memory_update.", names.join(", "))
}

/// Takes the preceding thought out of the fields: it may be cited, and only the space knows its id.
pub(super) fn cited(fields: &mut Metadata) -> Option<String> {
    if !fields.get("follows").is_some_and(Value::is_string) {
        return None;
    }
    match fields.remove("follows") {
        Some(Value::String(cited)) => Some(cited),
        _ => None,
    }
}

/// Adds the preceding thought, by the id that it has in the space.
fn with_cited(mut draft: Draft, cited: Option<String>, space: &Space) -> Result<Draft, Failure> {
    if let Some(cited) = cited {
        let follows = Value::from(space.resolve(&cited)?.to_string());
        let field = [("follows".to_owned(), follows)].into();
        draft.body = draft.body.with_fields(&field)?;
    }
    Ok(draft)
}

/// What the guard redacted and marked: ` Redacted: github-token.` Kinds are the guard's own words.
pub(super) fn guarded(notes: &[GuardNote]) -> String {
    let mut text = String::new();
    for (action, word) in [("redact", "Redacted"), ("mark", "Private because of")] {
        let of_action = notes.iter().filter(|note| note.action == action);
        let kinds: BTreeSet<&str> = of_action.map(|note| note.kind.as_str()).collect();
        if !kinds.is_empty() {
            let kinds: Vec<_> = kinds.into_iter().collect();
            let _ = write!(text, " {word}: {}.", kinds.join(", "));
        }
    }
    text
}
