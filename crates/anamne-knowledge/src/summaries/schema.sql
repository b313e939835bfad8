CREATE TABLE state (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    watermark INTEGER NOT NULL,
    summariser INTEGER NOT NULL
) STRICT;
INSERT INTO state VALUES (1, 0, 0);
CREATE TABLE threads (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE sources (
    row INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    thread INTEGER NOT NULL,
    place INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX sources_by_thread ON sources (thread, at, place, row);
CREATE INDEX sources_by_time ON sources (at);
CREATE TABLE periods (
    level INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    start INTEGER NOT NULL,
    until INTEGER NOT NULL,
    memories INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    touched INTEGER,
    PRIMARY KEY (level, thread, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX periods_by_time ON periods (level, start);
CREATE INDEX periods_to_build ON periods (level, start, thread) WHERE touched IS NOT NULL;
CREATE TABLE sentences (
    level INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    start INTEGER NOT NULL,
    place INTEGER NOT NULL,
    row INTEGER NOT NULL,
    at INTEGER NOT NULL,
    author TEXT NOT NULL,
    own INTEGER NOT NULL,
    text TEXT NOT NULL,
    score REAL NOT NULL,
    PRIMARY KEY (level, thread, start, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX sentences_by_row ON sentences (row);
-- Enrichment: only what is searched for. Words are computed from the texts when they are read.
CREATE TABLE enrichment (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    watermark INTEGER NOT NULL,
    rules INTEGER NOT NULL
) STRICT;
INSERT INTO enrichment VALUES (1, 0, 0);
-- keys are the hashed terms by which links are sought, four bytes each.
CREATE TABLE enriched (
    row INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    category INTEGER NOT NULL,
    keys BLOB NOT NULL
) STRICT;
CREATE INDEX enriched_by_category ON enriched (category, row) WHERE category > 0;
CREATE TABLE enriched_keys (
    key INTEGER NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (key, row)
) STRICT, WITHOUT ROWID;
-- target is the earlier memory.
CREATE TABLE enriched_links (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    PRIMARY KEY (source, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX enriched_links_by_target ON enriched_links (target);
