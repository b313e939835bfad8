//! The source: one SQLite database in which state, event and outbox change together or not at all.

pub(crate) mod at_home;
mod change;
mod conditions;
mod connection;
pub(crate) mod contents;
pub(crate) mod erasure;
pub(crate) mod feed;
pub(crate) mod filter;
pub(crate) mod history;
pub(crate) mod homes;
pub(crate) mod known_links;
pub(crate) mod link;
mod linking;
pub(crate) mod log;
pub(crate) mod members;
pub(crate) mod misdated;
pub(crate) mod moves;
mod names;
pub(crate) mod packed;
pub(crate) mod past;
mod provenance;
pub(crate) mod read;
pub(crate) mod record;
mod remember;
mod replacing;
mod replay;
pub(crate) mod retention;
pub(crate) mod rows;
pub(crate) mod states;
pub(crate) mod statistics;
mod transaction;
pub(crate) mod use_days;
pub(crate) mod uses;

pub use feed::SourceFeed;
pub use filter::{
    INDEXED_CATEGORIES, INDEXED_IMPORTANCE, ListPosition, Listing, Order, Visibility,
};
pub use known_links::{KnownLink, KnownLinks};
pub use link::Linked;
pub use log::{LogEntry, LogQuery};
pub use past::{PastState, PastStates};
pub use statistics::{BoundedCounts, Statistics};

pub(crate) use connection::{
    FoundDatabase, PooledReader, Readers, check_format, configure, integrity, may_be_kept,
    open_identified, open_reader, open_reader_of, open_writer, page_bytes,
};
pub(crate) use names::{Names, Tables};
pub(crate) use transaction::{Transaction, WriteContext, end_of_log};

/// The version of the database schema, kept in `PRAGMA user_version`.
pub const SOURCE_FORMAT: i64 = 3;

/// The version of the tier files' schema, stored in the same way.
pub(crate) const CONTENTS_FORMAT: i64 = 1;

/// `PRAGMA application_id` of every source database: `Anmn` in ASCII.
pub(crate) const APPLICATION_ID: i64 = 0x416e_6d6e;
