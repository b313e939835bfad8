//! The latent index `views/latent`, recomputed in the background as the space grows.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anamne_index::columns::{ColumnsSnapshot, Tokenise};
use anamne_index::latent::LatentIndex;
use anamne_store::beside::VIEWS;
use anamne_store::{Budget, Class, Damage, Derived, Effort, Finding, Part, SpaceSource};
use anamne_types::Seq;

use super::Site;
use super::answering::{self, FileStamp};
use super::tiers::Tiers;
use super::views::BuiltInTokens;
use crate::Error;
use crate::due::Due;

/// Its name among the views.
const NAME: &str = "latent";

/// How often a process checks for a new file, in microseconds.
const BETWEEN_LOOKS: i64 = 1_000_000;

/// Minimum interval between recomputations, in microseconds, unless the log grew by half.
const BETWEEN_TURNS: i64 = 10 * BETWEEN_LOOKS;

/// Minimum number of new events for a recomputation.
const LEAST_NEW: u64 = 8;

/// Share of new events that triggers a recomputation.
const NEW: u64 = 128;

/// Share of new events that triggers it without waiting for the interval.
const MUCH_NEW: u64 = 2;

/// The file and its cached state.
pub(crate) struct Latent {
    source: Arc<SpaceSource>,
    tiers: Arc<Tiers>,
    known: Mutex<CachedIndex>,
    next_look: Due,
    next_turn: Due,
}

#[derive(Debug, Default)]
struct CachedIndex {
    stamp: Option<FileStamp>,
    index: Option<Arc<LatentIndex>>,
    /// Whether the file is unreadable.
    is_damaged: bool,
    /// The event it was computed at, or that there is too little data.
    tried: Seq,
}

impl CachedIndex {
    /// Whether this share of the log is new, or the log was replaced.
    fn is_behind(&self, head: Seq, part: u64) -> bool {
        let new = head.0.checked_sub(self.tried.0);
        new.is_none_or(|new| new >= (self.tried.0 / part).max(LEAST_NEW))
    }

    /// Reads the file if it changed; a damaged one is recomputed.
    fn look(&mut self, path: &Path) {
        let stamp = FileStamp::of(path);
        if stamp != self.stamp {
            let bytes = std::fs::read(path).unwrap_or_default();
            self.take(LatentIndex::decode(&bytes, &BuiltInTokens.name()), stamp);
        }
    }

    fn take(&mut self, index: Option<LatentIndex>, stamp: Option<FileStamp>) {
        self.tried = index.as_ref().map_or(Seq(0), LatentIndex::through);
        self.is_damaged = index.is_none() && stamp.is_some();
        self.index = index.map(Arc::new);
        self.stamp = stamp;
    }
}

impl Latent {
    pub(super) fn new(site: &Site, tiers: Arc<Tiers>) -> Self {
        Self {
            source: site.source.clone(),
            tiers,
            known: Mutex::default(),
            next_look: Due::at_once(),
            next_turn: Due::at_once(),
        }
    }

    /// The latest latent index, and the file's name if unreadable. Checks the file once a second.
    pub(crate) fn index(&self) -> (Option<Arc<LatentIndex>>, Option<String>) {
        let known = self.known();
        (
            known.index.clone(),
            known.is_damaged.then(|| NAME.to_owned()),
        )
    }

    /// Whether the background should recompute it now.
    fn is_background_due(&self) -> bool {
        let head = self.tiers.head();
        let known = self.known();
        let has_waited = self.next_turn.is_due(self.source.now());
        known.is_behind(head, MUCH_NEW) || has_waited && known.is_behind(head, NEW)
    }

    /// Recomputes the latent index, about 4 µs per memory, unless another process does so or purges it. In a small or
    /// read-only space it only records that.
    fn learn(&self) -> Result<(), Error> {
        self.next_turn.put_off(self.source.now(), BETWEEN_TURNS);
        // Held from reading the columns until the file is written, so that no erasure happens in between.
        let _guard = match answering::try_change(self.source.folder()) {
            Ok(Some(guard)) => guard,
            Ok(None) => return Ok(()),
            Err(Error::Store(error)) if error.is_read_only() => {
                self.known().tried = self.tiers.head();
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let tiers = self.tiers.every_tier()?;
        for tier in &tiers {
            tier.catch_up(&self.source)?;
        }
        let head = self.tiers.head();
        let columns: Vec<ColumnsSnapshot> = tiers
            .iter()
            .map(|tier| tier.views.columns.snapshot())
            .collect();
        let Some(index) = LatentIndex::fit(&columns, BuiltInTokens.name(), head) else {
            self.remove()?;
            self.known().tried = head;
            return Ok(());
        };
        let path = path_in(self.source.folder());
        anamne_store::replace_file(&path, &index.encode())?;
        self.known().take(Some(index), FileStamp::of(&path));
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, CachedIndex> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.source.now();
        if self.next_look.is_due(now) {
            self.next_look.put_off(now, BETWEEN_LOOKS);
            known.look(&path_in(self.source.folder()));
        }
        known
    }
}

impl Derived<Error> for Latent {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Log
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![path_in(self.source.folder())]
    }

    fn position(&self) -> Result<Option<Seq>, Error> {
        let known = self.known();
        Ok(Some(
            known.index.as_ref().map_or(Seq(0), |index| index.through()),
        ))
    }

    fn is_due(&self, effort: Effort) -> Result<bool, Error> {
        Ok(match effort {
            Effort::Due => self.is_background_due(),
            _ => self.known().is_behind(self.tiers.head(), NEW),
        })
    }

    fn catch_up(&self, budget: &mut Budget<'_>) -> Result<(), Error> {
        if self.is_due(budget.effort)? {
            self.learn()?;
        }
        Ok(())
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        let damage = examine(self.source.folder()).map(|finding| Damage {
            part: NAME.to_owned(),
            reason: finding.problem,
        });
        Ok(damage.into_iter().collect())
    }

    /// The file contains words of erased memories.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        self.remove()
    }

    fn remove(&self) -> Result<(), Error> {
        let mut known = self.known();
        known.take(None, None);
        Ok(anamne_store::remove_path(&path_in(self.source.folder()))?)
    }
}

/// The damage of the file in a space's folder, if any.
pub(crate) fn examine(space: &Path) -> Option<Finding> {
    let bytes = std::fs::read(path_in(space)).ok()?;
    let is_whole = LatentIndex::decode(&bytes, &BuiltInTokens.name()).is_some();
    let problem = "checksum, format or vocabulary mismatch".to_owned();
    (!is_whole).then(|| Finding::new(Part::View, format!("{VIEWS}/{NAME}"), None, problem))
}

fn path_in(space: &Path) -> PathBuf {
    space.join(VIEWS).join(NAME)
}
