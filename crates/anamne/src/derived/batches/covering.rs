//! Which texts a batch covers.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use anamne_index::vectors::embedded_texts;
use anamne_store::view::ChangeFeed;
use anamne_types::{Memory, Row, Seq, Tier, is_marked_private, is_private_tag};

use super::records::{Covered, Digest, digest};
use super::{Batches, Followed};
use crate::Error;
use crate::models::Model;

/// Maximum texts of a batch.
const MOST_TEXTS: usize = 50_000;

/// Maximum size of the file of a batch, which is made in memory. Providers accept more.
const MOST_BYTES: usize = 32 << 20;

/// Estimated bytes of a request without its text.
const REQUEST_BYTES: usize = 200;

/// Maximum number of batches at a time.
const MOST_OPEN: usize = 4;

/// Changes read at a time.
const READ_AT_A_TIME: usize = 1_024;

/// Texts that are found for batches.
#[derive(Default)]
struct Collected {
    batches: Vec<Vec<(Row, Digest)>>,
    bytes: usize,
    count: usize,
    known: HashSet<Digest>,
}

impl Collected {
    fn add(&mut self, row: Row, digest: Digest, length: usize) {
        let length = length + REQUEST_BYTES;
        let is_full = self.bytes + length > MOST_BYTES
            || self
                .batches
                .last()
                .is_none_or(|batch| batch.len() >= MOST_TEXTS);
        if is_full {
            self.batches.push(Vec::new());
            self.bytes = 0;
        }
        if let Some(batch) = self.batches.last_mut() {
            batch.push((row, digest));
        }
        self.bytes += length;
        self.count += 1;
    }
}

impl Batches {
    /// Notes batches of the texts that a change to this model lacks, if the settings of the space want that and there
    /// are enough. `parts` are the tiers, and the events after which each lacks vectors. O(memories), once per process.
    pub(crate) fn collect(&self, model: &Model, parts: &[(Tier, Seq)]) -> Result<Followed, Error> {
        let from = self.source.config().embedding.batch_from as usize;
        let is_idle = from == 0 || self.has_collected.load(Ordering::Relaxed);
        let Some((remote, _)) = model.remote().filter(|_| !is_idle) else {
            return Ok(Followed::Free);
        };
        if !remote.has_batches()? {
            self.has_collected.store(true, Ordering::Relaxed);
            return Ok(Followed::Free);
        }
        let Some(_turn) = self.turn()? else {
            return Ok(Followed::Busy);
        };
        // What one of them brings must still be in the cache when it is used.
        let most = self.models.cache.room(model.memories.dimensions()) / 2;
        let mut found = Collected::default();
        for &(tier, after) in parts {
            self.collect_tier(model, tier, after, most, &mut found)?;
        }
        if found.count < from {
            self.has_collected.store(true, Ordering::Relaxed);
            return Ok(Followed::Free);
        }
        for texts in found.batches.iter().take(MOST_OPEN) {
            self.note(&model.name, texts)?;
        }
        self.is_open.store(true, Ordering::Relaxed);
        self.due.hasten();
        Ok(Followed::Awaited)
    }

    fn collect_tier(
        &self,
        model: &Model,
        tier: Tier,
        mut after: Seq,
        most: usize,
        found: &mut Collected,
    ) -> Result<(), Error> {
        let feed = self.source.feed_of(tier);
        while found.count < most && found.batches.len() <= MOST_OPEN {
            let changes = feed.since(after, READ_AT_A_TIME)?;
            let Some(last) = changes.last() else {
                return Ok(());
            };
            after = last.seq;
            for change in &changes {
                let Some(record) = &change.record else {
                    continue;
                };
                if !(record.is_private && model.memories.leaves_machine()) {
                    self.collect_texts(model, change.row, &record.text, found)?;
                }
            }
        }
        Ok(())
    }

    fn collect_texts(
        &self,
        model: &Model,
        row: Row,
        text: &str,
        found: &mut Collected,
    ) -> Result<(), Error> {
        let mut texts = embedded_texts(text);
        texts.retain(|text| !text.trim().is_empty());
        let digests: Vec<Digest> = texts.iter().map(|text| digest(&model.name, text)).collect();
        let covered = self.are_covered(&digests)?;
        let at_hand = model
            .memories
            .embed_at_hand(&texts)
            .map_err(|source| Error::Model {
                name: model.name.clone(),
                source,
            })?;
        for (place, text) in texts.iter().enumerate() {
            let is_needed = !covered[place] && at_hand[place].is_none();
            if is_needed && found.known.insert(digests[place]) {
                found.add(row, digests[place], text.len());
            }
        }
        Ok(())
    }

    /// The present texts of what a batch covers, with their numbers: without those that changed, are gone, or are private
    /// by now.
    pub(super) fn present(
        &self,
        model: &Model,
        covered: &[Covered],
    ) -> Result<Vec<(u32, String)>, Error> {
        let leaves = model.memories.leaves_machine();
        let mut rows: Vec<Row> = covered.iter().map(|&(_, row, _)| row).collect();
        rows.dedup();
        let memories = self.source.get_rows(&rows)?;
        let may_go = |memory: &Memory| !(leaves && is_private(memory));
        let texts: HashMap<(Row, Digest), String> = memories
            .iter()
            .filter(|(_, memory)| may_go(memory))
            .flat_map(|(row, memory)| {
                let texts = texts_of(memory).into_iter();
                texts.map(|text| ((*row, digest(&model.name, &text)), text))
            })
            .collect();
        let text =
            |&(place, row, digest): &Covered| Some((place, texts.get(&(row, digest))?.clone()));
        Ok(covered.iter().filter_map(text).collect())
    }
}

/// Whether a tag or the guard makes a memory private.
fn is_private(memory: &Memory) -> bool {
    memory.tags.iter().any(|tag| is_private_tag(tag)) || is_marked_private(&memory.metadata)
}

/// The texts of a memory that are embedded.
fn texts_of(memory: &Memory) -> Vec<String> {
    let mut text = memory.content.clone();
    memory.body.append_searchable(&mut text);
    let texts = embedded_texts(&text).into_iter();
    texts.map(str::to_owned).collect()
}
