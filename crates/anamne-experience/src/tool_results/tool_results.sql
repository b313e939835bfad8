-- A cached result of a tool.
CREATE TABLE results (
    number INTEGER PRIMARY KEY,
    -- 'search', 'page', 'api' or 'url'.
    kind TEXT NOT NULL,
    tool TEXT NOT NULL,
    -- The query or address as asked.
    request TEXT NOT NULL,
    -- Canonical JSON.
    parameters TEXT NOT NULL,
    -- A digest of kind, tool, request and parameters.
    exact BLOB NOT NULL UNIQUE,
    -- A digest of kind, tool, parameters and the words of the request; NULL if only an identical request is the same.
    form BLOB,
    -- The address's host; empty without one.
    host TEXT NOT NULL,
    -- 'ok', 'empty', 'dead', 'redirected' or 'blocked'.
    status TEXT NOT NULL,
    -- Where an address was redirected to; empty if nowhere.
    moved_to TEXT NOT NULL,
    content TEXT NOT NULL,
    -- Microseconds since 1970.
    fetched_at INTEGER NOT NULL,
    fresh_until INTEGER NOT NULL,
    -- Milliseconds and millionths of a dollar that fetching took.
    took_ms INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    trigger_memory BLOB,
    trigger_query TEXT NOT NULL,
    hits INTEGER NOT NULL DEFAULT 0,
    -- The count of changes at the last use.
    used INTEGER NOT NULL,
    -- Estimated size.
    bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX results_by_form ON results (form) WHERE form IS NOT NULL;
CREATE INDEX results_by_host ON results (host);
CREATE INDEX results_by_trigger ON results (trigger_memory) WHERE trigger_memory IS NOT NULL;

-- Memories that a result was used in.
CREATE TABLE used_in (
    number INTEGER NOT NULL REFERENCES results ON DELETE CASCADE,
    memory BLOB NOT NULL,
    PRIMARY KEY (number, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX used_in_by_memory ON used_in (memory);

-- How long results stay fresh, in seconds; an empty kind or host stands for all.
CREATE TABLE freshness (
    kind TEXT NOT NULL,
    host TEXT NOT NULL,
    seconds INTEGER NOT NULL,
    PRIMARY KEY (kind, host)
) STRICT, WITHOUT ROWID;

-- One row: the estimated size of all results, the count of changes, and what hits saved.
CREATE TABLE state (
    bytes INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    exact_hits INTEGER NOT NULL,
    semantic_hits INTEGER NOT NULL,
    negative_hits INTEGER NOT NULL,
    misses INTEGER NOT NULL,
    saved_ms INTEGER NOT NULL,
    saved_cost INTEGER NOT NULL
) STRICT;
INSERT INTO state VALUES (0, 0, 0, 0, 0, 0, 0, 0);

CREATE VIRTUAL TABLE words USING fts5(request, content, content='', contentless_delete=1);
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
