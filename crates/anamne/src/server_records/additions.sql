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
