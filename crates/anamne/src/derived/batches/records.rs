//! The file: batches, and the texts that they cover.

use anamne_store::StoreError;
use anamne_types::{MemoryId, Row};
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, Transaction, params};

use super::Batches;

/// The digest of a model and a text.
pub(super) type Digest = [u8; 16];

/// The digest of a text for a model.
pub(super) fn digest(model: &str, text: &str) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(model.len() as u64).to_le_bytes());
    hasher.update(model.as_bytes());
    hasher.update(text.as_bytes());
    let mut digest = Digest::default();
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    digest
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing was sent.
    Noted,
    /// The upload of its file began, and may have arrived.
    Uploading,
    /// Its file was uploaded.
    Uploaded,
    /// Its start was asked for, and may have arrived.
    Starting,
    /// The provider works on it.
    Running,
    /// Its answers can be fetched.
    Ended,
    /// Its files are left to be deleted.
    Clearing,
    /// Nothing is left to do.
    Done,
}

impl Stage {
    const ALL: [(Self, &str); 8] = [
        (Self::Noted, "noted"),
        (Self::Uploading, "uploading"),
        (Self::Uploaded, "uploaded"),
        (Self::Starting, "starting"),
        (Self::Running, "running"),
        (Self::Ended, "ended"),
        (Self::Clearing, "clearing"),
        (Self::Done, "done"),
    ];

    /// Its name.
    pub(super) fn as_str(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(stage, _)| *stage == self);
        found.map_or("", |(_, name)| name)
    }

    pub(super) fn of(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(_, known)| *known == name);
        found.map(|(stage, _)| stage)
    }

    /// Whether the change of the model waits for it.
    pub(super) fn is_awaited(self) -> bool {
        !matches!(self, Self::Clearing | Self::Done)
    }
}

/// A batch as it is stored.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) number: i64,
    pub(super) key: String,
    pub(super) model: String,
    pub(super) stage: Stage,
    pub(super) file: Option<String>,
    pub(super) remote: Option<String>,
    pub(super) answers: Vec<String>,
    pub(super) sent_at: Option<Timestamp>,
    pub(super) look_at: Timestamp,
    pub(super) attempts: u32,
    pub(super) is_unwanted: bool,
    pub(super) texts: u64,
    pub(super) tokens: u64,
    pub(super) answered: u64,
    pub(super) outcome: String,
}

/// A text of a batch: its number, the memory's row, and the digest.
pub(super) type Covered = (u32, Row, Digest);

