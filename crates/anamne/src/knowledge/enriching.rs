//! What is noted beside memories by rules or a model: shown, searched by category, removed by a person, and switched off.

use std::sync::Arc;

use anamne_knowledge::enrichment::view::{EnrichmentReport, EnrichmentState};
use anamne_knowledge::enrichment::{Enriched, Enricher, RULES_VERSION};
use anamne_knowledge::readings::Readings;
use anamne_store::view::MemoryFeed;
use anamne_store::{EnrichmentConfig, SpaceConfig};
use anamne_types::{
    Category, Edit, EnrichedPart, Enrichment, InvalidValue, Memory, MemoryId, Metadata, Seq,
    Skipped,
};

use crate::Error;
use crate::derived::graph::BATCH;
use crate::space::Space;

impl Space {
    /// What the rules, or a model that has read it, say beside a memory; `None` if it is forgotten, not of a kind that is enriched, or enrichment is off.
    ///
    /// What was told holds and is left out, as is what was removed. Links lead to earlier memories and may lack what was
    /// written since [`Space::enrich`]; everything else is current. Linear in the text, about 0.2 ms for 100 words.
    pub fn enrichment(&self, id: MemoryId) -> Result<Option<Enrichment>, Error> {
        let memory = self.inner.source.get(id)?;
        let enriched = self.enrichments(&[&memory])?;
        Ok(enriched.into_iter().next().flatten())
    }

    /// The same for several memories of this space, in their order.
    pub fn enrichments(&self, memories: &[&Memory]) -> Result<Vec<Option<Enrichment>>, Error> {
        if !self.inner.derived.summaries.is_enriched() {
            return Ok(vec![None; memories.len()]);
        }
        let mut enricher = Enricher::new();
        let readings = self.inner.derived.readings.open()?;
        let each = memories.iter();
        each.map(|memory| self.enriched_by(memory, readings.as_deref(), &mut enricher))
            .collect()
    }

    /// The importance that stands beside each of these memories of this space; `None` where one was told, or removed, or
    /// nothing is noted. Linear in the texts.
    pub(crate) fn enriched_importances(
        &self,
        memories: &[Memory],
    ) -> Result<Vec<Option<u8>>, Error> {
        if !self.inner.derived.summaries.is_enriched() {
            return Ok(vec![None; memories.len()]);
        }
        let enricher = Enricher::new();
        let readings = self.inner.derived.readings.open()?;
        let importance = |memory: &Memory| {
            let may_have = Enrichment {
                importance: Some(0),
                ..Enrichment::default()
            };
            if !self.is_enriched(memory) || may_have.beside(memory).importance.is_none() {
                return Ok(None);
            }
            let by_model = read_by_model(memory, readings.as_deref())?;
            let by_rules = || enricher.importance(&memory.content);
            Ok(Some(
                by_model.map_or_else(by_rules, |(_, read)| read.importance),
            ))
        };
        memories.iter().map(importance).collect()
    }

    /// The category that stands beside each of these memories of this space, with the importance of the memory; `None`
    /// where a category was told, or removed, or there is none. Linear in the texts.
    pub(crate) fn judged(&self, memories: &[Memory]) -> Result<Vec<Option<(Category, u8)>>, Error> {
        let enricher = Enricher::new();
        let readings = self.inner.derived.readings.open()?;
        let judge = |memory: &Memory| {
            let may_have = Enrichment {
                category: Some(Category::Insight),
                importance: Some(0),
                ..Enrichment::default()
            };
            if !self.is_enriched(memory) {
                return Ok(None);
            }
            let may_have = may_have.beside(memory);
            if may_have.category.is_none() {
                return Ok(None);
            }
            let (category, importance) = match read_by_model(memory, readings.as_deref())? {
                Some((_, read)) => (read.category, read.importance),
                None => enricher.judged(&memory.content),
            };
            let importance = may_have
                .importance
                .map_or(memory.importance, |_| importance);
            Ok(category.map(|category| (category, importance)))
        };
        memories.iter().map(judge).collect()
    }

    fn is_enriched(&self, memory: &Memory) -> bool {
        let is_ours = memory.space.is_empty() || memory.space == self.name();
        is_ours && memory.deleted_at.is_none() && Enrichment::applies_to(memory)
    }

    fn enriched_by(
        &self,
        memory: &Memory,
        readings: Option<&Readings>,
        enricher: &mut Enricher,
    ) -> Result<Option<Enrichment>, Error> {
        if !self.is_enriched(memory) {
            return Ok(None);
        }
        let by_model = read_by_model(memory, readings)?;
        let (by, enriched) = by_model.unwrap_or_else(|| {
            let by_rules = enricher.enrich(&memory.content);
            (format!("rules {RULES_VERSION}"), by_rules)
        });
        let enrichment = Enrichment {
            by,
            category: enriched.category,
            importance: Some(enriched.importance),
            keywords: enriched.keywords,
            tags: enriched.tags,
            language: enriched.language,
            summary: enriched.summary,
            links: self.links_beside_told(memory, enricher)?,
        };
        Ok(Some(enrichment.beside(memory)))
    }

