//! Extraction quality, measured against annotations.

use std::collections::BTreeMap;
use std::path::Path;

use anamne_knowledge::reading::{Reading, Term, Utterance, normalised, read};
use anamne_types::{EntityType, Role};
use jiff::Timestamp;
use serde::Deserialize;

/// An annotated text.
///
/// A `?` before a name or subject makes the annotation optional; `|` separates accepted types or relations.
#[derive(Deserialize)]
pub(crate) struct Annotated {
    /// The text.
    pub(crate) text: String,
    /// The author's name.
    #[serde(default)]
    pub(crate) author: String,
    /// The author's role.
    #[serde(default)]
    pub(crate) role: Option<Role>,
    /// The time of writing.
    #[serde(default)]
    pub(crate) at: Option<Timestamp>,
    /// Names and their types.
    #[serde(default)]
    pub(crate) entities: Vec<(String, String)>,
    /// Subjects, relations, objects.
    #[serde(default)]
    pub(crate) relations: Vec<(String, String, String)>,
}

/// True positives, false positives and false negatives.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// True positives.
    pub(crate) right: usize,
    /// False positives.
    pub(crate) wrong: usize,
    /// False negatives.
    pub(crate) missed: usize,
}

impl Tally {
    /// The share of findings that are correct; 1 if nothing was found.
    pub(crate) fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    /// The share of annotations that were found; 1 if there are none.
    pub(crate) fn recall(&self) -> f64 {
        share(self.right, self.right + self.missed)
    }

    /// The harmonic mean of precision and recall.
    pub(crate) fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall == 0.0 {
            0.0
        } else {
            2.0 * precision * recall / (precision + recall)
        }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// The results over a set of texts.
#[derive(Default)]
pub(crate) struct Measured {
    /// All names.
    pub(crate) entities: Tally,
    /// Names by type.
    pub(crate) by_type: BTreeMap<String, Tally>,
    /// All statements.
    pub(crate) relations: Tally,
    /// Descriptions of the false positives and false negatives.
    pub(crate) notes: Vec<String>,
}

/// Loads the annotated texts of a file.
pub(crate) fn annotated(path: &Path) -> Result<Vec<Annotated>, String> {
    let lines = std::fs::read_to_string(path)
        .map_err(|error| format!("{} can't be read: {error}", path.display()))?;
    lines
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            serde_json::from_str(line)
                .map_err(|error| format!("line {} of {}: {error}", number + 1, path.display()))
        })
        .collect()
}

/// Extracts from an annotated text.
pub(crate) fn reading_of(annotated: &Annotated) -> Reading {
    read(&Utterance {
        text: &annotated.text,
        author: &annotated.author,
        role: annotated.role,
        at: annotated.at.unwrap_or_default(),
    })
}

/// Measures extraction over annotated texts.
pub(crate) fn measure(texts: &[Annotated]) -> Measured {
    let mut measured = Measured::default();
    for text in texts {
        let reading = reading_of(text);
        measure_entities(text, &reading, &mut measured);
        measure_relations(text, &reading, &mut measured);
    }
    measured
}

fn measure_entities(text: &Annotated, reading: &Reading, measured: &mut Measured) {
    let mut found: Vec<(String, EntityType)> = Vec::new();
    for mention in &reading.mentions {
        let one = (normalised(&mention.name), mention.entity_type);
        if !found.contains(&one) {
            found.push(one);
        }
    }
    let gold: Vec<(bool, String, &str)> = text
        .entities
        .iter()
        .map(|(name, kind)| {
            (
                name.starts_with('?'),
                normalised(name.trim_start_matches('?')),
                kind.as_str(),
            )
        })
        .collect();
    let mut met = vec![false; gold.len()];
    for (name, kind) in &found {
        let fits = gold.iter().position(|(_, wanted, kinds)| {
            same_name(wanted, name, *kind) && kinds.split('|').any(|one| one == kind.to_string())
        });
        let tally = measured.by_type.entry(kind.to_string()).or_default();
        match fits {
            Some(at) => {
                let debatable = gold[at].0;
                if !debatable && !met[at] {
                    tally.right += 1;
                    measured.entities.right += 1;
                }
                met[at] = true;
            }
            None if gold
                .iter()
                .any(|(debatable, wanted, _)| *debatable && same_name(wanted, name, *kind)) => {}
            None => {
                tally.wrong += 1;
                measured.entities.wrong += 1;
                measured
                    .notes
                    .push(format!("false entity  {name} ({kind})  in  {}", text.text));
            }
        }
    }
    for ((debatable, name, kinds), met) in gold.iter().zip(met) {
        if !debatable && !met {
            let kind = kinds.split('|').next().unwrap_or(kinds);
            measured.by_type.entry(kind.to_owned()).or_default().missed += 1;
            measured.entities.missed += 1;
            measured
                .notes
                .push(format!("missed entity {name} ({kinds})  in  {}", text.text));
        }
    }
}

/// Whether names are equal; a version may include the product or not: `PostgreSQL 16`, `16`.
fn same_name(wanted: &str, name: &str, kind: EntityType) -> bool {
    let number = |name: &str| {
        name.rsplit(' ')
            .next()
            .unwrap_or(name)
            .trim_start_matches('v')
            .to_owned()
    };
    wanted == name || (kind == EntityType::Version && number(wanted) == number(name))
}

fn measure_relations(text: &Annotated, reading: &Reading, measured: &mut Measured) {
    let gold: Vec<(bool, String, &str, String)> = text
        .relations
        .iter()
        .map(|(subject, relation, object)| {
            (
                subject.starts_with('?'),
                normalised(subject.trim_start_matches('?')),
                relation.as_str(),
                normalised(object),
            )
        })
        .collect();
    let mut met = vec![false; gold.len()];
    for statement in &reading.statements {
        let (subject, object) = (term(&statement.subject), term(&statement.object));
        let fits = gold.iter().position(|(_, wanted, relations, other)| {
            let relation = relations.split('|').any(|one| statement.relation == one);
            let straight = alike(wanted, &subject) && alike(other, &object);
            let turned = is_mutual(statement.relation.as_str())
                && alike(wanted, &object)
                && alike(other, &subject);
            relation && (straight || turned)
        });
        if let Some(at) = fits {
            measured.relations.right += usize::from(!gold[at].0 && !met[at]);
            met[at] = true;
        } else {
            measured.relations.wrong += 1;
            measured.notes.push(format!(
                "false relation  {subject} > {} > {object}  in  {}",
                statement.relation, text.text
            ));
        }
    }
    for ((debatable, subject, relation, object), met) in gold.iter().zip(met) {
        if !debatable && !met {
            measured.relations.missed += 1;
            measured.notes.push(format!(
                "missed relation {subject} > {relation} > {object}  in  {}",
                text.text
            ));
        }
    }
}

fn term(term: &Term) -> String {
    let (Term::Entity(text, _) | Term::Value(text)) = term;
    normalised(text)
}

fn alike(wanted: &str, found: &str) -> bool {
    wanted == found
        || (!wanted.is_empty()
            && !found.is_empty()
            && (wanted.contains(found) || found.contains(wanted)))
}

fn is_mutual(relation: &str) -> bool {
    matches!(
        relation,
        "alias_of" | "partner_of" | "sibling_of" | "friend_of" | "colleague_of"
    )
}
