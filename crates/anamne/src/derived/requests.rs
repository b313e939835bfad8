//! `observed/requests.db`: the requests that were sent with a key, so that one that is sent again acts once.
//!
//! It has digests, ids and times, and no content. A digest is keyed with a secret of its own request, which leaves the
//! file with the digest once a memory of the request is erased.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anamne_store::{
    Budget, Class, Damage, Derived, SideDatabase, SideFile, SpaceSource, StoreError,
};
use anamne_types::MemoryId;
use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension, Transaction, params};

use super::Site;
use crate::Error;
use crate::error::RequestKeyError;

/// Its name in reports.
const NAME: &str = "requests";

/// Settings of the file. A key that was acknowledged survives a power failure like the memory that it stored.
const DATABASE: SideDatabase = SideDatabase {
    durable: true,
    ..SideDatabase::new(1, include_str!("requests.sql"))
};

/// How long a key is known.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// After this time without an answer, another process may work on a request: the one that began has ended.
/// In microseconds.
const LONGEST_WORK: u64 = 60_000_000;

/// The number of keys; the oldest make room.
const MOST_KEYS: i64 = 1_000_000;

/// Memories that are looked up at a time.
const CHECKED_AT_A_TIME: usize = 500;

/// A digest of a key and its caller.
pub(crate) type KeyDigest = [u8; 32];

/// The file, with the requests that this handle works on.
pub(crate) struct RequestsFile {
    source: Arc<SpaceSource>,
    file: SideFile,
    /// Distinguishes this handle from those of other processes.
    worker: [u8; 32],
    under_way: Mutex<HashSet<KeyDigest>>,
}

/// What is known of a request.
pub(crate) enum Known<'file> {
    /// Nothing: the caller works on it, and then calls [`Work::answered`].
    Nothing(Work<'file>),
    /// Its answer.
    Answer(String),
}

/// A request that is worked on. Dropped without an answer, its key is free again.
pub(crate) struct Work<'file> {
    file: &'file RequestsFile,
    key: KeyDigest,
    has_answer: bool,
}

impl RequestsFile {
    /// The file in the space's folder. No I/O.
    pub(super) fn new(site: &Site) -> Self {
        let folder = site.source.folder().join(Class::Observed.folder());
        Self {
            source: site.source.clone(),
            file: SideFile::at(DATABASE, &folder.join("requests.db")),
            worker: secret(),
            under_way: Mutex::default(),
        }
    }

