CREATE TABLE costs (
    day           TEXT    NOT NULL,
    space         TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    calls         INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    nanodollars   INTEGER NOT NULL,
    unpriced      INTEGER NOT NULL,
    estimated     INTEGER NOT NULL,
    PRIMARY KEY (day, space, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE reservations (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    day           TEXT    NOT NULL,
    space         TEXT    NOT NULL,
    model         TEXT    NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    nanodollars   INTEGER NOT NULL,
    priced        INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL
) STRICT;
