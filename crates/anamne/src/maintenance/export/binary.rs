//! Whole spaces with their history as one export file.

use std::path::{Path, PathBuf};

use anamne_store::{ExportExtra, ExportFailure, ExportedSpace, SpaceSource, write_export_file};
use anamne_types::Skipped;
use serde::Serialize;

use crate::Error;
use crate::space::Space;
use crate::store::Store;

/// The result of a binary export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BinaryExport {
    /// The file.
    pub output: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its BLAKE3 digest chain's end, in hexadecimal: the last 32 bytes of the file.
    pub digest: String,
    /// The spaces in it.
    pub spaces: Vec<ExportedSpace>,
    /// What it contains beside the memories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extras: Vec<ExportExtra>,
    /// Members whose text is not in it, because their home isn't.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_home: Vec<MembersWithoutHome>,
    /// The spaces that are not in it, by name.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// Members of an exported space whose home is not exported with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MembersWithoutHome {
    /// The space.
    pub space: String,
    /// Their home.
    pub home: String,
    /// Their number.
    pub members: u64,
}

impl Store {
    /// Exports the named space, or all spaces in scope, with history and settings, as one compressed, checksummed file
    /// that appears at `path` when complete. [`Store::import_binary`] restores it.
    ///
    /// Forgotten memories are in it, erased texts are not. The text of members is in it only with their home; those without it
    /// are counted. Paid, observed and external data only if asked for in
    /// `extras`; views never, because they are computed again. With all spaces, failing ones are listed; it is an error
    /// if none succeeds. O(bytes of the journals).
    pub fn export_binary(
        &self,
        path: &Path,
        space: Option<&str>,
        extras: &[ExportExtra],
    ) -> Result<BinaryExport, Error> {
        let (mut spaces, mut skipped) = self.chosen(space)?;
        let now = self.options.clock.now();
        loop {
            if !extras.is_empty() {
                spaces.iter().try_for_each(Space::clean_for_export)?;
            }
            let sources: Vec<&SpaceSource> = spaces.iter().map(Space::source).collect();
            match write_export_file(path, &sources, extras, now) {
                Ok(written) => {
                    return Ok(BinaryExport {
                        output: path.to_owned(),
                        bytes: written.bytes,
                        digest: written.digest,
                        spaces: written.spaces,
                        extras: written.extras,
                        without_home: without_home(&spaces)?,
                        skipped,
                    });
                }
                Err(ExportFailure {
                    space: Some(failed),
                    error,
                }) if space.is_none() && spaces.len() > 1 => {
                    let left_out = spaces.remove(failed);
                    skipped.add(left_out.name(), &error, error.next_step());
                }
                Err(failure) => return Err(failure.error.into()),
            }
        }
    }
}

/// The members of these spaces whose home is none of them.
fn without_home(spaces: &[Space]) -> Result<Vec<MembersWithoutHome>, Error> {
    let mut without = Vec::new();
    for space in spaces {
        for (home, members) in space.source().members_by_home()? {
            if spaces.iter().all(|other| other.name() != home) {
                without.push(MembersWithoutHome {
                    space: space.name().to_owned(),
                    home,
                    members,
                });
            }
        }
    }
    Ok(without)
}

impl Space {
    /// Finishes erasures in what was derived, so that nothing erased is exported with it.
    fn clean_for_export(&self) -> Result<(), Error> {
        self.inner.source.finish_erasures()?;
        self.inner.clean_derived(&mut |_, _| {})
    }
}
