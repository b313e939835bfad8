//! Older forms of records: fields that other programs wrote for skills, thoughts and episodes.
//!
//! Their fields become the typed fields of a kind; what has no typed field stays in the metadata under its own name.

use std::collections::BTreeMap;

use anamne_types::Kind;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// Fields that only older forms have. A record without any of them is left as it is.
const MARKS: [&str; 10] = [
    "skill_name",
    "chain_id",
    "thought_number",
    "total_thoughts",
    "thought",
    "tool_logs",
    "memory_type",
    "timestamp",
    "goal",
    "salience",
];

/// Fields whose text is the record's, if it has none, in this order.
const TEXTS: [&str; 6] = [
    "thought",
    "memory",
    "description",
    "summary",
    "goal",
    "outcome",
];

/// The rest of a record: everything beside the common fields.
pub(super) type Rest = BTreeMap<String, Value>;

/// What older fields say about the common ones; absent where they say nothing.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Translated {
    pub(super) kind: Option<Kind>,
    pub(super) thread: Option<String>,
    pub(super) position: Option<u32>,
    pub(super) time: Option<Timestamp>,
    pub(super) text: Option<String>,
}

/// What the common fields of a record say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Given {
    pub(super) kind: Option<Kind>,
    pub(super) has_text: bool,
    pub(super) has_time: bool,
}

/// Whether a record has fields of an older form. `kind` is what it says in today's form.
pub(super) fn is_older(rest: &Rest, kind: Option<Kind>) -> bool {
    let is_typed = kind.is_some();
    MARKS.iter().any(|mark| {
        // A record of today's form has these fields with a kind.
        let is_todays = is_typed && matches!(*mark, "goal" | "salience");
        rest.contains_key(*mark) && !is_todays
    })
}

/// Whether a record has a text under an older name.
pub(super) fn has_text(rest: &Rest) -> bool {
    TEXTS.iter().any(|name| rest.contains_key(*name))
}

/// Moves older fields to where they belong: typed fields under today's names in `rest`, the others into `metadata`.
/// Returns what they say about the common fields, or why a value can't be read. `given` is what the common fields say.
pub(super) fn translate(
    rest: &mut Rest,
    metadata: &mut Rest,
    given: Given,
) -> Result<Translated, String> {
    let kind = given.kind.or_else(|| kind_of(rest));
    let mut translated = Translated {
        kind,
        time: if given.has_time { None } else { time(rest)? },
        ..Translated::default()
    };
    if !given.has_text {
        translated.text = text(rest);
    }
    if let Some(chain) = rest.get("chain_id").and_then(name) {
        translated.thread = Some(chain);
        rest.remove("chain_id");
    }
    if translated.thread.is_some() {
        let number = rest.get("thought_number").and_then(number);
        translated.position = number.and_then(|number| number.checked_sub(1));
    }
    match kind {
        Some(Kind::Skill) => skill(rest),
        Some(Kind::Episode) => episode(rest)?,
        Some(Kind::Thought) => thought(rest),
        _ => {}
    }
    let typed = typed_fields(kind);
    let moved: Vec<String> = FIELDS
        .iter()
        .filter(|field| !typed.contains(field) && rest.contains_key(**field))
        .map(|field| (*field).to_owned())
        .collect();
    for field in moved {
        if let Some(value) = rest.remove(&field) {
            metadata.entry(field).or_insert(value);
        }
    }
    Ok(translated)
}

/// Fields that are typed for some kind, and would be refused for another.
const FIELDS: [&str; 10] = [
    "goal", "plan", "outcome", "tool_log", "salience", "name", "trigger", "steps", "code", "title",
];

fn typed_fields(kind: Option<Kind>) -> &'static [&'static str] {
    match kind {
        Some(Kind::Skill) => &["name", "trigger", "steps", "code"],
        Some(Kind::Episode) => &["goal", "plan", "steps", "outcome", "tool_log", "salience"],
        Some(Kind::Document) => &["title"],
        _ => &[],
    }
}

/// The kind by its older name, else by the fields that are there.
fn kind_of(rest: &mut Rest) -> Option<Kind> {
    let named = rest.get("memory_type").and_then(Value::as_str);
    let named = named.and_then(|name| match name.trim().to_lowercase().as_str() {
        "skill" | "procedural" | "procedure" => Some(Kind::Skill),
        "episode" | "episodic" | "experience" | "event" => Some(Kind::Episode),
        "thought" | "reasoning" | "working" => Some(Kind::Thought),
        "fact" | "semantic" | "knowledge" => Some(Kind::Fact),
        "message" | "conversation" | "chat" => Some(Kind::Message),
        "document" | "resource" => Some(Kind::Document),
        _ => None,
    });
    if named.is_some() {
        rest.remove("memory_type");
        return named;
    }
    let has = |fields: &[&str]| fields.iter().any(|field| rest.contains_key(*field));
    if has(&["skill_name"]) {
        Some(Kind::Skill)
    } else if has(&["tool_logs", "goal", "salience"]) {
        Some(Kind::Episode)
    } else if has(&["chain_id", "thought_number", "total_thoughts", "thought"]) {
        Some(Kind::Thought)
    } else {
        None
    }
}

