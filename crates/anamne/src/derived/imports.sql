CREATE TABLE notes (
  -- Which folder: a digest of its path.
  folder BLOB NOT NULL,
  memory BLOB NOT NULL,
  -- The path in the folder.
  note   TEXT NOT NULL,
  PRIMARY KEY (folder, memory)
) STRICT, WITHOUT ROWID;
