CREATE TABLE position (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  seq      INTEGER NOT NULL,
  -- up to which event what a model read is taken in
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
  recorded_at INTEGER NOT NULL,
  expires_at  INTEGER
) STRICT;
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_by_thread ON memories (thread, position, row) WHERE thread IS NOT NULL;

-- What expired and is not in the graph any more; it is read again should the clock turn out to have been ahead.
CREATE TABLE expired (
  row        INTEGER PRIMARY KEY,
  id         BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

-- way: 0 read in the text, 1 an echo of a name in the thread, 2 read, but an echo says it better, 3 told
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
  -- when we last learned of it, which may be long after it was named
  learned    INTEGER NOT NULL,
  spelling   TEXT NOT NULL
) STRICT;
CREATE INDEX entities_by_memories ON entities (memories);

-- An edge says that alias is another name of name.
CREATE TABLE aliases (
  row      INTEGER NOT NULL,
  alias    INTEGER NOT NULL,
  name     INTEGER NOT NULL,
  told     INTEGER NOT NULL,
  spelling TEXT NOT NULL,
  PRIMARY KEY (row, alias, name)
) STRICT, WITHOUT ROWID;

-- The name under which an entity with several names is kept; names that stand alone are not here.
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

-- subject and object are what they mean in their thread, the *_read columns what was read.
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
  PRIMARY KEY (row, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX statements_by_subject ON statements (subject);
CREATE INDEX statements_by_object ON statements (object) WHERE object IS NOT NULL;

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

-- says is a digest of what is claimed, whoever says it and when.
CREATE TABLE claims (
  row     INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  claim   TEXT NOT NULL,
  says    INTEGER NOT NULL,
  start   INTEGER NOT NULL,
  length  INTEGER NOT NULL,
  PRIMARY KEY (row, ordinal)
) STRICT, WITHOUT ROWID;

-- way: 0 the claim is listed under the key, 1 it seeks others there
CREATE TABLE claim_keys (
  way     INTEGER NOT NULL,
  key     INTEGER NOT NULL,
  row     INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (way, key, row, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_keys_by_row ON claim_keys (row);

-- Found when finder, the higher row, looked for what opposes its claims. Which of the two was said first is another question.
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

-- What someone decided not to be so, by the last decision about each contradiction. Whoever says it again is wrong too.
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
