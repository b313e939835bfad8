//! Keys that name a space lose it when the space is deleted, so that a later space of that name is not theirs. Access
//! tokens are not in the records, so the time of the deletion is, to compare it with that of the token.

use std::path::Path;
use std::sync::Arc;

use anamne_store::{Clock, StoreError};
use anamne_types::{DEFAULT_TENANT, Grant, KeyLoss, LostSpace, check_tenant};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{ServerRecords, json, time};
use crate::Error;

/// A key that names a space, and what it allows without it.
struct Losing {
    id: String,
    name: String,
    grant: Grant,
}

impl Losing {
    /// A key without spaces reaches no memory; one that administers the server does that still.
    fn is_useless(&self) -> bool {
        self.grant.spaces.as_ref().is_some_and(Vec::is_empty) && !self.grant.admin
    }
}

impl ServerRecords {
    /// The records of the server to which the store in `root` belongs, and the tenant whose store it is. No I/O except to
    /// find the folder.
    pub(crate) fn of_server_of(root: &Path, clock: Arc<dyn Clock>) -> (Self, String) {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        match server_and_tenant(&root) {
            Some((server, tenant)) => (Self::of_store(server, clock), tenant.to_owned()),
            None => (Self::of_store(&root, clock), DEFAULT_TENANT.to_owned()),
        }
    }

    /// Takes a space that is being deleted from every key of the tenant that names it, and revokes those that name no
    /// other; only from keys created until `until`, if given. Notes the time of the deletion. One transaction, O(keys of the
    /// tenant).
    pub(crate) fn take_space(
        &self,
        tenant: &str,
        space: &str,
        until: Option<Timestamp>,
    ) -> Result<Vec<KeyLoss>, StoreError> {
        if !self.writing.exists() {
            return Ok(Vec::new());
        }
        let now = self.now().as_microsecond();
        let deleted = until.map_or(now, Timestamp::as_microsecond);
        self.writing.change(|transaction| {
            let sql = "INSERT INTO deleted_spaces SELECT name, ?2, ?3 FROM tenants WHERE name = ?1
                       ON CONFLICT DO UPDATE SET at = max(at, excluded.at)";
            transaction.execute(sql, params![tenant, space, deleted])?;
            let losing = keys_without(transaction, tenant, space, until)?;
            let mut lost = Vec::with_capacity(losing.len());
            for key in losing {
                let revoked = key.is_useless();
                let grant = serde_json::to_string(&key.grant)?;
                let sql = "UPDATE keys SET grant_json = ?2, revoked_at = iif(?3, ?4, revoked_at)
                           WHERE id = ?1";
                transaction.execute(sql, params![key.id, grant, revoked, now])?;
                let sql = "INSERT OR REPLACE INTO lost_spaces VALUES (?1, ?2, ?3)";
                transaction.execute(sql, params![key.id, space, now])?;
                lost.push(KeyLoss {
                    id: key.id,
                    name: key.name,
                    revoked,
                });
            }
            Ok(lost)
        })
    }
}

impl ServerRecords {
    /// When the last space of this name of a tenant was deleted; `None` if none was, or nobody noted it. One short read.
    pub fn space_deleted_at(&self, tenant: &str, space: &str) -> Result<Option<Timestamp>, Error> {
        self.read(|connection| {
            let sql = "SELECT at FROM deleted_spaces WHERE tenant = ?1 AND space = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_row([tenant, space], |row| time(row, "at"));
            Ok(found.optional()?.flatten())
        })
    }

    /// Creates the records if there are none, so that deletions are noted for access tokens also on a server without
    /// keys.
    pub fn create(&self) -> Result<(), Error> {
        Ok(self.writing.with(|_| Ok::<_, StoreError>(()))?)
    }
}

/// The folder of the server and the tenant's name, if the folder of a store is that of a tenant.
fn server_and_tenant(root: &Path) -> Option<(&Path, &str)> {
    let tenant = root.file_name()?.to_str()?;
    let tenants = root.parent()?;
    let server = tenants.parent()?;
    let is_tenant = tenants.ends_with("server/tenants")
        && check_tenant(tenant).is_ok()
        && server.join("server.db").is_file();
    is_tenant.then_some((server.parent()?, tenant))
}

/// The keys of a tenant that name the space and are not revoked, without it.
fn keys_without(
    connection: &Connection,
    tenant: &str,
    space: &str,
    until: Option<Timestamp>,
) -> Result<Vec<Losing>, StoreError> {
    let until = until.map_or(i64::MAX, Timestamp::as_microsecond);
    let sql = "SELECT id, name, grant_json FROM keys
               WHERE tenant = ?1 AND created_at <= ?2 AND revoked_at IS NULL ORDER BY created_at, id";
    let mut statement = connection.prepare(sql)?;
    let keys = statement.query_map(params![tenant, until], |row| without(row, space))?;
    let named = keys.filter_map(Result::transpose);
    Ok(named.collect::<Result<_, _>>()?)
}

fn without(row: &Row<'_>, space: &str) -> rusqlite::Result<Option<Losing>> {
    let mut grant: Grant = json(row, "grant_json")?;
    let Some(spaces) = grant.spaces.as_mut() else {
        return Ok(None);
    };
    let named = spaces.len();
    spaces.retain(|name| name != space);
    if spaces.len() == named {
        return Ok(None);
    }
    Ok(Some(Losing {
        id: row.get("id")?,
        name: row.get("name")?,
        grant,
    }))
}

/// The spaces that a key lost, in the order of their names.
pub(super) fn lost_by(connection: &Connection, key: &str) -> Result<Vec<LostSpace>, StoreError> {
    let sql = "SELECT space, at FROM lost_spaces WHERE key = ?1 ORDER BY space";
    let mut statement = connection.prepare_cached(sql)?;
    let lost = statement.query_map([key], |row| {
        Ok(LostSpace {
            space: row.get("space")?,
            at: time(row, "at")?.unwrap_or_default(),
        })
    })?;
    Ok(lost.collect::<Result<_, _>>()?)
}
