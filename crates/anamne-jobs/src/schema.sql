-- The file itself. `stamp` tells it from one that was made anew after it.
CREATE TABLE file (
    stamp BLOB NOT NULL
) STRICT;
INSERT INTO file (stamp) VALUES (randomblob(16));

-- Work, and for a while what became of it.
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    payload TEXT NOT NULL,
    priority INTEGER NOT NULL,
    cheap INTEGER NOT NULL,
    -- 1 waiting, 2 running, 3 dead, 4 done, 5 cancelled
    state INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- Rises with every lease; only who holds the last one may end the task.
    fence INTEGER NOT NULL DEFAULT 0,
    worker TEXT NOT NULL DEFAULT '',
    leased_until INTEGER NOT NULL DEFAULT 0,
    progress_done INTEGER NOT NULL DEFAULT 0,
    progress_total INTEGER NOT NULL DEFAULT 0,
    progress_text TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '',
    created INTEGER NOT NULL,
    started INTEGER,
    finished INTEGER
) STRICT;
CREATE UNIQUE INDEX tasks_unfinished ON tasks (kind, key) WHERE state <= 2;
CREATE INDEX tasks_waiting ON tasks (priority, not_before, id) WHERE state = 1;
CREATE INDEX tasks_running ON tasks (leased_until) WHERE state = 2;
CREATE INDEX tasks_dead ON tasks (finished, id) WHERE state = 3;
CREATE INDEX tasks_finished ON tasks (finished, id) WHERE state >= 4;

-- What was asked for again while the task with the same kind and key had begun: it becomes a task when that one ends.
CREATE TABLE again (
    task INTEGER PRIMARY KEY,
    payload TEXT NOT NULL,
    priority INTEGER NOT NULL,
    cheap INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    created INTEGER NOT NULL
) STRICT;

-- Work that comes again and again. `payload` and `cheap` are not read any more.
CREATE TABLE periodic (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    timing TEXT NOT NULL,
    payload TEXT NOT NULL,
    priority INTEGER NOT NULL,
    cheap INTEGER NOT NULL,
    next INTEGER NOT NULL,
    last INTEGER
) STRICT, WITHOUT ROWID;

-- What may not run now; the empty kind is the whole queue.
CREATE TABLE pauses (
    kind TEXT PRIMARY KEY,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How much was asked and told in all processes, by minutes since 1970.
CREATE TABLE activity (
    minute INTEGER PRIMARY KEY,
    recalls INTEGER NOT NULL,
    writes INTEGER NOT NULL
) STRICT;

-- What chores note of what they did.
CREATE TABLE notes (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
