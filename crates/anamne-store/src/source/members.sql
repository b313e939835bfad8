-- Additions of format 3 to format 2.

CREATE INDEX memories_member ON memories (row) WHERE member IS NOT NULL;

-- The other spaces of which a memory of this space is a member, with the event that made it one.
CREATE TABLE shares (
  row   INTEGER NOT NULL REFERENCES memories (row),
  space TEXT NOT NULL,
  seq   INTEGER NOT NULL,
  PRIMARY KEY (row, space)
) WITHOUT ROWID, STRICT;

-- The homes of this space's members, with the event up to which each was followed; -1 while a home is missing.
CREATE TABLE homes (
  name TEXT PRIMARY KEY,
  seq  INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
