//! Deletion of a space in either place.

use anamne::{KeyLoss, OutsideErasure, SpaceErasure, Statistics};
use anamne_client::{Method, Query};
use serde::Deserialize;

use super::{ReachedStore, SpaceSummary};
use crate::failure::Failure;
use crate::wording::file_name;

/// What a deletion of a space removes.
pub(crate) struct Deletable {
    /// The space's name.
    pub(crate) space: String,
    /// Its counts.
    pub(crate) statistics: Statistics,
    /// The folders of its backups; `None` where a server doesn't tell its folder.
    pub(crate) backups: Vec<Option<String>>,
}

/// A space that was deleted.
pub(crate) struct Deleted {
    /// Its name.
    pub(crate) space: String,
    /// The memories that it had, without forgotten ones.
    pub(crate) memories: u64,
    /// The forgotten memories that it had.
    pub(crate) forgotten: u64,
    /// The spaces that lost members whose home it was.
    pub(crate) members_lost_in: Vec<String>,
    /// The spaces in which forgotten copies were erased, which a transfer had left there.
    pub(crate) copies_erased_in: Vec<String>,
    /// The keys of the server that named it, as far as the caller may see them.
    pub(crate) keys: Vec<KeyLoss>,
    /// What was reached outside of it.
    pub(crate) outside: Outside,
}

/// What a deletion reached outside of the space.
pub(crate) enum Outside {
    /// The places of this machine.
    Here(OutsideErasure),
    /// How many places of a server may still have something of it. Its operator sees which.
    There { unreached: u64 },
}

impl Outside {
    /// Whether nothing is left anywhere.
    pub(crate) fn is_complete(&self) -> bool {
        match self {
            Self::Here(outside) => outside.is_complete(),
            Self::There { unreached } => *unreached == 0,
        }
    }
}

impl From<SpaceErasure> for Deleted {
    fn from(erased: SpaceErasure) -> Self {
        Self {
            space: erased.space,
            memories: erased.memories,
            forgotten: erased.forgotten,
            members_lost_in: erased.members_lost_in,
            copies_erased_in: erased.copies_erased_in,
            keys: erased.keys,
            outside: Outside::Here(erased.outside),
        }
    }
}

/// The answer of a server.
#[derive(Deserialize)]
struct DeletedThere {
    space: String,
    memories: u64,
    forgotten: u64,
    #[serde(default)]
    members_lost_in: Vec<String>,
    #[serde(default)]
    copies_erased_in: Vec<String>,
    #[serde(default)]
    keys: Vec<KeyLoss>,
    unreached: u64,
}

impl From<DeletedThere> for Deleted {
    fn from(deleted: DeletedThere) -> Self {
        Self {
            space: deleted.space,
            memories: deleted.memories,
            forgotten: deleted.forgotten,
            members_lost_in: deleted.members_lost_in,
            copies_erased_in: deleted.copies_erased_in,
            keys: deleted.keys,
            outside: Outside::There {
                unreached: deleted.unreached,
            },
        }
    }
}

/// A backup that a server lists.
#[derive(Deserialize)]
struct BackupThere {
    #[serde(default)]
    folder: Option<String>,
}

impl ReachedStore {
    /// What the deletion of the space removes, which must exist.
    pub(crate) fn deletable(&self, name: &str) -> Result<Deletable, Failure> {
        match self {
            Self::Here(store) => {
                let space = store.existing_space(name)?;
                let known = space.backups()?;
                let folders = known.iter().map(|backup| Some(file_name(&backup.folder)));
                Ok(Deletable {
                    space: space.name().to_owned(),
                    statistics: space.report()?.statistics,
                    backups: folders.collect(),
                })
            }
            Self::There(client) => {
                let space = client.space(name);
                let SpaceSummary {
                    name, statistics, ..
                } = space.read(&[], &Query::new())?;
                let known: Vec<BackupThere> =
                    space.read_field(&["backups"], &Query::new(), "backups")?;
                Ok(Deletable {
                    space: name,
                    statistics,
                    backups: known
                        .into_iter()
                        .map(|backup| backup.folder.map(file_name))
                        .collect(),
                })
            }
        }
    }

    /// Erases the space permanently.
    pub(crate) fn delete_space(&self, name: &str) -> Result<Deleted, Failure> {
        match self {
            Self::Here(store) => Ok(store.erase_space(name)?.into()),
            Self::There(client) => {
                let again = Query::new().with("name", name);
                let space = client.space(name);
                let deleted: DeletedThere =
                    space.call_with(Method::Delete, &[], &again, None::<&()>)?;
                Ok(deleted.into())
            }
        }
    }
}
