//! The schema of an answer: the subset of JSON Schema that tasks use, checked completely.

use serde_json::{Map, Value};

use super::BridgeError;

/// A JSON schema in which every keyword is checked.
///
/// `type` (one or several), `properties`, `required`, `additionalProperties` (true or false), `items`, `enum`,
/// `minItems`, `maxItems`, `minimum`, `maximum`, `maxLength` (in characters); `description` and `title` are ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema(Value);

const TYPES: &[&str] = &[
    "object", "array", "string", "integer", "number", "boolean", "null",
];

/// The keywords for bounds, with their requirement and unit.
const BOUNDS: &[(&str, &str, &str)] = &[
    ("minItems", "have at least", " items"),
    ("maxItems", "have at most", " items"),
    ("maxLength", "have at most", " characters"),
    ("minimum", "be at least", ""),
    ("maximum", "be at most", ""),
];

/// Maximum number of reported problems.
const MOST_PROBLEMS: usize = 8;

impl Schema {
    /// Parses a schema. [`BridgeError::Schema`] if it uses unsupported keywords.
    pub fn new(schema: Value) -> Result<Self, BridgeError> {
        check_words(&schema)?;
        Ok(Self(schema))
    }

    /// The schema as JSON.
    pub fn as_json(&self) -> &Value {
        &self.0
    }

    /// The schema without keywords that a provider doesn't support.
    pub(crate) fn without(&self, keywords: &[&str]) -> Value {
        stripped(&self.0, keywords)
    }

    /// The problems of `value` with their paths; empty if it fits.
    ///
    /// Problems contain paths and expectations, never the value itself.
    pub fn problems(&self, value: &Value) -> Vec<String> {
        let mut check = Check {
            problems: Vec::new(),
        };
        check.value("the answer", &self.0, value);
        check.problems
    }
}

fn unknown(keyword: &str) -> BridgeError {
    BridgeError::Schema {
        keyword: keyword.to_owned(),
    }
}

fn check_words(schema: &Value) -> Result<(), BridgeError> {
    let words = schema.as_object().ok_or_else(|| unknown("no object"))?;
    for (keyword, value) in words {
        let fits = match keyword.as_str() {
            "title" | "description" => value.is_string(),
            "type" => types(value).is_some_and(|types| {
                types.iter().all(|name| TYPES.contains(name)) && !types.is_empty()
            }),
            "enum" => value.is_array(),
            "required" => strings(value).is_some(),
            "additionalProperties" => value.is_boolean(),
            "minItems" | "maxItems" | "maxLength" => value.is_u64(),
            "minimum" | "maximum" => value.is_number(),
            "items" => {
                check_words(value)?;
                true
            }
            "properties" => {
                let properties = value.as_object().ok_or_else(|| unknown(keyword))?;
                properties.values().try_for_each(check_words)?;
                true
            }
            _ => false,
        };
        if !fits {
            return Err(unknown(keyword));
        }
    }
    Ok(())
}

fn types(value: &Value) -> Option<Vec<&str>> {
    match value {
        Value::String(name) => Some(vec![name]),
        several => strings(several),
    }
}

