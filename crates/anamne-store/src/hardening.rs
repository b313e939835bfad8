//! What every connection to a SQLite file is set to, whoever may have written the file.

use rusqlite::Connection;
use rusqlite::config::DbConfig;

/// Lets nothing that stands in the file act, or break it: views and triggers call no function that may do more than
/// reckon, and no statement writes SQLite's own tables.
pub(crate) fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // What a sort spills must not end up in a folder that others read.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}
