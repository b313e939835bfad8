-- One row. `stamp` distinguishes the file from a recreated one.
CREATE TABLE file (
    stamp BLOB NOT NULL
) STRICT;
INSERT INTO file (stamp) VALUES (randomblob(16));

-- Unfinished tasks, and for a while finished ones.
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
    -- Increases with every lease; only the holder of the last lease may end the task.
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

-- Work requested again after a task with the same kind and key had begun; becomes a task when that one ends.
CREATE TABLE again (
    task INTEGER PRIMARY KEY,
    payload TEXT NOT NULL,
    priority INTEGER NOT NULL,
    cheap INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    created INTEGER NOT NULL
) STRICT;

-- Periodic work. `payload` and `cheap` are no longer read.
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

-- Paused kinds; the empty kind is the whole queue.
CREATE TABLE pauses (
    kind TEXT PRIMARY KEY,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Recalls and writes of all processes, by minutes since 1970.
CREATE TABLE activity (
    minute INTEGER PRIMARY KEY,
    recalls INTEGER NOT NULL,
    writes INTEGER NOT NULL
) STRICT;

-- Records of chores: when each last ran, and the outcome.
CREATE TABLE notes (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
