//! Properties of notes that people wrote: one that has the name of a memory's field and isn't one becomes metadata.

use anamne_types::{Category, Kind, Metadata, Role};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::older::moment;
use super::record::{BODY_FIELDS, EXPORT_MARKS, ImportedLink, insert_beside, instant};

/// Moves the properties that can't be fields of the note's memory to its metadata, unless a store wrote the note.
pub(super) fn move_own(properties: &mut Map<String, Value>) {
    let is_exported = EXPORT_MARKS
        .iter()
        .all(|mark| properties.contains_key(*mark));
    if is_exported {
        return;
    }
    let is_typed = properties.get("kind").is_some_and(is::<Kind>);
    let mut own = Map::new();
    for (name, value) in std::mem::take(properties) {
        let kept = is_field(&name, &value, is_typed);
        let map = if kept { &mut *properties } else { &mut own };
        map.insert(name, value);
    }
    if own.is_empty() {
        return;
    }
    let mut metadata: Metadata = match properties.remove("metadata") {
        Some(Value::Object(metadata)) => metadata.into_iter().collect(),
        _ => Metadata::new(),
    };
    for (name, value) in own {
        insert_beside(&mut metadata, name, value);
    }
    let metadata = metadata.into_iter().collect();
    properties.insert("metadata".to_owned(), Value::Object(metadata));
}

/// Whether a property is one that a memory has, or none that it could be taken for. `is_typed` says whether the note states a kind,
/// whose own fields it may have.
fn is_field(name: &str, value: &Value, is_typed: bool) -> bool {
    match name {
        "text" | "content" => false,
        "kind" => is::<Kind>(value),
        "category" => is::<Category>(value),
        "role" => is::<Role>(value),
        "author" | "session" => value.is_string(),
        "id" | "thread" => value.is_string() || value.is_i64(),
        "position" => is::<u32>(value),
        "importance" => value
            .as_u64()
            .is_some_and(|stated| (1..=10).contains(&stated)),
        "confidence" | "trust" => value
            .as_f64()
            .is_some_and(|stated| (0.0..=1.0).contains(&stated)),
        "time" | "occurred_at" | "expires" | "expires_at" => {
            let text = value.as_str().map(str::to_owned);
            text.is_some_and(|text| instant(name, Some(text)).is_ok())
        }
        "timestamp" | "deleted_at" => moment(value).is_some(),
        "links" => is::<Vec<ImportedLink>>(value),
        "metadata" => value.is_object(),
        "title" | "source" if !is_typed => value.is_string(),
        name => is_typed || !BODY_FIELDS.contains(&name),
    }
}

fn is<T: DeserializeOwned>(value: &Value) -> bool {
    T::deserialize(value).is_ok()
}
