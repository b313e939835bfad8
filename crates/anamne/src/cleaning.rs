//! What a space loses by itself or for good: old memories by its retention, and what views keep of erased ones.

use std::path::Path;
use std::sync::atomic::Ordering;

use anamne_types::{Actor, ActorKind, Seq};

use crate::Error;
use crate::space::Inner;

/// Memories that retention erases in one transaction, so that other writers wait only a moment.
const RETENTION_BATCH: usize = 1_000;

/// The background looks for memories that are no longer kept once in so long, in microseconds.
const BETWEEN_LOOKS: i64 = 3_600 * 1_000_000;

impl Inner {
    /// Whether the space has a retention, and it is time to look again.
    pub(crate) fn is_retention_due(&self) -> bool {
        self.source.config().retention.days > 0
            && self.source.now().as_microsecond() >= self.next_retention.load(Ordering::Relaxed)
    }

    /// Erases the memories that the space's retention no longer keeps; returns how many.
    ///
    /// Their content leaves the journal with the next `finish_erasures`, once for all batches.
    pub(crate) fn erase_outdated(&self) -> Result<u64, Error> {
        let actor = Actor {
            kind: ActorKind::System,
            name: "retention".to_owned(),
        };
        // First, so that trouble is not met again with every question.
        let next = self
            .source
            .now()
            .as_microsecond()
            .saturating_add(BETWEEN_LOOKS);
        self.next_retention.store(next, Ordering::Relaxed);
        let mut erased = 0;
        loop {
            let ids = self.source.outdated(RETENTION_BATCH)?;
            if ids.is_empty() {
                return Ok(erased);
            }
            self.source.begin_erasure(&actor, &ids)?;
            erased += ids.len() as u64;
        }
    }

    /// Takes what was erased out of every file of the views, where that is still to be done.
    pub(crate) fn clean_views(
        &self,
        progress: &mut dyn FnMut(&'static str, Seq),
    ) -> Result<(), Error> {
        if self.source.unclean_views()?.is_none() {
            return Ok(());
        }
        self.caught_up()?;
        let through = self.active.followers.head();
        for tier in self.every_tier()? {
            tier.catch_up(&self.source)?;
            tier.followers.purge(&self.source, progress)?;
        }
        self.remove_strays()?;
        Ok(self.source.views_are_clean(through)?)
    }

    /// Removes what no view looks after: views of other models, and copies that were set aside as damaged.
    fn remove_strays(&self) -> Result<(), Error> {
        let views = self.source.folder().join("views");
        remove_where(&views, &|path| name_of(path).contains(".damaged"))?;
        let model = self.embedder.model().slug();
        remove_where(&views.join("vectors"), &|path| {
            path.parent()
                .is_some_and(|parent| name_of(parent) == "vectors")
                && name_of(path) != model
        })
    }
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Removes the files and folders under `folder` that `stray` names.
fn remove_where(folder: &Path, stray: &dyn Fn(&Path) -> bool) -> Result<(), Error> {
    let failed = |source| Error::Stream {
        action: "clean the views",
        source,
    };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let is_folder = path.is_dir();
        match (stray(&path), is_folder) {
            (true, true) => std::fs::remove_dir_all(&path).map_err(failed)?,
            (true, false) => std::fs::remove_file(&path).map_err(failed)?,
            (false, true) => remove_where(&path, stray)?,
            (false, false) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use anamne_types::Draft;
    use jiff::{Timestamp, ToSpan};

    use crate::set_clock::SetClock;
    use crate::{Options, Store};

    #[test]
    fn the_background_looks_for_old_memories_once_an_hour() {
        let folder = tempfile::tempdir().expect("a folder");
        let start: Timestamp = "2026-03-01T00:00:00Z".parse().expect("an instant");
        let clock = Arc::new(SetClock::at(start));
        let options = Options {
            clock: clock.clone(),
            ..Options::new(folder.path()).background(false)
        };
        let store = Store::open_with(options).expect("a store");
        let space = store.space("tests").expect("a space");
        let tell = |text: &str| {
            let happened = start - (24 * 10).hours();
            let told = space.remember(Draft::new(text).occurred_at(happened));
            told.expect("told").id
        };
        let is_there = |id| space.get(id).is_ok();
        let first = tell("first");
        space.inner.look_after();
        assert!(is_there(first), "no retention was asked for");
        space
            .configure(|config| config.retention.days = 5)
            .expect("configured");
        space.inner.look_after();
        assert!(!is_there(first));
        let second = tell("second");
        space.inner.look_after();
        assert!(is_there(second), "it has looked a moment ago");
        clock.set(start + 1.hours());
        space.inner.look_after();
        assert!(!is_there(second));
        assert!(!space.folder().join("views.unclean").exists());
    }
}
