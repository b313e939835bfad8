-- Additions of format 3 to format 2.

CREATE INDEX memories_member ON memories (row) WHERE member IS NOT NULL;

-- The other spaces of which a memory of this space is a member, with the event that made it one.
CREATE TABLE shares (
  row        INTEGER NOT NULL REFERENCES memories (row),
  space      TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  -- Whether the space may not have followed the last change of the memory yet.
  unfinished INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (row, space)
) WITHOUT ROWID, STRICT;
CREATE INDEX shares_unfinished ON shares (space) WHERE unfinished;

-- Members that this space no longer has, until their home knows.
CREATE TABLE dropped (
  row  INTEGER PRIMARY KEY REFERENCES memories (row),
  home TEXT NOT NULL
) STRICT;

-- The homes of this space's members, with the last event of each that was seen: 0 if every member must be compared with
-- it, -1 while it is missing.
CREATE TABLE homes (
  name TEXT PRIMARY KEY,
  seq  INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
