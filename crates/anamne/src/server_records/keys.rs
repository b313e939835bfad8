//! Keys: created, found, listed, revoked.

use anamne_store::{SpaceName, StoreError};
use anamne_types::{CreatedKey, InvalidValue, KeyInfo, NewKey, TenantQuota};
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::deleted_spaces::lost_by;
use super::{KeyText, ServerRecords, json, time};
use crate::Error;

/// Maximum number of keys of a tenant, revoked ones included.
const MOST_KEYS: u32 = 10_000;

/// A key that a request had, and its tenant's state.
#[derive(Clone, Debug)]
pub struct FoundKey {
    /// The key, without the spaces that it lost.
    pub key: KeyInfo,
    /// Whether its tenant is suspended.
    pub suspended: bool,
    /// Its tenant's quota.
    pub quota: TenantQuota,
    /// Requests of its tenant today, as last counted.
    pub requests_today: u64,
}

const COLUMNS: &str = "keys.id, keys.name, keys.tenant, keys.grant_json, keys.created_at, \
                       keys.expires_at, keys.revoked_at, keys.used_at";

fn key_of(row: &Row<'_>) -> rusqlite::Result<KeyInfo> {
    Ok(KeyInfo {
        id: row.get("id")?,
        name: row.get("name")?,
        tenant: row.get("tenant")?,
        grant: json(row, "grant_json")?,
        created_at: time(row, "created_at")?.unwrap_or_default(),
        expires_at: time(row, "expires_at")?,
        revoked_at: time(row, "revoked_at")?,
        used_at: time(row, "used_at")?,
        lost_spaces: Vec::new(),
    })
}

fn found_of(row: &Row<'_>) -> rusqlite::Result<FoundKey> {
    Ok(FoundKey {
        key: key_of(row)?,
        suspended: time(row, "suspended_at")?.is_some(),
        quota: json(row, "quota")?,
        requests_today: row.get::<_, Option<i64>>("today")?.unwrap_or(0) as u64,
    })
}

fn with_lost_spaces(connection: &Connection, key: KeyInfo) -> Result<KeyInfo, StoreError> {
    let lost_spaces = lost_by(connection, &key.id)?;
    Ok(KeyInfo { lost_spaces, ..key })
}

pub(super) fn is_valid(key: &KeyInfo, now: Timestamp) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|end| now < end)
}

impl ServerRecords {
    /// Creates a key. The result has its secret, which is stored nowhere.
    ///
    /// [`InvalidValue`] if a field is invalid, the tenant is unknown, or it has too many keys.
    pub fn create_key(&self, wanted: &NewKey) -> Result<CreatedKey, Error> {
        let (mut grant, tenant, now) = (wanted.grant()?, wanted.tenant(), self.now());
        for name in grant.spaces.iter_mut().flatten() {
            // As a request names it: a key for a name that no space can have reaches nothing.
            let parsed = name.parse::<SpaceName>();
            let named =
                |refused: InvalidValue| InvalidValue::new("spaces", refused.accepts(), &name);
            *name = parsed.map_err(named)?.to_string();
        }
        let random = |source: getrandom::Error| Error::Stream {
            action: "get random numbers",
            source: source.into(),
        };
        let key = KeyText::random().map_err(random)?;
        let mut salt = [0; 32];
        getrandom::fill(&mut salt).map_err(random)?;
        let hash = key.hash(&salt);
        let days = |days| now.checked_add(SignedDuration::from_hours(24 * i64::from(days)));
        let expires_at = wanted.expires_days.map(days).transpose();
        let expires_at = expires_at.map_err(|_| {
            let given = wanted.expires_days.unwrap_or(0);
            InvalidValue::new("expires_days", "a time in the calendar", given)
        })?;
        let stored = serde_json::to_string(&grant).map_err(std::io::Error::from);
        let stored = stored.map_err(|source| Error::Stream {
            action: "write the key",
            source,
        })?;
        self.writing.change(|transaction| -> Result<_, StoreError> {
            known_tenant(transaction, tenant)?;
            let count = "SELECT count(*) FROM keys WHERE tenant = ?1";
            let keys: u32 = transaction.query_row(count, [tenant], |row| row.get(0))?;
            if keys >= MOST_KEYS {
                let accepts = format!("a tenant with fewer than {MOST_KEYS} keys");
                return Err(InvalidValue::new("tenant", accepts, tenant).into());
            }
            let sql = "INSERT INTO keys (id, name, tenant, grant_json, salt, hash, created_at, expires_at)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let expires = expires_at.map(Timestamp::as_microsecond);
            let (hash, created) = (hash.as_bytes(), now.as_microsecond());
            transaction.execute(
                sql,
                params![key.id, wanted.name, tenant, stored, salt, hash, created, expires],
            )?;
            Ok(())
        })?;
        Ok(CreatedKey {
            key: key.reveal(),
            listed: KeyInfo {
                id: key.id,
                name: wanted.name.clone(),
                tenant: tenant.to_owned(),
                grant,
                created_at: now,
                expires_at,
                revoked_at: None,
                used_at: None,
                lost_spaces: Vec::new(),
            },
        })
    }

