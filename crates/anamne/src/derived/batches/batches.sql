CREATE TABLE batches (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Names it in the ledger, and at the provider.
  key         TEXT    NOT NULL UNIQUE,
  -- As in the settings of the space.
  model       TEXT    NOT NULL,
  stage       TEXT    NOT NULL,
  -- The provider's ids of the file of texts, of the batch, and of the files of answers, separated by blanks.
  file        TEXT,
  remote      TEXT,
  answers     TEXT    NOT NULL DEFAULT '',
  noted_at    INTEGER NOT NULL,
  sent_at     INTEGER,
  look_at     INTEGER NOT NULL,
  attempts    INTEGER NOT NULL DEFAULT 0,
  -- Whether a memory that it covers was erased since its file was made.
  is_unwanted INTEGER NOT NULL DEFAULT 0,
  texts       INTEGER NOT NULL,
  tokens      INTEGER NOT NULL DEFAULT 0,
  answered    INTEGER NOT NULL DEFAULT 0,
  outcome     TEXT    NOT NULL DEFAULT ''
) STRICT;

-- The texts that a batch covers: the row of a memory, and the digest of model and text; NULL once the memory was erased.
CREATE TABLE texts (
  batch  INTEGER NOT NULL,
  place  INTEGER NOT NULL,
  row    INTEGER,
  digest BLOB,
  PRIMARY KEY (batch, place)
) STRICT, WITHOUT ROWID;
-- No text is in two batches.
CREATE UNIQUE INDEX texts_by_digest ON texts (digest);
CREATE TRIGGER batch_forgotten AFTER DELETE ON batches BEGIN
  DELETE FROM texts WHERE batch = OLD.number;
END;
