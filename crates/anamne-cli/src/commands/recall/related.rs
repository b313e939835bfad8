//! What a result is connected with, below it.

use anamne::{Hit, RelatedMemory, RelatedName};

use crate::card;
use crate::failure::Failure;
use crate::output::Output;
use crate::wording::{named, one_line};

/// Prints a result's related entities and memories, and the entities that it mentions.
pub(super) fn print(hit: &Hit, indent: &str, output: &mut Output) -> Result<(), Failure> {
    let entities: Vec<String> = hit.entities.iter().map(|name| named(name)).collect();
    let mut rows = vec![("names", entities.join(", "))];
    rows.extend(
        hit.related_entities
            .iter()
            .map(|entity| ("beside", beside(entity))),
    );
    rows.extend(
        hit.related_memories
            .iter()
            .map(|memory| ("related", related(memory))),
    );
    rows.retain(|(_, value)| !value.is_empty());
    if rows.is_empty() {
        return Ok(());
    }
    card::print_table(&rows, indent, output)
}

fn beside(entity: &RelatedName) -> String {
    let relation = entity.relation.replace('_', " ");
    match relation.strip_suffix(" of") {
        Some(relation) => format!("{} {relation} {}", named(&entity.name), named(&entity.of)),
        None => format!("{} {relation} {}", named(&entity.of), named(&entity.name)),
    }
}

fn related(memory: &RelatedMemory) -> String {
    format!(
        "{} ({}): {}",
        memory.citation,
        one_line(&memory.by.replace('_', " ")),
        one_line(&memory.excerpt)
    )
}
