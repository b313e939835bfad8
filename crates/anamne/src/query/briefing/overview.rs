//! What the project is, how much is known of it, and the centre of its graph, in a line or two.
//!
//! Hooks wait for it, so it counts in indexes and only up to a limit.

use std::collections::{BTreeMap, BTreeSet};

use anamne_knowledge::graph::EntityNode;
use anamne_store::BoundedCounts;
use anamne_text::quote::quote_name;
use anamne_text::tokens::estimate_tokens;
use anamne_types::{Context, EntityId};

use crate::Error;
use crate::space::Space;

/// Maximum tokens.
const TOKENS: usize = 100;

/// At most one part in this many of a block.
const SHARE: usize = 8;

/// Most mentioned entities whose relations are counted.
const COMPARED: usize = 16;

/// Relations counted of each entity and direction.
const RELATIONS: usize = 32;

/// Entities that are named as topics, and as the centre.
const TOPICS: usize = 4;
const CENTRE: usize = 3;

/// Minimum number of related entities of one at the centre.
const LEAST_CONNECTED: usize = 2;

impl Space {
    /// The lines of a block of `budget` tokens; empty if nothing is known or nothing fits.
    pub(super) fn overview(&self, budget: usize) -> Result<String, Error> {
        let counts = self.source().bounded_counts()?;
        if counts.memories == 0 {
            return Ok(String::new());
        }
        let mut sentences = vec![self.identity(), counted(counts)];
        let graph = self.inner.derived.knowledge.if_extracted();
        // The block goes on without an unreadable graph; `doctor` reports it.
        if let Some(graph) = graph
            && let Ok(entities) = graph.most_mentioned(COMPARED)
        {
            let ids: Vec<EntityId> = entities.iter().map(|entity| entity.entity).collect();
            let hops = graph.relations_of_entities(&ids, RELATIONS);
            let mut ends: BTreeMap<EntityId, BTreeSet<EntityId>> = BTreeMap::new();
            for hop in hops.unwrap_or_default() {
                ends.entry(hop.from).or_default().insert(hop.to.entity);
            }
            sentences.push(topics(&entities));
            sentences.push(centre(&entities, &ends));
        }
        Ok(fitting(&sentences, TOKENS.min(budget / SHARE)))
    }

    /// `Project anamne: an engine for memory. Repository github.com/….`
    fn identity(&self) -> String {
        let config = self.config();
        let folders = &config.project.folders;
        let what = if folders.is_empty() {
            "Space"
        } else {
            "Project"
        };
        let mut said = format!("{what} {}", quote_name(self.name()));
        let description = config.description.trim();
        if !description.is_empty() {
            said = format!("{said}: {}", quote_name(description));
        }
        if let Some(remote) = folders.iter().find_map(|folder| folder.remote.as_deref()) {
            said = format!("{said}. Repository {}", quote_name(remote));
        }
        said
    }
}

/// `120 memories, 9 threads, 4 links`; a count at its limit is `over 10000`.
fn counted(counts: BoundedCounts) -> String {
    let (most, most_threads) = (BoundedCounts::MOST, BoundedCounts::MOST_THREADS);
    let parts = [
        (counts.memories, most, "memory", "memories"),
        (counts.threads, most_threads, "thread", "threads"),
        (counts.links, most, "link", "links"),
    ];
    let said = parts.iter().filter(|(count, ..)| *count > 0);
    let said = said.map(|(count, most, one, several)| match *count {
        1 => format!("1 {one}"),
        count if count == *most => format!("over {most} {several}"),
        count => format!("{count} {several}"),
    });
    said.collect::<Vec<_>>().join(", ")
}

/// `Most about: Rust 120, Ada 80`: the entities that most memories mention.
fn topics(entities: &[EntityNode]) -> String {
    let named = entities.iter().take(TOPICS);
    let named = named.map(|entity| format!("{} {}", quote_name(&entity.name), entity.memories));
    listed("Most about", &named.collect::<Vec<_>>())
}

/// `Most connected: Ada, Rust`: those of them with the most related entities. Relations are counted up to a limit, so that
/// numbers would say too little of the largest.
fn centre(entities: &[EntityNode], ends: &BTreeMap<EntityId, BTreeSet<EntityId>>) -> String {
    let connected = |entity: &EntityNode| ends.get(&entity.entity).map_or(0, BTreeSet::len);
    let mut central: Vec<(usize, &EntityNode)> = entities
        .iter()
        .map(|entity| (connected(entity), entity))
        .filter(|(count, _)| *count >= LEAST_CONNECTED)
        .collect();
    // Of equals the more often mentioned one comes first.
    central.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let named = central.iter().take(CENTRE);
    let named = named.map(|(_, entity)| quote_name(&entity.name));
    listed("Most connected", &named.collect::<Vec<_>>())
}

fn listed(what: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    format!("{what}: {}", names.join(", "))
}

/// The sentences in order, without those that don't fit, on one line.
fn fitting(sentences: &[String], most: usize) -> String {
    let mut line = String::new();
    for sentence in sentences.iter().filter(|sentence| !sentence.is_empty()) {
        let space = if line.is_empty() { "" } else { " " };
        let longer = format!("{line}{space}{sentence}.");
        if estimate_tokens(&longer) < most {
            line = longer;
        }
    }
    if !line.is_empty() {
        line.push('\n');
    }
    line
}

/// Puts the line below the first line of a block, which says that it is data.
pub(super) fn insert(context: &mut Context, line: &str) {
    let below = context
        .text
        .find('\n')
        .map_or(context.text.len(), |end| end + 1);
    context.text.insert_str(below, line);
    context.tokens = estimate_tokens(&context.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_at_their_limit_say_so_and_none_is_left_out() {
        let check = |memories, threads, links, expected: &str| {
            let counts = BoundedCounts {
                memories,
                threads,
                links,
            };
            assert_eq!(counted(counts), expected);
        };
        check(1, 0, 0, "1 memory");
        check(120, 1, 4, "120 memories, 1 thread, 4 links");
        check(
            10_000,
            1_000,
            10_000,
            "over 10000 memories, over 1000 threads, over 10000 links",
        );
    }

    #[test]
    fn a_sentence_that_does_not_fit_is_left_out_whole() {
        let sentences = [
            "Space kitchen",
            "",
            "12 memories",
            &"long words ".repeat(60),
        ];
        let sentences = sentences.map(str::to_owned);
        assert_eq!(fitting(&sentences, 100), "Space kitchen. 12 memories.\n");
        assert_eq!(fitting(&sentences, 1), "");
    }
}
