//! The source: one SQLite database in which state, event and outbox change together or not at all.

mod connection;
pub(crate) mod feed;
pub(crate) mod filter;
pub(crate) mod history;
pub(crate) mod link;
mod names;
mod packed;
pub(crate) mod read;
pub(crate) mod record;
pub(crate) mod rows;
pub(crate) mod statistics;
mod transaction;

pub use feed::SourceFeed;
pub use filter::{Listing, Order};
pub use statistics::Statistics;

pub(crate) use connection::{Readers, open_writer};
pub(crate) use names::Names;
pub(crate) use transaction::Transaction;

/// The version of the database schema, kept in `PRAGMA user_version`.
pub const SOURCE_FORMAT: i64 = 1;

/// `PRAGMA application_id` of every source database: `Anmn` in ASCII.
pub const APPLICATION_ID: i64 = 0x416e_6d6e;
