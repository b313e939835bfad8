CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) WITHOUT ROWID, STRICT;

CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE memories (
  row           INTEGER PRIMARY KEY,
  id            BLOB NOT NULL UNIQUE,
  salt          INTEGER,
  kind          INTEGER NOT NULL,
  category      INTEGER,
  role          INTEGER,
  content       ANY NOT NULL,
  body          TEXT,
  hash          BLOB NOT NULL,
  thread        INTEGER REFERENCES names (id),
  position      INTEGER,
  session       INTEGER REFERENCES names (id),
  author        INTEGER REFERENCES names (id),
  trust         REAL NOT NULL,
  importance    INTEGER NOT NULL,
  confidence    REAL NOT NULL,
  metadata      TEXT,
  external_id   TEXT,
  occurred_at   INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  expires_at    INTEGER,
  deleted_at    INTEGER,
  erased        INTEGER NOT NULL DEFAULT 0,
  superseded_by BLOB,
  version       INTEGER NOT NULL,
  seq           INTEGER NOT NULL UNIQUE,
  -- Where content, body and metadata are stored: 0 here, else in the file of that tier.
  tier          INTEGER NOT NULL DEFAULT 0,
  -- The event that moved it there; 0 if none did.
  placed        INTEGER NOT NULL DEFAULT 0,
  -- How the memory is a member of this space, as JSON; NULL if this space is its home.
  member        TEXT
) STRICT;

CREATE INDEX memories_hash ON memories (hash) WHERE deleted_at IS NULL;
CREATE INDEX memories_thread ON memories (thread, position) WHERE thread IS NOT NULL;
CREATE UNIQUE INDEX memories_external ON memories (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX memories_occurred ON memories (occurred_at);
CREATE INDEX memories_author ON memories (author) WHERE author IS NOT NULL;

CREATE TABLE tags (
  tag INTEGER NOT NULL REFERENCES names (id),
  row INTEGER NOT NULL REFERENCES memories (row),
  PRIMARY KEY (tag, row)
) WITHOUT ROWID, STRICT;
CREATE INDEX tags_row ON tags (row);

CREATE TABLE versions (
  row     INTEGER NOT NULL REFERENCES memories (row),
  version INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  state   ANY NOT NULL,
  PRIMARY KEY (row, version)
) WITHOUT ROWID, STRICT;

CREATE TABLE links (
  source     INTEGER NOT NULL REFERENCES memories (row),
  target     INTEGER NOT NULL REFERENCES memories (row),
  type       INTEGER NOT NULL,
  weight     REAL NOT NULL,
  reason     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  PRIMARY KEY (source, target, type)
) WITHOUT ROWID, STRICT;
CREATE INDEX links_target ON links (target);

CREATE TABLE events (
  seq          INTEGER PRIMARY KEY,
  at           INTEGER NOT NULL,
  actor_kind   INTEGER NOT NULL,
  actor_name   TEXT NOT NULL,
  kind         INTEGER NOT NULL,
  row          INTEGER NOT NULL REFERENCES memories (row),
  payload_hash BLOB NOT NULL,
  hash         BLOB NOT NULL
) STRICT;
CREATE INDEX events_row ON events (row);

CREATE TABLE outbox (seq INTEGER PRIMARY KEY, line TEXT NOT NULL) STRICT;

-- Rows whose content is deleted here, but perhaps not yet from the journal and this database's WAL.
CREATE TABLE erasing (row INTEGER PRIMARY KEY REFERENCES memories (row)) STRICT;
