//! Notices commits of any process.

use std::path::PathBuf;

use anamne_types::{Seq, Tier};
use rusqlite::Connection;

use crate::Result;
use crate::files::{FileIdentity, look_at};
use crate::source::{feed, may_be_kept, moves, open_identified, open_reader};
use crate::space::SpaceSource;
use crate::view::Change;

/// Notices commits of any connection in any process.
pub struct CommitWatcher {
    database: PathBuf,
    identity: FileIdentity,
    connection: Connection,
    version: Option<i64>,
}

impl CommitWatcher {
    pub(crate) fn open(database: PathBuf) -> Result<Self> {
        let (identity, connection) = open_identified(&database, open_reader)?;
        Ok(Self {
            database,
            identity,
            connection,
            version: None,
        })
    }

    /// Whether anything was committed since the last call. Costs 3–5 µs.
    pub fn changed(&mut self) -> Result<bool> {
        self.renew()?;
        let version: i64 = self
            .connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        let changed = self.version != Some(version);
        self.version = Some(version);
        Ok(changed)
    }

    /// Opens the database that another process put in place of a broken one, and again one whose connection sees no later
    /// writes. Until then, the old one still contains everything acknowledged.
    fn renew(&mut self) -> Result<()> {
        let found = look_at(&self.database)?.map(|state| state.identity);
        let is_replaced = found.is_some_and(|found| found != self.identity);
        if is_replaced || !may_be_kept(&self.connection) {
            (self.identity, self.connection) = open_identified(&self.database, open_reader)?;
            self.version = None;
        }
        Ok(())
    }

    /// Makes the next check report a change.
    pub fn reset(&mut self) {
        self.version = None;
    }

    /// The last event of the log.
    pub fn head(&self) -> Result<Seq> {
        feed::head(&self.connection)
    }

    /// Whether a colder tier contains at most `few` memories. O(few).
    pub fn has_few(&self, tier: Tier, few: u64) -> Result<bool> {
        moves::has_few(&self.connection, tier, few)
    }

    /// About `limit` changes of a tier after `after`, and the event up to which they bring a view; `head` is the end of the log.
    pub fn changes(
        &self,
        space: &SpaceSource,
        tier: Tier,
        after: Seq,
        head: Seq,
        limit: usize,
    ) -> Result<(Seq, Vec<Change>)> {
        space.notice_replacement()?;
        let changes = feed::changes(space.names().of(&self.connection), tier, after, limit)?;
        let last = changes.last().map_or(after, |change| change.seq);
        let through = if changes.len() < limit {
            last.max(head)
        } else {
            last
        };
        Ok((through, changes))
    }
}
