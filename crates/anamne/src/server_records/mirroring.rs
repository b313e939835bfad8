//! Copies of the models and costs of a store, which are in the backup of a server besides its spaces.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::Path;

use anamne_llm::{CATALOG_FILE, Ledger};
use anamne_store::{
    Disk, StoreError, UNFINISHED, create_private_folder, entries, remove_path, sync_folder_on,
};
use anamne_types::InvalidValue;

use super::restoring::copy_file;
use crate::Error;
use crate::models::Models;

/// Copies the models and the costs of the store in `from` to the store in `to`. Unchanged files stay; what is gone here
/// is removed there. Keys and settings of models stay on their machine. O(bytes of the models).
pub(super) fn copy_models_and_costs(models: &Models, from: &Path, to: &Path) -> Result<(), Error> {
    let folder = from.join(MODELS);
    if folder.is_dir() {
        models.unchanged(|| mirror(&folder, &to.join(MODELS)))?;
    } else {
        remove_path(&to.join(MODELS))?;
    }
    let costs = from.join(CATALOG_FILE);
    if costs.exists() {
        Ledger::open(&costs)?.copy_to(&to.join(CATALOG_FILE))?;
    }
    Ok(())
}

/// The folder of models.
const MODELS: &str = "models";

/// Makes `to` equal to the folder `from`, file by file.
fn mirror(from: &Path, to: &Path) -> Result<(), Error> {
    create_private_folder(to)?;
    let mut present = BTreeSet::new();
    for path in entries(from)? {
        let name = path.file_name().unwrap_or_default();
        if name.to_string_lossy().contains(UNFINISHED) {
            continue;
        }
        mirror_entry(&path, &to.join(name))?;
        present.insert(name.to_owned());
    }
    for path in entries(to)? {
        if !path.file_name().is_some_and(|name| present.contains(name)) {
            remove_path(&path)?;
        }
    }
    sync_folder_on(&Disk, &to.join("."))?;
    Ok(())
}

fn mirror_entry(from: &Path, to: &Path) -> Result<(), Error> {
    let kind = fs::symlink_metadata(from).map_err(StoreError::io("look at", from))?;
    if kind.is_dir() {
        if fs::symlink_metadata(to).is_ok_and(|there| !there.is_dir()) {
            remove_path(to)?;
        }
        return mirror(from, to);
    }
    if !kind.is_file() {
        let accepts = "models of folders and regular files only";
        return Err(InvalidValue::new("folder", accepts, from.display()).into());
    }
    if is_same(from, to)? {
        return Ok(());
    }
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let copy = to.with_file_name(format!("{name}{UNFINISHED}copy"));
    remove_path(&copy)?;
    copy_file(from, &copy)?;
    if fs::symlink_metadata(to).is_ok_and(|there| there.is_dir()) {
        remove_path(to)?;
    }
    fs::rename(&copy, to).map_err(StoreError::io("put in place", to))?;
    Ok(())
}

/// Whether `to` is a regular file with the content of `from`.
fn is_same(from: &Path, to: &Path) -> Result<bool, Error> {
    let Ok(there) = fs::symlink_metadata(to) else {
        return Ok(false);
    };
    let here = fs::metadata(from).map_err(StoreError::io("look at", from))?;
    if !there.is_file() || there.len() != here.len() {
        return Ok(false);
    }
    let open = |path: &Path| File::open(path).map_err(StoreError::io("read", path));
    let (mut one, mut other) = (BufReader::new(open(from)?), BufReader::new(open(to)?));
    let (mut these, mut those) = ([0; 1 << 14], [0; 1 << 14]);
    loop {
        let length = one.read(&mut these).map_err(StoreError::io("read", from))?;
        if length == 0 {
            return Ok(true);
        }
        let read = other.read_exact(&mut those[..length]);
        if read.is_err() || these[..length] != those[..length] {
            return Ok(false);
        }
    }
}
