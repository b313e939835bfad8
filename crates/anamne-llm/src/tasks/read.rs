//! Reads names and statements out of a text, each located in it.

use std::collections::BTreeMap;
use std::ops::Range;

use anamne_knowledge::reading::{Mention, Reading, Statement, Term, Utterance};
use anamne_text::sentences::sentences;
use anamne_types::{EntityType, RelationType, Role};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::spans::{Searched, folded, single_blanks};
use super::{Question, list, object, refuse_longer, text};
use crate::wording::plain_line;
use crate::{Bridge, BridgeError, Call};

pub(super) const PROMPT: &str = include_str!("../../prompts/read.md");

/// Maximum bytes of the text with its author.
const MOST_BYTES: usize = 32 << 10;

/// Maximum number of names, and of statements, per text.
const MOST_ENTRIES: usize = 60;

/// Maximum occurrences of one name in a text.
const MOST_PLACES: usize = 32;

/// Maximum characters of a name.
const MOST_NAME: usize = 120;

/// Maximum characters of a value.
const MOST_VALUE: usize = 240;

/// Confidence of a name found by a model that occurs in the text.
const NAME_CONFIDENCE: f32 = 0.85;

/// Confidence of a statement found by a model with both ends in the text.
const STATEMENT_CONFIDENCE: f32 = 0.75;

/// Reads a text.
///
/// Dropped are names that don't occur in the text and statements about them, statements with values that don't occur in
/// their sentence, and statements with invalid sentence numbers. The author counts as a name without occurring in the
/// text. For an empty text no model is called. [`BridgeError::TooLong`] above 32 KiB.
pub fn read(
    bridge: &Bridge,
    call: &Call<'_>,
    utterance: &Utterance<'_>,
) -> Result<Reading, BridgeError> {
    let text = utterance.text;
    if text.trim().is_empty() {
        return Ok(Reading::default());
    }
    refuse_longer(
        "a text, in bytes,",
        text.len() + utterance.author.len(),
        MOST_BYTES,
    )?;
    let sentences = sentences(text);
    let relations: Vec<_> = RelationType::known().collect();
    let question = Question {
        prompt: PROMPT
            .replace(
                "{types}",
                &words(EntityType::ALL.iter().map(|kind| kind.as_str())),
            )
            .replace(
                "{relations}",
                &words(relations.iter().map(RelationType::as_str)),
            ),
        data: data(utterance, &sentences),
        schema: schema(),
        max_output_tokens: 4_000,
    };
    let answer = question.put(bridge, call)?;
    Ok(Evidence::new(utterance, &sentences).reading(&answer))
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

fn data(utterance: &Utterance<'_>, sentences: &[Range<usize>]) -> Value {
    let numbered: Vec<_> = sentences
        .iter()
        .enumerate()
        .map(|(place, span)| json!({"number": place + 1, "text": utterance.text[span.clone()]}))
        .collect();
    json!({
        "author": utterance.author,
        "role": utterance.role.map(Role::as_str),
        "said_on": utterance.at.to_zoned(TimeZone::UTC).date().to_string(),
        "sentences": numbered,
    })
}

fn schema() -> Value {
    let types: Vec<_> = EntityType::ALL.iter().map(|kind| kind.as_str()).collect();
    let relations: Vec<_> = RelationType::known().collect();
    let relations: Vec<_> = relations.iter().map(RelationType::as_str).collect();
    let one_of = |words: &[&str]| json!({"type": "string", "enum": words});
    let day = json!({"type": ["string", "null"], "maxLength": 10});
    let name = object([("name", text(MOST_NAME)), ("type", one_of(&types))]);
    let statement = object([
        ("sentence", json!({"type": "integer", "minimum": 1})),
        ("subject", text(MOST_NAME)),
        ("relation", one_of(&relations)),
        ("object", text(MOST_VALUE)),
        ("object_is", one_of(&["name", "value"])),
        ("negated", json!({"type": "boolean"})),
        ("from", day.clone()),
        ("until", day),
    ]);
    object([
        ("names", list(MOST_ENTRIES, &name)),
        ("statements", list(MOST_ENTRIES, &statement)),
    ])
}

/// The evidence that an answer is checked against.
struct Evidence<'a> {
    utterance: &'a Utterance<'a>,
    sentences: &'a [Range<usize>],
    searched: Searched<'a>,
    /// The names found in the text, by their folded form.
    known: BTreeMap<String, (String, EntityType)>,
}

