//! The entries of a dump as drafts.

use std::collections::BTreeMap;

use anamne_types::{Assertion, Body, Category, Draft, EntityType, ToldEntity, ToldRelation};
use serde_json::Value;

use super::super::older::{self, Rest, float, moment, name, number};
use super::{Entry, Key};

/// Takes the first of these fields that has a text.
fn taken(fields: &mut Rest, names: &[&str]) -> Option<String> {
    let found = names
        .iter()
        .find(|field| fields.get(**field).and_then(name).is_some())?;
    fields.remove(*found).as_ref().and_then(name)
}

/// Takes a field that has a count.
fn taken_count(fields: &mut Rest, field: &str) -> Option<u32> {
    let count = fields.get(field).and_then(number)?;
    fields.remove(field);
    Some(count)
}

pub(super) fn time_of(fields: &Rest) -> Option<jiff::Timestamp> {
    let mut times = ["timestamp", "created_at", "created", "time"].iter();
    times.find_map(|field| moment(fields.get(*field)?))
}

/// The draft of an entry: what is common to all, and everything else as metadata.
fn draft(key: String, content: String, body: Body, mut fields: Rest) -> Draft {
    let occurred_at = time_of(&fields);
    for field in ["id", "timestamp"] {
        fields.remove(field);
    }
    let tags = match fields.remove("tags") {
        Some(Value::Array(tags)) => tags.iter().filter_map(name).collect(),
        Some(Value::String(tags)) => tags
            .split(',')
            .map(|tag| tag.trim().to_owned())
            .filter(|tag| !tag.is_empty())
            .collect(),
        _ => Vec::new(),
    };
    let importance = fields.get("importance").and_then(number);
    let importance = importance.and_then(|stated| u8::try_from(stated).ok());
    let confidence = fields.get("confidence").and_then(float);
    let confidence = confidence.filter(|stated| (0.0..=1.0).contains(stated));
    Draft {
        body,
        tags,
        importance: importance.filter(|stated| (1..=10).contains(stated)),
        confidence: confidence.map(|stated| stated as f32),
        external_id: Some(key),
        occurred_at,
        metadata: fields,
        ..Draft::new(content)
    }
}

pub(super) fn thought(entry: Entry, chain: Option<&str>, place: u32) -> Result<Draft, String> {
    let Entry {
        key, mut fields, ..
    } = entry;
    let content = taken(&mut fields, &["content", "thought", "text"]);
    let content = content.ok_or_else(|| format!("{key}: it has no content"))?;
    for field in ["chain_id", "chain"] {
        fields.remove(field);
    }
    older::thought(&mut fields);
    let body = Body::Thought {
        follows: None,
        framework: taken(&mut fields, &["framework"]).unwrap_or_default(),
        number: taken_count(&mut fields, "number"),
        total: taken_count(&mut fields, "total"),
        chain: String::new(),
    };
    let mut draft = draft(key, content, body, fields);
    if let Some(chain) = chain {
        draft.thread = Some(chain.to_owned());
        draft.position = Some(place);
    }
    Ok(draft)
}

pub(super) fn chain(entry: Entry) -> Draft {
    let Entry {
        key, mut fields, ..
    } = entry;
    let id = fields.get("id").and_then(name).unwrap_or_default();
    let title = taken(&mut fields, &["name", "title", "topic"]).unwrap_or_default();
    let texts = [
        "conclusion",
        "summary",
        "description",
        "goal",
        "content",
        "text",
    ];
    let content = taken(&mut fields, &texts);
    let fallback = if title.is_empty() { &id } else { &title };
    let content = content.unwrap_or_else(|| format!("Chain {fallback}"));
    let body = Body::Document {
        title,
        source: String::new(),
    };
    let mut draft = draft(key, content, body, fields);
    draft.thread = Some(id);
    draft
}

/// The name of a node by its id and by its key.
pub(super) fn named_node(entry: &Entry) -> Option<(String, String)> {
    let id = entry.fields.get("id").and_then(name)?;
    let names = ["name", "label", "title"].iter();
    let called = names
        .clone()
        .find_map(|field| entry.fields.get(*field).and_then(name));
    Some((id.clone(), called.unwrap_or(id)))
}

