//! Entities that may be the same. They are only suggested; the user decides.

use std::collections::BTreeSet;

use anamne_embed::{Embedder, StaticModel};
use anamne_types::{Entity, EntityType, SuggestedMerge};

use super::{EntityQuery, Graph, GraphError, Recency};
use crate::reading::normalised;

/// Number of entities compared, most mentioned first.
const COMPARED: usize = 2_000;

/// Minimum cosine of names of several words that may mean the same.
const CLOSE: f32 = 0.93;

/// Types without suggestions: names that differ by a letter mean different things.
const EXACT: &[EntityType] = &[
    EntityType::File,
    EntityType::Symbol,
    EntityType::Url,
    EntityType::Date,
    EntityType::Version,
];

impl Graph {
    /// Pairs of entities of one type that may be the same, at most `limit`, without those asserted to be distinct or already
    /// joined. O(entities²) over the 2 000 most mentioned.
    pub fn suggested_merges(
        &self,
        limit: usize,
        recency: impl Into<Recency>,
    ) -> Result<Vec<SuggestedMerge>, GraphError> {
        let query = EntityQuery {
            limit: COMPARED,
            ..EntityQuery::default()
        };
        let entities = self.entities(&query, recency)?;
        let distinct = self.distinct_names()?;
        let names: Vec<Likeness> = entities.iter().map(Likeness::of).collect();
        let mut suggested = Vec::new();
        for (later, entity) in entities.iter().enumerate() {
            if EXACT.contains(&entity.entity_type) {
                continue;
            }
            for earlier in 0..later {
                let other = &entities[earlier];
                let pair = [&names[earlier].key, &names[later].key];
                let is_distinct = distinct.contains(&(pair[0].clone(), pair[1].clone()))
                    || distinct.contains(&(pair[1].clone(), pair[0].clone()));
                if other.entity_type != entity.entity_type || is_distinct {
                    continue;
                }
                if let Some(reason) = names[earlier].reason(&names[later]) {
                    suggested.push(SuggestedMerge {
                        into: other.clone(),
                        from: entity.clone(),
                        reason,
                    });
                }
            }
        }
        suggested.retain(|suggestion| is_only_choice(suggestion, &names, &entities));
        suggested.truncate(limit);
        Ok(suggested)
    }

    fn distinct_names(&self) -> Result<BTreeSet<(String, String)>, GraphError> {
        let reader = self.reader();
        let mut statement = reader.prepare_cached(
            "SELECT one.key, other.key FROM distinctions JOIN names AS one ON one.number = distinctions.one \
             JOIN names AS other ON other.number = distinctions.other",
        )?;
        let pairs = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(pairs.collect::<Result<_, _>>()?)
    }
}

/// Whether the shorter name fits only one longer name; otherwise it is no evidence.
fn is_only_choice(suggestion: &SuggestedMerge, names: &[Likeness], entities: &[Entity]) -> bool {
    let keys = [&suggestion.into, &suggestion.from].map(|entity| normalised(&entity.name));
    let short = if keys[0].len() < keys[1].len() {
        &keys[0]
    } else {
        &keys[1]
    };
    let words: BTreeSet<&str> = short.split(' ').collect();
    let fitting = names.iter().zip(entities).filter(|(name, entity)| {
        entity.entity_type == suggestion.into.entity_type
            && name.key != *short
            && words.iter().all(|word| name.words.contains(*word))
    });
    fitting.count() <= 1
}

/// The features by which names are compared.
struct Likeness {
    key: String,
    letters: String,
    words: BTreeSet<String>,
    vector: Option<Vec<f32>>,
}

impl Likeness {
    fn of(entity: &Entity) -> Self {
        let key = normalised(&entity.name);
        let words: BTreeSet<String> = key.split(' ').map(str::to_owned).collect();
        let mut vector = None;
        if words.len() > 1 {
            vector = StaticModel::builtin().embed_batch(&[key.as_str()]).ok();
        }
        Self {
            letters: key
                .chars()
                .filter(|character| character.is_alphanumeric())
                .collect(),
            key,
            words,
            vector,
        }
    }

    fn reason(&self, other: &Self) -> Option<String> {
        if self.letters == other.letters {
            return Some("they differ in spaces and marks alone".to_owned());
        }
        let (short, long) = if self.words.len() < other.words.len() {
            (self, other)
        } else {
            (other, self)
        };
        if short.words.len() < long.words.len()
            && short.words.is_subset(&long.words)
            && short.letters.len() > 2
        {
            return Some("one is a part of the other".to_owned());
        }
        if short.letters.len() > 6 && differ_by_one(&self.letters, &other.letters) {
            return Some("they differ in one letter".to_owned());
        }
        let close = |one: &[f32], other: &[f32]| {
            one.iter()
                .zip(other)
                .map(|(one, other)| one * other)
                .sum::<f32>()
                >= CLOSE
        };
        match (&self.vector, &other.vector) {
            (Some(one), Some(other)) if close(one, other) => {
                Some("their words mean nearly the same".to_owned())
            }
            _ => None,
        }
    }
}

/// Whether two words differ by one letter inserted, deleted or replaced, or by two swapped. Differing digits don't count.
fn differ_by_one(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let ahead = one
        .iter()
        .zip(&other)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = |chars: &[char], from: usize| chars[from.min(chars.len())..].to_vec();
    let (one, other) = (rest(&one, ahead), rest(&other, ahead));
    if one.iter().chain(&other).take(2).any(char::is_ascii_digit) {
        return false;
    }
    let swapped = one.len() > 1
        && other.len() > 1
        && one[0] == other[1]
        && one[1] == other[0]
        && one[2..] == other[2..];
    swapped || rest(&one, 1) == rest(&other, 1) || rest(&one, 1) == other || one == rest(&other, 1)
}
