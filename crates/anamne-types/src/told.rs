//! What people tell about entities, relations and properties.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::draft::{check_json_size, check_tags, is_deeper};
use crate::limits::{accept, check_name, check_names, check_some, check_text, check_unit};
use crate::{EntityScope, EntityType, InvalidValue, Limits, MemoryId, Perspective};

/// The beginning of a custom type or frame where a word is expected: `custom:vessel`.
const CUSTOM: &str = "custom:";

/// Attributes of an entity: JSON values under names.
pub type Attributes = BTreeMap<String, Value>;

/// A told entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ToldEntity {
    /// Its name.
    pub name: String,
    /// Its type. The one told last counts.
    #[serde(rename = "type")]
    pub entity_type: EntityType,
    /// Its type in another word, such as `vessel`; with [`EntityType::Concept`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_type: Option<String>,
    /// Its aliases, in addition to those told before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Its tags, in place of those told before. `None` keeps them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Its scope; `None` keeps the one told before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<EntityScope>,
    /// Its attributes, each in place of the one of its name told before. `null` removes one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub attributes: Attributes,
}

impl ToldEntity {
    /// Checks names, the number of tags and attributes, and the size and depth of values.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_name("name", &self.name)?;
        check_some(self.custom_type.as_deref(), |word| {
            check_word("type", word)?;
            let fits = self.entity_type == EntityType::Concept;
            accept(fits, "type", "concept with a custom type", self.entity_type)
        })?;
        check_names("alias", &self.aliases)?;
        let (most, count) = (Limits::ALIASES, self.aliases.len());
        let accepts = format_args!("at most {most} aliases");
        accept(
            count <= most,
            "alias",
            accepts,
            format_args!("{count} aliases"),
        )?;
        check_some(self.tags.as_deref(), check_tags)?;
        check_attributes(&self.attributes)
    }

    /// The sentence that is stored.
    pub(crate) fn sentence(&self) -> String {
        let word = self
            .custom_type
            .as_deref()
            .unwrap_or(self.entity_type.as_str());
        let mut sentence = format!("{} is {}", self.name, with_article(word));
        let mut list = |words: &str, names: &[String]| {
            if !names.is_empty() {
                let _ = write!(sentence, ", {words} {}", names.join(", "));
            }
        };
        list("also called", &self.aliases);
        list("tagged", self.tags.as_deref().unwrap_or_default());
        for (name, value) in &self.attributes {
            let _ = write!(sentence, "; {}: {}", in_words(name), shown(value));
        }
        sentence + "."
    }
}

/// A told relation between two entities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ToldRelation {
    /// The subject.
    pub subject: String,
    /// The relation: words joined by `_`, such as `works_at`.
    pub relation: String,
    /// The object.
    pub object: String,
    /// Whether it also holds from the object to the subject.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_ways: bool,
    /// How strong it is, 0 to 1; 1 if not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// How sure it is, 0 to 1; 1 if not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The memories that support it, in the same space.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<MemoryId>,
    /// Valid from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Valid until.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
}

impl ToldRelation {
    /// Checks names, numbers and times, and that a relation in both directions has two ends.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_name("subject", &self.subject)?;
        check_word("relation", &self.relation)?;
        check_name("object", &self.object)?;
        let is_one = self.subject.trim().to_lowercase() == self.object.trim().to_lowercase();
        let accepts = "between two different entities";
        accept(
            !(self.both_ways && is_one),
            "both_ways",
            accepts,
            &self.subject,
        )?;
        check_some(self.weight, |weight| check_unit("weight", weight as f32))?;
        check_some(self.confidence, |sure| {
            check_unit("confidence", sure as f32)
        })?;
        let (most, count) = (Limits::EVIDENCE, self.evidence.len());
        let accepts = format_args!("at most {most} memories");
        accept(
            count <= most,
            "evidence",
            accepts,
            format_args!("{count} memories"),
        )?;
        check_some(self.valid_from.zip(self.valid_to), |(from, to)| {
            accept(from < to, "valid_to", "a time after valid_from", to)
        })
    }

    /// The sentence that is stored.
    pub(crate) fn sentence(&self) -> String {
        let relation = in_words(&self.relation);
        let mut sentence = format!("{} {relation} {}", self.subject, self.object);
        if self.both_ways {
            sentence.push_str(", in both directions");
        }
        let last = self.valid_to.map(last_moment);
        for (word, time) in [("from", self.valid_from), ("until", last)] {
            if let Some(time) = time {
                let _ = write!(sentence, ", {word} {}", time.strftime("%Y-%m-%d"));
            }
        }
        for (word, share) in [("weight", self.weight), ("confidence", self.confidence)] {
            if let Some(share) = share {
                let _ = write!(sentence, ", {word} {share}");
            }
        }
        sentence + "."
    }
}

