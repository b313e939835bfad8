//! The ledger database.

use std::path::Path;

use anamne_store::{SideDatabase, StoreError, UnusableFile};

use crate::BridgeError;

/// Costs are recorded only here, so this file is never rebuilt.
pub(super) const DATABASE: SideDatabase = SideDatabase {
    // `ANCT`, which lets other programs identify the file.
    application_id: 0x414e_4354,
    durable: true,
    unusable: UnusableFile::Kept,
    // Missing in files of earlier versions; those versions ignore them.
    additions: ADDITIONS,
    ..SideDatabase::new(1, include_str!("schema.sql"))
};

const ADDITIONS: &str = "
CREATE TABLE IF NOT EXISTS days (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    day    TEXT    NOT NULL UNIQUE
) STRICT;
CREATE TABLE IF NOT EXISTS batches (
    key           TEXT    PRIMARY KEY,
    reservation   INTEGER NOT NULL,
    day           TEXT    NOT NULL,
    space         TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    -- Per million tokens; NULL if unknown.
    input_price   REAL,
    output_price  REAL
) STRICT, WITHOUT ROWID;";

/// Converts a storage error into a bridge error.
pub(super) fn failed(error: StoreError, path: &Path) -> BridgeError {
    match error {
        StoreError::Sqlite(source) => BridgeError::Ledger {
            path: path.to_owned(),
            source,
        },
        StoreError::Newer { path, found, known } => BridgeError::Newer { path, found, known },
        StoreError::Refused(refusal) => BridgeError::Refused(refusal),
        StoreError::Io {
            action,
            path,
            source,
        } => BridgeError::Io {
            action,
            path,
            source,
        },
        error => BridgeError::Store(error),
    }
}
