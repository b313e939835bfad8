//! Settings of every SQLite connection, which protect against untrusted files.

use rusqlite::Connection;
use rusqlite::config::DbConfig;

/// Hardens a connection against crafted files: views and triggers can't call functions with side effects, and no
/// statement can write SQLite's internal tables.
pub(crate) fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Temporary data of a sort must not be written to a shared folder.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}
