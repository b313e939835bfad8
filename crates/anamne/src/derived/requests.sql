CREATE TABLE requests (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  key        BLOB NOT NULL UNIQUE,
  -- The secret and the keyed digest of the request; NULL once one of its memories was erased, or may have been.
  salt       BLOB,
  body       BLOB,
  started_at INTEGER NOT NULL,
  -- NULL until it is answered.
  answer     TEXT,
  -- With the time, the ids of its memories; NULL once it is answered.
  seed       BLOB
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
