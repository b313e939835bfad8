//! One record of an import: a line of a conversation, or an exported memory.

use std::collections::BTreeMap;

use anamne_store::{ImportItem, Origin};
use anamne_types::{Body, Category, Draft, InvalidValue, Kind, LinkType, MemoryId, Metadata, Role};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::older::{self, Given};

/// One line: a message of a conversation, or an exported memory.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object with the fields of a memory")]
pub(super) struct Record {
    #[serde(default)]
    id: Option<Text>,
    #[serde(default, alias = "content")]
    text: Option<String>,
    #[serde(default)]
    thread: Option<Text>,
    #[serde(default)]
    position: Option<u32>,
    #[serde(default, alias = "occurred_at")]
    time: Option<String>,
    #[serde(default)]
    author: Option<String>,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    category: Option<Category>,
    #[serde(default)]
    role: Option<Role>,
    #[serde(default)]
    importance: Option<u8>,
    #[serde(default)]
    confidence: Option<f32>,
    #[serde(default)]
    trust: Option<f32>,
    #[serde(default, deserialize_with = "or_default")]
    tags: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    metadata: Metadata,
    #[serde(default, alias = "expires")]
    expires_at: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    links: Vec<ImportedLink>,
    /// Fields of typed bodies, and exported fields that a new store sets itself.
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

/// A link of an exported memory, which is its start.
#[derive(Debug, Deserialize)]
pub(super) struct ImportedLink {
    /// Its target, by external id or id.
    pub(super) to: String,
    #[serde(rename = "type")]
    pub(super) link_type: LinkType,
    #[serde(default = "full_weight")]
    pub(super) weight: f32,
    #[serde(default)]
    pub(super) reason: String,
    /// When it was created; missing in older exports.
    #[serde(default)]
    pub(super) created_at: Option<Timestamp>,
    /// In an exported note: the note of its target.
    #[serde(default)]
    pub(super) note: Option<String>,
}

/// Programs write null for what is empty.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

pub(super) fn full_weight() -> f32 {
    1.0
}

/// An id or a thread, as a string or a number.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Text {
    Words(String),
    Number(i64),
}

impl Text {
    fn as_id(&self) -> Option<MemoryId> {
        match self {
            Self::Words(words) => words.parse().ok(),
            Self::Number(_) => None,
        }
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text {
            Text::Words(words) => words,
            Text::Number(number) => number.to_string(),
        }
    }
}

/// Exported fields that a new store sets itself.
const STORE_ASSIGNED_FIELDS: [&str; 9] = [
    "row",
    "space",
    "created_at",
    "updated_at",
    "version",
    "seq",
    "deleted_at",
    "superseded_by",
    "surroundings",
];

/// Fields of typed bodies that are refused with another kind; the kind's own are added to them.
pub(super) const BODY_FIELDS: [&str; 16] = [
    "goal",
    "plan",
    "outcome",
    "tool_log",
    "salience",
    "name",
    "trigger",
    "steps",
    "code",
    "title",
    "source",
    "document",
    "heading",
    "sources",
    "follows",
    "experience",
];

/// Fields that only exports have together.
pub(super) const EXPORT_MARKS: [&str; 5] = ["id", "version", "seq", "created_at", "updated_at"];

/// Adds a field to metadata. If its name has another value there, it gets a number.
pub(super) fn insert_beside(metadata: &mut Metadata, name: String, value: Value) {
    let free = match metadata.get(&name) {
        Some(known) if *known == value => return,
        Some(_) => {
            let mut numbered = (2..).map(|number: u64| format!("{name}_{number}"));
            numbered.find(|name| !metadata.contains_key(name))
        }
        None => None,
    };
    metadata.insert(free.unwrap_or(name), value);
}

impl Record {
    /// Converts the record into an arrival with its outgoing links.
    pub(super) fn into_arrival(mut self) -> Result<(ImportItem, Vec<ImportedLink>), String> {
        let origin = self.origin()?;
        let (mut told_at, mut deleted_at) = (None, None);
        if origin.is_some() {
            for name in STORE_ASSIGNED_FIELDS {
                self.rest.remove(name);
            }
        } else {
            told_at = self.translate_older()?;
            if self.time.is_none() && told_at.is_none() {
                told_at = older::take_created(&mut self.rest);
            }
            deleted_at = self.take_deleted()?;
            self.rest.retain(|name, value| {
                !(value.is_null() && STORE_ASSIGNED_FIELDS.contains(&name.as_str()))
            });
        }
        let external_id = self.take_external_id(origin.is_some());
        if origin.is_some()
            && let Some(member) = self.rest.remove("member")
            && let Some(home) = member.get("home").and_then(Value::as_str)
        {
            // A file can't share what another space has, so it becomes a memory of its own that says where it was told.
            let home = Value::from(home);
            self.metadata.entry("home".to_owned()).or_insert(home);
        }
        let body = self.body()?;
        self.add_rest();
        let draft = Draft {
            content: self.text.ok_or("missing field `text`")?,
            body,
            thread: self.thread.map(String::from),
            position: self.position,
            session: self.session,
            author: self.author,
            trust: self.trust,
            importance: self.importance,
            confidence: self.confidence,
            tags: self.tags,
            metadata: self.metadata,
            external_id,
            occurred_at: instant("time", self.time)?.or(told_at),
            expires_at: instant("expires_at", self.expires_at)?,
        };
        draft.check().map_err(|refusal| refusal.to_string())?;
        let item = ImportItem {
            origin,
            deleted_at,
            ..ImportItem::new(draft)
        };
        Ok((item, self.links))
    }