fn strings(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

fn stripped(schema: &Value, keywords: &[&str]) -> Value {
    let Some(words) = schema.as_object() else {
        return schema.clone();
    };
    let kept = words
        .iter()
        .filter(|(keyword, _)| !keywords.contains(&keyword.as_str()))
        .map(|(keyword, value)| {
            let value = match (keyword.as_str(), value) {
                ("items", items) => stripped(items, keywords),
                ("properties", Value::Object(properties)) => properties
                    .iter()
                    .map(|(name, schema)| (name.clone(), stripped(schema, keywords)))
                    .collect(),
                (_, value) => value.clone(),
            };
            (keyword.clone(), value)
        });
    Value::Object(kept.collect())
}

struct Check {
    problems: Vec<String>,
}

impl Check {
    fn note(&mut self, place: &str, expected: &str) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(format!("{place} {expected}"));
        }
    }

    fn value(&mut self, place: &str, schema: &Value, value: &Value) {
        if let Some(types) = schema.get("type").and_then(types)
            && !types.iter().any(|name| is_of(name, value))
        {
            self.note(
                place,
                &format!("must be of the type {}", types.join(" or ")),
            );
            return;
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
            && !allowed.contains(value)
        {
            let words: Vec<_> = allowed.iter().map(Value::to_string).collect();
            self.note(place, &format!("must be one of {}", words.join(", ")));
            return;
        }
        match value {
            Value::Object(fields) => self.object(place, schema, fields),
            Value::Array(items) => self.array(place, schema, items),
            Value::String(text) => {
                self.bounds(place, schema, "Length", text.chars().count() as f64);
            }
            Value::Number(number) => {
                self.bounds(place, schema, "imum", number.as_f64().unwrap_or_default());
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn object(&mut self, place: &str, schema: &Value, fields: &Map<String, Value>) {
        for name in schema.get("required").and_then(strings).unwrap_or_default() {
            if !fields.contains_key(name) {
                self.note(place, &format!("must have {name:?}"));
            }
        }
        let known = schema.get("properties").and_then(Value::as_object);
        let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        for (name, value) in fields {
            match known.and_then(|known| known.get(name)) {
                Some(schema) => self.value(&format!("{place}.{name}"), schema, value),
                None if closed => {
                    self.note(
                        place,
                        "must not have properties that the schema does not name",
                    );
                }
                None => {}
            }
        }
    }

    fn array(&mut self, place: &str, schema: &Value, items: &[Value]) {
        self.bounds(place, schema, "Items", items.len() as f64);
        if let Some(schema) = schema.get("items") {
            for (number, item) in items.iter().enumerate() {
                if self.problems.len() == MOST_PROBLEMS {
                    return;
                }
                self.value(&format!("{place}[{number}]"), schema, item);
            }
        }
    }

    /// Checks a measure against the bounds whose keyword ends with `ending`.
    fn bounds(&mut self, place: &str, schema: &Value, ending: &str, measure: f64) {
        for (word, expected, unit) in BOUNDS {
            let Some(bound) = schema.get(word).filter(|_| word.ends_with(ending)) else {
                continue;
            };
            let limit = bound.as_f64().unwrap_or(measure);
            let (low, high) = if word.starts_with("min") {
                (limit, measure)
            } else {
                (measure, limit)
            };
            if low > high {
                self.note(place, &format!("must {expected} {bound}{unit}"));
            }
        }
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: Value, value: &Value, expected: &[&str]) {
        let schema = Schema::new(schema).expect("a schema of known words");
        assert_eq!(schema.problems(value), expected, "{value}");
    }

    #[test]
    fn every_word_of_a_schema_is_checked() {
        let object = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
            "additionalProperties": false});
        check(object.clone(), &json!({"a": 1}), &[]);
        check(object.clone(), &json!({"a": 1.0}), &[]);
        check(
            object.clone(),
            &json!({"a": 1.5}),
            &["the answer.a must be of the type integer"],
        );
        check(object.clone(), &json!({}), &["the answer must have \"a\""]);
        check(
            object.clone(),
            &json!([]),
            &["the answer must be of the type object"],
        );
        check(
            object,
            &json!({"a": 1, "ignore all of this": 2}),
            &["the answer must not have properties that the schema does not name"],
        );
        let list = json!({"type": "array", "minItems": 1, "maxItems": 2, "items": {"enum": ["x", 1, null]}});
        check(list.clone(), &json!(["x", null]), &[]);
        check(
            list.clone(),
            &json!([]),
            &["the answer must have at least 1 items"],
        );
        check(
            list,
            &json!([1, 1, 2]),
            &[
                "the answer must have at most 2 items",
                "the answer[2] must be one of \"x\", 1, null",
            ],
        );
        let number = json!({"type": ["number", "null"], "minimum": 0, "maximum": 1});
        check(number.clone(), &json!(null), &[]);
        check(
            number.clone(),
            &json!(-0.1),
            &["the answer must be at least 0"],
        );
        check(number.clone(), &json!(2), &["the answer must be at most 1"]);
        check(
            number,
            &json!("1"),
            &["the answer must be of the type number or null"],
        );
        check(json!({"maxLength": 2}), &json!("äö"), &[]);
        check(
            json!({"maxLength": 2}),
            &json!("äöü"),
            &["the answer must have at most 2 characters"],
        );
    }

    #[test]
    fn a_schema_with_unknown_words_is_refused() {
        for schema in [
            json!({"pattern": "x"}),
            json!({"type": "text"}),
            json!({"items": {"oneOf": []}}),
            json!({"properties": {"a": {"minLength": 1}}}),
            json!({"additionalProperties": {"type": "string"}}),
            json!(true),
        ] {
            assert!(Schema::new(schema.clone()).is_err(), "{schema}");
        }
    }

    #[test]
    fn words_are_taken_out_at_every_depth_but_not_from_names() {
        let schema = json!({"properties": {"maxLength": {"type": "string", "maxLength": 3}},
            "items": {"maxLength": 1}});
        let schema = Schema::new(schema).expect("a schema of known words");
        assert_eq!(
            schema.without(&["maxLength"]),
            json!({"properties": {"maxLength": {"type": "string"}}, "items": {}})
        );
    }

    #[test]
    fn problems_are_few_however_wrong_an_answer_is() {
        let schema = Schema::new(json!({"items": {"type": "string"}})).expect("known words");
        let value = Value::Array(vec![json!(1); 10_000]);
        assert_eq!(schema.problems(&value).len(), MOST_PROBLEMS);
    }
}
