//! Derived files of a space, one folder per class: `views` can be recomputed from the log, `paid` cost money,
//! `observed` is in no log. Only `views` may be deleted for convenience.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::derivation::Class;
use crate::files::{
    create_private_folder, entries, look_at, open_private_file, private_folder, remove_if_there,
    sync_folder_of, unfinished,
};
use crate::hardening::harden;
use crate::restore::with_side_files;
use crate::special_files::refuse_special_file;
use crate::{Result, StoreError};

/// The folder of views of the log.
pub const VIEWS: &str = "views";
/// The folder of paid model results.
pub const PAID: &str = "paid";
/// The folder of what was observed while the engine ran.
pub const OBSERVED: &str = "observed";

/// Paths of earlier versions, and their current paths.
const MOVED: [(&str, &str); 2] = [
    ("views/readings.db", "paid/readings.db"),
    ("views/meta.db", "observed/meta.db"),
];

/// Moves files that earlier versions kept under `views`, though they can't be recomputed, to the folder of their class.
///
/// Safe to run in two processes at once. A process of the earlier version that has the file open keeps using its own
/// copy. Existing targets are not replaced.
pub fn move_non_views(space: &Path) -> Result<()> {
    for (former, present) in MOVED {
        let (former, present) = (space.join(former), space.join(present));
        if look_at(&former)?.is_none() {
            continue;
        }
        refuse_special_file(&former)?;
        if look_at(&present)?.is_none() {
            put_copy(&former, &present)?;
        }
        for file in with_side_files(&former) {
            remove_if_there(&file)?;
        }
    }
    Ok(())
}

/// Creates a folder of derived data, with owner-only permissions. Not if its space is missing: a handle of an erased space
/// must not bring its folder back.
pub fn create_folder(path: &Path) -> Result<()> {
    try_create_folder(path).map_err(StoreError::io("create the folder", path))
}

/// The same with the system's error.
pub fn try_create_folder(path: &Path) -> std::io::Result<()> {
    let is_of_class = |folder: &&Path| {
        let name = folder.file_name().unwrap_or_default();
        Class::ALL.iter().any(|class| name == class.folder())
    };
    let classes = path.ancestors().filter(is_of_class);
    let mut spaces = classes.filter_map(Path::parent).peekable();
    if spaces.peek().is_some() && !spaces.any(Path::is_dir) {
        return Err(ErrorKind::NotFound.into());
    }
    private_folder().create(path)
}

/// Removes the views of a space, after moving out what can't be recomputed. Files that can't be moved now stay.
pub fn remove_views(space: &Path) -> Result<()> {
    let views = space.join(VIEWS);
    if move_non_views(space).is_ok() {
        return remove_if_there(&views);
    }
    for path in entries(&views)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_kept = |(former, _): &(&str, &str)| {
            let former = former.trim_start_matches("views/");
            name.strip_prefix(former)
                .is_some_and(|rest| matches!(rest, "" | "-wal" | "-shm"))
        };
        if !MOVED.iter().any(is_kept) {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}

/// Copies the database at `former`, including its WAL, to `present`, unless another process is faster.
fn put_copy(former: &Path, present: &Path) -> Result<()> {
    if let Some(folder) = present.parent() {
        create_private_folder(folder)?;
    }
    let copy = unfinished(present);
    let put = copy_to(former, &copy).and_then(|()| put_in_place(&copy, present));
    // Also after a failure, such as a full disk: every opening tries again.
    remove_if_there(&copy)?;
    put?;
    sync_folder_of(present)
}

fn copy_to(former: &Path, copy: &Path) -> Result<()> {
    drop(open_private_file(copy)?);
    match copy_database(former, copy) {
        // The next one to open it quarantines it as usual.
        Err(error) if error.is_broken_database() => {
            remove_if_there(copy)?;
            fs::copy(former, copy).map_err(StoreError::io("copy", former))?;
            Ok(())
        }
        copied => copied,
    }
}

/// Renames a finished copy to its final path, unless that exists.
fn put_in_place(copy: &Path, present: &Path) -> Result<()> {
    let put = match fs::hard_link(copy, present) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        // Not every file system supports hard links.
        Err(_) => fs::rename(copy, present),
        Ok(()) => Ok(()),
    };
    put.map_err(StoreError::io("put in place", present))
}

/// Copies one committed state of a database, including its WAL, to a new or empty file.
pub(crate) fn copy_database(from: &Path, to: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(from, flags)?;
    harden(&connection)?;
    connection.busy_timeout(crate::lock::LONGEST_WAIT)?;
    // SQLite takes the path as text.
    let Some(to) = to.to_str() else {
        return Err(StoreError::io("copy to", to)(
            ErrorKind::InvalidFilename.into(),
        ));
    };
    connection.execute("VACUUM INTO ?1", [to])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(path: &Path, text: &str) -> Connection {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let connection = Connection::open(path).expect("opened");
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .expect("set");
        connection
            .execute_batch("CREATE TABLE texts (text); PRAGMA user_version = 7;")
            .expect("made");
        connection
            .execute("INSERT INTO texts VALUES (?1)", [text])
            .expect("kept");
        connection
    }

    fn read(path: &Path) -> (String, i64) {
        let connection = Connection::open(path).expect("opened");
        let text = connection.query_row("SELECT text FROM texts", [], |row| row.get(0));
        let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0));
        (text.expect("a text"), version.expect("a version"))
    }

    #[test]
    fn a_paid_file_moves_with_its_wal() {
        let space = tempfile::tempdir().expect("a folder");
        let space = space.path();
        // Still open, so its WAL was not checkpointed.
        let open = make(&space.join("views/readings.db"), "paid");
        let _meta = make(&space.join("views/meta.db"), "seen");
        fs::create_dir_all(space.join("views/lexical")).expect("made");
        remove_views(space).expect("removed");
        assert_eq!(
            read(&space.join("paid/readings.db")),
            ("paid".to_owned(), 7)
        );
        assert_eq!(
            read(&space.join("observed/meta.db")),
            ("seen".to_owned(), 7)
        );
        assert!(!space.join("views").exists());
        drop(open);
        // An existing target is kept.
        drop(make(&space.join("views/readings.db"), "later"));
        move_non_views(space).expect("moved");
        assert_eq!(read(&space.join("paid/readings.db")).0, "paid");
        assert!(!space.join("views/readings.db").exists());
    }

    #[test]
    fn a_damaged_file_moves_as_it_is() {
        let space = tempfile::tempdir().expect("a folder");
        let space = space.path();
        fs::create_dir_all(space.join("views")).expect("made");
        fs::write(space.join("views/meta.db"), [7; 5_000]).expect("written");
        move_non_views(space).expect("moved");
        assert_eq!(
            fs::read(space.join("observed/meta.db")).expect("read"),
            [7; 5_000]
        );
    }
}
