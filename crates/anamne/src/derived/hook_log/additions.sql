-- What files of earlier versions lack.

-- Messages of a session that were stored without its transcript, by a digest.
CREATE TABLE IF NOT EXISTS told (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    digest BLOB NOT NULL,
    PRIMARY KEY (session, digest)
) STRICT, WITHOUT ROWID;

-- The texts of the memories that a session was shown, by a digest: one that changed since may be shown again.
CREATE TABLE IF NOT EXISTS shown_texts (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    memory BLOB NOT NULL,
    space TEXT NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (session, memory)
) STRICT, WITHOUT ROWID;

-- What a session's transcript had before the position that was captured, by a digest: another one was written anew.
CREATE TABLE IF NOT EXISTS captured_marks (
    session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    mark BLOB NOT NULL
) STRICT;
