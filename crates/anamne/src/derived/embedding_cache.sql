CREATE TABLE models (
    model INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE
) STRICT;

-- A vector is a row of little-endian numbers of sixteen bits.
CREATE TABLE vectors (
    entry INTEGER PRIMARY KEY,
    text BLOB NOT NULL,
    model INTEGER NOT NULL REFERENCES models,
    used INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (text, model)
) STRICT;

CREATE INDEX vectors_by_use ON vectors (used, entry);

-- One row: the number of the last use, and what all entries come to.
CREATE TABLE state (
    tick INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

INSERT INTO state VALUES (0, 0);

-- Texts of which nothing may be kept until the erasure of memories in a space is finished.
CREATE TABLE erasing (
    text BLOB NOT NULL,
    space TEXT NOT NULL,
    PRIMARY KEY (text, space)
) STRICT, WITHOUT ROWID;
