-- A session of a host, by the digest of the host's id for it.
CREATE TABLE sessions (
    session INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    host TEXT NOT NULL,
    space TEXT NOT NULL,
    began INTEGER NOT NULL,
    -- Bytes of the transcript that were captured.
    captured_bytes INTEGER NOT NULL DEFAULT 0,
    -- Memories that were stored from it.
    stored INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The memories that a session was shown since it began or was compacted.
CREATE TABLE shown (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    memory BLOB NOT NULL,
    space TEXT NOT NULL,
    PRIMARY KEY (session, memory)
) STRICT, WITHOUT ROWID;

-- The last event of each kind that a session acted on, by a digest of what identifies it.
CREATE TABLE acted (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    event TEXT NOT NULL,
    digest BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (session, event)
) STRICT, WITHOUT ROWID;

-- What hooks did, by host, event and day since 1970 (UTC).
CREATE TABLE activity (
    host TEXT NOT NULL,
    event TEXT NOT NULL,
    day INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    injected INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    redacted INTEGER NOT NULL,
    microseconds INTEGER NOT NULL,
    slowest INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    -- The kind of the last failure; empty if there was none.
    failure TEXT NOT NULL,
    PRIMARY KEY (host, event, day)
) STRICT, WITHOUT ROWID;