/// The last moment of a period that ends before this time.
pub(crate) fn last_moment(end: Timestamp) -> Timestamp {
    end.checked_sub(SignedDuration::from_micros(1))
        .unwrap_or(end)
}

/// A told property of an entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ToldProperty {
    /// The entity.
    pub entity: String,
    /// The frame.
    pub frame: Perspective,
    /// The name of a custom frame, such as `billing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_name: Option<String>,
    /// The property's name.
    pub property: String,
    /// Its value, in place of the one told before in the same frame.
    pub value: String,
}

impl ToldProperty {
    /// Checks names and the value.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_name("entity", &self.entity)?;
        check_word("relation", &self.property)?;
        check_some(self.frame_name.as_deref(), |name| {
            check_word("frame", name)?;
            let fits = self.frame == Perspective::Custom;
            accept(fits, "frame", "custom with a frame name", self.frame)
        })?;
        check_text("value", &self.value, Limits::REASON_BYTES)
    }

    /// The sentence that is stored.
    pub(crate) fn sentence(&self) -> String {
        let frame = self.frame_name.as_deref();
        let frame = frame.map_or_else(String::new, |name| format!(" ({})", in_words(name)));
        let property = in_words(&self.property);
        format!("{}{frame}: {property} is {}.", self.entity, self.value)
    }
}

/// A type of entity as a person writes it: a fixed one, or `custom:` and another word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeWord {
    /// The fixed type; [`EntityType::Concept`] for another word.
    pub entity_type: EntityType,
    /// The other word.
    pub custom: Option<String>,
}

impl FromStr for TypeWord {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let Some(word) = text.strip_prefix(CUSTOM) else {
            let entity_type = text.parse().map_err(|refusal| or_custom(&refusal))?;
            return Ok(Self {
                entity_type,
                custom: None,
            });
        };
        check_word("type", word)?;
        Ok(Self {
            entity_type: EntityType::Concept,
            custom: Some(word.to_owned()),
        })
    }
}

/// A frame as a person writes it: a fixed one, or `custom:` and a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameWord {
    /// The perspective.
    pub frame: Perspective,
    /// The name of a custom frame.
    pub name: Option<String>,
}

impl FromStr for FrameWord {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let Some(name) = text.strip_prefix(CUSTOM) else {
            let frame = text.parse().map_err(|refusal| or_custom(&refusal))?;
            return Ok(Self { frame, name: None });
        };
        check_word("frame", name)?;
        Ok(Self {
            frame: Perspective::Custom,
            name: Some(name.to_owned()),
        })
    }
}

fn or_custom(refusal: &InvalidValue) -> InvalidValue {
    let accepts = format!("{}, or custom: and a word", refusal.accepts());
    InvalidValue::new(refusal.field(), accepts, refusal.given())
}

/// Checks words joined by `_`.
pub(crate) fn check_word(field: &str, word: &str) -> Result<(), InvalidValue> {
    check_name(field, word)?;
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let accepts = "words joined by _, such as works_at";
    accept(word.chars().all(is_word), field, accepts, word)
}

fn check_attributes(attributes: &Attributes) -> Result<(), InvalidValue> {
    let (most, count) = (Limits::ATTRIBUTES, attributes.len());
    let accepts = format_args!("at most {most} attributes");
    accept(
        count <= most,
        "attributes",
        accepts,
        format_args!("{count} attributes"),
    )?;
    check_names("attribute", attributes.keys())?;
    let levels = Limits::ATTRIBUTE_DEPTH;
    for (name, value) in attributes {
        let accepts = format_args!("nested at most {levels} levels deep");
        accept(
            !is_deeper(value, levels),
            &format!("attribute {name}"),
            accepts,
            "deeper",
        )?;
    }
    check_json_size("attributes", attributes, Limits::ATTRIBUTES_BYTES)
}

fn with_article(word: &str) -> String {
    let n = if word.starts_with(['a', 'e', 'i', 'o']) {
        "n"
    } else {
        ""
    };
    format!("a{n} {}", in_words(word))
}

fn in_words(name: &str) -> String {
    name.replace('_', " ")
}

