-- Captures in the order in which they are sent.
CREATE TABLE batches (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The key of the request, so that a server that was asked twice stores once.
    key TEXT NOT NULL UNIQUE,
    server TEXT NOT NULL,
    space TEXT NOT NULL,
    host TEXT NOT NULL,
    -- JSON, after the guard.
    drafts TEXT NOT NULL,
    memories INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    added_at INTEGER NOT NULL
) STRICT;
CREATE INDEX batches_by_server ON batches (server, number);

-- Why the last attempt to send to a space failed.
CREATE TABLE problems (
    server TEXT NOT NULL,
    space TEXT NOT NULL,
    problem TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (server, space)
) STRICT, WITHOUT ROWID;