    /// The name by which a later import knows the record. A record with both ids keeps its `id` in the metadata.
    fn take_external_id(&mut self, is_exported: bool) -> Option<String> {
        let id = self.id.take().filter(|_| !is_exported).map(String::from);
        let name = match self.rest.remove("external_id") {
            None | Some(Value::Null) => return id,
            Some(Value::String(name)) => name,
            Some(Value::Number(number)) => number.to_string(),
            Some(other) => {
                self.rest.insert("external_id".to_owned(), other);
                return id;
            }
        };
        if let Some(id) = id {
            self.rest.insert("id".to_owned(), id.into());
        }
        Some(name)
    }

    /// When the record was deleted where it comes from. Programs write null, an empty text, false or 0 if it wasn't.
    fn take_deleted(&mut self) -> Result<Option<Timestamp>, String> {
        let deleted = match self.rest.remove("deleted_at") {
            None | Some(Value::Null | Value::Bool(false)) => return Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::Number(number)) if number.as_f64() == Some(0.0) => return Ok(None),
            Some(deleted) => deleted,
        };
        older::moment(&deleted).map(Some).ok_or_else(|| {
            format!("deleted_at must be an RFC 3339 time or seconds since 1970, but was {deleted}")
        })
    }

    /// Moves the other fields to the metadata. One whose name has another value there gets a number.
    fn add_rest(&mut self) {
        for (name, value) in std::mem::take(&mut self.rest) {
            insert_beside(&mut self.metadata, name, value);
        }
    }

    /// Reads the fields of older forms, if there are any; returns when it happened, if they say so.
    fn translate_older(&mut self) -> Result<Option<Timestamp>, String> {
        let lacks_text = self.text.is_none() && older::has_text(&self.rest);
        if !lacks_text && !older::is_older(&self.rest, self.kind) {
            return Ok(None);
        }
        let given = Given {
            kind: self.kind.or(self.category.map(|_| Kind::Fact)),
            has_text: self.text.is_some(),
            has_time: self.time.is_some(),
        };
        let translated = older::translate(&mut self.rest, &mut self.metadata, given)?;
        self.kind = translated.kind;
        self.text = self.text.take().or(translated.text);
        if self.thread.is_none() {
            self.thread = translated.thread.map(Text::Words);
            self.position = self.position.or(translated.position);
        }
        Ok(translated.time)
    }

    /// The state of the memory in the store that exported it. Only exports contain a version and an event, so a record
    /// without them is new, whatever its id looks like.
    fn origin(&mut self) -> Result<Option<Origin>, String> {
        let mut marks = EXPORT_MARKS.iter().filter(|mark| **mark != "id");
        let is_exported = marks.all(|mark| self.rest.contains_key(*mark));
        let Some(id) = self
            .id
            .as_ref()
            .and_then(Text::as_id)
            .filter(|_| is_exported)
        else {
            return Ok(None);
        };
        let mut taken = |name: &str| match self.rest.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(InvalidValue::new(name, "text", other).to_string()),
        };
        let [created_at, updated_at, deleted_at, superseded_by] =
            ["created_at", "updated_at", "deleted_at", "superseded_by"].map(&mut taken);
        let created_at = instant("created_at", created_at?)?.unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(Some(Origin {
            id,
            created_at,
            updated_at: instant("updated_at", updated_at?)?.unwrap_or(created_at),
            deleted_at: instant("deleted_at", deleted_at?)?,
            superseded_by: superseded_by?
                .map(|id| {
                    id.parse()
                        .map_err(|refusal: InvalidValue| refusal.to_string())
                })
                .transpose()?,
        }))
    }

    /// The body, from kind, category, role and the body's own fields.
    fn body(&mut self) -> Result<Body, String> {
        let kind = self.kind.unwrap_or(if self.category.is_some() {
            Kind::Fact
        } else {
            Kind::Message
        });
        match kind {
            Kind::Message => return Ok(Body::Message { role: self.role }),
            Kind::Fact => {
                return Ok(Body::Fact {
                    category: self.category,
                });
            }
            _ => {}
        }
        let mut fields = serde_json::Map::new();
        fields.insert("kind".to_owned(), kind.as_str().into());
        for name in BODY_FIELDS.into_iter().chain(Body::field_names(kind)) {
            if let Some(value) = self.rest.remove(name) {
                fields.insert(name.to_owned(), value);
            }
        }
        serde_json::from_value(fields.into())
            .map_err(|error| format!("invalid fields of a {kind}: {error}"))
    }
}

/// Parses an RFC 3339 time; without an offset it is UTC.
pub(super) fn instant(field: &str, text: Option<String>) -> Result<Option<Timestamp>, String> {
    let Some(text) = text else { return Ok(None) };
    let civil = || {
        text.parse::<jiff::civil::DateTime>()
            .ok()?
            .to_zoned(jiff::tz::TimeZone::UTC)
            .ok()
    };
    let instant = text
        .parse()
        .ok()
        .or_else(|| civil().map(|zoned| zoned.timestamp()));
    instant
        .map(Some)
        .ok_or_else(|| InvalidValue::new(field, "an RFC 3339 time", &text).to_string())
}
