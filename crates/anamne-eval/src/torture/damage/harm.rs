//! Damage to one file of a store.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::chance::Chance;
use crate::failure::Failure;

/// The SQLite database, the only file without its own checksums.
const DATABASE: &str = "memories/active.db";

/// The database gets one in this many damages, regardless of the number of files.
const DATABASE_EVERY: usize = 4;

/// Bytes of an SQLite page.
const PAGE: usize = 4_096;

/// Type bytes of b-tree pages.
const TREE_PAGES: [u8; 4] = [2, 5, 10, 13];

/// The kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// Flips one bit of the byte.
    Flip(u8),
    /// Truncates the file before the byte.
    Cut,
}

/// The damage to apply.
#[derive(Debug, Serialize)]
pub(super) struct FileDamage {
    /// The file, relative to the store's folder.
    file: PathBuf,
    kind: Kind,
    at: u64,
}

impl FileDamage {
    /// Chooses a file of the store, an offset, and the kind of damage.
    ///
    /// The `-shm` file is shared memory of running SQLite processes: it is damaged only in closed stores.
    pub(super) fn chosen(store: &Path, in_use: bool, chance: &mut Chance) -> Result<Self, Failure> {
        let mut files = files_under(store)?;
        files.retain(|file| {
            let is_shared = file.to_string_lossy().ends_with("-shm");
            let is_empty = fs::metadata(file).is_ok_and(|metadata| metadata.len() == 0);
            !(is_empty || in_use && is_shared)
        });
        files.sort();
        let database = files.iter().find(|file| file.ends_with(DATABASE));
        let (file, is_database) = match database {
            Some(database) if chance.below(DATABASE_EVERY) == 0 => (database, true),
            _ => (&files[chance.below(files.len())], false),
        };
        let kind = match chance.below(3) {
            0 => Kind::Cut,
            _ => Kind::Flip(chance.below(8) as u8),
        };
        let at = match kind {
            Kind::Flip(_) if is_database => place_in_a_tree(file, chance)?,
            _ => chance.below(fs::metadata(file)?.len() as usize) as u64,
        };
        Ok(Self {
            file: file.strip_prefix(store).unwrap_or(file).to_owned(),
            kind,
            at,
        })
    }

    /// Applies the damage.
    pub(super) fn strike(&self, store: &Path) -> Result<(), Failure> {
        let path = store.join(&self.file);
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        match self.kind {
            Kind::Cut => file.set_len(self.at)?,
            Kind::Flip(bit) => {
                let mut byte = [0];
                file.seek(SeekFrom::Start(self.at))?;
                file.read_exact(&mut byte)?;
                byte[0] ^= 1 << bit;
                file.seek(SeekFrom::Start(self.at))?;
                file.write_all(&byte)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for FileDamage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, at) = (self.file.display(), self.at);
        match self.kind {
            Kind::Cut => write!(formatter, "{file} cut at byte {at}"),
            Kind::Flip(bit) => write!(formatter, "bit {bit} of byte {at} of {file} turned"),
        }
    }
}

/// A random offset in a b-tree page of the database, not in an overflow page.
fn place_in_a_tree(database: &Path, chance: &mut Chance) -> Result<u64, Failure> {
    let bytes = fs::read(database)?;
    let is_of_a_tree = |page: &&[u8]| page.first().is_some_and(|kind| TREE_PAGES.contains(kind));
    let pages: Vec<usize> = bytes
        .chunks(PAGE)
        .enumerate()
        .filter(|(_, page)| is_of_a_tree(page))
        .map(|(number, _)| number)
        .collect();
    if pages.is_empty() {
        return Ok(chance.below(bytes.len()) as u64);
    }
    let page = pages[chance.below(pages.len())];
    Ok((page * PAGE + chance.below(PAGE)) as u64)
}

/// Replaces `to` by a copy of the folder `from`.
pub(super) fn replace_with_copy(from: &Path, to: &Path) -> Result<(), Failure> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    for file in files_under(from)? {
        let target = to.join(file.strip_prefix(from).unwrap_or(&file));
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(&file, target)?;
    }
    Ok(())
}

fn files_under(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_under(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
