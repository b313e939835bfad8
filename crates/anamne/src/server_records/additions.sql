-- Tables that files of earlier versions lack.

-- Distinguishes this server from others, from its first backup on.
CREATE TABLE IF NOT EXISTS identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id BLOB NOT NULL
) STRICT;

-- In a backup alone: when it was made.
CREATE TABLE IF NOT EXISTS copied (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at INTEGER NOT NULL
) STRICT;

-- Spaces that a key named until they were deleted.
CREATE TABLE IF NOT EXISTS lost_spaces (
    key TEXT NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
    space TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (key, space)
) STRICT, WITHOUT ROWID;

-- Spaces that were deleted, with the last time: access tokens that were issued before don't reach a later space of the name.
CREATE TABLE IF NOT EXISTS deleted_spaces (
    tenant TEXT NOT NULL REFERENCES tenants (name) ON DELETE CASCADE,
    space TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (tenant, space)
) STRICT, WITHOUT ROWID;

-- Tenants that were erased. A name can have been that of several.
CREATE TABLE IF NOT EXISTS erased_tenants (
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    erased_at INTEGER NOT NULL,
    PRIMARY KEY (name, created_at)
) STRICT, WITHOUT ROWID;

-- The schedule of backups of the server, and what came of it, as JSON; nothing if there is none.
CREATE TABLE IF NOT EXISTS backup_status (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    status TEXT NOT NULL
) STRICT;

-- In a scheduled backup alone, once everything in it was verified: the tenants whose stores are in it.
CREATE TABLE IF NOT EXISTS complete_stores (
    tenant TEXT PRIMARY KEY REFERENCES tenants (name) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
