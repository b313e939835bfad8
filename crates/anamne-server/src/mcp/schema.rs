//! Argument schemas, kept small: every host pays for them in every conversation.

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// The schema of a tool's arguments, without titles, formats, nulls, definitions and defaults.
///
/// Unknown arguments are rejected anyway; `additionalProperties` would cost tokens in every tool. An optional argument
/// is simply not required; null counts as missing.
pub(crate) fn input_schema<T: JsonSchema>() -> JsonObject {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut object) = Value::from(schema) else {
        unreachable!("the schema of a struct is an object");
    };
    strip_schema(&mut object);
    object.remove("description");
    // Hosts expect it of tools without arguments too.
    let properties = object.entry("properties");
    properties.or_insert_with(|| Value::Object(JsonObject::new()));
    object
}

/// A string that is one of `words`.
pub(crate) fn one_of<'a>(words: impl Iterator<Item = &'a str>) -> Schema {
    let words: Vec<&str> = words.collect();
    json_schema!({ "type": "string", "enum": words })
}

/// The categories of fact.
pub(crate) fn category(_: &mut SchemaGenerator) -> Schema {
    one_of(
        anamne::Category::ALL
            .iter()
            .map(|category| category.as_str()),
    )
}

/// The types of link.
pub(crate) fn link_type(_: &mut SchemaGenerator) -> Schema {
    one_of(anamne::LinkType::ALL.iter().map(|word| word.as_str()))
}

/// Recurses only into schemas, so that an argument may be named `title`.
fn strip_schema(schema: &mut JsonObject) {
    for noise in ["$schema", "title", "format", "default"] {
        schema.remove(noise);
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
        schema.remove("additionalProperties");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    for inner in ["properties", "items"] {
        match schema.get_mut(inner) {
            Some(Value::Object(items)) if inner == "items" => strip_schema(items),
            Some(Value::Object(properties)) => {
                properties
                    .values_mut()
                    .filter_map(Value::as_object_mut)
                    .for_each(strip_schema);
            }
            _ => {}
        }
    }
}
