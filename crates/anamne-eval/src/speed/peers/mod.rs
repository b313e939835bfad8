//! Peers that do part of the job over the same records, in their simplest and fastest configuration.

pub(crate) mod bandwidth;
mod bare_rows;
mod fts5;
mod sqlite_vec;
mod tantivy_index;

pub(crate) use bare_rows::BareRows;

use fts5::Fts5;
use sqlite_vec::SqliteVec;
use tantivy_index::TantivyIndex;

use super::site::Site;
use crate::failure::Failure;

/// The peers of one store.
pub(crate) struct Peers {
    pub(crate) tantivy: TantivyIndex,
    sqlite: Option<(Fts5, SqliteVec)>,
}

impl Peers {
    /// Builds the peers; the SQLite ones only if they are going to be queried.
    pub(crate) fn build(site: &Site, with_sqlite: bool) -> Result<Self, Failure> {
        let sqlite = if with_sqlite {
            Some((Fts5::build(site)?, SqliteVec::build(site)?))
        } else {
            None
        };
        Ok(Self {
            tantivy: TantivyIndex::build(site)?,
            sqlite,
        })
    }

    /// FTS5, if it was built.
    pub(crate) fn fts5(&self) -> Result<&Fts5, Failure> {
        Ok(&self.sqlite.as_ref().ok_or(NOT_BUILT)?.0)
    }

    /// sqlite-vec, if it was built.
    pub(crate) fn sqlite_vec(&self) -> Result<&SqliteVec, Failure> {
        Ok(&self.sqlite.as_ref().ok_or(NOT_BUILT)?.1)
    }
}

const NOT_BUILT: &str = "the peers in SQLite were not built";
