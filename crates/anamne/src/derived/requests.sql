CREATE TABLE requests (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  key        BLOB NOT NULL UNIQUE,
  -- The secret and the keyed digest of the request; NULL once one of its memories was erased.
  salt       BLOB,
  body       BLOB,
  started_at INTEGER NOT NULL,
  -- The handle of the store that works on it.
  worker     BLOB NOT NULL,
  -- NULL while it is worked on.
  answer     TEXT
) STRICT;
CREATE INDEX requests_started ON requests (started_at);

CREATE TABLE told (
  memory BLOB NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (memory, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX told_by_request ON told (number);
CREATE TRIGGER request_forgotten AFTER DELETE ON requests BEGIN
  DELETE FROM told WHERE number = OLD.number;
END;