/// The record's text, from the first field that has one; for a skill without any, its name and steps.
fn text(rest: &mut Rest) -> Option<String> {
    for field in TEXTS {
        let stated = rest.get(field).and_then(Value::as_str);
        if let Some(text) = stated.filter(|text| !text.trim().is_empty()) {
            let text = text.to_owned();
            // Typed fields keep their value too.
            if !FIELDS.contains(&field) {
                rest.remove(field);
            }
            return Some(text);
        }
    }
    let title = ["skill_name", "name", "title"]
        .iter()
        .find_map(|field| rest.get(*field)?.as_str())?;
    let steps = rest.get("steps").map(list).unwrap_or_default();
    let lines = std::iter::once(title.to_owned()).chain(steps);
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn skill(rest: &mut Rest) {
    if let Some(name) = rest.remove("skill_name") {
        rest.entry("name".to_owned()).or_insert(name);
    }
    for field in ["name", "trigger", "code"] {
        if let Some(value) = rest.get_mut(field) {
            *value = one_text(value).into();
        }
    }
    as_list(rest, "steps");
}

/// Counts that make no sense stay under their own names.
pub(super) fn thought(rest: &mut Rest) {
    let counted = |rest: &Rest, field| rest.get(field).and_then(number).filter(|count| *count > 0);
    let place = counted(rest, "thought_number");
    let total = counted(rest, "total_thoughts").filter(|total| Some(*total) >= place);
    let fields = [
        ("thought_number", "number", place),
        ("total_thoughts", "total", total),
    ];
    for (older, todays, count) in fields {
        if let Some(count) = count {
            rest.remove(older);
            rest.insert(todays.to_owned(), count.into());
        }
    }
    if let Some(framework) = rest.get_mut("framework") {
        *framework = one_text(framework).into();
    }
}

fn episode(rest: &mut Rest) -> Result<(), String> {
    for field in ["goal", "outcome"] {
        if let Some(value) = rest.get_mut(field) {
            *value = one_text(value).into();
        }
    }
    as_list(rest, "plan");
    as_list(rest, "steps");
    if let Some(logged) = rest.remove("tool_logs") {
        let calls = match logged {
            Value::Array(calls) => calls.iter().map(call).collect(),
            Value::Null => Vec::new(),
            other => vec![call(&other)],
        };
        rest.entry("tool_log".to_owned()).or_insert(calls.into());
    }
    if let Some(salience) = rest.get("salience").filter(|value| !value.is_null()) {
        let accepts = || format!("salience must be 0 to 1, or 1 to 10, but was {salience}");
        let stated = float(salience).ok_or_else(accepts)?;
        let share = if stated > 1.0 { stated / 10.0 } else { stated };
        if !(0.0..=1.0).contains(&share) {
            return Err(accepts());
        }
        rest.insert("salience".to_owned(), json!(share));
    }
    Ok(())
}

/// A tool call in any of its older forms.
fn call(logged: &Value) -> Value {
    let Value::Object(fields) = logged else {
        return json!({ "tool": "", "output": one_text(logged) });
    };
    let first = |names: &[&str]| names.iter().find_map(|name| fields.get(*name));
    let text = |names: &[&str]| first(names).map(one_text).unwrap_or_default();
    let mut call = Map::new();
    call.insert(
        "tool".to_owned(),
        text(&["tool", "tool_name", "name"]).into(),
    );
    let inputs = [
        "input",
        "args",
        "arguments",
        "params",
        "parameters",
        "command",
    ];
    call.insert("input".to_owned(), text(&inputs).into());
    let outputs = ["output", "result", "response", "error"];
    call.insert("output".to_owned(), text(&outputs).into());
    let succeeded = first(&["succeeded", "success", "ok"]).and_then(Value::as_bool);
    let failed = fields.get("error").is_some_and(|error| !error.is_null());
    if let Some(succeeded) = succeeded.or(failed.then_some(false)) {
        call.insert("succeeded".to_owned(), succeeded.into());
    }
    call.into()
}

/// Turns a field into a list of texts, if it is there.
fn as_list(rest: &mut Rest, field: &str) {
    if let Some(value) = rest.get_mut(field) {
        *value = list(value).into();
    }
}

/// The items of a list; the lines of a text.
fn list(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().map(one_text).collect(),
        Value::String(text) => {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.map(str::to_owned).collect()
        }
        other => vec![other.to_string()],
    }
}

/// The text of a value: a text as it is, the text of a step, anything else as JSON.
fn one_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(fields) if fields.len() == 1 => {
            fields.values().next().map(one_text).unwrap_or_default()
        }
        other => other.to_string(),
    }
}

