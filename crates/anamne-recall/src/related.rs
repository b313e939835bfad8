//! What results are connected with: entities, related entities and related memories.

use anamne_store::view::ViewError;
use anamne_types::{Hit, MemoryId, RelatedMemory, RelatedName, Row};
use rustc_hash::FxHashMap;

use crate::connections::{Connections, NamedEntity, RelatedEntity};
use crate::error::RecallError;
use crate::expansion::link_name;
use crate::recall_context::RecallContext;

/// Rows read per entity and result: the result itself, results before it, and enough others.
const MENTIONS: usize = 12;

/// Maximum characters of an excerpt.
const EXCERPT: usize = 80;

/// Adds to each hit its entities, related entities and related memories, at most [`Hit::RELATED`] each. Four bounded
/// queries for all hits together, and one read of the related memories.
///
/// Returns whether there is a knowledge graph to read; without one there are only links.
pub(crate) fn add(context: &RecallContext<'_>, hits: &mut [Hit]) -> Result<bool, RecallError> {
    let Some(connections) = context.sources.connections else {
        return Ok(false);
    };
    let rows: Vec<Row> = hits.iter().map(|hit| hit.memory.row).collect();
    let mut near: FxHashMap<Row, Vec<(Row, String)>> = FxHashMap::default();
    let mut is_complete = connections.has_names();
    match links(connections, &rows) {
        Ok(links) => {
            for (row, other, by) in links {
                near.entry(row).or_default().push((other, by));
            }
        }
        Err(_) => is_complete = false,
    }
    if is_complete {
        // Without a readable graph the results stand, with their links.
        is_complete = add_names(connections, hits, &rows, &mut near).is_ok();
    }
    add_memories(context, hits, &near)?;
    Ok(is_complete)
}

/// The links of each row: the row, the other memory, and the link's name.
fn links(
    connections: &dyn Connections,
    rows: &[Row],
) -> Result<Vec<(Row, Row, String)>, ViewError> {
    let mut links = connections.links(rows, Hit::RELATED)?;
    links.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    let named = links.into_iter().map(|link| {
        let by = link_name(link.link_type, link.backwards);
        (link.from, link.to, by.to_owned())
    });
    Ok(named.collect())
}

/// Adds entities and related entities, and to `near` the rows that name the same entities, rarest entities first.
fn add_names(
    connections: &dyn Connections,
    hits: &mut [Hit],
    rows: &[Row],
    near: &mut FxHashMap<Row, Vec<(Row, String)>>,
) -> Result<(), ViewError> {
    let named = connections.names(rows, Hit::RELATED)?;
    let mut of_row: FxHashMap<Row, Vec<NamedEntity>> = FxHashMap::default();
    let mut entities = Vec::new();
    for (row, entity) in named {
        entities.push(entity.entity);
        of_row.entry(row).or_default().push(entity);
    }
    entities.sort_unstable();
    entities.dedup();
    let relations = connections.relations(&entities, Hit::RELATED)?;
    let mentions = connections.mentions(&entities, MENTIONS)?;
    for hit in hits {
        let row = hit.memory.row;
        let Some(named) = of_row.get(&row) else {
            continue;
        };
        hit.entities = named.iter().map(|entity| entity.name.clone()).collect();
        let known = hit.entities.clone();
        for entity in named {
            let of_entity = relations.iter().filter(|one| one.from == entity.entity);
            for related in of_entity.map(|related| related_name(related, entity)) {
                // One relation may have several memories as evidence.
                let is_known = known.contains(&related.name);
                if !is_known && !hit.related_entities.contains(&related) {
                    hit.related_entities.push(related);
                }
            }
            let sharing = mentions.iter().filter(|(id, _)| *id == entity.entity);
            let by = format!("mentions {}", entity.name);
            let others = sharing.map(|(_, other)| (*other, by.clone()));
            near.entry(row).or_default().extend(others);
        }
        hit.related_entities.truncate(Hit::RELATED);
    }
    Ok(())
}

fn related_name(related: &RelatedEntity, of: &NamedEntity) -> RelatedName {
    let relation = &related.relation;
    RelatedName {
        name: related.to.name.clone(),
        relation: if related.backwards {
            format!("{relation} of")
        } else {
            relation.to_string()
        },
        of: of.name.clone(),
    }
}

/// Adds the nearest memories of each hit that exist at the queried time.
fn add_memories(
    context: &RecallContext<'_>,
    hits: &mut [Hit],
    near: &FxHashMap<Row, Vec<(Row, String)>>,
) -> Result<(), RecallError> {
    let mut rows: Vec<Row> = near.values().flatten().map(|(row, _)| *row).collect();
    rows.sort_unstable();
    rows.dedup();
    let read = context.memory_reader().rows(&rows)?.into_iter();
    let known: FxHashMap<Row, (MemoryId, String, String)> = read
        .map(|(row, memory)| {
            let excerpt = excerpt(&memory.content);
            (row, (memory.id, memory.citation(), excerpt))
        })
        .collect();
    for hit in hits {
        let own = hit.memory.row;
        for (row, by) in near.get(&own).into_iter().flatten() {
            let related = &mut hit.related_memories;
            let Some((id, citation, excerpt)) = known.get(row) else {
                continue;
            };
            let is_new = *row != own && related.iter().all(|related| related.id != *id);
            if is_new && related.len() < Hit::RELATED {
                related.push(RelatedMemory {
                    id: *id,
                    citation: citation.clone(),
                    by: by.clone(),
                    excerpt: excerpt.clone(),
                });
            }
        }
    }
    Ok(())
}

/// The beginning of a text on one line.
fn excerpt(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if let Some((end, _)) = line.char_indices().nth(EXCERPT) {
            line.truncate(end);
            line.push('…');
            return line;
        }
    }
    line
}
