//! Enrichment quality, measured against annotations.

use std::collections::BTreeMap;
use std::path::Path;

use anamne_knowledge::enrichment::Enricher;
use anamne_knowledge::enrichment::links::link;
use anamne_text::analyser::Analyser;
use anamne_types::Category;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// An annotated memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Annotated {
    /// Its id.
    pub(crate) id: String,
    /// What it is about; texts are held out by field.
    #[serde(default)]
    pub(crate) field: Option<String>,
    /// The text.
    pub(crate) text: String,
    /// The categories that are right.
    #[serde(deserialize_with = "accepted")]
    pub(crate) category: Vec<Option<Category>>,
    /// Importance, 1 to 10; `None` where it was not annotated.
    #[serde(default)]
    pub(crate) importance: Option<u8>,
    /// All acceptable keywords; `None` where they were not annotated.
    #[serde(default)]
    pub(crate) keywords: Option<Vec<String>>,
    /// The language.
    pub(crate) language: String,
}

/// Reads `a|b`, where `none` or null is what is none of the nine.
fn accepted<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Option<Category>>, D::Error> {
    let written = Option::<String>::deserialize(from)?;
    let names = written.as_deref().unwrap_or("none").split('|');
    let category = |name: &str| match name {
        "none" => Ok(None),
        name => name.parse().map(Some).map_err(D::Error::custom),
    };
    names.map(category).collect()
}

/// The outcomes for one memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Whether the category is right.
    pub(crate) category: bool,
    /// Whether importance is within two.
    pub(crate) importance: bool,
    /// Number of useful keywords.
    pub(crate) useful: usize,
    /// Number of keywords.
    pub(crate) keywords: usize,
    /// Whether the language is right.
    pub(crate) language: bool,
}

/// The results over a set of memories.
#[derive(Default)]
pub(crate) struct Measured {
    /// One for each memory.
    pub(crate) outcomes: Vec<Outcome>,
    /// Right and all memories by annotated category.
    pub(crate) by_category: BTreeMap<String, (usize, usize)>,
    /// Descriptions of what is wrong.
    pub(crate) notes: Vec<String>,
}

/// Reads one JSON value from each line of a file.
pub(crate) fn lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{} can't be read: {error}", path.display()))?;
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            serde_json::from_str(line)
                .map_err(|error| format!("line {} of {}: {error}", number + 1, path.display()))
        })
        .collect()
}

/// Enriches annotated memories and compares.
pub(crate) fn measure(texts: &[Annotated]) -> Measured {
    let (mut enricher, mut analyser) = (Enricher::new(), Analyser::new());
    let mut measured = Measured::default();
    for text in texts {
        let enriched = enricher.enrich(&text.text);
        let annotated = text.keywords.as_deref().unwrap_or_default();
        let accepted: Vec<Vec<String>> = annotated
            .iter()
            .map(|keyword| stems(&mut analyser, keyword))
            .collect();
        let mut useless = Vec::new();
        let judged: &[String] = match text.keywords {
            Some(_) => &enriched.keywords,
            None => &[],
        };
        for keyword in judged {
            let words = stems(&mut analyser, keyword);
            let is_useful = annotated.contains(&keyword.to_lowercase())
                || accepted
                    .iter()
                    .any(|accepted| words.iter().all(|word| accepted.contains(word)));
            if !is_useful {
                useless.push(keyword.as_str());
            }
        }
        let outcome = Outcome {
            category: text.category.contains(&enriched.category),
            importance: text
                .importance
                .is_none_or(|right| enriched.importance.abs_diff(right) <= 2),
            useful: judged.len() - useless.len(),
            keywords: judged.len(),
            language: enriched.language.as_deref() == Some(&text.language),
        };
        let names: Vec<&str> = text.category.iter().map(|one| name(*one)).collect();
        let name_of_all = names.join("|");
        let tally = measured.by_category.entry(names[0].to_owned()).or_default();
        tally.0 += usize::from(outcome.category);
        tally.1 += 1;
        if !outcome.category || !outcome.importance || !outcome.language || !useless.is_empty() {
            measured.notes.push(format!(
                "{}: {} [{name_of_all} {:?} → {} {}] useless: {useless:?} language: {:?}",
                text.id,
                text.text,
                text.importance,
                name(enriched.category),
                enriched.importance,
                enriched.language,
            ));
        }
        measured.outcomes.push(outcome);
    }
    measured
}