pub(super) fn node(entry: Entry) -> Result<Draft, String> {
    let called = named_node(&entry).map(|(_, called)| called);
    let Entry {
        key, mut fields, ..
    } = entry;
    let stated = ["entity_type", "type", "node_type"].iter();
    let stated = stated
        .clone()
        .find_map(|field| fields.get(*field).and_then(name));
    let entity_type = stated.and_then(|stated| entity_type(&stated));
    let aliases = match fields.remove("aliases") {
        Some(Value::Array(aliases)) => aliases.iter().filter_map(name).collect(),
        _ => Vec::new(),
    };
    let details = taken(&mut fields, &["description", "summary", "content"]);
    let told = Assertion::Entity(ToldEntity {
        name: called.unwrap_or_default(),
        entity_type: entity_type.unwrap_or(EntityType::Concept),
        aliases,
        ..ToldEntity::default()
    });
    statement(key, &told, details, fields)
}

/// The type by any of the names that programs give it.
fn entity_type(stated: &str) -> Option<EntityType> {
    let stated = stated.trim().to_lowercase();
    let known = match stated.as_str() {
        "organization" | "company" | "team" => "organisation",
        "technology" | "library" | "language" | "service" => "tool",
        "location" | "city" | "country" => "place",
        "function" | "class" | "module" => "symbol",
        other => other,
    };
    known.parse().ok()
}

pub(super) fn relation(entry: Entry, names: &BTreeMap<String, String>) -> Result<Draft, String> {
    let Entry {
        key, mut fields, ..
    } = entry;
    let mut end = |fields_of_end: &[&str]| {
        let stated = taken(&mut fields, fields_of_end)?;
        let id = Key::of(&stated).map_or(stated.as_str(), |key| key.id);
        Some(
            names
                .get(id)
                .or(names.get(&stated))
                .cloned()
                .unwrap_or(stated),
        )
    };
    let subject = end(&["from", "source", "source_id", "from_id", "subject"]);
    let object = end(&["to", "target", "target_id", "to_id", "object"]);
    let word = taken(
        &mut fields,
        &["relation_type", "relationType", "type", "relation", "label"],
    );
    let missing = |part: &str| format!("{key}: it has no {part}");
    let is_share = |weight: &f64| (0.0..=1.0).contains(weight);
    // Another scale stays in the metadata.
    let weight = fields.get("weight").and_then(float).filter(is_share);
    if weight.is_some() {
        fields.remove("weight");
    }
    let told = Assertion::Relation(ToldRelation {
        subject: subject.ok_or_else(|| missing("start"))?,
        relation: relation_word(&word.ok_or_else(|| missing("type"))?),
        object: object.ok_or_else(|| missing("end"))?,
        weight,
        valid_from: fields.get("valid_from").and_then(moment),
        valid_to: fields.get("valid_to").and_then(moment),
        ..ToldRelation::default()
    });
    let details = taken(&mut fields, &["description", "reason", "evidence"]);
    statement(key, &told, details, fields)
}

/// A relation's type as words joined by `_`.
fn relation_word(stated: &str) -> String {
    let words = stated.split(|character: char| !character.is_alphanumeric());
    let words: Vec<_> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}

/// A statement about the graph, as a fact with its sentence.
fn statement(
    key: String,
    told: &Assertion,
    details: Option<String>,
    fields: Rest,
) -> Result<Draft, String> {
    told.check()
        .map_err(|refusal| format!("{key}: {refusal}"))?;
    let sentence = told.sentence();
    let content = match details {
        Some(details) => format!("{sentence} {details}"),
        None => sentence,
    };
    let body = Body::Fact {
        category: Some(Category::Entity),
    };
    let mut draft = draft(key, content, body, fields);
    let told = serde_json::to_value(told).map_err(|error| error.to_string())?;
    draft.metadata.insert(Assertion::KEY.to_owned(), told);
    Ok(draft)
}
