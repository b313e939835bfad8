//! Tenants: created, suspended, limited, erased; and what was used.

use std::path::{Path, PathBuf};

use anamne_llm::{CATALOG_FILE, CostQuery, CostsBy, Ledger};
use anamne_store::{StoreError, StoreUsage, remove_path};
use anamne_types::{
    DEFAULT_TENANT, InvalidValue, TenantInfo, TenantQuota, TenantUsage, check_tenant,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::keys::{day_of, known_tenant};
use super::{ServerRecords, json, time};
use crate::Error;

/// Days for which requests are counted.
const KEPT_DAYS: i64 = 62;

/// How long another process may still write to the folder of an erased tenant, in microseconds: servers close it within
/// ten seconds, and a round of background work may be running.
const STILL_WRITTEN: i64 = 60_000_000;

/// What was used since it was last recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The tenant.
    pub tenant: String,
    /// Its keys that were used, by id.
    pub keys: Vec<String>,
    /// Requests.
    pub requests: u64,
}

const SELECT: &str = "SELECT name, created_at, suspended_at, erasing_at, quota, used_at, \
    (SELECT requests FROM requests WHERE tenant = name AND day = ?1) AS today FROM tenants";

fn tenant_of(row: &Row<'_>) -> rusqlite::Result<TenantInfo> {
    Ok(TenantInfo {
        name: row.get("name")?,
        created_at: time(row, "created_at")?,
        suspended_at: time(row, "suspended_at")?,
        erasing: time(row, "erasing_at")?.is_some(),
        used_at: time(row, "used_at")?,
        quota: json(row, "quota")?,
        requests_today: row.get::<_, Option<i64>>("today")?.unwrap_or(0) as u64,
    })
}

impl ServerRecords {
    /// The root of a tenant's store, which need not exist: a folder in `server/tenants`. [`InvalidValue`] for `default`,
    /// whose store is the server's own, and for what is no name.
    pub fn tenant_root(&self, name: &str) -> Result<PathBuf, Error> {
        check_tenant(name)?;
        refuse_default(name)?;
        Ok(self.folder.join("tenants").join(name))
    }

    /// Creates a tenant, whose store is created when it is first used. [`InvalidValue`] if the name is invalid or taken.
    pub fn create_tenant(&self, name: &str, quota: &TenantQuota) -> Result<TenantInfo, Error> {
        check_tenant(name)?;
        quota.check()?;
        let now = self.now();
        let stored = stored(quota)?;
        self.change_tenant(name, now, |transaction| {
            let sql = "INSERT OR IGNORE INTO tenants (name, created_at, quota) VALUES (?1, ?2, ?3)";
            let created = params![name, now.as_microsecond(), stored];
            if transaction.execute(sql, created)? == 0 {
                let accepts = "a name that is not taken; the name of an erased tenant is free some minutes later";
                return Err(InvalidValue::new("tenant", accepts, name).into());
            }
            Ok(())
        })
    }

    /// All tenants by name, `default` included. O(tenants).
    pub fn tenants(&self) -> Result<Vec<TenantInfo>, Error> {
        let day = day_of(self.now());
        self.read(|connection| {
            let mut statement = connection.prepare(&format!("{SELECT} ORDER BY name"))?;
            let tenants = statement.query_map([day], tenant_of)?;
            Ok(tenants.collect::<Result<_, _>>()?)
        })
    }

    /// The tenant of this name, if it exists.
    pub fn tenant(&self, name: &str) -> Result<Option<TenantInfo>, Error> {
        let now = self.now();
        self.read(|connection| find(connection, name, now))
    }

    /// What a tenant uses now; nothing if its store doesn't exist yet. O(files), and one index scan for each space.
    pub fn tenant_usage(&self, name: &str) -> Result<TenantUsage, Error> {
        let root = if name == DEFAULT_TENANT {
            self.folder.parent().unwrap_or(&self.folder).to_owned()
        } else {
            self.tenant_root(name)?
        };
        let used = StoreUsage::of_store(&root)?;
        Ok(TenantUsage {
            memories: used.memories,
            bytes: used.bytes,
            model_dollars_this_month: self.model_dollars(&root.join(CATALOG_FILE))?,
        })
    }