/// A value in a sentence: one line.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.replace(char::is_control, " "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entity() -> ToldEntity {
        ToldEntity {
            name: "Kestrel".to_owned(),
            ..ToldEntity::default()
        }
    }

    #[track_caller]
    fn check_refused(checked: Result<(), InvalidValue>, field: &str) {
        assert_eq!(checked.expect_err("a refusal").field(), field);
    }

    #[test]
    fn the_sentence_says_what_was_told() {
        let told = ToldEntity {
            custom_type: Some("cargo_vessel".to_owned()),
            aliases: vec!["MS Kestrel".to_owned()],
            tags: Some(vec!["fleet".to_owned()]),
            attributes: Attributes::from([
                ("home_port".to_owned(), json!("Emden\nWest")),
                ("tonnage".to_owned(), json!(420)),
            ]),
            ..entity()
        };
        told.check().expect("it is accepted");
        assert_eq!(
            told.sentence(),
            "Kestrel is a cargo vessel, also called MS Kestrel, tagged fleet; home port: Emden West; tonnage: 420."
        );
        let told = ToldRelation {
            subject: "Mara".to_owned(),
            relation: "works_with".to_owned(),
            object: "Teo".to_owned(),
            both_ways: true,
            weight: Some(0.8),
            confidence: Some(0.9),
            valid_to: Some("2015-01-02T00:00:00Z".parse().expect("an instant")),
            ..ToldRelation::default()
        };
        told.check().expect("it is accepted");
        assert_eq!(
            told.sentence(),
            "Mara works with Teo, in both directions, until 2015-01-01, weight 0.8, confidence 0.9."
        );
        let told = ToldProperty {
            entity: "Staging".to_owned(),
            frame_name: Some("on_call".to_owned()),
            property: "restart".to_owned(),
            value: "queue first".to_owned(),
            ..ToldProperty::default()
        };
        told.check().expect("it is accepted");
        assert_eq!(
            told.sentence(),
            "Staging (on call): restart is queue first."
        );
    }

    #[test]
    fn what_is_too_large_too_deep_or_broken_is_refused() {
        let with = |attributes: Attributes| ToldEntity {
            attributes,
            ..entity()
        };
        let one = |name: &str, value: Value| with(Attributes::from([(name.to_owned(), value)]));
        let many = (0..10_000).map(|number| (format!("a{number}"), json!(1)));
        check_refused(with(many.collect()).check(), "attributes");
        check_refused(one("a", json!("x".repeat(1_000_000))).check(), "attributes");
        check_refused(one("a\nb", json!(1)).check(), "attribute");
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        check_refused(one("a", deep).check(), "attribute a");
        let name = |name: &str| ToldEntity {
            name: name.to_owned(),
            ..entity()
        };
        check_refused(name("two\nlines").check(), "name");
        check_refused(name("\u{1b}[2J").check(), "name");
        let custom = |word: &str, entity_type| ToldEntity {
            custom_type: Some(word.to_owned()),
            entity_type,
            ..entity()
        };
        check_refused(custom("two words", EntityType::Concept).check(), "type");
        check_refused(custom("vessel", EntityType::Person).check(), "type");
        let relation = |weight, object: &str| ToldRelation {
            subject: "Mara".to_owned(),
            relation: "knows".to_owned(),
            object: object.to_owned(),
            both_ways: true,
            weight: Some(weight),
            ..ToldRelation::default()
        };
        check_refused(relation(1.5, "Teo").check(), "weight");
        check_refused(relation(f64::NAN, "Teo").check(), "weight");
        check_refused(relation(0.5, " mara ").check(), "both_ways");
        let cited = ToldRelation {
            evidence: vec![MemoryId::from_bytes([0; 16]); 33],
            ..relation(0.5, "Teo")
        };
        check_refused(cited.check(), "evidence");
    }

    #[test]
    fn a_custom_word_is_marked_as_one() {
        let vessel: TypeWord = "custom:vessel".parse().expect("a type");
        assert_eq!(
            (vessel.entity_type, vessel.custom.as_deref()),
            (EntityType::Concept, Some("vessel"))
        );
        let refused = "persn".parse::<TypeWord>().expect_err("a misspelt type");
        assert!(refused.accepts().contains("custom:"), "{refused}");
        let frame: FrameWord = "custom:billing".parse().expect("a frame");
        assert_eq!(frame.name.as_deref(), Some("billing"));
        assert!("custom:".parse::<FrameWord>().is_err());
    }
}
