//! What a person said in a session of a host, until a transcript tells it or the turn ends without one.
//!
//! Many hosts give what was said to the hook of the prompt alone, and have no transcript that can be read. Others write
//! their transcript later. So the message is held here, bounded in number and size, and leaves with the turn's end.
//! None is deleted for its age: a clock that is wrong once would lose them all.

use anamne_store::StoreError;
use anamne_types::Draft;
use jiff::Timestamp;
use rusqlite::{Transaction, params};

use super::{UnsentCaptures, guarded};
use crate::Error;
use crate::derived::hook_log::{Digest, digest};

/// Maximum number of messages of one session; the oldest are dropped.
const MOST_OF_SESSION: i64 = 64;

/// Maximum bytes of all messages; the oldest are dropped.
const MOST_BYTES: i64 = 4 << 20;

/// A message of a person that is held.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldMessage {
    number: i64,
    /// The digest of the text as it was said.
    pub(crate) said: Digest,
    /// The message as it may be stored, after the guard, with an external id.
    pub draft: Draft,
}

impl UnsentCaptures {
    /// Holds what a person said in a session of a host, for `space`, after the guard of the space of this machine with that
    /// name. What the guard refuses, and a message of more than 4 MiB, is not held. One durable write.
    pub fn hold(
        &self,
        session: &str,
        space: &str,
        draft: &Draft,
        now: Timestamp,
    ) -> Result<(), Error> {
        let settings = self.settings(&space.parse()?)?.map(|found| found.guard);
        let said = digest(draft.content.trim());
        let (drafts, _) = guarded(
            &settings.unwrap_or_default(),
            std::slice::from_ref(draft),
            now,
        )?;
        let Some(draft) = drafts.first() else {
            return Ok(());
        };
        let json = serde_json::to_string(draft).map_err(StoreError::from)?;
        let (session, bytes) = (digest(session), json.len() as i64);
        if bytes > MOST_BYTES {
            return Ok(());
        }
        let held = self.file.change(|transaction| -> Result<_, StoreError> {
            let sql = "INSERT INTO held (session, space, draft, said, bytes, held_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let row = params![session, space, json, said, bytes, now.as_microsecond()];
            transaction.execute(sql, row)?;
            drop_oldest(transaction, &session)?;
            Ok(())
        });
        Ok(held?)
    }

    /// What is held of a session, in the order in which it was said.
    pub fn held(&self, session: &str) -> Result<Vec<HeldMessage>, Error> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        let held = self.file.with(|connection| -> Result<_, StoreError> {
            let sql = "SELECT number, said, draft FROM held WHERE session = ?1 ORDER BY number";
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([digest(session)])?;
            let mut held = Vec::new();
            while let Some(row) = rows.next()? {
                held.push(HeldMessage {
                    number: row.get(0)?,
                    said: row.get(1)?,
                    draft: serde_json::from_str(&row.get::<_, String>(2)?)?,
                });
            }
            Ok(held)
        });
        Ok(held?)
    }

    /// Deletes messages that were stored, or that a transcript tells.
    pub fn release(&self, messages: &[HeldMessage]) -> Result<(), Error> {
        if messages.is_empty() {
            return Ok(());
        }
        let released = self.file.change(|transaction| -> Result<_, StoreError> {
            let mut delete = transaction.prepare("DELETE FROM held WHERE number = ?1")?;
            for message in messages {
                delete.execute([message.number])?;
            }
            Ok(())
        });
        Ok(released?)
    }

    /// Deletes what is held for a space.
    pub(super) fn release_space(&self, space: &str) -> Result<(), StoreError> {
        if !self.file.exists() {
            return Ok(());
        }
        self.file.change(|transaction| {
            transaction.execute("DELETE FROM held WHERE space = ?1", [space])?;
            Ok(())
        })
    }
}

/// Deletes what is held for a space with the content or the external id of one of these memories.
pub(super) fn erase_equal(
    transaction: &Transaction<'_>,
    space: &str,
    is_erased: impl Fn(&Draft) -> bool,
) -> Result<(), StoreError> {
    let mut statement = transaction.prepare("SELECT number, draft FROM held WHERE space = ?1")?;
    let held = statement
        .query_map([space], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<Vec<(i64, String)>, _>>()?;
    for (number, json) in held {
        if is_erased(&serde_json::from_str(&json)?) {
            transaction.execute("DELETE FROM held WHERE number = ?1", [number])?;
        }
    }
    Ok(())
}

/// Deletes what is too much for its session, or too much in all.
fn drop_oldest(transaction: &Transaction<'_>, session: &Digest) -> rusqlite::Result<()> {
    let sql = "DELETE FROM held WHERE session = ?1 AND number <=
               (SELECT number FROM held WHERE session = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)";
    transaction.execute(sql, params![session, MOST_OF_SESSION])?;
    let sql = "DELETE FROM held WHERE number IN (SELECT number FROM
               (SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS later FROM held) WHERE later > ?1)";
    transaction.execute(sql, [MOST_BYTES])?;
    Ok(())
}
