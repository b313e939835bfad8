//! What rules note beside memories, for a person and in JSON.

use std::collections::BTreeMap;

use anamne::{EnrichedLink, Enrichment, Memory, MemoryId, Space};

use crate::failure::Failure;
use crate::wording::one_line;

/// The enrichment of memories of one space, by id.
pub(crate) fn by_id(
    space: &Space,
    memories: &[&Memory],
) -> Result<BTreeMap<MemoryId, Enrichment>, Failure> {
    let enriched = space.enrichments(memories)?.into_iter();
    let each = memories.iter().zip(enriched);
    Ok(each
        .filter_map(|(memory, enrichment)| Some((memory.id, enrichment?)))
        .collect())
}

/// The parts of an enrichment, as names and values.
pub(crate) fn rows(enrichment: &Enrichment) -> Vec<(&'static str, String)> {
    let words = |words: &[String]| {
        let words: Vec<_> = words.iter().map(|word| one_line(word)).collect();
        (!words.is_empty()).then(|| words.join(", "))
    };
    let named = [
        (
            "category",
            enrichment.category.map(|category| category.to_string()),
        ),
        (
            "importance",
            enrichment
                .importance
                .map(|importance| format!("{importance} of 10")),
        ),
        ("keywords", words(&enrichment.keywords)),
        ("tags", words(&enrichment.tags)),
        ("language", enrichment.language.clone()),
        ("summary", enrichment.summary.as_deref().map(one_line)),
    ];
    let parts = named.into_iter();
    let parts = parts.filter_map(|(name, value)| Some((name, value?)));
    parts
        .chain(
            enrichment
                .links
                .iter()
                .map(|link| ("link", link_line(link))),
        )
        .collect()
}

fn link_line(link: &EnrichedLink) -> String {
    format!(
        "{} {} (strength {:.2}, {})",
        link.link_type,
        link.citation,
        link.strength,
        one_line(&link.reason)
    )
}