    fn model_dollars(&self, ledger: &Path) -> Result<f64, Error> {
        if !ledger.exists() {
            return Ok(0.0);
        }
        let today = self.now().to_zoned(TimeZone::UTC).date();
        let costs = Ledger::open(ledger)?.costs(&CostQuery {
            by: CostsBy::Month,
            from: Some(today.first_of_month()),
            ..CostQuery::default()
        })?;
        Ok(costs.iter().map(|month| month.cost.dollars()).sum())
    }

    /// Suspends a tenant, whose keys are refused from then on, or resumes it. [`InvalidValue`] if it is unknown, and for
    /// suspending `default`, whose keys administer the server.
    pub fn suspend_tenant(&self, name: &str, suspended: bool) -> Result<TenantInfo, Error> {
        if suspended {
            refuse_default(name)?;
        }
        let now = self.now();
        self.change_tenant(name, now, |transaction| {
            known_tenant(transaction, name)?;
            let sql = "UPDATE tenants
                       SET suspended_at = iif(?2, ifnull(suspended_at, ?3), NULL) WHERE name = ?1";
            transaction.execute(sql, params![name, suspended, now.as_microsecond()])?;
            Ok(())
        })
    }

    /// Sets what a tenant may use. [`InvalidValue`] if it is unknown.
    pub fn limit_tenant(&self, name: &str, quota: &TenantQuota) -> Result<TenantInfo, Error> {
        quota.check()?;
        let stored = stored(quota)?;
        self.change_tenant(name, self.now(), |transaction| {
            known_tenant(transaction, name)?;
            let sql = "UPDATE tenants SET quota = ?2 WHERE name = ?1";
            transaction.execute(sql, [name, &stored])?;
            Ok(())
        })
    }

    /// Removes a tenant: first its keys, so that no server uses it, then its whole folder. Background work of another
    /// process may write a last file, so the folder is removed again by [`ServerRecords::finish_erasures`], which
    /// completes it after a minute, also after a crash. Until then the name is taken.
    ///
    /// [`InvalidValue`] if it is unknown, and for `default`.
    pub fn erase_tenant(&self, name: &str) -> Result<(), Error> {
        self.begin_tenant_erasure(name)?;
        self.finish_erasure(name)
    }

    /// The first part of [`ServerRecords::erase_tenant`]: nobody reaches the tenant from then on.
    pub fn begin_tenant_erasure(&self, name: &str) -> Result<(), Error> {
        refuse_default(name)?;
        let now = self.now();
        self.change_tenant(name, now, |transaction| {
            let sql = "UPDATE tenants SET erasing_at = ifnull(erasing_at, ?2) WHERE name = ?1";
            let begun = params![name, now.as_microsecond()];
            if transaction.execute(sql, begun)? == 0 {
                known_tenant(transaction, name)?;
            }
            transaction.execute("DELETE FROM keys WHERE tenant = ?1", [name])?;
            let sql = "INSERT OR IGNORE INTO erased_tenants
                       SELECT name, ifnull(created_at, 0), erasing_at FROM tenants WHERE name = ?1";
            transaction.execute(sql, [name])?;
            Ok(())
        })?;
        Ok(())
    }

    /// Removes the folders of tenants that are being erased. Costs one read if there are none.
    pub fn finish_erasures(&self) -> Result<(), Error> {
        let erasing: Vec<String> = self.read(|connection| {
            let sql = "SELECT name FROM tenants WHERE erasing_at IS NOT NULL";
            let mut statement = connection.prepare_cached(sql)?;
            let names = statement.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })?;
        erasing
            .iter()
            .try_for_each(|name| self.finish_erasure(name))
    }

    fn finish_erasure(&self, name: &str) -> Result<(), Error> {
        remove_path(&self.tenant_root(name)?)?;
        let begun_before = self.now().as_microsecond() - STILL_WRITTEN;
        let is_complete = self
            .writing
            .change(|transaction| -> Result<_, StoreError> {
                let sql = "DELETE FROM tenants WHERE name = ?1 AND erasing_at <= ?2";
                Ok(transaction.execute(sql, params![name, begun_before])? > 0)
            })?;
        if is_complete {
            self.writing.truncate_wal()?;
        }
        Ok(())
    }

