-- What files of earlier versions lack.

-- Messages of a session that were stored without its transcript, by a digest.
CREATE TABLE IF NOT EXISTS told (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    digest BLOB NOT NULL,
    PRIMARY KEY (session, digest)
) STRICT, WITHOUT ROWID;
