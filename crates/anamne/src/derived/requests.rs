//! `observed/requests.db`: the requests that were sent with a key, so that one that is sent again acts once.
//!
//! Before a request is worked on, the ids of its memories are planned here. So whoever works on it again, after a crash or
//! beside another process, stores the same memories, and the source writes each only once.
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
use super::erased::erased_of;
use crate::Error;
use crate::error::RequestKeyError;

/// Its name in reports.
const NAME: &str = "requests";

/// Settings of the file. A key that was acknowledged survives a power failure like the memory that it stored.
const DATABASE: SideDatabase = SideDatabase {
    durable: true,
    migrations: &[WITH_PLANS],
    ..SideDatabase::new(2, include_str!("requests.sql"))
};

/// Format 1 had no plans. A request without an answer gets one, whose ids no memory has.
const WITH_PLANS: &str = "ALTER TABLE requests DROP COLUMN worker;
    ALTER TABLE requests ADD COLUMN seed BLOB;
    UPDATE requests SET seed = randomblob(32) WHERE answer IS NULL;";

/// How long a key is known.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// The number of keys; the oldest make room.
const MOST_KEYS: i64 = 1_000_000;

/// A digest of a key and its caller.
pub(crate) type KeyDigest = [u8; 32];

/// The file, with the requests that this handle works on.
pub(crate) struct RequestsFile {
    source: Arc<SpaceSource>,
    file: SideFile,
    under_way: Mutex<HashSet<KeyDigest>>,
}

/// What is known of a request.
pub(crate) enum Known<'file> {
    /// No answer: the caller works on it, and then calls [`Work::answered`].
    NoAnswer(Work<'file>),
    /// Its answer.
    Answer(String),
}

/// A request that is worked on. Dropped without an answer, it may be sent again, and is worked on with the same plan.
pub(crate) struct Work<'file> {
    turn: Turn<'file>,
    plan: Plan,
}

/// Keeps other threads of this handle from working on a request.
struct Turn<'file> {
    file: &'file RequestsFile,
    key: KeyDigest,
}

/// The ids of the memories of a request.
pub(crate) struct Plan {
    unix_milliseconds: u64,
    seed: [u8; 32],
    /// Whether somebody worked on it before, and may have stored some of them.
    pub(crate) is_continued: bool,
}

impl Plan {
    /// The ids of the first `count` memories.
    pub(crate) fn ids(&self, count: usize) -> Vec<MemoryId> {
        let id = |number: u64| {
            let digest = blake3::keyed_hash(&self.seed, &number.to_le_bytes());
            let random = digest.as_bytes().first_chunk();
            MemoryId::planned(
                self.unix_milliseconds,
                random.expect("a BLAKE3 hash has 32 bytes"),
            )
        };
        (0..count as u64).map(id).collect()
    }
}

impl RequestsFile {
    /// The file in the space's folder. No I/O.
    pub(super) fn new(site: &Site) -> Self {
        let folder = site.source.folder().join(Class::Observed.folder());
        Self {
            source: site.source.clone(),
            file: SideFile::at(DATABASE, &folder.join("requests.db")),
            under_way: Mutex::default(),
        }
    }

    /// Looks up a request, and plans an unknown one. One durable write.
    ///
    /// [`RequestKeyError::OtherRequest`] if the key came with another body, [`RequestKeyError::UnderWay`] if this handle
    /// works on it. If another one does, both store the same memories, and the answer of the first counts.
    pub(crate) fn begin(&self, key: KeyDigest, body: &[u8]) -> Result<Known<'_>, Error> {
        if !self.lock().insert(key) {
            return Err(RequestKeyError::UnderWay.into());
        }
        let turn = Turn { file: self, key };
        let found = self.file.change(|transaction| -> Result<_, StoreError> {
            self.look_up(transaction, key, body)
        })?;
        match found {
            Found::Planned(plan) => Ok(Known::NoAnswer(Work { turn, plan })),
            Found::Answer(answer) => Ok(Known::Answer(answer)),
            Found::OfAnother => Err(RequestKeyError::OtherRequest.into()),
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
        let sql = "SELECT salt, body, started_at, seed, answer FROM requests WHERE key = ?1";
        let known = transaction.prepare_cached(sql)?.query_row([key], |row| {
            Ok(Request {
                salt: row.get(0)?,
                body: row.get(1)?,
                started_at: row.get(2)?,
                seed: row.get(3)?,
                answer: row.get(4)?,
            })
        });
        if let Some(known) = known.optional()? {
            return known.found_with(body);
        }
        let (salt, seed) = (secret(), secret());
        let started_at = now.as_microsecond();
        transaction.execute(
            "INSERT INTO requests (key, salt, body, started_at, seed) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![key, salt, digest(&salt, body), started_at, seed],
        )?;
        Ok(Found::Planned(Plan {
            unix_milliseconds: milliseconds(started_at),
            seed,
            is_continued: false,
        }))
    }

