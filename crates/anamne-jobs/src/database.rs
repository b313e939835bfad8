//! The file of tasks.

use anamne_store::SideDatabase;
use rusqlite::Transaction;

use super::QueueError;

/// The version of the file, kept in `PRAGMA user_version`.
pub const TASKS_FORMAT: i64 = 1;

pub(super) const DATABASE: SideDatabase = SideDatabase {
    // `Anmt` in ASCII.
    application_id: 0x416e_6d74,
    durable: true,
    ..SideDatabase::new(TASKS_FORMAT, include_str!("schema.sql"))
};

/// A random number of one file of tasks, which a file that is recreated does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Stamp(pub(super) u128);

impl Stamp {
    /// That of the file that a transaction reads.
    pub(super) fn of(transaction: &Transaction<'_>) -> Result<Self, QueueError> {
        let mut statement = transaction.prepare_cached("SELECT stamp FROM file")?;
        let stamp = statement.query_row([], |row| row.get(0))?;
        Ok(Self(u128::from_be_bytes(stamp)))
    }
}
