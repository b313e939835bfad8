//! Copies a side database to another folder.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, Transaction};

use super::{SideError, SideFile, alone};
use crate::StoreError;
use crate::backup::{put_in_place, sync};
use crate::beside::copy_database;
use crate::files::{create_private_folder, open_private_file, remove_if_there, unfinished};
use crate::hardening::harden;

impl SideFile {
    /// Copies one committed state, without what was deleted, to the file `to`, which is replaced at once. `change` is
    /// applied to the copy before. Writers continue.
    pub fn copy_to<E: SideError>(
        &self,
        to: &Path,
        change: impl FnOnce(&Transaction<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        // Created, migrated and checked first.
        self.with(|_| Ok::<_, E>(()))?;
        if let Some(folder) = to.parent() {
            create_private_folder(folder)?;
        }
        let copy = unfinished(to);
        let copied = self.write_copy(&copy, to, change);
        if copied.is_err() {
            // The error of the copy says more.
            let _ = remove_if_there(&copy);
        }
        copied
    }

    fn write_copy<E: SideError>(
        &self,
        copy: &Path,
        to: &Path,
        change: impl FnOnce(&Transaction<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        // Created here first for owner-only permissions.
        drop(open_private_file(copy)?);
        copy_database(self.path(), copy)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(copy, flags)?;
        harden(&connection)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "secure_delete", true)?;
        let transaction = connection.transaction()?;
        change(&transaction)?;
        transaction.commit()?;
        connection
            .close()
            .map_err(|(_, error)| StoreError::from(error))?;
        sync(copy)?;
        alone(to, || put_in_place(copy, to).map(drop))?;
        Ok(())
    }
}
