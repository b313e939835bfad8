//! Migrates to another embedding model in the background, in batches, while the former model answers.
//!
//! A batch holds no lock that queries or writers need. Published batches persist, so any process can continue later.
//! When every tier is complete, the model in use is switched and the former vectors are deleted.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use anamne_index::vectors::VectorsView;
use anamne_store::EmbeddingConfig;
use anamne_store::view::{Change, ChangeFeed, Fold, Health, View, ViewError};
use anamne_types::{Seq, Tier};
use serde::{Deserialize, Serialize};

use super::answering::{self, Note};
use super::batches::{EmbeddingBatch, Followed};
use super::tiers::Tiers;
use super::views;
use crate::Error;
use crate::models::Model;

/// Changes embedded and published per batch: with costly models, and with others.
const BATCH_CHANGES: [usize; 2] = [128, 8_192];

/// If a pass over all tiers folds at most this many changes, the new vectors are complete: changes during the pass are
/// a short tail. With costly models, and with others.
const MAX_LATE_CHANGES: [usize; 2] = [64, 1_000];

/// The requested model.
#[derive(Clone)]
pub(crate) struct RequestedModel {
    pub(crate) name: String,
    /// The model, or why it is unavailable.
    pub(crate) model: Result<Model, String>,
}

/// Vectors of a model that does not answer yet, by tier.
#[derive(Default)]
pub(crate) struct MigratingModel {
    slug: String,
    tiers: BTreeMap<Tier, Arc<VectorsView>>,
}

/// The result of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchOutcome {
    /// Nothing to do: the requested model is in use or unavailable.
    Done,
    /// More work is left.
    More,
    /// A batch at the provider is waited for.
    Waiting,
    /// Another process is working on it.
    Busy,
}

/// The model in use, and the progress of the requested one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EmbeddingState {
    /// The requested model.
    pub model: String,
    /// The model in use.
    pub answering: String,
    /// If they differ: number of memories embedded so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedded: Option<u64>,
    /// Memories of open tiers whose vectors a remote model was not asked for yet.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pending: u64,
    /// Private memories, which have no vectors because the model is on another machine.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub private: u64,
    /// The asynchronous batches that a remote model was asked in, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub batches: Vec<EmbeddingBatch>,
    /// Why the requested model is unavailable; empty if available.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub problem: String,
}

impl EmbeddingState {
    /// Texts in batches that a provider works on.
    pub fn batched(&self) -> u64 {
        let awaited = self.batches.iter().filter(|batch| batch.is_awaited());
        awaited.map(|batch| batch.texts).sum()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde hands over
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A part of a tier's log: the changes after `base` up to `through`.
struct LogPart {
    base: Seq,
    through: Seq,
    changes: Vec<Change>,
    /// Whether the log ended there.
    is_last: bool,
}

impl LogPart {
    /// Whole events after `base`, about `limit` changes.
    fn after(feed: &dyn ChangeFeed, base: Seq, limit: usize) -> Result<Self, ViewError> {
        // Read first: later events belong to the next part.
        let head = feed.head()?;
        let mut changes = feed.since(base, limit)?;
        let is_last = changes.len() < limit;
        if is_last {
            changes.retain(|change| change.seq <= head);
        } else if let Some(last) = changes.last().map(|change| change.seq)
            && let Some(before) = changes.iter().rposition(|change| change.seq < last)
        {
            // The last event may have more changes than were read.
            changes.truncate(before + 1);
        }
        let reached = changes.last().map(|change| change.seq);
        Ok(Self {
            base,
            through: reached.filter(|_| !is_last).unwrap_or(head),
            changes,
            is_last,
        })
    }
}

impl ChangeFeed for LogPart {
    fn head(&self) -> Result<Seq, ViewError> {
        Ok(self.through)
    }

    fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
        if after < self.base {
            let what = "the new vectors were removed by another process meanwhile";
            return Err(ViewError::Feed(what.to_owned()));
        }
        let begin = self.changes.partition_point(|change| change.seq <= after);
        let rest = &self.changes[begin..];
        // Extended to the end of the last event.
        let end = match rest.get(limit.saturating_sub(1)) {
            Some(last) => rest.partition_point(|change| change.seq <= last.seq),
            None => rest.len(),
        };
        Ok(rest[..end].to_vec())
    }
}

impl Tiers {
    /// The requested model, by the settings as last read.
    pub(crate) fn wanted(&self) -> RequestedModel {
        let name = self.source.config().embedding.model.clone();
        let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        match &*wanted {
            Some(known) if known.name == name => known.clone(),
            _ => {
                let model = self.models.get_for(&name, Some(&self.source));
                let model = model.map_err(|error| error.to_string());
                wanted.insert(RequestedModel { name, model }).clone()
            }
        }
    }