    /// Looks up a request, and marks an unknown one as worked on. One durable write.
    ///
    /// [`RequestKeyError::OtherRequest`] if the key came with another body, [`RequestKeyError::UnderWay`] if it is
    /// worked on.
    pub(crate) fn begin(&self, key: KeyDigest, body: &[u8]) -> Result<Known<'_>, Error> {
        if !self.lock().insert(key) {
            return Err(RequestKeyError::UnderWay.into());
        }
        // From here on, dropping it frees the key.
        let mut work = Work {
            file: self,
            key,
            has_answer: true,
        };
        let found = self.file.change(|transaction| -> Result<_, StoreError> {
            self.look_up(transaction, key, body)
        })?;
        match found {
            Found::New => {
                work.has_answer = false;
                Ok(Known::Nothing(work))
            }
            Found::Answer(answer) => Ok(Known::Answer(answer)),
            Found::Refused(refused) => Err(refused.into()),
        }
    }

    fn look_up(
        &self,
        transaction: &Transaction<'_>,
        key: KeyDigest,
        body: &[u8],
    ) -> Result<Found, StoreError> {
        let now = self.source.now();
        forget_old(transaction, now)?;
        let sql = "SELECT salt, body, started_at, worker, answer FROM requests WHERE key = ?1";
        let known = transaction.prepare_cached(sql)?.query_row([key], |row| {
            Ok(Request {
                salt: row.get(0)?,
                body: row.get(1)?,
                started_at: row.get(2)?,
                worker: row.get(3)?,
                answer: row.get(4)?,
            })
        });
        if let Some(known) = known.optional()? {
            if !known.is_of(body) {
                return Ok(Found::Refused(RequestKeyError::OtherRequest));
            }
            if let Some(answer) = known.answer {
                return Ok(Found::Answer(answer));
            }
            let is_recent = now.as_microsecond().abs_diff(known.started_at) < LONGEST_WORK;
            // This handle doesn't work on it, or its key would be taken.
            if is_recent && known.worker != self.worker {
                return Ok(Found::Refused(RequestKeyError::UnderWay));
            }
            transaction.execute("DELETE FROM requests WHERE key = ?1", [key])?;
        }
        let salt = secret();
        transaction.execute(
            "INSERT INTO requests (key, salt, body, started_at, worker) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![key, salt, digest(&salt, body), now.as_microsecond(), self.worker],
        )?;
        Ok(Found::New)
    }

    /// Memories of requests that no longer exist.
    fn erased(&self) -> Result<Vec<MemoryId>, StoreError> {
        let told: Vec<MemoryId> = self.file.with(|connection| -> Result<_, StoreError> {
            let mut statement = connection.prepare("SELECT DISTINCT memory FROM told")?;
            let told = statement.query_map([], |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
            Ok(told.collect::<Result<_, _>>()?)
        })?;
        let mut erased = Vec::new();
        for ids in told.chunks(CHECKED_AT_A_TIME) {
            let there = self.source.get_each(ids)?;
            let there: HashSet<MemoryId> = there.into_iter().map(|memory| memory.id).collect();
            erased.extend(ids.iter().filter(|id| !there.contains(id)));
        }
        Ok(erased)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<KeyDigest>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

enum Found {
    New,
    Answer(String),
    Refused(RequestKeyError),
}

/// A request as it is stored.
struct Request {
    salt: Option<[u8; 32]>,
    body: Option<[u8; 32]>,
    started_at: i64,
    worker: [u8; 32],
    answer: Option<String>,
}

impl Request {
    /// Whether it had this body. That of a request with an erased memory is unknown, and counts as the same.
    fn is_of(&self, body: &[u8]) -> bool {
        let (Some(salt), Some(known)) = (self.salt, self.body) else {
            return true;
        };
        digest(&salt, body) == known
    }
}

impl Work<'_> {
    /// Stores the answer, which must have no content, with the memories that it names. One durable write.
    pub(crate) fn answered(mut self, answer: &str, memories: &[MemoryId]) -> Result<(), Error> {
        // Also after a failure: what was stored must not be stored again because its key is free.
        self.has_answer = true;
        self.file
            .file
            .change(|transaction| -> Result<_, StoreError> {
                let sql = "UPDATE requests SET answer = ?2 WHERE key = ?1 RETURNING number";
                let number: Option<i64> = transaction
                    .query_row(sql, params![self.key, answer], |row| row.get(0))
                    .optional()?;
                for memory in memories.iter().filter(|_| number.is_some()) {
                    transaction
                        .prepare_cached(
                            "INSERT OR IGNORE INTO told (memory, number) VALUES (?1, ?2)",
                        )?
                        .execute(params![memory.as_bytes(), number])?;
                }
                Ok(())
            })?;
        Ok(())
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        if !self.has_answer {
            let freed = self
                .file
                .file
                .change(|transaction| -> Result<_, StoreError> {
                    let sql = "DELETE FROM requests WHERE key = ?1 AND answer IS NULL";
                    transaction.execute(sql, [self.key])?;
                    Ok(())
                });
            // If that fails, this handle takes it over at the next attempt, and another one after `LONGEST_WORK`.
            drop(freed);
        }
        self.file.lock().remove(&self.key);
    }
}

fn forget_old(transaction: &Transaction<'_>, now: Timestamp) -> Result<(), StoreError> {
    let oldest = now.as_microsecond() - LIFETIME.as_micros() as i64;
    transaction
        .prepare_cached("DELETE FROM requests WHERE started_at < ?1")?
        .execute([oldest])?;
    let sql = "DELETE FROM requests WHERE number <= (SELECT max(number) FROM requests) - ?1";
    transaction.prepare_cached(sql)?.execute([MOST_KEYS])?;
    Ok(())
}

/// The digest of a request's body under the secret of its row.
fn digest(salt: &[u8; 32], body: &[u8]) -> [u8; 32] {
    *blake3::keyed_hash(salt, body).as_bytes()
}

/// Random bytes: two new ids, each with 74 bits from the operating system.
fn secret() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..2 {
        hasher.update(MemoryId::at(0).as_bytes());
    }
    *hasher.finalize().as_bytes()
}

impl Derived<Error> for RequestsFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn class(&self) -> Class {
        Class::Observed
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.file.path().to_owned()]
    }

    fn verify(&self) -> Result<Vec<Damage>, Error> {
        Ok(self.file.damage(NAME)?)
    }

    fn quarantine(&self) -> Result<(), Error> {
        Ok(anamne_store::quarantine_derived(self.file.path())?)
    }

    /// Removes the digests of requests that told an erased memory. Their answers, which are ids, stay: a request that is
    /// sent again must not store the memory again.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        self.file.remove_quarantined()?;
        if !self.file.exists() {
            return Ok(());
        }
        let erased = self.erased()?;
        self.file.change(|transaction| -> Result<_, StoreError> {
            for memory in &erased {
                let memory = memory.as_bytes();
                let sql = "UPDATE requests SET salt = NULL, body = NULL
                           WHERE number IN (SELECT number FROM told WHERE memory = ?1)";
                transaction.execute(sql, [memory])?;
                transaction.execute("DELETE FROM told WHERE memory = ?1", [memory])?;
            }
            Ok(())
        })?;
        if !erased.is_empty() {
            // secure_delete leaves copies of cells that moved between or within pages.
            self.file.with(|connection| -> Result<_, StoreError> {
                Ok(connection.execute_batch("VACUUM")?)
            })?;
        }
        Ok(self.file.truncate_wal()?)
    }

    fn remove(&self) -> Result<(), Error> {
        Ok(self.file.remove()?)
    }
}
