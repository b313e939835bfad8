//! Adds paths and entity names to hits.

use anamne_types::{Hit, LinkType, MemoryId, Row, Step};
use rustc_hash::FxHashMap;

use super::graph::{Edge, Node, ReachedGraph};
use super::limits;
use super::{Expansion, needs_expansion};
use crate::connections::Connections;
use crate::error::RecallError;
use crate::explain;
use crate::recall_context::RecallContext;

/// Adds to each hit the path that led to it and the entities that it names, unless the depth is shallow.
pub(crate) fn annotate(
    hits: &mut [Hit],
    context: &RecallContext<'_>,
    expansion: &Expansion,
) -> Result<(), RecallError> {
    if !needs_expansion(context.recall) {
        return Ok(());
    }
    let paths: Vec<Vec<(Node, Edge)>> = hits
        .iter()
        .map(|hit| expansion.graph.path(hit.memory.row))
        .collect();
    let ids = memory_ids(context, &paths)?;
    for (hit, path) in hits.iter_mut().zip(&paths) {
        if let Some(steps) = steps(&expansion.graph, path, &ids)
            && let Some((_, last)) = path.last()
        {
            let stage = match last {
                Edge::SecondQuery(_) => SECOND_QUERY,
                _ => "graph",
            };
            let found_by = &mut hit.explanation.found_by;
            found_by.retain(|stage| stage != "neighbours");
            found_by.push(stage.to_owned());
            explain::add_path(&mut hit.reasoning, &path_text(&steps));
            hit.path = steps;
        }
    }
    if !context.recall.related {
        add_entities(hits, context.sources.connections);
    }
    Ok(())
}

const SECOND_QUERY: &str = "asked again";

/// The ids of the live memories on these paths.
fn memory_ids(
    context: &RecallContext<'_>,
    paths: &[Vec<(Node, Edge)>],
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
    let memories = context.memory_reader().rows(&rows)?.into_iter();
    Ok(memories.map(|(row, memory)| (row, memory.id)).collect())
}

/// The steps of a path; `None` if it is empty or contains a memory that was forgotten meanwhile.
fn steps(
    graph: &ReachedGraph,
    path: &[(Node, Edge)],
    ids: &FxHashMap<Row, MemoryId>,
) -> Option<Vec<Step>> {
    if path.is_empty() {
        return None;
    }
    path.iter()
        .map(|(node, edge)| {
            let memory = match node {
                Node::Memory(row) => Some(*ids.get(row)?),
                Node::Entity(_) => None,
            };
            let to = match (node, edge) {
                (_, Edge::SecondQuery(words)) => words.to_string(),
                (Node::Memory(row), _) => format!("m{}", row.0),
                (Node::Entity(entity), _) => graph.name(*entity).to_owned(),
            };
            Some(Step {
                by: edge_name(edge),
                to,
                memory,
            })
        })
        .collect()
}

/// The name of an edge in a step.
fn edge_name(edge: &Edge) -> String {
    match edge {
        Edge::QueryHit => "found".to_owned(),
        Edge::QueryEntity => "named".to_owned(),
        Edge::Mentions => "mentions".to_owned(),
        Edge::MentionedIn => "mentioned_in".to_owned(),
        Edge::EvidenceIn => "said_in".to_owned(),
        Edge::Relation(relation, false) => relation.to_string(),
        Edge::Relation(relation, true) => format!("{relation} of"),
        Edge::Link(link_type, backwards) => link_name(*link_type, *backwards).to_owned(),
        Edge::Next => "next".to_owned(),
        Edge::Previous => "previous".to_owned(),
        Edge::SecondQuery(_) => SECOND_QUERY.to_owned(),
    }
}

/// The name of a link, or of one in reverse direction.
pub(crate) fn link_name(link_type: LinkType, backwards: bool) -> &'static str {
    if backwards {
        inverse_name(link_type)
    } else {
        link_type.as_str()
    }
}

/// The name of a link in reverse direction.
fn inverse_name(link_type: LinkType) -> &'static str {
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

/// `m12 → mentions Rust → decided in Team sync`: the path to a result, without its own citation.
fn path_text(steps: &[Step]) -> String {
    let last = steps.len() - 1;
    let mut words = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let (edge, to) = (step.by.replace('_', " "), &step.to);
        words.extend(match step.by.as_str() {
            "found" => Some(to.clone()),
            "named" => Some(format!("{to}, named in the query")),
            SECOND_QUERY => Some(format!("second query “{to}”")),
            "next" | "previous" if index == last => Some(format!("{edge} in its thread")),
            "mentioned_in" | "said_in" if index == last => None,
            _ if index == last => Some(format!("{edge} this")),
            _ => Some(format!("{edge} {to}")),
        });
    }
    words.join(" → ")
}

/// Adds the entities that each hit names, if there is a knowledge graph.
fn add_entities(hits: &mut [Hit], connections: Option<&dyn Connections>) {
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
