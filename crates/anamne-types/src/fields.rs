//! The typed fields of a body by name, as doors take them.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::limits::accept;
use crate::{Body, Category, InvalidValue, Kind, MemoryId, Metadata, Role, ToolCall};

/// What the value of a field looks like.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Texts,
    Count,
    Salience,
    Id,
    Ids,
    ToolCalls,
    Role,
    Category,
}

use Shape::{Count, Id, Ids, Salience, Text, Texts, ToolCalls};

const MESSAGE: &[(&str, Shape)] = &[("role", Shape::Role)];
const THOUGHT: &[(&str, Shape)] = &[
    ("follows", Id),
    ("framework", Text),
    ("number", Count),
    ("total", Count),
    ("chain", Text),
];
const FACT: &[(&str, Shape)] = &[("category", Shape::Category)];
const EPISODE: &[(&str, Shape)] = &[
    ("goal", Text),
    ("plan", Texts),
    ("steps", Texts),
    ("outcome", Text),
    ("tool_log", ToolCalls),
    ("salience", Salience),
];
const SKILL: &[(&str, Shape)] = &[
    ("name", Text),
    ("trigger", Text),
    ("steps", Texts),
    ("code", Text),
];
const DOCUMENT: &[(&str, Shape)] = &[("title", Text), ("source", Text)];
const CHUNK: &[(&str, Shape)] = &[("document", Id), ("heading", Text)];
const SUMMARY: &[(&str, Shape)] = &[("sources", Ids)];

/// The fields of a kind; experience has a record instead.
fn shapes(kind: Kind) -> &'static [(&'static str, Shape)] {
    match kind {
        Kind::Message => MESSAGE,
        Kind::Thought => THOUGHT,
        Kind::Fact => FACT,
        Kind::Episode => EPISODE,
        Kind::Skill => SKILL,
        Kind::Document => DOCUMENT,
        Kind::Chunk => CHUNK,
        Kind::Summary => SUMMARY,
        Kind::Experience => &[],
    }
}

impl Shape {
    fn accepts(self) -> &'static str {
        match self {
            Text => "text",
            Texts => "a list of texts",
            Count => "a whole number from 1",
            Salience => "a number from 0 to 1, or above 1 up to 10 on a scale of ten",
            Id => "the id of a memory",
            Ids => "a list of ids of memories",
            ToolCalls => {
                "a list of calls: {\"tool\", \"input\"?, \"output\"?, \"succeeded\"?: true or false}"
            }
            Shape::Role => "one of user, assistant, tool, system",
            Shape::Category => "a category of fact",
        }
    }

    fn fits(self, value: &Value) -> bool {
        fn is<'de, T: Deserialize<'de>>(value: &'de Value) -> bool {
            T::deserialize(value).is_ok()
        }
        match self {
            Text => value.is_string(),
            Texts => is::<Vec<String>>(value),
            Count => is::<u32>(value),
            Salience => value.is_number(),
            Id => is::<MemoryId>(value),
            Ids => is::<Vec<MemoryId>>(value),
            ToolCalls => is::<Vec<ToolCall>>(value),
            Shape::Role => is::<Role>(value),
            Shape::Category => is::<Category>(value),
        }
    }
}

impl Body {
    /// The names of the typed fields of a kind.
    pub fn field_names(kind: Kind) -> impl Iterator<Item = &'static str> + Clone {
        shapes(kind).iter().map(|(name, _)| *name)
    }

    /// The kinds that have a typed field of this name.
    pub fn kinds_with_field(name: &str) -> Vec<Kind> {
        let kinds = Kind::ALL.iter().copied();
        kinds
            .filter(|kind| shapes(*kind).iter().any(|(field, _)| *field == name))
            .collect()
    }

    /// A body of this kind with these fields; null is the same as a missing field.
    ///
    /// # Errors
    ///
    /// For a field that the kind does not have, a value of another shape, a chunk without its document, and experience.
    pub fn from_fields(kind: Kind, fields: &Metadata) -> Result<Self, InvalidValue> {
        if kind == Kind::Experience {
            let accepts = "another kind: experience has a record, and no fields";
            return Err(InvalidValue::new("kind", accepts, kind));
        }
        let mut body = Map::new();
        for (name, value) in fields {
            let known = shapes(kind).iter().find(|(field, _)| field == name);
            let (name, shape) = known.ok_or_else(|| foreign(kind, name))?;
            if !value.is_null() {
                accept(shape.fits(value), name, shape.accepts(), value)?;
                body.insert((*name).to_owned(), value.clone());
            }
        }
        if kind == Kind::Chunk {
            let accepts = "given where the kind is chunk";
            accept(
                body.contains_key("document"),
                "document",
                accepts,
                "missing",
            )?;
        }
        body.insert("kind".to_owned(), kind.as_str().into());
        serde_json::from_value(body.into())
            .map_err(|error| InvalidValue::new("fields", "the fields of one memory", error))
    }

    /// This body with fields replaced; null empties a field. Fails like [`Body::from_fields`].
    pub fn with_fields(&self, fields: &Metadata) -> Result<Self, InvalidValue> {
        if fields.is_empty() {
            return Ok(self.clone());
        }
        let unreadable = |error| InvalidValue::new("fields", "representable as JSON", error);
        let mut whole: Metadata = match serde_json::to_value(self).map_err(unreadable)? {
            Value::Object(whole) => whole.into_iter().collect(),
            _ => Metadata::new(),
        };
        whole.remove("kind");
        whole.extend(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        Self::from_fields(self.kind(), &whole)
    }
}