/// A name, as a text or a number.
pub(super) fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A count, as a number or its digits.
pub(super) fn number(value: &Value) -> Option<u32> {
    match value {
        Value::Number(number) => number.as_u64()?.try_into().ok(),
        Value::String(digits) => digits.trim().parse().ok(),
        _ => None,
    }
}

pub(super) fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(digits) => digits.trim().parse().ok(),
        _ => None,
    }
}

/// When it happened, from `timestamp`, else from a readable `created_at`.
fn time(rest: &mut Rest) -> Result<Option<Timestamp>, String> {
    if let Some(value) = rest.get("timestamp").filter(|value| !value.is_null()) {
        let at = moment(value).ok_or_else(|| {
            format!("timestamp must be an RFC 3339 time or seconds since 1970, but was {value}")
        })?;
        rest.remove("timestamp");
        return Ok(Some(at));
    }
    Ok(take_created(rest))
}

/// Takes the time from `created_at`. One that can't be read stays.
pub(super) fn take_created(rest: &mut Rest) -> Option<Timestamp> {
    let at = moment(rest.get("created_at")?)?;
    rest.remove("created_at");
    Some(at)
}

/// A time: RFC 3339, without an offset UTC; or seconds, milliseconds or microseconds since 1970, told apart by their
/// size.
pub(super) fn moment(value: &Value) -> Option<Timestamp> {
    if let Value::String(text) = value
        && let Ok(at) = super::record::instant("timestamp", Some(text.clone()))
    {
        return at;
    }
    let seconds = float(value).filter(|seconds| seconds.is_finite())?;
    let seconds = match seconds.abs() {
        size if size >= 1e14 => seconds / 1e6,
        size if size >= 1e11 => seconds / 1e3,
        _ => seconds,
    };
    Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(fields: Value) -> Rest {
        serde_json::from_value(fields).expect("an object")
    }

    fn translated(fields: Value) -> (Translated, Rest, Rest) {
        let (mut rest, mut metadata) = (rest(fields), Rest::new());
        let said = translate(&mut rest, &mut metadata, Given::default()).expect("readable");
        (said, rest, metadata)
    }

    #[test]
    fn times_are_told_apart_by_their_size() {
        let expected: Timestamp = "2026-02-03T09:12:37Z".parse().expect("an instant");
        for value in [
            json!("2026-02-03T09:12:37Z"),
            json!("2026-02-03T09:12:37"),
            json!(1_770_109_957),
            json!("1770109957"),
            json!(1_770_109_957_000_i64),
            json!(1_770_109_957_000_000_i64),
        ] {
            assert_eq!(moment(&value), Some(expected), "{value}");
        }
        for value in [json!("yesterday"), json!(true), json!(null), json!("NaN")] {
            assert_eq!(moment(&value), None, "{value}");
        }
    }

    #[test]
    fn the_kind_is_seen_by_its_fields() {
        for (fields, kind) in [
            (json!({ "skill_name": "x" }), Some(Kind::Skill)),
            (json!({ "tool_logs": [] }), Some(Kind::Episode)),
            (json!({ "chain_id": "c" }), Some(Kind::Thought)),
            (
                json!({ "memory_type": "Semantic", "goal": "x" }),
                Some(Kind::Fact),
            ),
            (json!({ "memory_type": "odd" }), None),
            (json!({ "timestamp": 5 }), None),
        ] {
            assert!(is_older(&rest(fields.clone()), None), "{fields}");
            assert_eq!(translated(fields.clone()).0.kind, kind, "{fields}");
        }
        for todays in [
            json!({ "mood": "calm" }),
            json!({ "steps": ["x"], "framework": "y" }),
        ] {
            assert!(!is_older(&rest(todays), None));
        }
        assert!(!is_older(
            &rest(json!({ "goal": "x", "salience": 1 })),
            Some(Kind::Episode)
        ));
    }

    #[test]
    fn fields_of_another_kind_stay_in_the_metadata() {
        let (said, rest, metadata) = translated(json!({
            "skill_name": "Deploy", "steps": "one\n two \n", "goal": "ship", "mood": "calm",
        }));
        assert_eq!(said.text.as_deref(), Some("ship"));
        assert_eq!(rest["steps"], json!(["one", "two"]));
        assert_eq!(rest["name"], "Deploy");
        assert_eq!(
            (&metadata["goal"], &rest["mood"]),
            (&json!("ship"), &json!("calm"))
        );
    }

    #[test]
    fn tool_logs_have_many_forms() {
        let (_, rest, _) = translated(json!({ "goal": "ship", "tool_logs": [
            { "tool": "cargo", "input": "test", "output": "ok", "success": true },
            { "tool_name": "curl", "args": { "url": "x" }, "error": "refused" },
            "ran the linter",
        ]}));
        assert_eq!(
            rest["tool_log"],
            json!([
                { "tool": "cargo", "input": "test", "output": "ok", "succeeded": true },
                { "tool": "curl", "input": "x", "output": "refused", "succeeded": false },
                { "tool": "", "output": "ran the linter" },
            ])
        );
    }
}
