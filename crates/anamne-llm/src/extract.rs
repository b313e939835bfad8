//! Extracts JSON from the text of a model's answer.

use serde_json::Value;

use super::Schema;

/// Maximum number of invalid object starts before the search ends.
const MOST_BEGINNINGS: usize = 64;

/// The one value in `text` that fits the schema, or a description of the problem for the model.
///
/// A text that is JSON is used as it is. Otherwise the objects in it are tried, in code fences or between sentences; if
/// several fit and differ, the answer is ambiguous and rejected.
pub(crate) fn extract(text: &str, schema: &Schema) -> Result<Value, String> {
    if let Ok(value) = serde_json::from_str::<Value>(text.trim()) {
        return fitting(value, schema);
    }
    let mut problem = "no complete JSON object".to_owned();
    let mut found: Option<Value> = None;
    for object in objects(text) {
        match (fitting(object, schema), &found) {
            (Ok(value), Some(first)) if value != *first => {
                return Err("several answers; give one".to_owned());
            }
            (Ok(value), _) => found = Some(value),
            (Err(wrong), _) => problem = wrong,
        }
    }
    found.ok_or(problem)
}

fn fitting(value: Value, schema: &Schema) -> Result<Value, String> {
    let problems = schema.problems(&value);
    if problems.is_empty() {
        Ok(value)
    } else {
        Err(problems.join("; "))
    }
}

/// The outermost JSON objects in a text, in order.
fn objects(text: &str) -> Vec<Value> {
    let mut objects = Vec::new();
    let (mut from, mut beginnings) = (0, 0);
    while let Some(begin) = text[from..].find('{').map(|at| from + at) {
        beginnings += 1;
        if beginnings > MOST_BEGINNINGS {
            break;
        }
        let mut values = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Value>();
        from = match values.next() {
            Some(Ok(value)) => {
                objects.push(value);
                begin + values.byte_offset()
            }
            _ => begin + 1,
        };
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, expected: Result<Value, &str>) {
        let schema =
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let schema = Schema::new(schema).expect("known words");
        let found = extract(text, &schema);
        assert_eq!(found, expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn the_answer_is_found_in_what_stands_around_it() {
        check(r#"{"n": 1}"#, Ok(json!({"n": 1})));
        check("```json\n{\"n\": 1}\n```", Ok(json!({"n": 1})));
        check(
            "Here you are: {\"n\": 1}. Anything else?",
            Ok(json!({"n": 1})),
        );
        check(r#"{} is empty, {"n": 1} is not"#, Ok(json!({"n": 1})));
        check(r#"{"n": 1} and again {"n": 1}"#, Ok(json!({"n": 1})));
        check("{{{ {\"n\": 1}", Ok(json!({"n": 1})));
        check(
            r#"{"n": 1} but also {"n": 2}"#,
            Err("several answers; give one"),
        );
        check("no", Err("no complete JSON object"));
        check("", Err("no complete JSON object"));
        check(r#"{"n": 1"#, Err("no complete JSON object"));
        check("[1]", Err("the answer must be of the type object"));
        check("<p>{\"m\": 1}</p>", Err("the answer must have \"n\""));
        check("{日本: 語} 🦀 {\"n\": 3}", Ok(json!({"n": 3})));
    }

    #[test]
    fn hostile_answers_end_the_search() {
        check(&"{".repeat(200_000), Err("no complete JSON object"));
        check(&"{\"a\":".repeat(100_000), Err("no complete JSON object"));
        check(&"[".repeat(100_000), Err("no complete JSON object"));
    }
}