    /// Reads the settings again, and reloads the model if it was unavailable or has changed.
    pub(crate) fn look_for_wanted(&self) -> Result<RequestedModel, Error> {
        self.source.current_config()?;
        {
            let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            let is_old = |known: &RequestedModel| {
                known.model.is_err() || self.models.has_changed(&known.name)
            };
            if wanted.as_ref().is_some_and(is_old) {
                *wanted = None;
            }
        }
        let wanted = self.wanted();
        if let Ok(model) = &wanted.model
            && model.slug() == self.noted_vectors()
            && model.slug() != self.answering().model.slug()
        {
            self.read_note_again();
        }
        Ok(wanted)
    }

    /// The requested model, unless its vectors are recorded as in use.
    fn missing_model(&self) -> Option<Model> {
        let model = self.wanted().model.ok()?;
        (model.slug() != self.noted_vectors()).then_some(model)
    }

    /// Whether vectors must be computed: all of another model, or those that a remote one was not asked for yet. No I/O.
    pub(crate) fn is_reembedding(&self) -> bool {
        let is_migrating = self.missing_model().is_some() && !self.batches.are_awaited();
        is_migrating || self.batches.are_due() || self.has_pending()
    }

    /// Makes the next batch look for obsolete vectors again, after a model was requested.
    pub(crate) fn hasten_reembedding(&self) {
        self.batches.hasten();
        self.tidied.store(false, Ordering::Relaxed);
    }

