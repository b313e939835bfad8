//! The quota of all spaces of a store together.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};

use crate::files::{bytes_under, entries, is_there};
use crate::hardening::harden;
use crate::{Result, StoreError};

/// Number of writes of this process after which the store is measured again.
const WRITES_BETWEEN: u64 = 256;

/// The store is measured again after writing more than this fraction (1/n) of a limit.
const PART_BETWEEN: u64 = 64;

/// Cost of a write in addition to three copies of its lines: the changed database pages, in bytes.
const PAGES: u64 = 52 << 10;

/// Size of a new space with its first files beside the source, in bytes.
const NEW_SPACE: u64 = 512 << 10;

/// What all spaces of a store may use together. The spaces of one process share it; what other processes write is
/// noticed when the store is measured again.
#[derive(Debug)]
pub struct StoreQuota {
    spaces: PathBuf,
    /// 0 for no limit.
    memories: AtomicU64,
    /// 0 for no limit.
    bytes: AtomicU64,
    known: Mutex<Option<Known>>,
}

/// What was measured, and upper bounds of what this process wrote since.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    memories: u64,
    bytes: u64,
    more_memories: u64,
    more_bytes: u64,
    writes: u64,
}

/// The measured use of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreUsage {
    /// Memories in all spaces that are not forgotten.
    pub memories: u64,
    /// Total size of the files of all spaces, in bytes.
    pub bytes: u64,
}

impl StoreUsage {
    /// Measures the store in `root`. A space that can't be read counts with its bytes only. O(files) and one index scan
    /// for each space.
    pub fn of_store(root: &Path) -> Result<Self> {
        Self::of_spaces(&root.join("spaces"))
    }

    /// Measures the space in this folder, which need not be part of a store.
    pub fn of_space(folder: &Path) -> Result<Self> {
        Ok(Self {
            bytes: bytes_under(folder)?,
            memories: memories_in(&folder.join("memories/active.db")).unwrap_or(0),
        })
    }

    fn of_spaces(folder: &Path) -> Result<Self> {
        let mut usage = Self::default();
        if !is_there(folder)? {
            return Ok(usage);
        }
        for space in entries(folder)? {
            if space.is_dir() {
                usage.add(Self::of_space(&space)?);
            }
        }
        Ok(usage)
    }

    /// Adds what is used elsewhere.
    pub fn add(&mut self, other: Self) {
        self.memories += other.memories;
        self.bytes += other.bytes;
    }
}

fn memories_in(database: &Path) -> Result<u64> {
    if !is_there(database)? {
        return Ok(0);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    harden(&connection)?;
    connection.busy_timeout(crate::lock::LONGEST_WAIT)?;
    let sql = "SELECT count(*) FROM memories INDEXED BY memories_hash WHERE deleted_at IS NULL";
    let count: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(count as u64)
}

impl StoreQuota {
    /// Limits for the store in `root`; 0 is no limit.
    pub fn new(root: &Path, memories: u64, bytes: u64) -> Self {
        Self {
            spaces: root.join("spaces"),
            memories: memories.into(),
            bytes: bytes.into(),
            known: Mutex::default(),
        }
    }

    /// Changes the limits for writes from now on.
    pub fn set(&self, memories: u64, bytes: u64) {
        self.memories.store(memories, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Bytes that the store may still take; `None` if they are not limited. Measures the store.
    pub fn bytes_left(&self) -> Result<Option<u64>> {
        let most = self.bytes.load(Ordering::Relaxed);
        if most == 0 {
            return Ok(None);
        }
        let used = StoreUsage::of_spaces(&self.spaces)?.bytes;
        Ok(Some(most.saturating_sub(used)))
    }

    /// Admits content that is added as a whole, if the store stays within its limits. Measures the store.
    pub fn admit_whole(&self, more: StoreUsage) -> Result<()> {
        let used = StoreUsage::of_spaces(&self.spaces)?;
        let limits = [
            ("memories", &self.memories, used.memories, more.memories),
            ("bytes", &self.bytes, used.bytes, more.bytes),
        ];
        for (what, limit, used, more) in limits {
            let limit = limit.load(Ordering::Relaxed);
            if limit > 0 && more > 0 && used.saturating_add(more) > limit {
                return Err(StoreError::StoreQuotaExceeded { what, limit, used });
            }
        }
        let mut slot = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &mut *slot {
            known.more_memories += more.memories;
            known.more_bytes += more.bytes;
        }
        Ok(())
    }

    /// Admits a new space if the store stays within its limits.
    pub fn admit_space(&self) -> Result<()> {
        self.admit_growth(NEW_SPACE, 0)
    }

    /// Admits a write of some journal lines and new memories if the store stays within its limits.
    pub(crate) fn admit(&self, lines: u64, memories: u64) -> Result<()> {
        self.admit_growth(3 * lines + PAGES, memories)
    }

    /// Free, except for an occasional measurement and one before a refusal.
    fn admit_growth(&self, bytes: u64, memories: u64) -> Result<()> {
        let most = self.memories.load(Ordering::Relaxed);
        let most_bytes = self.bytes.load(Ordering::Relaxed);
        if (most == 0 || memories == 0) && most_bytes == 0 {
            return Ok(());
        }
        let mut slot = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |known: &Known| {
            let told = known.memories + known.more_memories + memories;
            let stored = known.bytes + known.more_bytes + bytes;
            (most == 0 || memories == 0 || told <= most)
                && (most_bytes == 0 || stored <= most_bytes)
        };
        let is_fresh = |known: &Known| {
            known.writes < WRITES_BETWEEN
                && (most_bytes == 0 || known.more_bytes <= most_bytes / PART_BETWEEN)
        };
        let usable = slot.filter(|known| is_fresh(known) && fits(known));
        let mut known = if let Some(known) = usable {
            known
        } else {
            let measured = StoreUsage::of_spaces(&self.spaces)?;
            Known {
                memories: measured.memories,
                bytes: measured.bytes,
                ..Known::default()
            }
        };
        if !fits(&known) {
            *slot = None;
            let is_memories = most > 0 && memories > 0 && known.memories + memories > most;
            let (what, limit, used) = if is_memories {
                ("memories", most, known.memories)
            } else {
                ("bytes", most_bytes, known.bytes)
            };
            return Err(StoreError::StoreQuotaExceeded { what, limit, used });
        }
        known.more_memories += memories;
        known.more_bytes += bytes;
        known.writes += 1;
        *slot = Some(known);
        Ok(())
    }
}
