//! Rebuilds a space as of a time in another folder, from the journal.

use std::collections::BTreeSet;
use std::path::Path;

use anamne_types::{EventKind, MemoryId, Seq};
use jiff::Timestamp;
use serde::Serialize;

use crate::files::{create_private_folder, entries, remove_if_there};
use crate::journal::{Journal, Line, Lines};
use crate::restore;
use crate::source::log;
use crate::space::SpaceSource;
use crate::store::StoreFolder;
use crate::{Result, StoreError};

/// Maximum number of attempts when something is erased during the rebuild.
const ROUNDS: usize = 5;

/// The result of rebuilding a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rewound {
    /// The space's name.
    pub space: String,
    /// The time as of which it was rebuilt.
    pub at: Timestamp,
    /// Its last event.
    pub last_seq: Seq,
    /// When that was written; absent if nothing had been written yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<Timestamp>,
    /// Number of later events, which are left out.
    pub later: u64,
    /// Memories that existed then and were erased later: their content is gone permanently.
    pub erased_since: u64,
}

impl SpaceSource {
    /// Rebuilds this space as of a time, as a space of the store in `store`, where it must not exist yet.
    ///
    /// Replays the log up to the last event before the first one written later than `at`. The settings are the current
    /// ones, because they are not in the log. What was erased since stays erased. O(bytes of the journal).
    ///
    /// [`StoreError::NotEmpty`] if the target exists.
    pub fn rewind(&self, at: Timestamp, store: &Path) -> Result<Rewound> {
        let folder = StoreFolder::at(store).space(self.name());
        if !entries(&folder)?.is_empty() {
            return Err(StoreError::NotEmpty { path: folder });
        }
        let rewound = self.rebuild(at, &folder);
        if rewound.is_err() {
            // The first error is the one reported.
            let _ = remove_if_there(&folder);
        }
        rewound
    }

    fn rebuild(&self, at: Timestamp, folder: &Path) -> Result<Rewound> {
        let mut round = 0;
        loop {
            let end = self.settle_journal()?;
            let rewound = self.rebuild_once(at, folder, end)?;
            round += 1;
            if round == ROUNDS || !self.read(|reader| log::erased_after(reader, end))? {
                self.config().write(&folder.join("space.toml"))?;
                return Ok(rewound);
            }
            remove_if_there(folder)?;
        }
    }

    fn rebuild_once(&self, at: Timestamp, folder: &Path, end: Seq) -> Result<Rewound> {
        let through = self.read(|reader| log::seq_at(reader, at))?.min(end);
        create_private_folder(&folder.join("memories"))?;
        let mut rewound = Rewound {
            space: self.name().to_string(),
            at,
            last_seq: through,
            last_at: None,
            later: end.0 - through.0,
            erased_since: 0,
        };
        let mut emptied = BTreeSet::new();
        let mut journal = Journal::at(&folder.join("journal"));
        let stored = Lines::of(&self.journal_folder())?
            .take_while(|line| !matches!(line, Ok(line) if line.seq > through))
            .inspect(|line| {
                if let Ok(line) = line {
                    rewound.last_at = Some(line.at);
                    note_emptied(line, &mut emptied);
                }
            });
        let written = restore::write_lines(stored, &mut journal)?;
        if written != through.0 {
            let reason =
                format!("it ends at event {written}, before the requested event {through}");
            return Err(StoreError::damaged(&self.journal_folder(), reason));
        }
        journal.seal_full_segments()?;
        rewound.erased_since = emptied.len() as u64;
        let database = folder.join("memories").join("active.db");
        let replayed = restore::database_from_journal(&database, &journal.folder, folder)?;
        match replayed.stopped {
            Some(reason) => Err(StoreError::damaged(&journal.folder, reason)),
            None => Ok(rewound),
        }
    }
}

/// Tracks the memories without payload that no event so far has erased.
fn note_emptied(line: &Line, emptied: &mut BTreeSet<MemoryId>) {
    if line.kind == EventKind::Erased {
        emptied.remove(&line.memory);
    } else if line.payload.is_none() && line.kind.changes_state() {
        emptied.insert(line.memory);
    }
}
