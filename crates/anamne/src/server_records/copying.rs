//! Backups of a whole server: its own store, the stores of its tenants, and the records of both.
//!
//! A backup is a complete folder of a server. Its records carry a mark, the time of the copy: a server refuses to use
//! them, because keys that were revoked and tenants that were erased since then are valid in them. [`Store::restore_server`]
//! removes the mark in a copy, and says what came back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_store::{BackupReport, StoreError, entries, remove_path};
use anamne_types::{DEFAULT_TENANT, InvalidValue, Skipped, check_tenant};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::Serialize;

use super::mirroring::copy_models_and_costs;
use super::{ServerRecords, time};
use crate::Error;
use crate::maintenance::travel::outside;
use crate::maintenance::upkeep::is_of_target;
use crate::store::Store;

/// Whether a backup belongs to a schedule, which has to know the complete ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Scheduled,
}

/// The result of backing up a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerBackup {
    /// The time of its keys and tenants: what was revoked or erased later is not revoked or erased in it.
    pub at: Timestamp,
    /// The stores in it, the server's own first.
    pub stores: Vec<TenantBackup>,
    /// Tenants that were erased here since the last backup, and now there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub erased: Vec<String>,
    /// Tenants whose store could not be copied, by name; the backup keeps its earlier copy of each.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// The backup of a tenant's store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TenantBackup {
    /// The tenant.
    pub tenant: String,
    /// The backed-up spaces.
    pub spaces: Vec<BackupReport>,
    /// The skipped spaces, by name.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

impl ServerBackup {
    /// Whether nothing was skipped.
    pub fn is_whole(&self) -> bool {
        self.skipped.is_empty() && self.stores.iter().all(|store| store.skipped.is_empty())
    }
}

impl Store {
    /// Creates or updates the backup of the server whose store this is in `folder`: this store, the stores of all tenants,
    /// models and their costs, keys (as hashes), tenants, suspensions and quotas. Safe during requests, writes and
    /// interruptions.
    ///
    /// The records are copied last: a tenant that was created meanwhile is left to the next backup, and one that was
    /// erased here is erased there. Keys of models and logs of hooks are not copied.
    ///
    /// Rejects a folder inside this store, one with other contents, and the backup of another server. A failing tenant
    /// is listed in [`ServerBackup::skipped`]. [`Error::Denied`] without [`Right::Configure`](crate::Right), or if the
    /// scope leaves out a space.
    pub fn backup_server(&self, folder: &Path) -> Result<ServerBackup, Error> {
        self.back_up_server(&self.server_records()?, folder, Kind::Plain)
    }

    /// The same for a server with these records. Only a scheduled backup without anything skipped is complete.
    pub(super) fn back_up_server(
        &self,
        records: &ServerRecords,
        folder: &Path,
        kind: Kind,
    ) -> Result<ServerBackup, Error> {
        records.finish_erasures()?;
        let folder = outside(folder, self.root())?;
        let target = ServerRecords::of_store(&folder, self.clock());
        target.check_copy_of(records)?;
        target.remove_replaced_tenants(records)?;
        let own = self.backup(&folder, None)?;
        copy_models_and_costs(&self.models, self.root(), &folder)?;
        let mut stores = vec![TenantBackup {
            tenant: DEFAULT_TENANT.to_owned(),
            spaces: own.spaces,
            skipped: own.skipped,
        }];
        let mut skipped = Skipped::default();
        let tenants = records.names()?;
        for name in tenants.iter().filter(|name| *name != DEFAULT_TENANT) {
            match self.back_up_tenant(records, &target, name) {
                Ok(None) => {}
                Ok(Some(made)) => stores.push(made),
                Err(error) if is_of_target(&error, &folder) => return Err(error),
                Err(error) => skipped.add(name, &error, error.next_step()),
            }
        }
        // As it is stored.
        let at = Timestamp::from_microsecond(records.now().as_microsecond()).unwrap_or_default();
        let erased = target.remove_tenants_other_than(&records.names()?)?;
        stores.retain(|store| !erased.contains(&store.tenant));
        let made = ServerBackup {
            at,
            stores,
            erased,
            skipped,
        };
        let is_complete = kind == Kind::Scheduled && made.is_whole();
        let complete: &[TenantBackup] = if is_complete { &made.stores } else { &[] };
        records.copy_over(&target, &tenants, at, complete)?;
        Ok(made)
    }

    /// The backup of a tenant's store; `None` if it was never used.
    fn back_up_tenant(
        &self,
        records: &ServerRecords,
        target: &ServerRecords,
        name: &str,
    ) -> Result<Option<TenantBackup>, Error> {
        let root = records.tenant_root(name)?;
        if !root.join("spaces").is_dir() {
            return Ok(None);
        }
        let models = Arc::new(self.models.of_store(&root));
        let store = Self::at(&root, models, self.clock());
        let copy = target.tenant_root(name)?;
        let made = store.backup(&copy, None)?;
        copy_models_and_costs(&store.models, &root, &copy)?;
        Ok(Some(TenantBackup {
            tenant: name.to_owned(),
            spaces: made.spaces,
            skipped: made.skipped,
        }))
    }
}

impl ServerRecords {
    /// When these records were copied into a backup; `None` for those of a server.
    pub fn copied_at(&self) -> Result<Option<Timestamp>, Error> {
        self.read(|connection| {
            let sql = "SELECT at FROM copied";
            let found = connection.query_row(sql, [], |row| time(row, "at"));
            Ok(found.optional()?.flatten())
        })
    }

