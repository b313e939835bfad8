//! Entities found by meaning, words and what was told about them.

use std::collections::{BTreeMap, BTreeSet};

use anamne_text::analyser::is_function_word;
use anamne_types::FoundEntity;
use rusqlite::Connection;

use super::entities::{CanonicalEntity, with_aliases};
use super::listing::{EntityQuery, selected};
use super::naming::Name;
use super::{Graph, GraphError, Recency};
use crate::reading::normalised;
use crate::vectors::{dot, vector_of};

/// Number of entities compared, most mentioned first.
const COMPARED: usize = 100_000;

/// Maximum number of parts of a description that are compared.
const PARTS: usize = 16;

/// Maximum bytes of a part that are compared.
const PART_BYTES: usize = 300;

/// Maximum bytes of a query that are compared.
const QUERY: usize = 1_000;

/// The similarity of a text that is a part of the description.
const PART: f32 = 0.9;

/// The similarity of a text whose words are all in the description.
const WORDS: f32 = 0.8;

/// Below this similarity an entity does not fit.
const MIN_SIMILARITY: f32 = 0.3;

impl Graph {
    /// The entities that fit a text, most similar first: by the meaning of their names and descriptions, and by the words
    /// that both share. A description is the told type, tags and attributes, and what the entity is said to be; earlier
    /// values count too.
    ///
    /// O(entities) embeddings by the built-in model, of the 100 000 most mentioned.
    pub fn find(
        &self,
        text: &str,
        query: &EntityQuery,
        recency: impl Into<Recency>,
    ) -> Result<Vec<FoundEntity>, GraphError> {
        let reader = self.reader();
        let wanted = Wanted::of(text);
        let aliases = aliases(&reader)?;
        let values = values(&reader)?;
        let mut found = Vec::new();
        for kept in selected(&reader, query, COMPARED, &recency.into())? {
            let [aliases, values] =
                [&aliases, &values].map(|of| of.get(&kept.name).map_or(&[][..], Vec::as_slice));
            let described = Described::of(&kept, aliases, values);
            let similarity = wanted.similarity(&described);
            if similarity >= MIN_SIMILARITY {
                found.push((similarity, kept));
            }
        }
        // Stable, so that of two with the same similarity the one mentioned more often is first.
        found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        found.truncate(query.limit);
        let found = found.into_iter().map(|(similarity, kept)| {
            Ok(FoundEntity {
                similarity,
                entity: with_aliases(&reader, kept)?,
            })
        });
        found.collect()
    }
}

/// What is looked for.
struct Wanted {
    name: String,
    words: BTreeSet<String>,
    vector: Vec<f32>,
}

impl Wanted {
    fn of(text: &str) -> Self {
        let name = normalised(beginning(text, QUERY));
        Self {
            words: words(&name),
            vector: vector_of(&name),
            name,
        }
    }

    /// 0 to 1: either the meaning or the words may be similar, and both together are more similar.
    fn similarity(&self, described: &Described) -> f32 {
        if described.names.contains(&self.name) {
            return 1.0;
        }
        let near = std::iter::once(&described.names[0])
            .chain(&described.parts)
            .map(|part| dot(&self.vector, &vector_of(part)))
            .fold(0.0, f32::max);
        let words = words(&described.whole);
        let shared = self.words.intersection(&words).count();
        let share = shared as f32 / self.words.len().max(1) as f32;
        let is_part = !self.name.is_empty() && described.whole.contains(&self.name);
        let spelt = if is_part { PART } else { share * WORDS };
        1.0 - (1.0 - near.min(1.0)) * (1.0 - spelt)
    }
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !character.is_alphanumeric());
    words
        .filter(|word| !word.is_empty() && !is_function_word(word))
        .map(str::to_owned)
        .collect()
}

/// An entity in words.
struct Described {
    /// Its normalised names, the canonical one first.
    names: Vec<String>,
    /// What was told or is said about it, in parts with a meaning of their own.
    parts: Vec<String>,
    /// All of it, normalised.
    whole: String,
}

impl Described {
    fn of(kept: &CanonicalEntity, aliases: &[String], values: &[String]) -> Self {
        let entity = &kept.entity;
        let kind = entity.custom_type.iter().chain(&entity.tags).cloned();
        let attributes = entity.attributes.iter();
        let attributes = attributes.map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name} {text}"),
            None => format!("{name} {value}"),
        });
        let said = kind.chain(attributes).chain(values.iter().cloned());
        let parts: Vec<String> = said
            .take(PARTS)
            .map(|part| normalised(&beginning(&part, PART_BYTES).replace('_', " ")))
            .collect();
        let names: Vec<String> = std::iter::once(normalised(&entity.name))
            .chain(aliases.iter().cloned())
            .collect();
        Self {
            whole: [names.join(" "), parts.join(" ")].join(" "),
            names,
            parts,
        }
    }
}

fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// The other names of each entity with several.
fn aliases(connection: &Connection) -> Result<BTreeMap<Name, Vec<String>>, GraphError> {
    let mut statement = connection.prepare_cached(
        "SELECT kept, key FROM canonical JOIN names ON number = canonical.name WHERE canonical.name <> kept ORDER BY key",
    )?;
    let mut aliases: BTreeMap<Name, Vec<String>> = BTreeMap::new();
    for alias in statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
        let (kept, key) = alias?;
        aliases.entry(kept).or_default().push(key);
    }
    Ok(aliases)
}

/// What each entity is said to be, and its told properties, latest first, at most [`PARTS`].
fn values(connection: &Connection) -> Result<BTreeMap<Name, Vec<String>>, GraphError> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce(kept, subject), relation, substr(value, 1, ?1) FROM statements \
         LEFT JOIN canonical ON canonical.name = subject \
         WHERE value IS NOT NULL AND NOT negated AND (told OR relation IN ('is_a', 'works_as')) ORDER BY row DESC, ordinal",
    )?;
    let mut values: BTreeMap<Name, Vec<String>> = BTreeMap::new();
    let said = statement.query_map([PART_BYTES as i64], |row| {
        Ok((
            row.get(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, String>(2)?,
        ))
    })?;
    for one in said {
        let (subject, relation, value) = one?;
        let parts = values.entry(subject).or_default();
        if parts.len() < PARTS {
            parts.push(match relation.as_str() {
                "is_a" | "works_as" => value,
                other => format!("{other} {value}"),
            });
        }
    }
    Ok(values)
}
