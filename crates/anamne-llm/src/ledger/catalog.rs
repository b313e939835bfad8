//! The file of the ledger.

use std::path::Path;

use anamne_store::{SideDatabase, StoreError, Unusable};

use crate::BridgeError;

/// What was spent stands nowhere else, so nothing replaces the file.
pub(super) const DATABASE: SideDatabase = SideDatabase {
    // `ANCT`, so that other programs can tell the file.
    application_id: 0x414e_4354,
    durable: true,
    unusable: Unusable::Kept,
    // What files of earlier versions lack; those versions pass it over.
    additions: "CREATE TABLE IF NOT EXISTS days (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        day    TEXT    NOT NULL UNIQUE
    ) STRICT;",
    ..SideDatabase::new(1, include_str!("schema.sql"))
};

/// What went wrong with the file, in the words of the bridge.
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