    /// [`InvalidValue`] for the records of a backup, which no server may use as they are.
    pub fn check_not_copied(&self) -> Result<(), Error> {
        match self.copied_at()? {
            None => Ok(()),
            Some(at) => {
                let accepts = "the store of a server; this is a backup of one, in which keys that were revoked and tenants \
                               that were erased later are valid; restore it to another folder first";
                let given = format!("a backup of {at}");
                Err(InvalidValue::new("store", accepts, given).into())
            }
        }
    }

    /// The tenants that are not being erased.
    fn names(&self) -> Result<BTreeSet<String>, Error> {
        let tenants = self.tenants()?.into_iter();
        let present = tenants.filter(|tenant| !tenant.erasing);
        Ok(present.map(|tenant| tenant.name).collect())
    }

    /// Refuses records at the place of a backup that are not a copy of `origin`.
    fn check_copy_of(&self, origin: &Self) -> Result<(), Error> {
        let id = origin.identity()?;
        if !self.writing.exists() {
            return Ok(());
        }
        let is_copy = self.copied_at()?.is_some() && self.known_identity()? == Some(id);
        if is_copy {
            return Ok(());
        }
        let accepts = "a backup of this server, or a folder without a server";
        let folder = self.folder.parent().unwrap_or(&self.folder);
        Err(InvalidValue::new("folder", accepts, folder.display()).into())
    }

    /// Removes the stores of tenants that were erased in `origin`, and have a successor of the same name there.
    fn remove_replaced_tenants(&self, origin: &Self) -> Result<(), Error> {
        let present = origin.tenants()?;
        for copied in self.tenants()? {
            let is_replaced = present
                .iter()
                .any(|tenant| tenant.name == copied.name && tenant.created_at != copied.created_at);
            if is_replaced {
                self.remove_copied_tenant(&copied.name)?;
            }
        }
        Ok(())
    }

    /// Removes a tenant from a backup: first its store, so that an interrupted removal is repeated.
    pub(super) fn remove_copied_tenant(&self, name: &str) -> Result<(), Error> {
        remove_path(&self.tenant_root(name)?)?;
        self.writing
            .change(|transaction| -> Result<_, StoreError> {
                transaction.execute("DELETE FROM tenants WHERE name = ?1", [name])?;
                Ok(())
            })?;
        Ok(self.writing.truncate_wal()?)
    }

    pub(super) fn known_identity(&self) -> Result<Option<Vec<u8>>, Error> {
        self.read(|connection| identity_in(connection))
    }

    /// What distinguishes this server from others; made by the first call.
    pub(super) fn identity(&self) -> Result<Vec<u8>, Error> {
        if let Some(known) = self.known_identity()? {
            return Ok(known);
        }
        Ok(self
            .writing
            .change(|transaction| -> Result<_, StoreError> {
                let sql = "INSERT OR IGNORE INTO identity VALUES (1, randomblob(16))";
                transaction.execute(sql, [])?;
                let made = identity_in(transaction)?;
                made.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
            })?)
    }

    /// Removes the stores of other tenants than these; returns their names. What is not named like a tenant stays.
    fn remove_tenants_other_than(&self, present: &BTreeSet<String>) -> Result<Vec<String>, Error> {
        let mut removed = Vec::new();
        for path in entries(&self.folder.join("tenants"))? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if check_tenant(&name).is_ok() && !present.contains(&*name) {
                remove_path(&path)?;
                removed.push(name.into_owned());
            }
        }
        Ok(removed)
    }

    /// Copies these records over those of `target`, without tenants other than `tenants`, and marks the copy; also as a
    /// complete one with these stores, if there are any.
    fn copy_over(
        &self,
        target: &Self,
        tenants: &BTreeSet<String>,
        at: Timestamp,
        complete: &[TenantBackup],
    ) -> Result<(), Error> {
        let mark = |transaction: &Transaction<'_>| -> Result<(), StoreError> {
            let mut statement = transaction.prepare("SELECT name, erasing_at FROM tenants")?;
            let all = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let all: Vec<(String, Option<i64>)> = all.collect::<Result<_, _>>()?;
            for (name, erasing) in all {
                if erasing.is_some() || !tenants.contains(&name) {
                    // Its keys and counts go with it.
                    transaction.execute("DELETE FROM tenants WHERE name = ?1", [name])?;
                }
            }
            let sql = "INSERT OR REPLACE INTO copied VALUES (1, ?1)";
            transaction.execute(sql, params![at.as_microsecond()])?;
            // It is about the folder of this server.
            transaction.execute("DELETE FROM backup_status", [])?;
            for store in complete {
                let sql = "INSERT INTO complete_stores VALUES (?1)";
                transaction.execute(sql, [&store.tenant])?;
            }
            Ok(())
        };
        Ok(self.writing.copy_to(target.path(), mark)?)
    }

    /// Makes a copy the records of a server.
    pub(super) fn unmark(&self) -> Result<(), Error> {
        let unmark = |transaction: &Transaction<'_>| -> Result<(), StoreError> {
            transaction.execute("DELETE FROM copied", [])?;
            transaction.execute("DELETE FROM complete_stores", [])?;
            Ok(())
        };
        Ok(self.writing.change(unmark)?)
    }

    /// The folders of the stores of all tenants that have one, with the tenants' names.
    pub(super) fn roots(&self) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut roots = Vec::new();
        for name in self.names()? {
            let root = if name == DEFAULT_TENANT {
                self.folder.parent().unwrap_or(&self.folder).to_owned()
            } else {
                self.tenant_root(&name)?
            };
            if root.join("spaces").is_dir() {
                roots.push((name, root));
            }
        }
        Ok(roots)
    }
}

fn identity_in(connection: &Connection) -> Result<Option<Vec<u8>>, StoreError> {
    let found = connection.query_row("SELECT id FROM identity", [], |row| row.get(0));
    Ok(found.optional()?)
}