    /// Records what was used, in one transaction. Counts of old days are dropped.
    pub fn note_use(&self, used: &[Use]) -> Result<(), Error> {
        if used.is_empty() {
            return Ok(());
        }
        let now = self.now();
        let (at, today) = (now.as_microsecond(), day_of(now));
        Ok(self
            .writing
            .change(|transaction| -> Result<_, StoreError> {
                for one in used {
                    let sql = "UPDATE tenants SET used_at = ?2 WHERE name = ?1";
                    if transaction.execute(sql, params![one.tenant, at])? == 0 {
                        // Erased meanwhile.
                        continue;
                    }
                    let sql = "INSERT INTO requests VALUES (?1, ?2, ?3)
                           ON CONFLICT DO UPDATE SET requests = requests + excluded.requests";
                    transaction.execute(sql, params![one.tenant, today, one.requests as i64])?;
                    for key in &one.keys {
                        let sql = "UPDATE keys SET used_at = ?2 WHERE id = ?1";
                        transaction.execute(sql, params![key, at])?;
                    }
                }
                let sql = "DELETE FROM requests WHERE day < ?1";
                transaction.execute(sql, [today - KEPT_DAYS])?;
                Ok(())
            })?)
    }

    /// The tenant that has waited longest for background work: it was used since the last round and that is an hour ago,
    /// or the last round is a day ago. `default`, suspended and erased ones need none here.
    pub fn tenant_due(&self) -> Result<Option<String>, Error> {
        const HOUR: i64 = 3_600_000_000;
        let now = self.now().as_microsecond();
        self.read(|connection| {
            let sql = "SELECT name FROM tenants
                       WHERE name <> ?1 AND suspended_at IS NULL AND erasing_at IS NULL
                         AND used_at IS NOT NULL
                         AND ifnull(worked_at, 0) < ?2 - iif(used_at >= ifnull(worked_at, 0), ?3, 24 * ?3)
                       ORDER BY ifnull(worked_at, 0), name LIMIT 1";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_row(params![DEFAULT_TENANT, now, HOUR], |row| row.get(0));
            Ok(found.optional()?)
        })
    }

    /// Records that a round of background work of a tenant began.
    pub fn note_round(&self, name: &str) -> Result<(), Error> {
        let now = self.now().as_microsecond();
        Ok(self
            .writing
            .change(|transaction| -> Result<_, StoreError> {
                let sql = "UPDATE tenants SET worked_at = ?2 WHERE name = ?1";
                transaction.execute(sql, params![name, now])?;
                Ok(())
            })?)
    }

    /// What is wrong with the file, if anything. O(size of the file).
    pub(super) fn check(&self) -> Result<Option<String>, Error> {
        self.read(|connection| {
            let said: String =
                connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            Ok((said != "ok").then_some(said))
        })
    }

    fn change_tenant(
        &self,
        name: &str,
        now: Timestamp,
        change: impl Fn(&Connection) -> Result<(), StoreError>,
    ) -> Result<TenantInfo, Error> {
        Ok(self
            .writing
            .change(|transaction| -> Result<_, StoreError> {
                change(transaction)?;
                let changed = find(transaction, name, now)?;
                changed.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
            })?)
    }
}

fn find(
    connection: &Connection,
    name: &str,
    now: Timestamp,
) -> Result<Option<TenantInfo>, StoreError> {
    let sql = format!("{SELECT} WHERE name = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_row(params![day_of(now), name], tenant_of);
    Ok(found.optional()?)
}

fn stored(quota: &TenantQuota) -> Result<String, Error> {
    serde_json::to_string(quota).map_err(|error| Error::Stream {
        action: "write the quota",
        source: error.into(),
    })
}

fn refuse_default(name: &str) -> Result<(), InvalidValue> {
    if name == DEFAULT_TENANT {
        let accepts = "another tenant than that of the server's own store";
        return Err(InvalidValue::new("tenant", accepts, name));
    }
    Ok(())
}
