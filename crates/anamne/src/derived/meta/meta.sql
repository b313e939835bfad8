-- The query log of a space. Nothing else depends on it, but it can't be observed again.

-- The key of all hashes in this file, and the time of the last erasure.
CREATE TABLE state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    key BLOB NOT NULL,
    erased_at INTEGER NOT NULL
) STRICT;
INSERT INTO state VALUES (1, randomblob(32), 0);

-- The newest queries. `query` and `terms` are keyed hashes; `words` is set only if the space's settings allow it.
CREATE TABLE asked (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    query BLOB NOT NULL,
    terms BLOB NOT NULL,
    words TEXT,
    shape TEXT NOT NULL,
    temperature TEXT NOT NULL,
    hops INTEGER NOT NULL,
    searched TEXT NOT NULL,
    left_out TEXT NOT NULL,
    rows INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    took_us INTEGER NOT NULL,
    stages INTEGER NOT NULL,
    widened INTEGER NOT NULL,
    results INTEGER NOT NULL,
    confidence REAL NOT NULL,
    -- Nine bytes for each of the first ten results: row, number of the tier, searches that found it.
    found BLOB NOT NULL,
    -- Missing in queries logged by versions that did not record it.
    door TEXT
) STRICT;

-- Which colder tier contained the best results of queries with a term; `term` is a keyed hash of the term, or of a whole query.
CREATE TABLE term_routes (
    term INTEGER NOT NULL,
    tier INTEGER NOT NULL,
    times INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (term, tier)
) STRICT, WITHOUT ROWID;

-- How many queries searched a tier (0), and how many of their first ten results it contributed by lexical search (1), by vector
-- search (2), by both (3), and by neighbours (4); how often it contained the best one (5).
CREATE TABLE payoffs (
    tier INTEGER NOT NULL,
    what INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (tier, what)
) STRICT, WITHOUT ROWID;

-- How often a memory was opened by its id, with exponential decay, as of `at`.
CREATE TABLE openings (
    row INTEGER PRIMARY KEY,
    times REAL NOT NULL,
    at INTEGER NOT NULL,
    -- How often in total.
    total INTEGER NOT NULL
) STRICT;

-- Costs of queries of one shape, as running means, and how often their first stage was not enough.
CREATE TABLE costs (
    shape TEXT PRIMARY KEY,
    questions INTEGER NOT NULL,
    tiers REAL NOT NULL,
    rows REAL NOT NULL,
    bytes REAL NOT NULL,
    ms REAL NOT NULL,
    going_on REAL NOT NULL
) STRICT, WITHOUT ROWID;