    /// Memories of requests that no longer exist.
    fn erased(&self) -> Result<Vec<MemoryId>, StoreError> {
        let told: Vec<MemoryId> = self.file.with(|connection| -> Result<_, StoreError> {
            let mut statement = connection.prepare("SELECT DISTINCT memory FROM told")?;
            let told = statement.query_map([], |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
            Ok(told.collect::<Result<_, _>>()?)
        })?;
        erased_of(&self.source, &told)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<KeyDigest>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

enum Found {
    Planned(Plan),
    Answer(String),
    OfAnother,
}

/// A request as it is stored.
struct Request {
    salt: Option<[u8; 32]>,
    body: Option<[u8; 32]>,
    started_at: i64,
    seed: Option<[u8; 32]>,
    answer: Option<String>,
}

impl Request {
    /// What is known of it, if it is sent again with this body.
    fn found_with(self, body: &[u8]) -> Result<Found, StoreError> {
        if !self.is_of(body) {
            return Ok(Found::OfAnother);
        }
        match (self.answer, self.seed) {
            (Some(answer), _) => Ok(Found::Answer(answer)),
            (None, Some(seed)) => Ok(Found::Planned(Plan {
                unix_milliseconds: milliseconds(self.started_at),
                seed,
                is_continued: true,
            })),
            (None, None) => Err(rusqlite::Error::QueryReturnedNoRows.into()),
        }
    }

    /// Whether it had this body. That of a request with an erased memory is unknown, and counts as the same.
    fn is_of(&self, body: &[u8]) -> bool {
        let (Some(salt), Some(known)) = (self.salt, self.body) else {
            return true;
        };
        digest(&salt, body) == known
    }
}

impl Work<'_> {
    /// The plan for its memories.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Stores the answer, which must have no content, with the memories that it names. One durable write.
    ///
    /// Returns the earlier answer if another process has answered the request meanwhile.
    pub(crate) fn answered(
        self,
        answer: &str,
        memories: &[MemoryId],
    ) -> Result<Option<String>, Error> {
        let Turn { file, key } = &self.turn;
        Ok(file.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "SELECT number, answer FROM requests WHERE key = ?1";
            let known: Option<(i64, Option<String>)> = transaction
                .query_row(sql, [key], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let number = match known {
                Some((number, None)) => number,
                Some((_, earlier)) => return Ok(earlier),
                None => return Ok(None),
            };
            let sql = "UPDATE requests SET answer = ?2, seed = NULL WHERE number = ?1";
            transaction.execute(sql, params![number, answer])?;
            let sql = "INSERT OR IGNORE INTO told (memory, number) VALUES (?1, ?2)";
            let mut statement = transaction.prepare_cached(sql)?;
            for memory in memories {
                statement.execute(params![memory.as_bytes(), number])?;
            }
            Ok(None)
        })?)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.file.lock().remove(&self.key);
    }
}

fn milliseconds(started_at: i64) -> u64 {
    (started_at / 1_000).max(0) as u64
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

    /// Removes the digests of requests that told an erased memory, or that have no answer and may have told it. Their answers
    /// and plans, which are ids, stay: a request that is sent again must not store the memory again.
    fn purge(&self, _: &mut Budget<'_>) -> Result<(), Error> {
        self.file.remove_quarantined()?;
        if !self.file.exists() {
            return Ok(());
        }
        let erased = self.erased()?;
        let changed = self.file.change(|transaction| -> Result<_, StoreError> {
            let mut changed = transaction.execute(
                "UPDATE requests SET salt = NULL, body = NULL WHERE answer IS NULL AND body IS NOT NULL",
                [],
            )?;
            for memory in &erased {
                let memory = memory.as_bytes();
                let sql = "UPDATE requests SET salt = NULL, body = NULL
                           WHERE number IN (SELECT number FROM told WHERE memory = ?1)";
                transaction.execute(sql, [memory])?;
                changed += transaction.execute("DELETE FROM told WHERE memory = ?1", [memory])?;
            }
            Ok(changed)
        })?;
        if changed > 0 {
            self.file.rewrite()?;
        }
        Ok(self.file.truncate_wal()?)
    }

    fn remove(&self) -> Result<(), Error> {
        Ok(self.file.remove()?)
    }
}
