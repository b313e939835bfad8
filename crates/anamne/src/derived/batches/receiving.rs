//! What a batch brings. Whatever a provider sends is checked: unknown numbers, vectors of another length, and those of
//! texts that changed or were erased meanwhile are dropped.

use std::collections::{HashMap, HashSet};

use anamne_llm::{BatchTally, BridgeError};
use anamne_types::Row;

use super::Batches;
use super::records::{Batch, Covered, Digest};
use super::steps::{Line, READ_AT_A_TIME, Step};
use crate::Error;
use crate::derived::answering;
use crate::models::Model;

/// The results of a batch as they come.
struct Receiving<'batch> {
    model: &'batch Model,
    /// Row and digest of each text that is still wanted.
    wanted: HashMap<u32, (Row, Digest)>,
    /// The number of texts of the batch, wanted or not.
    texts: u64,
    seen: HashSet<u32>,
    /// Vectors that are not stored yet.
    waiting: Vec<(Covered, Vec<f32>)>,
    stored: u64,
}

impl Batches {
    /// Fetches the answers of an ended batch and stores them in the cache, then books what it cost.
    pub(super) fn receive(&self, batch: &mut Batch, line: &Line) -> Result<Step, Error> {
        let mut tally = BatchTally::default();
        let model = self.models.get_for(&batch.model, Some(&self.source));
        // Of a space that became private since, nothing is kept.
        let wanted = match &model {
            Ok(_) => self.covered(batch)?,
            Err(_) => Vec::new(),
        };
        let builtin = Model::builtin();
        let mut receiving = Receiving {
            model: model.as_ref().unwrap_or(&builtin),
            wanted: wanted
                .into_iter()
                .map(|(place, row, digest)| (place, (row, digest)))
                .collect(),
            texts: batch.texts,
            seen: HashSet::new(),
            waiting: Vec::new(),
            stored: 0,
        };
        for file in batch.answers.clone() {
            self.receive_file(batch, line, &file, &mut receiving, &mut tally)?;
        }
        self.store(&mut receiving)?;
        batch.answered = receiving.stored;
        // Without reported tokens, a share of the estimate for the texts that were answered.
        let likely = batch.tokens.saturating_mul(tally.answered) / batch.texts.max(1);
        line.bridge
            .settle_batch(&batch.key, tally.reported(), likely)?;
        let missing = batch.texts.saturating_sub(batch.answered);
        let is_plain = missing == 0 && tally.refused == 0;
        let said = [batch.outcome.as_str(), &tally.error].join(" ");
        self.problems.note((!is_plain).then(|| {
            format!(
                "the batch of embeddings {} gave {} of {} vectors ({}; {} lines were refused); the rest is asked for one by one",
                batch.key, batch.answered, batch.texts, said.trim(), tally.refused
            )
        }));
        self.end(batch)
    }

    fn receive_file(
        &self,
        batch: &Batch,
        line: &Line,
        file: &str,
        receiving: &mut Receiving<'_>,
        tally: &mut BatchTally,
    ) -> Result<(), Error> {
        let mut take = |number: u32, vector: Result<Vec<f32>, String>| -> Result<bool, Error> {
            if u64::from(number) >= receiving.texts || !receiving.seen.insert(number) {
                return Ok(false);
            }
            if let (Ok(vector), Some(&(row, digest))) = (vector, receiving.wanted.get(&number)) {
                receiving.waiting.push(((number, row, digest), vector));
            }
            if receiving.waiting.len() >= READ_AT_A_TIME {
                self.store(receiving)?;
            }
            Ok(true)
        };
        let read = line
            .bridge
            .read_batch_file(&line.call(), file, batch.texts, tally, &mut take);
        match read {
            // The file is gone, or the provider's answer makes no sense: what came is kept.
            Err(Error::Bridge(
                error @ (BridgeError::Malformed { .. } | BridgeError::Status { status: 404, .. }),
            )) => {
                if tally.error.is_empty() {
                    tally.error = error.to_string();
                }
                Ok(())
            }
            read => read,
        }
    }

    /// Stores the vectors that came, of texts that are still there.
    fn store(&self, receiving: &mut Receiving<'_>) -> Result<(), Error> {
        let Some((remote, cache)) = receiving.model.remote() else {
            receiving.waiting.clear();
            return Ok(());
        };
        // An erasure waits for the end of this, or this sees that it happened.
        let _guard = answering::change(self.source.folder())?;
        if self.source.unclean_views()?.is_some() {
            return Err(Error::Store(anamne_store::StoreError::Busy {
                path: self.source.folder().to_owned(),
                waited: std::time::Duration::ZERO,
            }));
        }
        let waiting = std::mem::take(&mut receiving.waiting);
        let covered: Vec<Covered> = waiting.iter().map(|(covered, _)| *covered).collect();
        let present: HashMap<u32, String> = self
            .present(receiving.model, &covered)?
            .into_iter()
            .collect();
        let fitted = waiting.into_iter().filter_map(|((place, ..), vector)| {
            let text = present.get(&place)?;
            // A vector of another length is as good as none.
            let vector = remote.fitted(vector).ok()?;
            (vector.len() == receiving.model.memories.dimensions())
                .then_some((text.as_str(), vector))
        });
        let vectors: Vec<(&str, Vec<f32>)> = fitted.collect();
        cache.keep(&vectors).map_err(|source| Error::Model {
            name: receiving.model.name.clone(),
            source,
        })?;
        receiving.stored += vectors.len() as u64;
        Ok(())
    }
}
