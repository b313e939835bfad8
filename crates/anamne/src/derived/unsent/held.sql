-- What files of earlier versions lack.

-- What people said in sessions of hosts whose transcript has not told it yet.
CREATE TABLE IF NOT EXISTS held (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The first 16 bytes of the BLAKE3 hash of the host's id of the session.
    session BLOB NOT NULL,
    space TEXT NOT NULL,
    -- JSON, after the guard.
    draft TEXT NOT NULL,
    -- The same hash of the text before the guard, by which a transcript's message is recognised.
    said BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    held_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS held_by_session ON held (session, number);