    /// Computes vectors of the requested model until it is in use, or another process is doing so.
    pub(crate) fn reembed(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<(), Error> {
        while self.reembed_batch(progress)? == BatchOutcome::More {}
        Ok(())
    }

    /// Computes one batch of vectors of the requested model, and switches to it when they are complete.
    pub(crate) fn reembed_batch(
        &self,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<BatchOutcome, Error> {
        let wanted = self.look_for_wanted()?;
        self.notice_answering()?;
        let missing = self.missing_model();
        let awaited = missing.as_ref().map(|model| model.name.as_str());
        let followed = self.batches.follow(awaited)?;
        let Ok(model) = wanted.model else {
            return Ok(BatchOutcome::Done);
        };
        if missing.is_none() {
            self.tidy(&model)?;
            return self.embed_pending(progress);
        }
        match followed {
            Followed::Free => {}
            Followed::Awaited => return self.wait(progress),
            Followed::Busy => return Ok(BatchOutcome::Busy),
        }
        // An erasure waits for the end of the batch, which may have read the erased text before.
        let Some(_guard) = answering::try_change(self.source.folder())? else {
            return Ok(BatchOutcome::Busy);
        };
        if self.source.unclean_views()?.is_some() {
            return Ok(BatchOutcome::Busy);
        }
        let mut growing = self.migrating();
        if growing.slug != model.slug() {
            *growing = MigratingModel {
                slug: model.slug(),
                tiers: BTreeMap::new(),
            };
        }
        match self
            .batches
            .collect(&model, &growing.lacking(self, &model)?)?
        {
            Followed::Free => {}
            Followed::Awaited => return Ok(BatchOutcome::More),
            Followed::Busy => return Ok(BatchOutcome::Busy),
        }
        let is_cheap = usize::from(!model.memories.is_costly());
        let limit = BATCH_CHANGES[is_cheap];
        let mut folded = 0;
        for tier in self.tiers_of_memories()? {
            let view = growing.view(self.source.folder(), tier, &model)?;
            let part = LogPart::after(&self.source.feed_of(tier), view.watermark(), limit)?;
            let fold = view.fold(&part, &mut |seq| progress("vectors", seq));
            self.problems.note(model.take_error());
            let fold = fold?;
            if fold == Fold::Busy {
                return Ok(BatchOutcome::Busy);
            }
            folded += part.changes.len();
            if !part.is_last {
                return Ok(BatchOutcome::More);
            }
        }
        if folded > MAX_LATE_CHANGES[is_cheap] {
            return Ok(BatchOutcome::More);
        }
        *growing = MigratingModel::default();
        self.switch_model(&model)
    }

    /// While a batch is waited for, the model in use is asked for the vectors of new memories.
    fn wait(&self, progress: &mut dyn FnMut(&'static str, Seq)) -> Result<BatchOutcome, Error> {
        match self.embed_pending(progress)? {
            BatchOutcome::Busy => Ok(BatchOutcome::Busy),
            _ => Ok(BatchOutcome::Waiting),
        }
    }

    fn migrating(&self) -> MutexGuard<'_, MigratingModel> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tiers that contain memories, hottest first.
    fn tiers_of_memories(&self) -> Result<Vec<Tier>, Error> {
        let colder = self.source.colder_tiers()?;
        Ok(std::iter::once(Tier::Active).chain(colder).collect())
    }

    /// Switches all processes to `model`, and deletes the vectors of others. The lock must be held.
    fn switch_model(&self, model: &Model) -> Result<BatchOutcome, Error> {
        let space = self.source.folder();
        if self.source.current_config()?.embedding.model != model.name {
            return Ok(BatchOutcome::More);
        }
        let slug = model.slug();
        let mut former = answering::vector_folders(space)?;
        former.retain(|folder| *folder != slug);
        Note::new(model, former).write(space)?;
        self.notice_answering()?;
        self.remove_former()?;
        self.batches.forget_ended()?;
        Ok(BatchOutcome::Done)
    }

    /// Deletes the vectors that are recorded as obsolete.
    fn remove_former(&self) -> Result<(), Error> {
        let space = self.source.folder();
        let Some(mut note) = Note::read(space).filter(|note| !note.former.is_empty()) else {
            return Ok(());
        };
        for folder in std::mem::take(&mut note.former) {
            remove_vectors(space, &folder)?;
        }
        note.write(space)
    }

    /// Deletes vectors left by a model that is no longer requested, or by a killed process. Runs once until something
    /// changes.
    fn tidy(&self, model: &Model) -> Result<(), Error> {
        if self.tidied.load(Ordering::Relaxed) {
            return Ok(());
        }
        let space = self.source.folder();
        let builtin = Model::builtin().slug();
        let folders = answering::vector_folders(space)?;
        // Another process may use the built-in model as a substitute.
        let left = |folder: &String| *folder != model.slug() && *folder != builtin;
        let has_former = Note::read(space).is_some_and(|note| !note.former.is_empty());
        if has_former || folders.iter().any(left) {
            let Some(_guard) = answering::try_change(space)? else {
                return Ok(());
            };
            if answering::noted_vectors(space) != model.slug() {
                return Ok(());
            }
            self.remove_former()?;
            for folder in folders.iter().filter(|folder| left(folder)) {
                remove_vectors(space, folder)?;
            }
        }
        self.tidied.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Drops the state of a migration whose vectors are deleted.
    pub(crate) fn drop_migration(&self) {
        *self.migrating() = MigratingModel::default();
    }

    /// The entry in `degraded` if the requested model is unavailable.
    pub(crate) fn missing_model_label(&self) -> Option<String> {
        if self.source.config().embedding.model == EmbeddingConfig::BUILTIN {
            return None;
        }
        let wanted = self.wanted();
        let lacks = wanted.model.is_err();
        lacks.then(|| format!("embedding model {}", wanted.name))
    }

    /// The model in use, and the progress of the requested one.
    pub(crate) fn embedding_state(&self) -> Result<EmbeddingState, Error> {
        let wanted = self.look_for_wanted()?;
        let answering = self.notice_answering()?;
        let embedded = match self.missing_model() {
            Some(model) => Some(self.count_embedded(&model)?),
            None => None,
        };
        let leaves = |model: &Model| model.memories.leaves_machine();
        let private = if wanted.model.as_ref().is_ok_and(leaves) {
            self.source.count_private()?
        } else {
            0
        };
        Ok(EmbeddingState {
            pending: self.pending() as u64,
            batches: self.batches.report()?,
            private,
            model: wanted.name,
            answering: answering.model.name.clone(),
            embedded,
            problem: wanted.model.err().unwrap_or_default(),
        })
    }

    fn count_embedded(&self, model: &Model) -> Result<u64, Error> {
        let mut growing = MigratingModel::default();
        let mut rows = 0;
        for tier in self.tiers_of_memories()? {
            let view = growing.open(self.source.folder(), tier, model)?;
            rows += view.rows() as u64;
        }
        Ok(rows)
    }
}

impl MigratingModel {
    /// Each tier, and the event after which it lacks vectors of the model.
    fn lacking(&mut self, tiers: &Tiers, model: &Model) -> Result<Vec<(Tier, Seq)>, Error> {
        let all = tiers.tiers_of_memories()?.into_iter();
        let lacking = all.map(|tier| {
            let view = self.view(tiers.source.folder(), tier, model)?;
            Ok((tier, view.watermark()))
        });
        lacking.collect()
    }

    fn open(&mut self, space: &Path, tier: Tier, model: &Model) -> Result<Arc<VectorsView>, Error> {
        if let Some(view) = self.tiers.get(&tier) {
            view.refresh();
            return Ok(view.clone());
        }
        let folder = views::vectors_folder(space, &model.slug(), tier);
        let view = Arc::new(VectorsView::open(folder, model.memories.clone())?);
        self.tiers.insert(tier, view.clone());
        Ok(view)
    }

    /// The published vectors of a tier. Damaged ones are deleted and restarted.
    fn view(&mut self, space: &Path, tier: Tier, model: &Model) -> Result<Arc<VectorsView>, Error> {
        let view = self.open(space, tier, model)?;
        if view.health() == Health::Whole {
            return Ok(view);
        }
        self.tiers.remove(&tier);
        remove_folder(&views::vectors_folder(space, &model.slug(), tier))?;
        self.open(space, tier, model)
    }
}

/// Deletes the vectors of one model in all tiers.
pub(crate) fn remove_vectors(space: &Path, model: &str) -> Result<(), Error> {
    remove_folder(&answering::folder(space).join(model))
}

fn remove_folder(path: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::Stream {
            action: "remove vectors of another model",
            source: error,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use anamne_types::Row;

    use super::*;

    /// A log in which event `n` changes the number of rows at index `n - 1`.
    struct Log(Vec<usize>);

    impl ChangeFeed for Log {
        fn head(&self) -> Result<Seq, ViewError> {
            Ok(Seq(self.0.len() as u64))
        }

        fn since(&self, after: Seq, limit: usize) -> Result<Vec<Change>, ViewError> {
            let rows = (1..).zip(&self.0).flat_map(|(seq, &rows)| vec![seq; rows]);
            let changes = (0..).zip(rows).map(|(row, seq)| Change {
                seq: Seq(seq),
                row: Row(row),
                record: None,
            });
            let fresh = changes.filter(|change| change.seq > after);
            Ok(fresh.take(limit).collect())
        }
    }

    /// Reads `log` in parts, as folds do, and expects every row once.
    #[track_caller]
    fn check(log: Vec<usize>, limit: usize) {
        let rows: usize = log.iter().sum();
        let log = Log(log);
        let (mut base, mut met) = (Seq(0), Vec::new());
        loop {
            let part = LogPart::after(&log, base, limit).expect("read");
            let mut after = base;
            while after < part.through {
                let changes = part.since(after, 3).expect("read");
                let Some(last) = changes.last() else { break };
                after = last.seq;
                met.extend(changes.iter().map(|change| change.row.0 as usize));
            }
            base = part.through;
            if part.is_last {
                break;
            }
        }
        assert_eq!(base, log.head().expect("read"));
        assert_eq!(met, (0..rows).collect::<Vec<_>>());
    }

    #[test]
    fn parts_are_whole_events_and_together_the_log() {
        check(vec![], 4);
        check(vec![1; 10], 4);
        check(vec![1; 12], 4);
        check(vec![0, 1, 0, 0, 1, 1, 0], 2);
        check(vec![1, 3, 2, 1, 3], 4);
        check(vec![1, 4, 0], 4);
    }

    #[test]
    fn a_part_is_of_no_use_to_vectors_that_were_removed() {
        let part = LogPart::after(&Log(vec![1; 10]), Seq(4), 3).expect("read");
        assert_eq!(part.since(Seq(4), 10).expect("read").len(), 2);
        assert!(part.since(Seq(3), 10).is_err());
    }
}
