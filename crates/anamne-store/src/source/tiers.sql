-- What format 2 adds to format 1.

CREATE INDEX memories_active ON memories (occurred_at) WHERE tier = 0;
CREATE INDEX memories_recent ON memories (occurred_at) WHERE tier = 1;
CREATE INDEX memories_colder ON memories (tier, max(seq, placed)) WHERE tier <> 0;

-- Memories that left a tier, by the event with which they did; whatever follows that tier drops them there.
CREATE TABLE departures (
  tier INTEGER NOT NULL,
  seq  INTEGER NOT NULL,
  row  INTEGER NOT NULL REFERENCES memories (row),
  PRIMARY KEY (tier, seq, row)
) WITHOUT ROWID, STRICT;

-- What may stand in the file of a tier though the memory does not lie there.
CREATE TABLE leftovers (
  tier INTEGER NOT NULL,
  row  INTEGER NOT NULL REFERENCES memories (row),
  PRIMARY KEY (tier, row)
) WITHOUT ROWID, STRICT;

-- When facts and skills were last handed out, microseconds since 1970.
CREATE TABLE uses (
  row INTEGER PRIMARY KEY REFERENCES memories (row),
  at  INTEGER NOT NULL
) STRICT;
