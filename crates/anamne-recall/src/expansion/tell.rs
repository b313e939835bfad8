//! Saying of results how they were reached, and what they name.

use anamne_types::{Hit, LinkType, MemoryId, Row, Step};
use rustc_hash::FxHashMap;

use super::limits;
use super::web::{By, Node, Web};
use super::{Followed, goes_deeper};
use crate::connections::Connections;
use crate::error::RecallError;
use crate::explain;
use crate::looking::Looking;

/// Says of each result how it was reached and what it names, where the question goes deeper than shallow.
pub(crate) fn tell(
    hits: &mut [Hit],
    looking: &Looking<'_>,
    followed: &Followed,
) -> Result<(), RecallError> {
    if !goes_deeper(looking.recall) {
        return Ok(());
    }
    let paths: Vec<Vec<(Node, By)>> = hits
        .iter()
        .map(|hit| followed.web.path(hit.memory.row))
        .collect();
    let ids = ids_on(looking, &paths)?;
    for (hit, path) in hits.iter_mut().zip(&paths) {
        if let Some(steps) = steps(&followed.web, path, &ids)
            && let Some((_, last)) = path.last()
        {
            let stage = match last {
                By::AskedAgain(_) => ASKED_AGAIN,
                _ => "graph",
            };
            let found_by = &mut hit.explanation.found_by;
            found_by.retain(|stage| stage != "neighbours");
            found_by.push(stage.to_owned());
            explain::add_path(&mut hit.reasoning, &in_words(&steps));
            hit.path = steps;
        }
    }
    name_entities(hits, looking.sources.connections);
    Ok(())
}

const ASKED_AGAIN: &str = "asked again";

/// The ids of the live memories on these paths.
fn ids_on(
    looking: &Looking<'_>,
    paths: &[Vec<(Node, By)>],
) -> Result<FxHashMap<Row, MemoryId>, RecallError> {
    let mut rows: Vec<Row> = paths
        .iter()
        .flatten()
        .filter_map(|(node, _)| match node {
            Node::Memory(row) => Some(*row),
            Node::Entity(_) => None,
        })
        .collect();
    rows.sort_unstable();
    rows.dedup();
    let memories = looking.texts().rows(&rows)?.into_iter();
    Ok(memories.map(|(row, memory)| (row, memory.id)).collect())
}

/// A path as it is told; `None` where there is none, or a memory on it was forgotten a moment ago.
fn steps(web: &Web, path: &[(Node, By)], ids: &FxHashMap<Row, MemoryId>) -> Option<Vec<Step>> {
    if path.is_empty() {
        return None;
    }
    path.iter()
        .map(|(node, by)| {
            let memory = match node {
                Node::Memory(row) => Some(*ids.get(row)?),
                Node::Entity(_) => None,
            };
            let to = match (node, by) {
                (_, By::AskedAgain(words)) => words.to_string(),
                (Node::Memory(row), _) => format!("m{}", row.0),
                (Node::Entity(entity), _) => web.name(*entity).to_owned(),
            };
            Some(Step {
                by: word_of(by),
                to,
                memory,
            })
        })
        .collect()
}

/// What a step is called.
fn word_of(by: &By) -> String {
    match by {
        By::Found => "found".to_owned(),
        By::Named => "named".to_owned(),
        By::Mentions => "mentions".to_owned(),
        By::MentionedIn => "mentioned_in".to_owned(),
        By::SaidIn => "said_in".to_owned(),
        By::Relation(relation, false) => relation.to_string(),
        By::Relation(relation, true) => format!("{relation} of"),
        By::Link(link_type, false) => link_type.as_str().to_owned(),
        By::Link(link_type, true) => backwards(*link_type).to_owned(),
        By::Next => "next".to_owned(),
        By::Previous => "previous".to_owned(),
        By::AskedAgain(_) => ASKED_AGAIN.to_owned(),
    }
}

/// What the end of a link is to its start.
fn backwards(link_type: LinkType) -> &'static str {
    match link_type {
        LinkType::Extends => "extended_by",
        LinkType::Contradicts => "contradicted_by",
        LinkType::Implements => "implemented_by",
        LinkType::References => "referenced_by",
        LinkType::Supersedes => "superseded_by",
        LinkType::Supports => "supported_by",
        LinkType::Requires => "required_by",
        LinkType::Related => "related",
        LinkType::Causes => "caused_by",
        LinkType::DerivedFrom => "source_of",
    }
}

/// `m12 → mentions Rust → decided in Team sync`: the path to the result, without its own citation.
fn in_words(steps: &[Step]) -> String {
    let last = steps.len() - 1;
    let mut words = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let (by, to) = (step.by.replace('_', " "), &step.to);
        words.extend(match step.by.as_str() {
            "found" => Some(to.clone()),
            "named" => Some(format!("{to}, which the question names")),
            ASKED_AGAIN => Some(format!("asked again “{to}”")),
            "next" | "previous" if place == last => Some(format!("{by} in its thread")),
            "mentioned_in" | "said_in" if place == last => None,
            _ if place == last => Some(format!("{by} this")),
            _ => Some(format!("{by} {to}")),
        });
    }
    words.join(" → ")
}

/// Says what each result names, where that is known.
fn name_entities(hits: &mut [Hit], connections: Option<&dyn Connections>) {
    let Some(connections) = connections.filter(|known| known.has_names()) else {
        return;
    };
    let rows: Vec<Row> = hits.iter().map(|hit| hit.memory.row).collect();
    let Ok(names) = connections.names(&rows, limits::NAMES) else {
        return;
    };
    for (row, named) in names {
        if let Some(hit) = hits.iter_mut().find(|hit| hit.memory.row == row) {
            hit.entities.push(named.name);
        }
    }
}