fn name(category: Option<Category>) -> &'static str {
    category.map_or("none", Category::as_str)
}

fn stems(analyser: &mut Analyser, text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    analyser.document(text, &mut |term, _| stems.push(term.to_owned()));
    stems
}

/// Memories of which some are linked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    /// Its id.
    pub(crate) id: String,
    /// The texts, in the order of their times.
    pub(crate) texts: Vec<String>,
    /// The links between them.
    pub(crate) links: Vec<GroupLink>,
}

/// An annotated link between two texts of a group.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupLink {
    /// The later text.
    pub(crate) from: usize,
    /// The earlier text.
    pub(crate) to: usize,
    /// The type; `|` separates accepted ones.
    #[serde(rename = "type")]
    pub(crate) link_type: String,
}

/// The results over a set of groups.
#[derive(Default)]
pub(crate) struct MeasuredLinks {
    /// Whether each link that was found is right.
    pub(crate) found: Vec<bool>,
    /// Number of annotated links.
    pub(crate) annotated: usize,
    /// Descriptions of what is wrong.
    pub(crate) notes: Vec<String>,
}

impl MeasuredLinks {
    /// The share of the links found that are right; 1 if none was found.
    pub(crate) fn precision(&self) -> f64 {
        let right = self.found.iter().filter(|right| **right).count();
        if self.found.is_empty() {
            1.0
        } else {
            right as f64 / self.found.len() as f64
        }
    }

    /// The share of the annotated links that were found.
    pub(crate) fn recall(&self) -> f64 {
        let right = self.found.iter().filter(|right| **right).count();
        right as f64 / self.annotated.max(1) as f64
    }
}

/// Links all texts of all groups with each other, as the memories of one space, and compares.
pub(crate) fn measure_links(groups: &[Group]) -> MeasuredLinks {
    let mut enricher = Enricher::new();
    let texts: Vec<(usize, usize, &str)> = groups
        .iter()
        .enumerate()
        .flat_map(|(group, texts)| {
            texts
                .texts
                .iter()
                .enumerate()
                .map(move |(place, text)| (group, place, text.as_str()))
        })
        .collect();
    let linkables: Vec<_> = texts
        .iter()
        .map(|(.., text)| enricher.linkable(text))
        .collect();
    let mut measured = MeasuredLinks {
        annotated: groups.iter().map(|group| group.links.len()).sum(),
        ..MeasuredLinks::default()
    };
    let mut met = std::collections::BTreeSet::new();
    for (later, &(group, from, text)) in texts.iter().enumerate() {
        for (earlier, &(other, to, before)) in texts[..later].iter().enumerate() {
            let Some(found) = link(&linkables[later], &linkables[earlier]) else {
                continue;
            };
            let is_right = group == other
                && groups[group].links.iter().any(|link| {
                    (link.from, link.to) == (from, to)
                        && link
                            .link_type
                            .split('|')
                            .any(|accepted| accepted == found.link_type.as_str())
                });
            if is_right {
                met.insert(group);
            } else {
                measured
                    .notes
                    .push(format!("false: {text} → {before} [{found:?}]"));
            }
            measured.found.push(is_right);
        }
    }
    for (number, group) in groups.iter().enumerate() {
        if !group.links.is_empty() && !met.contains(&number) {
            measured.notes.push(format!(
                "missed: {} {:?} {:?}",
                group.id, group.texts, group.links
            ));
        }
    }
    measured
}
