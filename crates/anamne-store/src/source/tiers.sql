-- Additions of format 2 to format 1.

CREATE INDEX memories_active ON memories (occurred_at) WHERE tier = 0;
CREATE INDEX memories_recent ON memories (occurred_at) WHERE tier = 1;
CREATE INDEX memories_colder ON memories (tier, max(seq, placed)) WHERE tier <> 0;

-- Memories that left a tier, by the event that moved them; views of that tier drop them.
CREATE TABLE departures (
  tier INTEGER NOT NULL,
  seq  INTEGER NOT NULL,
  row  INTEGER NOT NULL REFERENCES memories (row),
  PRIMARY KEY (tier, seq, row)
) WITHOUT ROWID, STRICT;

-- Rows that the file of a tier may still contain although their memories are in another tier.
CREATE TABLE leftovers (
  tier INTEGER NOT NULL,
  row  INTEGER NOT NULL REFERENCES memories (row),
  PRIMARY KEY (tier, row)
) WITHOUT ROWID, STRICT;

-- When facts and skills were last returned, microseconds since 1970.
CREATE TABLE uses (
  row INTEGER PRIMARY KEY REFERENCES memories (row),
  at  INTEGER NOT NULL
) STRICT;
