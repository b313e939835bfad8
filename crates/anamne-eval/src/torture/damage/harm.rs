//! One damage to one file of a store.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::dice::Dice;
use crate::torture::Failure;

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
    pub(super) fn chosen(store: &Path, in_use: bool, dice: &mut Dice) -> Result<Self, Failure> {
        let mut files = files_under(store)?;
        files.retain(|file| {
            let is_shared = file.to_string_lossy().ends_with("-shm");
            let is_empty = fs::metadata(file).is_ok_and(|metadata| metadata.len() == 0);
            !(is_empty || in_use && is_shared)
        });
        files.sort();
        let file = &files[dice.below(files.len() as u64) as usize];
        let kind = match dice.below(3) {
            0 => Kind::Cut,
            _ => Kind::Flip(dice.below(8) as u8),
        };
        Ok(Self {
            file: file.strip_prefix(store).unwrap_or(file).to_owned(),
            kind,
            at: dice.below(fs::metadata(file)?.len()),
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
