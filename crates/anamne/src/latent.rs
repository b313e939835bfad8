//! What is told together: `views/latent` holds it, and the background finds it out anew as the space grows.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anamne_index::columns::{ColumnsSnapshot, Tokenise};
use anamne_index::latent::LatentIndex;
use anamne_store::{Finding, Part};
use anamne_types::Seq;

use crate::Error;
use crate::answering::{self, Stamp};
use crate::space::{CheckUp, Inner};
use crate::views::BuiltInTokens;

/// Its name among the views.
const NAME: &str = "latent";

/// A process looks so often for what another has found out.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// The background finds out anew once in so long, unless half as much again was told since.
const BETWEEN_TURNS: Duration = Duration::from_secs(10);

/// With fewer new events nothing is found out anew.
const LEAST_NEW: u64 = 8;

/// Where this part of the log is new, it is found out anew.
const NEW: u64 = 128;

/// Where this part is new, the background does not wait for its turn.
const MUCH_NEW: u64 = 2;

/// What this process knows of the file.
#[derive(Debug, Default)]
pub(crate) struct KnownLatent(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    looked: Option<Instant>,
    stamp: Option<Stamp>,
    index: Option<Arc<LatentIndex>>,
    /// Whether there is a file that can't be read.
    is_damaged: bool,
    /// The event as of which it was found out, or that too little was told.
    tried: Seq,
    turn: Option<Instant>,
}

impl Known {
    /// Whether this part of the log is new, or another log stands in its place.
    fn is_behind(&self, head: Seq, part: u64) -> bool {
        let new = head.0.checked_sub(self.tried.0);
        new.is_none_or(|new| new >= (self.tried.0 / part).max(LEAST_NEW))
    }

    /// Reads the file where it is another than before; what is damaged is found out anew.
    fn look(&mut self, path: &Path) {
        let now = Instant::now();
        if self.looked.is_some_and(|last| now - last < BETWEEN_LOOKS) {
            return;
        }
        self.looked = Some(now);
        let stamp = Stamp::of(path);
        if stamp != self.stamp {
            let bytes = std::fs::read(path).unwrap_or_default();
            self.take(LatentIndex::decode(&bytes, &BuiltInTokens.name()), stamp);
        }
    }

    fn take(&mut self, index: Option<LatentIndex>, stamp: Option<Stamp>) {
        self.tried = index.as_ref().map_or(Seq(0), LatentIndex::through);
        self.is_damaged = index.is_none() && stamp.is_some();
        self.index = index.map(Arc::new);
        self.stamp = stamp;
    }
}

impl Inner {
    /// What is told together, as last found out, and the name of the file where it can't be read. Looks at it once a second.
    pub(crate) fn latent(&self) -> (Option<Arc<LatentIndex>>, Option<String>) {
        let known = self.known_latent();
        (
            known.index.clone(),
            known.is_damaged.then(|| NAME.to_owned()),
        )
    }

    /// Whether it is to be found out anew.
    pub(crate) fn is_latent_outdated(&self) -> bool {
        let head = self.active().followers.head();
        self.known_latent().is_behind(head, NEW)
    }

    /// Whether the background is to find it out anew now.
    pub(crate) fn is_latent_due(&self) -> bool {
        let head = self.active().followers.head();
        let known = self.known_latent();
        let has_waited = known.turn.is_none_or(|turn| turn.elapsed() > BETWEEN_TURNS);
        known.is_behind(head, MUCH_NEW) || has_waited && known.is_behind(head, NEW)
    }

    /// Finds out anew what is told together, some 4 µs a memory, unless another process is at it or takes out what was
    /// erased. Asked of a space where little was told, or that may only be read, it only notes that.
    pub(crate) fn learn_latent(&self) -> Result<(), Error> {
        self.known_latent().turn = Some(Instant::now());
        // Held from before the columns are read until the file is there, so that no erasure comes in between.
        let _guard = match answering::try_change(self.source.folder()) {
            Ok(Some(guard)) => guard,
            Ok(None) => return Ok(()),
            Err(Error::Store(error)) if error.is_read_only() => {
                self.known_latent().tried = self.active().followers.head();
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let tiers = self.every_tier()?;
        for tier in &tiers {
            tier.catch_up(&self.source)?;
        }
        let head = self.active().followers.head();
        let columns: Vec<ColumnsSnapshot> = tiers
            .iter()
            .map(|tier| tier.views.columns.snapshot())
            .collect();
        let Some(index) = LatentIndex::fit(&columns, BuiltInTokens.name(), head) else {
            self.clean_latent()?;
            self.known_latent().tried = head;
            return Ok(());
        };
        let path = self.latent_path();
        anamne_store::replace_file(&path, &index.encode())?;
        self.known_latent().take(Some(index), Stamp::of(&path));
        Ok(())
    }

    /// Takes the file away, which knows the words of what was erased.
    pub(crate) fn clean_latent(&self) -> Result<(), Error> {
        let mut known = self.known_latent();
        known.take(None, None);
        match std::fs::remove_file(self.latent_path()) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::Stream {
                action: "remove what is known of what is told together",
                source: error,
            }),
            _ => Ok(()),
        }
    }

    fn known_latent(&self) -> MutexGuard<'_, Known> {
        let KnownLatent(known) = &self.latent;
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        known.look(&self.latent_path());
        known
    }

    fn latent_path(&self) -> PathBuf {
        path_in(self.source.folder())
    }

    /// Says how the file is, which settling has made anew where it was damaged.
    pub(crate) fn tell_of_latent(&self, found: &mut CheckUp, was_damaged: bool) {
        if was_damaged {
            let said = format!("{NAME}: was damaged and has been made anew");
            found.mended.push(said);
        }
        if let Some(index) = self.latent().0 {
            let covered = index.through();
            let said = format!("{NAME}: made as of event {covered}");
            found.well.push(said);
        }
    }
}

/// What is wrong with the file in the folder of a space.
pub(crate) fn examine(space: &Path) -> Option<Finding> {
    let bytes = std::fs::read(path_in(space)).ok()?;
    let is_whole = LatentIndex::decode(&bytes, &BuiltInTokens.name()).is_some();
    let problem = "its checksum, its format or its vocabulary is another".to_owned();
    (!is_whole).then(|| Finding::new(Part::View, format!("views/{NAME}"), None, problem))
}

fn path_in(space: &Path) -> PathBuf {
    space.join("views").join(NAME)
}
