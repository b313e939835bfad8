//! Restores the backup of a server to a new folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_store::{
    Clock, StoreError, UNFINISHED, create_private_folder, entries, open_private_file, remove_path,
    sync_folder_on,
};
use anamne_types::{InvalidValue, KeyInfo, TenantInfo};
use jiff::Timestamp;
use serde::Serialize;

use super::ServerRecords;
use super::keys::is_valid;
use super::schedule::newest_in;
use crate::Error;
use crate::maintenance::travel::outside;
use crate::maintenance::upkeep::Verification;
use crate::store::Store;

/// The result of restoring a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServerRestore {
    /// The folder of the backup: the one that was given, or the newest complete one in it.
    pub from: PathBuf,
    /// The time of its keys and tenants. Keys that were revoked and tenants that were erased later are back.
    pub as_of: Timestamp,
    /// The tenants that are back, with suspensions and quotas.
    pub tenants: Vec<TenantInfo>,
    /// The keys that are valid again.
    pub keys: Vec<KeyInfo>,
    /// Spaces that are damaged in the backup, as they are restored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<DamagedSpace>,
}

/// A space that is damaged in a backup.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DamagedSpace {
    /// Its tenant.
    pub tenant: String,
    /// What is wrong with it.
    #[serde(flatten)]
    pub verification: Verification,
}

impl Store {
    /// Restores a backup made by [`Store::backup_server`], or the newest complete one in the folder of a
    /// [`BackupSchedule`](crate::BackupSchedule), to `root`, which must be new or empty. The folder appears at once, when it is complete and verified; the backup stays as it is. No process may write to the backup meanwhile.
    ///
    /// The restored server is another store than the backup, and continues it: its next backup to the same folder
    /// updates it, and erasures reach it from then on. O(bytes of the backup).
    pub fn restore_server(
        backup: &Path,
        root: &Path,
        clock: &Arc<dyn Clock>,
    ) -> Result<ServerRestore, Error> {
        let root = outside(root, backup)?;
        let mut backup = outside(backup, &root)?;
        if let Some(newest) = newest_in(&backup, clock)? {
            backup = newest;
        }
        let Some(as_of) = ServerRecords::of_store(&backup, clock.clone()).copied_at()? else {
            let accepts = "a backup of a server with its tenants";
            return Err(InvalidValue::new("folder", accepts, backup.display()).into());
        };
        if !entries(&root)?.is_empty() {
            return Err(StoreError::NotEmpty { path: root }.into());
        }
        let name = root.file_name().unwrap_or_default().to_string_lossy();
        let staged = root.with_file_name(format!("{name}{UNFINISHED}restore"));
        // Left by an interrupted restore.
        remove_path(&staged)?;
        let restored = copy_tree(&backup, &staged).and_then(|()| {
            let restored = accept(&staged, &backup, as_of, clock)?;
            put_in_place(&staged, &root)?;
            Ok(restored)
        });
        if restored.is_err() {
            let _ = remove_path(&staged);
        }
        restored
    }
}

/// Makes a copy of a backup a server, and says what is in it.
fn accept(
    root: &Path,
    from: &Path,
    as_of: Timestamp,
    clock: &Arc<dyn Clock>,
) -> Result<ServerRestore, Error> {
    let records = ServerRecords::of_store(root, clock.clone());
    let mut damaged = Vec::new();
    for (tenant, root) in records.roots()? {
        let store = Store::open_with(crate::Options {
            clock: clock.clone(),
            ..crate::Options::new(&root)
        })?;
        let found = store.verify(None)?.into_iter();
        let unsound = found.filter(|found| !found.examination.findings.is_empty());
        damaged.extend(unsound.map(|verification| DamagedSpace {
            tenant: tenant.clone(),
            verification,
        }));
    }
    records.unmark()?;
    let now = records.now();
    let mut keys = records.keys(None)?;
    keys.retain(|key| is_valid(key, now));
    Ok(ServerRestore {
        from: from.to_owned(),
        as_of,
        tenants: records.tenants()?,
        keys,
        damaged,
    })
}

/// Copies folders and regular files; refuses everything else. Unfinished files of the backup are left out.
fn copy_tree(from: &Path, to: &Path) -> Result<(), Error> {
    create_private_folder(to)?;
    for path in entries(from)? {
        let name = path.file_name().unwrap_or_default();
        if name.to_string_lossy().contains(UNFINISHED) {
            continue;
        }
        let target = to.join(name);
        let kind = fs::symlink_metadata(&path).map_err(StoreError::io("look at", &path))?;
        if kind.is_dir() {
            copy_tree(&path, &target)?;
        } else if kind.is_file() {
            copy_file(&path, &target)?;
        } else {
            let accepts = "a backup of folders and regular files only";
            return Err(InvalidValue::new("folder", accepts, path.display()).into());
        }
    }
    sync_folder_on(&anamne_store::Disk, &to.join("."))?;
    Ok(())
}

pub(super) fn copy_file(from: &Path, to: &Path) -> Result<(), Error> {
    let mut read = File::open(from).map_err(StoreError::io("read", from))?;
    let mut written = open_private_file(to)?;
    std::io::copy(&mut read, &mut written)
        .and_then(|_| written.sync_all())
        .map_err(StoreError::io("write", to))?;
    Ok(())
}

fn put_in_place(staged: &Path, root: &PathBuf) -> Result<(), Error> {
    if root.is_dir() {
        fs::remove_dir(root).map_err(StoreError::io("replace", root))?;
    }
    fs::rename(staged, root).map_err(StoreError::io("put in place", root))?;
    sync_folder_on(&anamne_store::Disk, root)?;
    Ok(())
}
