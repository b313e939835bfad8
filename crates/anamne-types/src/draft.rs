//! Input for a new memory, or a change to one.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::limits::{
    accept, check_importance, check_name, check_names, check_some, check_text, check_unit,
};
use crate::{Body, Category, Experience, InvalidValue, Kind, Limits, Metadata};

/// A new memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// The text: 1 to 1 000 000 bytes.
    pub content: String,
    /// The kind with its fields; a message by default.
    #[serde(default)]
    pub body: Body,
    /// The thread.
    pub thread: Option<String>,
    /// Position in the thread; the next free one by default.
    pub position: Option<u32>,
    /// The session.
    pub session: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// Trust in its origin, 0 to 1; by the actor's kind by default.
    pub trust: Option<f32>,
    /// Importance, 1 to 10; 5 by default.
    pub importance: Option<u8>,
    /// The author's confidence, 0 to 1; 1 by default.
    pub confidence: Option<f32>,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Free metadata.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Metadata,
    /// Its external id; storing the same one again changes nothing.
    pub external_id: Option<String>,
    /// When it happened; now by default.
    pub occurred_at: Option<Timestamp>,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
}

impl From<&str> for Draft {
    fn from(content: &str) -> Self {
        Self::new(content)
    }
}

impl From<String> for Draft {
    fn from(content: String) -> Self {
        Self::new(content)
    }
}

impl Draft {
    /// The default importance.
    pub const DEFAULT_IMPORTANCE: u8 = 5;

    /// A message with this content.
    pub fn new(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            ..Self::default()
        }
    }

    /// Sets the kind with empty fields; a chunk and experience need [`Draft::body`].
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Self {
        if let Some(body) = Body::empty(kind) {
            self.body = body;
        }
        self
    }

    /// Makes it a fact of this category.
    #[must_use]
    pub fn category(mut self, category: Category) -> Self {
        self.body = Body::Fact {
            category: Some(category),
        };
        self
    }

    /// Sets the kind and its fields.
    #[must_use]
    pub fn body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// A record of experience, described by its own sentence.
    pub fn experience(experience: Experience) -> Self {
        Self {
            content: experience.sentence(),
            body: Body::Experience {
                experience: Box::new(experience),
            },
            ..Self::default()
        }
    }

    /// Sets the thread.
    #[must_use]
    pub fn thread(mut self, thread: impl Into<String>) -> Self {
        self.thread = Some(thread.into());
        self
    }

    /// Sets the author.
    #[must_use]
    pub fn author(mut self, author: impl Into<String>) -> Self {
        self.author = Some(author.into());
        self
    }

    /// Adds a tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Sets the importance, 1 to 10.
    #[must_use]
    pub fn importance(mut self, importance: u8) -> Self {
        self.importance = Some(importance);
        self
    }

    /// Sets when it happened.
    #[must_use]
    pub fn occurred_at(mut self, instant: Timestamp) -> Self {
        self.occurred_at = Some(instant);
        self
    }

    /// Checks every field against [`Limits`].
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_text("content", &self.content, Limits::CONTENT_BYTES)?;
        for (field, name) in [
            ("thread", &self.thread),
            ("session", &self.session),
            ("author", &self.author),
            ("external_id", &self.external_id),
        ] {
            check_names(field, name)?;
        }
        check_judgements(self.trust, self.confidence)?;
        check_some(self.position, |position| {
            accept(
                self.thread.is_some(),
                "position",
                "given together with a thread",
                position,
            )
        })?;
        check_some(self.importance, |importance| {
            check_importance("importance", importance)
        })?;
        check_tags(&self.tags)?;
        check_metadata(&self.metadata)?;
        check_body(&self.body)
    }
}

/// A change to a memory; `None` leaves a field unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Edit {
    /// New content.
    pub content: Option<String>,
    /// New kind and body.
    pub body: Option<Body>,
    /// Typed fields to set, by the names of the kind; a JSON null empties one.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub fields: Metadata,
    /// New importance, 1 to 10.
    pub importance: Option<u8>,
    /// New confidence, 0 to 1.
    pub confidence: Option<f32>,
    /// New trust, 0 to 1.
    pub trust: Option<f32>,
    /// Tags to add.
    pub add_tags: Vec<String>,
    /// Tags to remove.
    pub remove_tags: Vec<String>,
    /// Metadata to set; a JSON null removes the name.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: Metadata,
    /// When it happened.
    pub occurred_at: Option<Timestamp>,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// Removes the time at which it expires.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub never_expires: bool,
    /// The memory that replaces it.
    pub superseded_by: Option<crate::MemoryId>,
    /// Removes what replaces it, also a link of that memory to it that says so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_superseded: bool,
}