impl Batches {
    /// All batches, oldest first.
    pub(super) fn all(&self) -> Result<Vec<Batch>, StoreError> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.file.with(|connection| Ok(read(connection)?))
    }

    /// Notes a batch of these texts under a new key.
    pub(super) fn note(&self, model: &str, texts: &[(Row, Digest)]) -> Result<(), StoreError> {
        let now = self.source.now();
        let milliseconds = u64::try_from(now.as_millisecond()).unwrap_or(0);
        let key = MemoryId::at(milliseconds).to_string();
        let now = now.as_microsecond();
        self.file.change(|transaction| -> Result<_, StoreError> {
            transaction.execute(
                "INSERT INTO batches (key, model, stage, noted_at, look_at, texts) VALUES (?1, ?2, ?3, ?4, ?4, ?5)",
                params![key, model, Stage::Noted.as_str(), now, texts.len() as i64],
            )?;
            let batch = transaction.last_insert_rowid();
            let sql = "INSERT INTO texts VALUES (?1, ?2, ?3, ?4)";
            let mut add = transaction.prepare_cached(sql)?;
            for (place, (row, digest)) in texts.iter().enumerate() {
                add.execute(params![batch, place as i64, row.0, digest])?;
            }
            Ok(())
        })
    }

    /// Whether each of these texts is in a batch, or was.
    pub(super) fn are_covered(&self, digests: &[Digest]) -> Result<Vec<bool>, StoreError> {
        if !self.file.exists() {
            return Ok(vec![false; digests.len()]);
        }
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT EXISTS (SELECT 1 FROM texts WHERE digest = ?1)";
            let mut look = connection.prepare_cached(sql)?;
            let covered = digests
                .iter()
                .map(|digest| look.query_row([digest], |row| row.get(0)));
            Ok(covered.collect::<Result<_, _>>()?)
        })
    }

    /// The texts of a batch, without those of erased memories.
    pub(super) fn covered(&self, batch: &Batch) -> Result<Vec<Covered>, StoreError> {
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT place, row, digest FROM texts \
                       WHERE batch = ?1 AND digest IS NOT NULL ORDER BY place";
            let mut statement = connection.prepare_cached(sql)?;
            let texts = statement.query_map([batch.number], |row| {
                Ok((row.get(0)?, Row(row.get(1)?), row.get(2)?))
            })?;
            Ok(texts.collect::<Result<_, _>>()?)
        })
    }

    /// The rows of the memories in all batches.
    pub(super) fn covered_rows(&self) -> Result<Vec<Row>, StoreError> {
        self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT DISTINCT row FROM texts WHERE row IS NOT NULL";
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map([], |row| Ok(Row(row.get(0)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Forgets the digests of erased memories; the batches that cover them are unwanted.
    pub(super) fn forget_rows(&self, rows: &[Row]) -> Result<(), StoreError> {
        self.file.change(|transaction| -> Result<_, StoreError> {
            for Row(row) in rows {
                transaction.execute(
                    "UPDATE batches SET is_unwanted = 1, look_at = 0 \
                     WHERE number IN (SELECT batch FROM texts WHERE row = ?1)",
                    [row],
                )?;
                let sql = "UPDATE texts SET row = NULL, digest = NULL WHERE row = ?1";
                transaction.execute(sql, [row])?;
            }
            Ok(())
        })
    }

    /// Stores the state of a batch, except whether it is unwanted.
    pub(super) fn save(&self, batch: &Batch) -> Result<(), StoreError> {
        self.file
            .change(|transaction| Ok(write(transaction, batch)?))
    }

    /// The same if the batch is wanted; returns whether it is.
    pub(super) fn save_if_wanted(&self, batch: &Batch) -> Result<bool, StoreError> {
        self.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "SELECT is_unwanted FROM batches WHERE number = ?1";
            let is_unwanted: bool = transaction.query_row(sql, [batch.number], |row| row.get(0))?;
            if !is_unwanted {
                write(transaction, batch)?;
            }
            Ok(!is_unwanted)
        })
    }

    /// Begins anew with the texts that are left: the batch is wanted again.
    pub(super) fn want_again(&self, batch: &Batch) -> Result<(), StoreError> {
        self.file.change(|transaction| -> Result<_, StoreError> {
            write(transaction, batch)?;
            let sql = "UPDATE batches SET is_unwanted = 0 WHERE number = ?1";
            transaction.execute(sql, [batch.number])?;
            Ok(())
        })
    }

    /// Removes the texts of a batch from this place on.
    pub(super) fn shorten(&self, batch: &Batch, place: u32) -> Result<(), StoreError> {
        self.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "DELETE FROM texts WHERE batch = ?1 AND place >= ?2";
            transaction.execute(sql, params![batch.number, place])?;
            let sql = "UPDATE batches SET texts = (SELECT count(*) FROM texts WHERE batch = ?1) WHERE number = ?1";
            transaction.execute(sql, [batch.number])?;
            Ok(())
        })
    }

    /// Removes a batch of which nothing is left anywhere.
    pub(super) fn remove_batch(&self, batch: &Batch) -> Result<(), StoreError> {
        self.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "DELETE FROM batches WHERE number = ?1";
            transaction.execute(sql, [batch.number])?;
            Ok(())
        })
    }

    /// Forgets which texts the ended batches covered, and all but the last few of these batches.
    pub(super) fn forget_done(&self, kept: u32) -> Result<(), StoreError> {
        self.file.change(|transaction| -> Result<_, StoreError> {
            transaction.execute(
                "DELETE FROM texts WHERE batch IN (SELECT number FROM batches WHERE stage = 'done')",
                [],
            )?;
            transaction.execute(
                "DELETE FROM batches WHERE stage = 'done' AND number NOT IN \
                 (SELECT number FROM batches ORDER BY number DESC LIMIT ?1)",
                [kept],
            )?;
            Ok(())
        })
    }
}

fn read(connection: &Connection) -> rusqlite::Result<Vec<Batch>> {
    let mut statement = connection.prepare_cached(
        "SELECT number, key, model, stage, file, remote, answers, sent_at, look_at, attempts, is_unwanted, texts, \
         tokens, answered, outcome FROM batches ORDER BY number",
    )?;
    let batches = statement.query_map([], |row| {
        let answers: String = row.get(6)?;
        let stage: String = row.get(3)?;
        let time = |at: i64| Timestamp::from_microsecond(at).unwrap_or(Timestamp::MIN);
        Ok(Batch {
            number: row.get(0)?,
            key: row.get(1)?,
            model: row.get(2)?,
            // A stage of a later version has nothing that this one can do.
            stage: Stage::of(&stage).unwrap_or(Stage::Done),
            file: row.get(4)?,
            remote: row.get(5)?,
            answers: answers.split_whitespace().map(str::to_owned).collect(),
            sent_at: row.get::<_, Option<i64>>(7)?.map(time),
            look_at: time(row.get(8)?),
            attempts: row.get(9)?,
            is_unwanted: row.get(10)?,
            texts: row.get::<_, i64>(11)? as u64,
            tokens: row.get::<_, i64>(12)? as u64,
            answered: row.get::<_, i64>(13)? as u64,
            outcome: row.get(14)?,
        })
    })?;
    batches.collect()
}

fn write(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE batches SET stage = ?2, file = ?3, remote = ?4, answers = ?5, sent_at = ?6, look_at = ?7, \
             attempts = ?8, tokens = ?9, answered = ?10, outcome = ?11 WHERE number = ?1",
        )?
        .execute(params![
            batch.number,
            batch.stage.as_str(),
            batch.file,
            batch.remote,
            batch.answers.join(" "),
            batch.sent_at.map(Timestamp::as_microsecond),
            batch.look_at.as_microsecond(),
            batch.attempts,
            batch.tokens as i64,
            batch.answered as i64,
            batch.outcome,
        ])?;
    Ok(())
}

impl Batch {
    /// Puts off the next look at it.
    pub(super) fn rest(&mut self, now: Timestamp, pause: SignedDuration) {
        self.look_at = now.checked_add(pause).unwrap_or(now);
    }
}
