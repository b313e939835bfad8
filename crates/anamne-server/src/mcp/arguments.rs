//! Validates arguments against their published schema; errors name what doesn't fit.

use anamne::InvalidValue;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Parses a tool's arguments. A null counts as missing, and `10.0` as an integer.
pub(crate) fn read<T: DeserializeOwned>(
    arguments: JsonObject,
    schema: &JsonObject,
) -> Result<T, InvalidValue> {
    let mut given: JsonObject = arguments
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .collect();
    let empty = JsonObject::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    for (name, value) in &mut given {
        let Some(property) = properties.get(name) else {
            let names: Vec<&str> = properties.keys().map(String::as_str).collect();
            let accepts = format!("left out (the arguments are {})", names.join(", "));
            return Err(InvalidValue::new(name, accepts, value));
        };
        check(name, value, property)?;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let missing = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|name| !given.contains_key(*name));
    if let Some(name) = missing {
        return Err(InvalidValue::new(name, "given", "missing"));
    }
    serde_json::from_value(Value::Object(given))
        .map_err(|error| InvalidValue::new("arguments", "according to the tool's schema", error))
}

/// Checks one argument; supports the schemas that [`super::schema`] produces.
fn check(name: &str, value: &mut Value, property: &Value) -> Result<(), InvalidValue> {
    let wanted = property
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let (fits, accepts) = match wanted {
        "string" => (value.is_string(), "a string"),
        "boolean" => (value.is_boolean(), "true or false"),
        "number" => (value.is_number(), "a number"),
        "object" => (value.is_object(), "an object"),
        "integer" => (make_whole(value), "a whole number"),
        "array" => (is_strings(value), "an array of strings"),
        _ => (true, ""),
    };
    if !fits {
        return Err(InvalidValue::new(name, accepts, value));
    }
    let words = property.get("enum").and_then(Value::as_array);
    // Hyphens are accepted in place of underscores.
    if let Some(word) = value
        .as_str()
        .map(|word| Value::from(word.replace('-', "_")))
        && words.is_some_and(|words| words.contains(&word))
    {
        *value = word;
    }
    match words {
        Some(words) if !words.contains(value) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            let accepts = format!("one of {}", words.join(", "));
            Err(InvalidValue::new(name, accepts, value))
        }
        _ => Ok(()),
    }
}

fn is_strings(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().all(Value::is_string))
}

/// Converts a number without a fraction to an integer; returns whether the value is one now.
fn make_whole(value: &mut Value) -> bool {
    if value.as_i64().is_some() {
        return true;
    }
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() < 2f64.powi(53) => {
            *value = Value::from(number as i64);
            true
        }
        _ => false,
    }
}

/// An integer within bounds, or the default `otherwise`.
pub(crate) fn bounded(
    field: &str,
    given: Option<i64>,
    bounds: std::ops::RangeInclusive<i64>,
    otherwise: i64,
) -> Result<usize, InvalidValue> {
    let number = given.unwrap_or(otherwise);
    if bounds.contains(&number) {
        return Ok(number as usize);
    }
    let accepts = format!("a whole number from {} to {}", bounds.start(), bounds.end());
    Err(InvalidValue::new(field, accepts, number))
}

/// An importance, if given.
pub(crate) fn importance(given: Option<i64>) -> Result<Option<u8>, InvalidValue> {
    given
        .map(|number| bounded("importance", Some(number), 1..=10, 0).map(|number| number as u8))
        .transpose()
}