fn foreign(kind: Kind, name: &str) -> InvalidValue {
    let names: Vec<_> = Body::field_names(kind).collect();
    let accepts = format!("among those of the kind {kind}: {}", names.join(", "));
    InvalidValue::new("fields", accepts, format!("{name:?}"))
}

/// Reads a salience: more than 1 up to 10 is on a scale of ten; what is out of range is refused when it is checked.
pub(crate) fn read_salience<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<f32>, D::Error> {
    Ok(Option::<f32>::deserialize(deserializer)?.map(salience_of))
}

fn salience_of(given: f32) -> f32 {
    if given > 1.0 && given <= 10.0 {
        given / 10.0
    } else {
        given
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(value: Value) -> Metadata {
        serde_json::from_value(value).expect("fields")
    }

    fn refusal(kind: Kind, value: Value) -> String {
        let refused = Body::from_fields(kind, &fields(value)).expect_err("refused");
        refused.to_string()
    }

    #[test]
    fn every_field_of_every_kind_is_known_by_its_name() {
        for &kind in Kind::ALL {
            let Some(body) = Body::empty(kind) else {
                continue;
            };
            assert_eq!(Body::from_fields(kind, &Metadata::new()), Ok(body));
            for name in Body::field_names(kind) {
                // A kind's own JSON refuses names that it doesn't have.
                let with_null = json!({ "kind": kind, name: Value::Null });
                let error = serde_json::from_value::<Body>(with_null).err();
                let is_unknown = error.is_some_and(|error| error.to_string().contains("unknown"));
                assert!(!is_unknown, "{kind} has no {name}");
            }
        }
    }

    #[test]
    fn fields_make_a_body_and_change_one() {
        let episode = fields(json!({
            "goal": "Move the kiln", "plan": ["lift", "carry"], "steps": ["carried it"],
            "outcome": "moved", "salience": 7,
            "tool_log": [{"tool": "crane", "succeeded": true}],
        }));
        let body = Body::from_fields(Kind::Episode, &episode).expect("a body");
        let Body::Episode {
            steps, salience, ..
        } = &body
        else {
            panic!("{body:?}")
        };
        assert_eq!((steps.len(), *salience), (1, Some(0.7)));
        let change = fields(json!({ "outcome": "broken", "plan": null }));
        let changed = body.with_fields(&change).expect("a body");
        let Body::Episode {
            goal,
            plan,
            outcome,
            ..
        } = &changed
        else {
            panic!("{changed:?}")
        };
        assert_eq!(
            (goal.as_str(), plan.len(), outcome.as_str()),
            ("Move the kiln", 0, "broken")
        );
    }

    #[test]
    fn a_salience_above_one_is_on_a_scale_of_ten() {
        for (given, kept) in [
            (0.0, 0.0),
            (0.7, 0.7),
            (1.0, 1.0),
            (2.0, 0.2),
            (7.0, 0.7),
            (10.0, 1.0),
        ] {
            assert_eq!(Some(salience_of(given)), Some(kept), "{given}");
        }
        assert_eq!(Some(salience_of(10.5)), Some(10.5));
    }

    #[test]
    fn foreign_fields_and_other_shapes_are_refused_with_what_fits() {
        let text = refusal(Kind::Skill, json!({ "goal": "x" }));
        assert!(text.contains("name, trigger, steps, code"), "{text}");
        let text = refusal(Kind::Episode, json!({ "plan": "one" }));
        assert!(text.contains("plan must be a list of texts"), "{text}");
        let text = refusal(Kind::Thought, json!({ "number": -1 }));
        assert!(text.contains("number must be a whole number"), "{text}");
        let text = refusal(Kind::Chunk, json!({}));
        assert!(text.contains("document"), "{text}");
        let text = refusal(Kind::Experience, json!({}));
        assert!(text.contains("another kind"), "{text}");
    }
}
