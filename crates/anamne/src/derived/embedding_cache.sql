CREATE TABLE models (
    model INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE
) STRICT;

-- A vector is an array of little-endian 16-bit floating-point numbers. `used` is the sequence number of the last use.
CREATE TABLE vectors (
    entry INTEGER PRIMARY KEY,
    text BLOB NOT NULL,
    model INTEGER NOT NULL REFERENCES models,
    used INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (text, model)
) STRICT;

CREATE INDEX vectors_by_use ON vectors (used, entry);

-- One row: the sequence number of the last use, and the total size of all entries.
CREATE TABLE state (
    tick INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

INSERT INTO state VALUES (0, 0);

-- Texts that must not be cached until the erasure of memories in a space is finished.
CREATE TABLE erasing (
    text BLOB NOT NULL,
    space TEXT NOT NULL,
    PRIMARY KEY (text, space)
) STRICT, WITHOUT ROWID;
