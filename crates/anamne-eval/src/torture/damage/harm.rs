//! One damage to one file of a store.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::chance::Chance;
use crate::failure::Failure;

/// SQLite's file, which alone has no checksums of its own.
const DATABASE: &str = "memories/active.db";

/// One damage in so many is done to it, whatever other files there are.
const DATABASE_EVERY: usize = 4;

/// SQLite's pages have so many bytes.
const PAGE: usize = 4_096;

/// With what the pages of SQLite's tables and indexes begin.
const TREE_PAGES: [u8; 4] = [2, 5, 10, 13];

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// One bit of the byte is turned.
    Flip(u8),
    /// The file ends before the byte.
    Cut,
}

/// A damage that was chosen.
#[derive(Debug, Serialize)]
pub(super) struct Harm {
    /// The file, as seen from the store's folder.
    file: PathBuf,
    kind: Kind,
    at: u64,
}

impl Harm {
    /// A file of the store, a place in it, and what is done there.
    ///
    /// What SQLite's processes share while they run (`-shm`) is memory that happens to have a name: it is damaged in
    /// stores that nobody has open, never in use.
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

    /// Does the damage.
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

impl fmt::Display for Harm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, at) = (self.file.display(), self.at);
        match self.kind {
            Kind::Cut => write!(formatter, "{file} cut at byte {at}"),
            Kind::Flip(bit) => write!(formatter, "bit {bit} of byte {at} of {file} turned"),
        }
    }
}

/// A byte of the database in one of the pages of its tables and indexes, rather than in those that only carry on a
/// long value.
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

/// Puts a copy of the folder `from` in the place of whatever stands at `to`.
pub(super) fn copy_anew(from: &Path, to: &Path) -> Result<(), Failure> {
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