impl<'a> Evidence<'a> {
    fn new(utterance: &'a Utterance<'a>, sentences: &'a [Range<usize>]) -> Self {
        Self {
            utterance,
            sentences,
            searched: Searched::new(utterance.text),
            known: BTreeMap::new(),
        }
    }

    fn reading(mut self, answer: &Value) -> Reading {
        let entries = |name| {
            answer
                .get(name)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        let mentions = self.mentions(entries("names"));
        let mut statements: Vec<Statement> = Vec::new();
        for statement in entries("statements").filter_map(|stored| self.statement(stored)) {
            if !statements.contains(&statement) {
                statements.push(statement);
            }
        }
        statements.sort_by_key(|statement| statement.span.start);
        Reading {
            mentions,
            statements,
        }
    }

    /// The occurrences of the names. Longer names are located first, so that no name lies within another.
    fn mentions<'v>(&mut self, stored: impl Iterator<Item = &'v Value>) -> Vec<Mention> {
        let mut names: Vec<(&str, EntityType)> = stored
            .filter_map(|entry| {
                let name = entry.get("name")?.as_str()?;
                Some((name, entry.get("type")?.as_str()?.parse().ok()?))
            })
            .collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        let mut taken: BTreeMap<usize, Mention> = BTreeMap::new();
        for (name, entity_type) in names {
            let free: Vec<_> = self
                .searched
                .occurrences(name)
                .into_iter()
                .filter(|span| is_free(&taken, span))
                .take(MOST_PLACES)
                .collect();
            let Some(first) = free.first() else { continue };
            let shown = single_blanks(&self.utterance.text[first.clone()]);
            self.known
                .insert(folded(name), (shown.clone(), entity_type));
            for span in free {
                let mention = Mention {
                    span: span.clone(),
                    name: shown.clone(),
                    entity_type,
                    confidence: NAME_CONFIDENCE,
                };
                taken.insert(span.start, mention);
            }
        }
        taken.into_values().collect()
    }

    fn statement(&self, stored: &Value) -> Option<Statement> {
        let text = |name: &str| stored.get(name).and_then(Value::as_str);
        let number = stored.get("sentence")?.as_f64()? as usize;
        let span = self.sentences.get(number.checked_sub(1)?)?.clone();
        let relation = RelationType::from(text("relation")?);
        if matches!(relation, RelationType::Other(_)) {
            return None;
        }
        let subject = self.entity(text("subject")?)?;
        let object = match text("object_is")? {
            "name" => self.entity(text("object")?)?,
            _ => self.value(&span, text("object")?)?,
        };
        if subject == object {
            return None;
        }
        let (valid_from, valid_to) = validity(text("from"), text("until"));
        Some(Statement {
            span,
            subject,
            relation,
            object,
            negated: stored.get("negated")?.as_bool()?,
            valid_from,
            valid_to,
            confidence: STATEMENT_CONFIDENCE,
        })
    }

    /// A name that occurs in the text, or the author's.
    fn entity(&self, name: &str) -> Option<Term> {
        let wanted = folded(name);
        if let Some((shown, entity_type)) = self.known.get(&wanted) {
            return Some(Term::Entity(shown.clone(), *entity_type));
        }
        let author = single_blanks(self.utterance.author);
        let is_author = !author.is_empty() && wanted == folded(&author);
        is_author.then_some(Term::Entity(author, EntityType::Person))
    }

    fn value(&self, span: &Range<usize>, value: &str) -> Option<Term> {
        let shown = plain_line(value, MOST_VALUE);
        let stands = !shown.is_empty() && self.searched.holds(span, value);
        stands.then_some(Term::Value(shown))
    }
}

fn is_free(taken: &BTreeMap<usize, Mention>, span: &Range<usize>) -> bool {
    let before = taken.range(..span.end).next_back();
    before.is_none_or(|(_, mention)| mention.span.end <= span.start)
}

/// Parses a validity period; both ends are `None` if they are in the wrong order.
fn validity(from: Option<&str>, until: Option<&str>) -> (Option<Timestamp>, Option<Timestamp>) {
    let instant = |day: Option<&str>| {
        let day: Date = day?.parse().ok()?;
        Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    match (instant(from), instant(until)) {
        (Some(from), Some(until)) if from > until => (None, None),
        days => days,
    }
}
