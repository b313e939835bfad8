//! The task database.

use anamne_store::SideDatabase;
use rusqlite::Transaction;

use super::QueueError;

/// The format version, stored in `PRAGMA user_version`.
pub const TASKS_FORMAT: i64 = 1;

pub(super) const DATABASE: SideDatabase = SideDatabase {
    // `Anmt` in ASCII.
    application_id: 0x416e_6d74,
    durable: true,
    ..SideDatabase::new(TASKS_FORMAT, include_str!("schema.sql"))
};

/// A random id of one task database; a recreated file has another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct QueueId(pub(super) u128);

impl QueueId {
    /// The stamp of the file that a transaction reads.
    pub(super) fn of(transaction: &Transaction<'_>) -> Result<Self, QueueError> {
        let mut statement = transaction.prepare_cached("SELECT stamp FROM file")?;
        let stamp = statement.query_row([], |row| row.get(0))?;
        Ok(Self(u128::from_be_bytes(stamp)))
    }
}
