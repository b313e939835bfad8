-- Indexes of rare memories that are listed by time. They hold nothing of their own and are no part of the format: versions
-- that don't know them keep them up to date, and a database without them gets them when it is next opened for writing.
-- Their conditions are those of `indexed_subset` in filter.rs. The last one tells whether tools said anything.
CREATE INDEX IF NOT EXISTS memories_episodes ON memories (occurred_at) WHERE kind = 4;
CREATE INDEX IF NOT EXISTS memories_decisions ON memories (occurred_at) WHERE category IN (1, 5, 9);
CREATE INDEX IF NOT EXISTS memories_important ON memories (occurred_at) WHERE importance >= 8;
CREATE INDEX IF NOT EXISTS memories_experience ON memories (occurred_at) WHERE kind = 9;
CREATE INDEX IF NOT EXISTS memories_of_tools ON memories (row) WHERE role = 3;
