-- Tenants of the server. `default` has a row once something is set for it.
CREATE TABLE tenants (
    name TEXT PRIMARY KEY,
    created_at INTEGER,
    suspended_at INTEGER,
    -- Since when its folder is being removed; its keys are gone.
    erasing_at INTEGER,
    -- JSON.
    quota TEXT NOT NULL DEFAULT '{}',
    used_at INTEGER,
    -- The end of the last round of background work while it was closed.
    worked_at INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO tenants (name) VALUES ('default');

CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    tenant TEXT NOT NULL REFERENCES tenants (name) ON DELETE CASCADE,
    -- JSON.
    grant_json TEXT NOT NULL,
    salt BLOB NOT NULL,
    -- The BLAKE3 of the secret, keyed with the salt.
    hash BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX keys_of_tenant ON keys (tenant);

-- Requests of a tenant in a day since 1970 (UTC).
CREATE TABLE requests (
    tenant TEXT NOT NULL REFERENCES tenants (name) ON DELETE CASCADE,
    day INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (tenant, day)
) STRICT, WITHOUT ROWID;