impl Edit {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks every field against [`Limits`].
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_some(self.content.as_ref(), |content| {
            check_text("content", content, Limits::CONTENT_BYTES)
        })?;
        check_judgements(self.trust, self.confidence)?;
        check_some(self.importance, |importance| {
            check_importance("importance", importance)
        })?;
        if self.never_expires && self.expires_at.is_some() {
            let accepts = "false where expires_at is given";
            return Err(InvalidValue::new("never_expires", accepts, true));
        }
        if self.not_superseded && self.superseded_by.is_some() {
            let accepts = "false where superseded_by is given";
            return Err(InvalidValue::new("not_superseded", accepts, true));
        }
        check_tags(&self.add_tags)?;
        check_metadata(&self.metadata)?;
        check_depth("fields", self.fields.values())?;
        check_json_size("fields", &self.fields, Limits::BODY_BYTES)?;
        match &self.body {
            // The fields of another body are checked with the memory.
            Some(body) => check_body(&body.with_fields(&self.fields)?),
            None => Ok(()),
        }
    }

    /// The body of a memory after the edit, checked; `None` if it stays.
    pub fn body_after(&self, before: &Body) -> Result<Option<Body>, InvalidValue> {
        if self.fields.is_empty() {
            return Ok(self.body.clone());
        }
        let body = self.body.as_ref().unwrap_or(before);
        let body = body.with_fields(&self.fields)?;
        check_body(&body)?;
        Ok(Some(body))
    }
}

fn check_judgements(trust: Option<f32>, confidence: Option<f32>) -> Result<(), InvalidValue> {
    check_some(trust, |trust| check_unit("trust", trust))?;
    check_some(confidence, |confidence| {
        check_unit("confidence", confidence)
    })
}

pub(crate) fn check_tags(tags: &[String]) -> Result<(), InvalidValue> {
    let (most, count) = (Limits::TAGS, tags.len());
    accept(
        count <= most,
        "tags",
        format_args!("at most {most} tags"),
        format_args!("{count} tags"),
    )?;
    check_names("tag", tags)
}

pub(crate) fn check_metadata(metadata: &Metadata) -> Result<(), InvalidValue> {
    if metadata.is_empty() {
        return Ok(());
    }
    check_names("metadata key", metadata.keys())?;
    check_depth("metadata", metadata.values())?;
    check_json_size("metadata", metadata, Limits::METADATA_BYTES)
}

/// Checks the nesting of values.
pub(crate) fn check_depth<'a>(
    field: &str,
    values: impl IntoIterator<Item = &'a serde_json::Value>,
) -> Result<(), InvalidValue> {
    let levels = Limits::METADATA_DEPTH;
    let is_flat = !values.into_iter().any(|value| is_deeper(value, levels));
    let accepts = format_args!("nested at most {levels} levels deep");
    accept(is_flat, field, accepts, "deeper")
}

/// Whether a value is nested deeper than `levels`; looks no deeper.
pub(crate) fn is_deeper(value: &serde_json::Value, levels: usize) -> bool {
    use serde_json::Value;
    let below = |value| levels == 0 || is_deeper(value, levels - 1);
    match value {
        Value::Array(values) => values.iter().any(below),
        Value::Object(values) => values.values().any(below),
        _ => false,
    }
}

fn check_body(body: &Body) -> Result<(), InvalidValue> {
    if matches!(body, Body::Message { .. } | Body::Fact { .. }) {
        return Ok(());
    }
    if let Body::Episode { salience, .. } = body {
        check_some(*salience, |salience| check_unit("salience", salience))?;
    }
    if let Body::Thought {
        framework,
        number,
        total,
        chain,
        ..
    } = body
    {
        let named = [("framework", framework), ("chain", chain)];
        let mut named = named.into_iter().filter(|(_, name)| !name.is_empty());
        named.try_for_each(|(field, name)| check_name(field, name))?;
        check_numbering(*number, *total)?;
    }
    if let Body::Experience { experience } = body {
        experience.check()?;
    }
    check_json_size("body", body, Limits::BODY_BYTES)
}

/// Checks the number of a thought, and that of the thoughts of its chain.
fn check_numbering(number: Option<u32>, total: Option<u32>) -> Result<(), InvalidValue> {
    for (field, given) in [("number", number), ("total", total)] {
        check_some(given, |given| {
            accept(given > 0, field, "a whole number from 1", given)
        })?;
    }
    check_some(number.zip(total), |(number, total)| {
        let accepts = format_args!("at least the thought's number, {number}");
        accept(number <= total, "total", accepts, total)
    })
}

pub(crate) fn check_json_size<T: Serialize>(
    field: &str,
    value: &T,
    limit: usize,
) -> Result<(), InvalidValue> {
    let size = serde_json::to_vec(value)
        .map_err(|error| InvalidValue::new(field, "representable as JSON", error))?
        .len();
    let accepts = format_args!("at most {limit} bytes of JSON");
    accept(size <= limit, field, accepts, format_args!("{size} bytes"))
}
