//! Sends captures in order, each once: one process at a time takes the next, and deletes it when it was acknowledged.

use anamne_store::{StoreError, WriteGuard};
use anamne_types::Draft;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use super::UnsentCaptures;
use crate::Error;

/// Captures for one request.
#[derive(Clone, Debug, PartialEq)]
pub struct UnsentBatch {
    number: i64,
    /// The key of the request: the same batch has the same one in every attempt.
    pub key: String,
    /// The space.
    pub space: String,
    /// The host of the session.
    pub host: String,
    /// What was said.
    pub drafts: Vec<Draft>,
}

/// The right to send, which one process has at a time.
#[must_use = "it ends when it is dropped"]
pub struct SendingTurn<'file> {
    captures: &'file UnsentCaptures,
    _guard: WriteGuard<'file>,
}

impl UnsentCaptures {
    /// The right to send; `None` if another process has it, which sends what is added meanwhile too.
    pub fn begin_sending(&self) -> Result<Option<SendingTurn<'_>>, Error> {
        let guard = self.sending.try_acquire()?;
        Ok(guard.map(|guard| SendingTurn {
            captures: self,
            _guard: guard,
        }))
    }

    /// Whether anything waits for the server at an address, except for these spaces.
    pub fn has_waiting(&self, server: &str, except: &[String]) -> Result<bool, Error> {
        if !self.file.exists() {
            return Ok(false);
        }
        let except = serde_json::to_string(except).map_err(StoreError::from)?;
        let waits = self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT EXISTS (SELECT 1 FROM batches WHERE server = ?1
                       AND space NOT IN (SELECT value FROM json_each(?2)))";
            Ok(connection.query_row(sql, params![server, except], |row| row.get(0))?)
        });
        Ok(waits?)
    }

    /// The oldest batch for a server, except for these spaces.
    fn first(&self, server: &str, except: &[String]) -> Result<Option<UnsentBatch>, Error> {
        if !self.file.exists() {
            return Ok(None);
        }
        let except = serde_json::to_string(except).map_err(StoreError::from)?;
        let first = self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT number, key, space, host, drafts FROM batches
                       WHERE server = ?1 AND space NOT IN (SELECT value FROM json_each(?2))
                       ORDER BY number LIMIT 1";
            let found = connection.query_row(sql, params![server, except], |row| {
                let batch = UnsentBatch {
                    number: row.get(0)?,
                    key: row.get(1)?,
                    space: row.get(2)?,
                    host: row.get(3)?,
                    drafts: Vec::new(),
                };
                Ok((batch, row.get::<_, String>(4)?))
            });
            let Some((batch, json)) = found.optional()? else {
                return Ok(None);
            };
            let drafts = serde_json::from_str(&json)?;
            Ok(Some(UnsentBatch { drafts, ..batch }))
        });
        Ok(first?)
    }
}

impl SendingTurn<'_> {
    /// The oldest batch for the server at an address, except for these spaces.
    pub fn next(&self, server: &str, except: &[String]) -> Result<Option<UnsentBatch>, Error> {
        self.captures.first(server, except)
    }

    /// Deletes a batch that the server acknowledged. `left` are its drafts that the server could not store for a reason
    /// of its own; they are sent again, as another request.
    pub fn acknowledged(&self, batch: &UnsentBatch, left: &[Draft]) -> Result<(), Error> {
        let file = &self.captures.file;
        Ok(file.change(|transaction| replace(transaction, batch.number, left))?)
    }

    /// Notes why nothing can be sent to a space now, in one word.
    pub fn failed(
        &self,
        server: &str,
        space: &str,
        problem: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        let noted = self.captures.file.change(|transaction| {
            let sql = "INSERT OR REPLACE INTO problems VALUES (?1, ?2, ?3, ?4)";
            transaction.execute(sql, params![server, space, problem, now.as_microsecond()])?;
            Ok::<_, StoreError>(())
        });
        Ok(noted?)
    }

    /// Forgets the problems of spaces for which nothing waits, and removes what SQLite keeps of deleted rows once nothing
    /// waits at all.
    pub fn finish(self) -> Result<(), Error> {
        let is_empty = self
            .captures
            .file
            .change(|transaction| -> Result<_, StoreError> {
                let sql = "DELETE FROM problems WHERE NOT EXISTS (SELECT 1 FROM batches
                       WHERE batches.server = problems.server AND batches.space = problems.space)";
                transaction.execute(sql, [])?;
                let sql = "SELECT NOT EXISTS (SELECT 1 FROM batches)";
                Ok(transaction.query_row(sql, [], |row| row.get::<_, bool>(0))?)
            })?;
        if is_empty {
            self.captures.compact()?;
        }
        Ok(())
    }
}

/// Replaces the drafts of a batch, which then is another request; without drafts it is deleted.
pub(super) fn replace(
    transaction: &Transaction<'_>,
    number: i64,
    drafts: &[Draft],
) -> Result<(), StoreError> {
    if drafts.is_empty() {
        transaction.execute("DELETE FROM batches WHERE number = ?1", [number])?;
        return Ok(());
    }
    let json = serde_json::to_string(drafts)?;
    let sql = "SELECT key FROM batches WHERE number = ?1";
    let before: Option<String> = transaction
        .query_row(sql, [number], |row| row.get(0))
        .optional()?;
    let Some(before) = before else {
        return Ok(());
    };
    // Also if the drafts are the same: the server answers the former key as it did before.
    let key = key_of(["again", &before, ""], &json);
    let sql =
        "UPDATE batches SET key = ?2, drafts = ?3, memories = ?4, bytes = ?5 WHERE number = ?1";
    let (memories, bytes) = (drafts.len() as i64, json.len() as i64);
    transaction.execute(sql, params![number, key, json, memories, bytes])?;
    Ok(())
}

/// The key of a request: equal ones have the same.
pub(super) fn key_of(route: [&str; 3], json: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("anamne 2026 captured request");
    for part in [route[0], route[1], route[2], json] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