    /// The links of a memory without those between memories that someone linked.
    fn links_beside_told(
        &self,
        memory: &Memory,
        enricher: &mut Enricher,
    ) -> Result<Vec<anamne_types::EnrichedLink>, Error> {
        let summaries = &self.inner.derived.summaries;
        if !anamne_store::Derived::exists(&**summaries) {
            return Ok(Vec::new());
        }
        let feed: &dyn MemoryFeed = &*self.inner.source;
        let mut links = summaries.open()?.enriched_links(feed, memory, enricher)?;
        if !links.is_empty() {
            let told = self.links(memory.id)?;
            links.retain(|link| {
                let joins =
                    |told: &anamne_types::Link| told.from == link.memory || told.to == link.memory;
                !told.iter().any(joins)
            });
        }
        Ok(links)
    }

    /// Enriches every memory up to the last write; `progress` receives the event reached. About 0.5 ms per memory. The background
    /// does this at low load. Does nothing but discard if enrichment is off.
    ///
    /// Memories damaged in both copies are skipped, and each is reported once.
    pub fn enrich(
        &self,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<(EnrichmentReport, Skipped), Error> {
        self.require_write()?;
        self.inner.derived.summaries.enrich(BATCH, &mut |reached| {
            progress(reached);
            true
        })
    }

    /// How far enrichment is; `None` if it is off. O(memories).
    pub fn enrichment_state(&self) -> Result<Option<EnrichmentState>, Error> {
        let summaries = &self.inner.derived.summaries;
        if !summaries.is_enriched() {
            return Ok(None);
        }
        Ok(Some(summaries.open()?.enrichment_state()?))
    }

    /// The memories that the rules put into a category, newest row first, at most `limit`. What was told is not among them:
    /// see [`Space::list`]. They lack what was written since [`Space::enrich`].
    pub fn enriched(&self, category: Category, limit: usize) -> Result<Vec<Memory>, Error> {
        let summaries = &self.inner.derived.summaries;
        if !summaries.is_enriched() {
            return Ok(Vec::new());
        }
        let rows = summaries.open()?.enriched_rows(category, limit)?;
        let mut found = self.inner.source.get_rows(&rows)?;
        found.sort_by_key(|(row, _)| std::cmp::Reverse(*row));
        let live = found.into_iter().map(|(_, memory)| memory);
        Ok(live.filter(|memory| memory.deleted_at.is_none()).collect())
    }

    /// Turns enrichment on or off for the whole space. Off discards everything that the rules made and hides what a model said, which
    /// cost money; nothing told changes, and on makes and shows the same again. `by_model` lets the language model enrich, too.
    pub fn set_enrichment(&self, on: bool, by_model: bool) -> Result<Arc<SpaceConfig>, Error> {
        let config = self.configure(|config| {
            config.enrichment = EnrichmentConfig {
                on,
                by_model: on && by_model,
            };
        })?;
        if !on {
            self.enrich(&mut |_| {})?;
        }
        Ok(config)
    }

    /// Removes parts of the enrichment of a memory for good: an edit of the memory that the log keeps, so that they are not made
    /// again. Returns the memory.
    pub fn remove_enrichment(&self, id: MemoryId, parts: &[EnrichedPart]) -> Result<Memory, Error> {
        self.require_write()?;
        let memory = self.inner.source.get(id)?;
        let mut removed = EnrichedPart::removed_from(&memory.metadata);
        let before = removed.len();
        for part in parts {
            if !removed.contains(part) {
                removed.push(part.clone());
            }
        }
        if removed.len() > EnrichedPart::MOST {
            let accepts = format!(
                "at most {} removed parts of one memory; remove `all` instead",
                EnrichedPart::MOST
            );
            return Err(InvalidValue::new("part", accepts, removed.len()).into());
        }
        if removed.len() == before {
            return Ok(memory);
        }
        removed.sort();
        let names: Vec<String> = removed.iter().map(ToString::to_string).collect();
        self.edit_removed(id, serde_json::json!(names))
    }

    /// Lets everything that was removed from the enrichment of a memory be made again. Returns the memory.
    pub fn restore_enrichment(&self, id: MemoryId) -> Result<Memory, Error> {
        self.require_write()?;
        let memory = self.inner.source.get(id)?;
        if !memory.metadata.contains_key(Enrichment::KEY) {
            return Ok(memory);
        }
        self.edit_removed(id, serde_json::Value::Null)
    }

    fn edit_removed(&self, id: MemoryId, removed: serde_json::Value) -> Result<Memory, Error> {
        let edit = Edit {
            metadata: Metadata::from([(Enrichment::KEY.to_owned(), removed)]),
            ..Edit::default()
        };
        let memory = self.inner.source.edit(self.actor(), id, &edit)?;
        self.after_write();
        Ok(memory)
    }
}

/// What a model said beside a memory, with the model's name.
fn read_by_model(
    memory: &Memory,
    readings: Option<&Readings>,
) -> Result<Option<(String, Enriched)>, Error> {
    Ok(match readings {
        Some(readings) => readings.enrichment(memory.row, &memory.content)?,
        None => None,
    })
}
