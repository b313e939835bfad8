CREATE TABLE position (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  seq      INTEGER NOT NULL,
  -- the last event whose model reading is applied
  by_model INTEGER NOT NULL
) STRICT;
INSERT INTO position VALUES (1, 0, 0);

CREATE TABLE names (
  number INTEGER PRIMARY KEY,
  key    TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE memories (
  row         INTEGER PRIMARY KEY,
  id          BLOB NOT NULL UNIQUE,
  kind        INTEGER NOT NULL,
  thread      TEXT,
  position    INTEGER,
  author      INTEGER,
  author_name TEXT,
  occurred_at INTEGER NOT NULL,
  -- occurred_at if it was told, and else when the text last changed
  said_at     INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  expires_at  INTEGER,
  -- a digest of the text that was read
  text        INTEGER NOT NULL
) STRICT;
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_by_thread ON memories (thread, position, row) WHERE thread IS NOT NULL;

-- Expired memories that are no longer in the graph; they are read again if the clock turns out to have been ahead.
CREATE TABLE expired (
  row        INTEGER PRIMARY KEY,
  id         BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

-- way: 0 read in the text, 1 repeated name from the thread, 2 read, but replaced by a fuller repeated name, 3 asserted
CREATE TABLE mentions (
  name        INTEGER NOT NULL,
  row         INTEGER NOT NULL,
  type        INTEGER NOT NULL,
  weight      INTEGER NOT NULL,
  spelling    TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  way         INTEGER NOT NULL,
  PRIMARY KEY (name, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_row ON mentions (row);

CREATE TABLE entities (
  name       INTEGER PRIMARY KEY,
  id         BLOB NOT NULL UNIQUE,
  type       INTEGER NOT NULL,
  confidence INTEGER NOT NULL,
  memories   INTEGER NOT NULL,
  told       INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL,
  -- when it was last recorded, possibly long after the event
  learned    INTEGER NOT NULL,
  spelling   TEXT NOT NULL,
  -- told: another word for the type, and from all descriptions the tags (JSON array), scope and attributes (JSON object)
  custom_type TEXT,
  tags        TEXT,
  scope       INTEGER NOT NULL,
  attributes  TEXT
) STRICT;
CREATE INDEX entities_by_memories ON entities (memories);

-- What people told about an entity beside its names; NULL where nothing was told.
CREATE TABLE descriptions (
  row         INTEGER PRIMARY KEY,
  name        INTEGER NOT NULL,
  type        INTEGER NOT NULL,
  custom_type TEXT,
  tags        TEXT,
  scope       INTEGER,
  attributes  TEXT
) STRICT;
CREATE INDEX descriptions_by_name ON descriptions (name);

-- alias is another name of name.
CREATE TABLE aliases (
  row      INTEGER NOT NULL,
  alias    INTEGER NOT NULL,
  name     INTEGER NOT NULL,
  told     INTEGER NOT NULL,
  spelling TEXT NOT NULL,
  PRIMARY KEY (row, alias, name)
) STRICT, WITHOUT ROWID;

-- The canonical name of each name of an entity with several names; single names are not listed.
CREATE TABLE canonical (
  name INTEGER PRIMARY KEY,
  kept INTEGER NOT NULL
) STRICT;
CREATE INDEX canonical_by_kept ON canonical (kept);

CREATE TABLE distinctions (
  row   INTEGER NOT NULL,
  one   INTEGER NOT NULL,
  other INTEGER NOT NULL,
  PRIMARY KEY (row, one, other)
) STRICT, WITHOUT ROWID;

-- subject and object are resolved in their thread; the *_read columns are as read.
CREATE TABLE statements (
  row          INTEGER NOT NULL,
  ordinal      INTEGER NOT NULL,
  subject      INTEGER NOT NULL,
  subject_read INTEGER NOT NULL,
  relation     TEXT NOT NULL,
  object       INTEGER,
  object_read  INTEGER,
  value        TEXT,
  frame        INTEGER NOT NULL,
  negated      INTEGER NOT NULL,
  valid_from   INTEGER,
  valid_to     INTEGER,
  confidence   INTEGER NOT NULL,
  start        INTEGER NOT NULL,
  length       INTEGER NOT NULL,
  told         INTEGER NOT NULL,
  -- told only: the weight in hundredths, and the name of a custom frame
  weight       INTEGER,
  frame_name   TEXT,
  both_ways    INTEGER NOT NULL,
  PRIMARY KEY (row, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX statements_by_subject ON statements (subject);
CREATE INDEX statements_by_object ON statements (object) WHERE object IS NOT NULL;
CREATE INDEX statements_both_ways ON statements (object) WHERE both_ways;

-- The memories that a told statement names as its evidence.
CREATE TABLE supports (
  row    INTEGER NOT NULL,
  memory BLOB NOT NULL,
  PRIMARY KEY (row, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE denials (
  row      INTEGER NOT NULL,
  subject  INTEGER NOT NULL,
  relation TEXT,
  object   TEXT,
  PRIMARY KEY (row, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX denials_by_subject ON denials (subject);

CREATE TABLE resolutions (
  row           INTEGER PRIMARY KEY,
  contradiction TEXT NOT NULL,
  kept          BLOB NOT NULL,
  lost          BLOB NOT NULL
) STRICT;
CREATE INDEX resolutions_by_contradiction ON resolutions (contradiction);

-- says is a digest of the claim, independent of author and time.
CREATE TABLE claims (
  row     INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  claim   TEXT NOT NULL,
  says    INTEGER NOT NULL,
  start   INTEGER NOT NULL,
  length  INTEGER NOT NULL,
  PRIMARY KEY (row, ordinal)
) STRICT, WITHOUT ROWID;

-- The keys of a row are computed from its claims, so there is no index for them.
-- way: 0 the claim is listed under the key, 1 it is compared with claims under the key
CREATE TABLE claim_keys (
  way     INTEGER NOT NULL,
  key     INTEGER NOT NULL,
  row     INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (way, key, row, ordinal)
) STRICT, WITHOUT ROWID;

-- finder is the higher row, whose look-up found the conflict; earlier and later are ordered by time instead.
CREATE TABLE conflicts (
  finder        INTEGER NOT NULL,
  finder_claim  INTEGER NOT NULL,
  rival         INTEGER NOT NULL,
  rival_claim   INTEGER NOT NULL,
  earlier       INTEGER NOT NULL,
  earlier_claim INTEGER NOT NULL,
  later         INTEGER NOT NULL,
  later_claim   INTEGER NOT NULL,
  id            TEXT NOT NULL UNIQUE,
  kind          INTEGER NOT NULL,
  confidence    INTEGER NOT NULL,
  reason        TEXT NOT NULL,
  PRIMARY KEY (finder, finder_claim, rival, rival_claim)
) STRICT, WITHOUT ROWID;
CREATE INDEX conflicts_by_rival ON conflicts (rival);

-- Claims rejected by the last decision on each contradiction, whoever states them.
CREATE VIEW tombstones AS
SELECT claims.says AS says
FROM resolutions AS decided
JOIN conflicts ON conflicts.id = decided.contradiction
JOIN memories ON memories.id = decided.lost
JOIN claims ON claims.row = memories.row
  AND claims.ordinal = iif(conflicts.earlier = memories.row, conflicts.earlier_claim, conflicts.later_claim)
WHERE NOT EXISTS (
  SELECT 1 FROM resolutions AS later WHERE later.contradiction = decided.contradiction AND later.row > decided.row
);