    /// The valid key that is written so; `None` for an unknown, wrong, revoked or expired one, with the same work for
    /// each. One short read: a key revoked by any process is refused from then on.
    pub fn find_key(&self, given: &KeyText) -> Result<Option<FoundKey>, Error> {
        let now = self.now();
        self.read(|connection| {
            let sql = format!(
                "SELECT {COLUMNS}, salt, hash, tenants.suspended_at, tenants.quota,
                        (SELECT requests FROM requests
                         WHERE requests.tenant = keys.tenant AND day = ?2) AS today
                 FROM keys JOIN tenants ON tenants.name = keys.tenant
                 WHERE keys.id = ?1 AND tenants.erasing_at IS NULL"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![given.id, day_of(now)])?;
            let row = rows.next()?;
            // An unknown key is compared too, with a hash that no secret has.
            let salt = row.map_or(Ok([0; 32]), |row| row.get("salt"))?;
            let hash = row.map_or(Ok([0; 32]), |row| row.get("hash"))?;
            // The comparison of hashes takes the same time wherever they differ.
            let is_right = given.hash(&salt) == blake3::Hash::from_bytes(hash);
            let found = row.filter(|_| is_right).map(found_of).transpose()?;
            Ok(found.filter(|found| is_valid(&found.key, now)))
        })
    }

    /// Whether there is a key, valid or not. From then on, every request to a server needs one.
    pub fn has_keys(&self) -> Result<bool, Error> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM keys)")?;
            Ok(statement.query_row([], |row| row.get(0))?)
        })
    }

    /// Whether there is a key that is neither revoked nor expired.
    pub fn has_valid_keys(&self) -> Result<bool, Error> {
        let now = self.now().as_microsecond();
        self.read(|connection| {
            let sql = "SELECT EXISTS (SELECT 1 FROM keys WHERE revoked_at IS NULL
                       AND (expires_at IS NULL OR expires_at > ?1))";
            Ok(connection.query_row(sql, [now], |row| row.get(0))?)
        })
    }

    /// The keys of a tenant, or all, oldest first. O(keys).
    pub fn keys(&self, tenant: Option<&str>) -> Result<Vec<KeyInfo>, Error> {
        self.read(|connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM keys WHERE ?1 IS NULL OR tenant = ?1 ORDER BY created_at, id"
            );
            let mut statement = connection.prepare(&sql)?;
            let keys = statement.query_map([tenant], key_of)?;
            let keys = keys.map(|key| with_lost_spaces(connection, key?));
            keys.collect()
        })
    }

    /// Revokes the key with this id, at once in every server of the store. `None` if there is none; a revoked key stays
    /// revoked.
    pub fn revoke_key(&self, id: &str) -> Result<Option<KeyInfo>, Error> {
        if !self.writing.exists() {
            return Ok(None);
        }
        let now = self.now().as_microsecond();
        Ok(self
            .writing
            .change(|transaction| -> Result<_, StoreError> {
                let sql = "UPDATE keys SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";
                transaction.execute(sql, params![id, now])?;
                let sql = format!("SELECT {COLUMNS} FROM keys WHERE id = ?1");
                let key = transaction.query_row(&sql, [id], key_of).optional()?;
                key.map(|key| with_lost_spaces(transaction, key))
                    .transpose()
            })?)
    }
}

/// [`InvalidValue`] if the tenant is unknown or being erased.
pub(super) fn known_tenant(connection: &Connection, tenant: &str) -> Result<(), StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM tenants WHERE name = ?1 AND erasing_at IS NULL)";
    let is_known: bool = connection.query_row(sql, [tenant], |row| row.get(0))?;
    if is_known {
        return Ok(());
    }
    Err(InvalidValue::new("tenant", "the name of a tenant", tenant).into())
}

/// The day since 1970 (UTC).
pub(super) fn day_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(86_400)
}
