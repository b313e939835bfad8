//! Examines the database: SQLite's integrity check, the hash chain, the digest of every state, the rows.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anamne_text::normal::content_hash;
use anamne_types::{EventKind, LinkType, MemoryId, Row, Seq};
use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::fold::MemoryStatus;
use super::journal::Reading;
use super::{Copies, Findings, Part};
use crate::files::look_at;
use crate::journal::{Digest, Line};
use crate::restore::{EVENTS, bare_line_of, payload_of, side_file};
use crate::source::packed::Packed;
use crate::source::{
    Names, SOURCE_FORMAT, check_format, end_of_log, integrity, link, log, open_reader, read,
};
use crate::{Result, StoreError};

/// The database's path relative to the space's folder.
pub(super) const FILE: &str = "memories/active.db";

/// Opens a connection that leaves the WAL unchanged, also when it is closed.
pub(crate) fn open_untouched(path: &Path) -> Result<Connection> {
    let log = look_at(&side_file(path, "wal"))?;
    let connection = open_reader(path)?;
    if log.is_some_and(|log| log.length > 0) {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    }
    Ok(connection)
}

/// A consistent snapshot of the database, unaffected by concurrent writes.
pub(super) struct Database {
    connection: Connection,
    names: Names,
    end: (Seq, Digest),
    /// The database to check for memories erased in the meantime.
    live: PathBuf,
    erased_meanwhile: OnceCell<HashSet<MemoryId>>,
}

impl Database {
    /// Opens it; `None` and a finding if it can't be read.
    pub(super) fn open(copies: Copies<'_>, findings: &mut Findings) -> Result<Option<Self>> {
        let path = copies.database;
        if look_at(path)?.is_none() {
            findings.add(Part::Database, FILE, None, "it is missing");
            return Ok(None);
        }
        let open = || -> Result<Option<Self>> {
            let connection = open_untouched(path)?;
            match check_format(&connection, path)? {
                0 => return Ok(None),
                SOURCE_FORMAT => {}
                older => {
                    let reason = format!(
                        "older format {older}; opening the space migrates it to format {SOURCE_FORMAT}"
                    );
                    return Err(StoreError::damaged(path, reason));
                }
            }
            connection.execute_batch("BEGIN")?;
            let end = end_of_log(&connection)?;
            Ok(Some(Self {
                connection,
                names: Names::default(),
                end,
                live: copies.live.to_owned(),
                erased_meanwhile: OnceCell::new(),
            }))
        };
        match open() {
            Ok(Some(database)) => return Ok(Some(database)),
            Ok(None) => findings.add(Part::Database, FILE, None, "it contains no tables"),
            Err(newer @ StoreError::Newer { .. }) => return Err(newer),
            Err(error) if error.keeps_out() => return Err(error),
            Err(error) => findings.add(Part::Database, FILE, None, error.to_string()),
        }
        Ok(None)
    }

    /// The last event, and the chain's hash after it.
    pub(super) fn end(&self) -> (Seq, Digest) {
        self.end
    }

    /// The chain's hash after an event; `None` if the event is missing.
    pub(super) fn hash_at(&self, seq: Seq) -> Option<Digest> {
        log::hash_at(&self.connection, seq).ok().flatten()
    }

    /// Whether the outbox holds the lines of all events after `seq`.
    pub(super) fn outbox_holds(&self, seq: Seq) -> bool {
        let waiting = self.connection.query_row(
            "SELECT count(*) FROM outbox WHERE seq > ?1 AND seq <= ?2",
            [seq.0 as i64, self.end.0.0 as i64],
            |row| row.get::<_, i64>(0),
        );
        waiting.is_ok_and(|waiting| waiting as u64 == self.end.0.0 - seq.0)
    }

    /// Whether the memory has been erased since the snapshot, so that the journal may be newer than the examined data.
    fn is_erased_meanwhile(&self, id: MemoryId) -> bool {
        let read = || -> Result<HashSet<MemoryId>> {
            let live = open_untouched(&self.live)?;
            let mut statement = live.prepare("SELECT id FROM memories WHERE erased")?;
            let ids = statement.query_map([], |row| Ok(MemoryId::from_bytes(row.get(0)?)))?;
            Ok(ids.collect::<Result<_, _>>()?)
        };
        self.erased_meanwhile
            .get_or_init(|| read().unwrap_or_default())
            .contains(&id)
    }

    /// Runs all checks; returns the number of memory rows. Fails if a lock or a missing permission prevents it.
    pub(super) fn examine(&self, journal: &Reading, findings: &mut Findings) -> Result<u64> {
        type Step = fn(&Database, &Reading, &mut Findings) -> Result<()>;
        let steps: [Step; 4] = [
            Self::examine_pages,
            Self::examine_events,
            Self::examine_rows,
            Self::examine_links,
        ];
        for step in steps {
            match step(self, journal, findings) {
                Err(error) if error.keeps_out() => return Err(error),
                Err(error) => findings.add(Part::Database, FILE, None, error.to_string()),
                Ok(()) => {}
            }
        }
        let count = "SELECT count(*) FROM memories";
        let counted = self
            .connection
            .query_row(count, [], |row| row.get::<_, i64>(0));
        Ok(counted.map_or(0, |rows| rows as u64))
    }

    fn examine_pages(&self, _: &Reading, findings: &mut Findings) -> Result<()> {
        for finding in integrity(&self.connection)? {
            findings.add(Part::Database, FILE, None, finding);
        }
        let mut statement = self.connection.prepare("PRAGMA foreign_key_check")?;
        let broken = statement.query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(2)?))
        })?;
        for broken in broken {
            let (table, parent) = broken?;
            let problem = format!("a row of {table} references a missing row of {parent}");
            findings.add(Part::Database, FILE, None, problem);
        }
        Ok(())
    }

    /// Verifies the chain of the events, and the digest of every state that the database still holds.
    fn examine_events(&self, journal: &Reading, findings: &mut Findings) -> Result<()> {
        let sql = EVENTS.replace(" JOIN memories", " LEFT JOIN memories");
        let mut statement = self
            .connection
            .prepare(&format!("{sql} ORDER BY events.seq"))?;
        let mut rows = statement.query([])?;
        let (mut seq, mut hashes) = (0, vec![Digest::default()]);
        while let Some(row) = rows.next()? {
            seq += 1;
            let event = Some(Seq(seq));
            let stated: i64 = row.get(0)?;
            if stated as u64 != seq {
                let problem = format!("event {stated} follows event {}", seq - 1);
                findings.add(Part::Database, FILE, event, problem);
                seq = stated as u64;
            }
            let (line, numbered) = match bare_line_of(row).and_then(|line| Ok((line, row.get(8)?)))
            {
                Ok(read) => read,
                Err(error) => {
                    findings.add(Part::Database, FILE, event, error.to_string());
                    hashes.extend(row.get(7).map(Digest));
                    continue;
                }
            };
            let due: Vec<_> = hashes
                .iter()
                .map(|&previous| line.expected_hash(previous))
                .collect();
            if due.contains(&line.hash) {
                hashes = vec![line.hash];
            } else {
                let problem = "broken hash chain";
                findings.add(Part::Database, FILE, Some(line.seq), problem);
                hashes = due.into_iter().chain([line.hash]).collect();
            }
            if let Some(problem) = self.examine_state(&line, Row(numbered), journal)? {
                findings.add(Part::Database, FILE, Some(line.seq), problem);
            }
        }
        Ok(())
    }

    /// Why the state stored for an event is not what was written; `None` if it is.
    fn examine_state(&self, line: &Line, row: Row, journal: &Reading) -> Result<Option<String>> {
        let stored = match read::by_row(self.names.of(&self.connection), row) {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(Some(format!("the memory m{row} is missing"))),
            Err(error) => return unreadable_state(row, error),
        };
        if stored.erased && line.kind != EventKind::Erased {
            return Ok(None);
        }
        let payload = match payload_of(&self.connection, &line.event(), &stored) {
            Ok(payload) => payload,
            Err(error) => return unreadable_state(row, error),
        };
        // Of links and shares that ended, the database has no payload.
        let is_link = !line.kind.changes_state();
        Ok(match payload {
            Some(payload) if Digest::of(payload.get().as_bytes()) != line.payload_hash => {
                Some(format!("digest mismatch for m{row}"))
            }
            None if !is_link && journal.holds_payload(line.seq) => {
                Some(format!("the version of m{row} is missing"))
            }
            _ => None,
        })
    }

    /// Compares every row with a replay of the journal.
    fn examine_rows(&self, journal: &Reading, findings: &mut Findings) -> Result<()> {
        let mut due: Option<HashMap<MemoryId, _>> =
            journal.fold.as_ref().map(|fold| fold.memories.clone());
        let mut statement = self.connection.prepare(
            "SELECT row, id, seq, erased, deleted_at IS NOT NULL, iif(tier = 0, content, colder(tier, row, 0)), hash \
             FROM memories ORDER BY row",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let number: u32 = row.get(0)?;
            let seq = Seq(row.get::<_, i64>(2)? as u64);
            let status = match (row.get(3)?, row.get(4)?) {
                (true, _) => MemoryStatus::Erased,
                (false, true) => MemoryStatus::Forgotten,
                (false, false) => MemoryStatus::Live,
            };
            let content = row.get::<_, Packed<'static>>(5);
            let hash: [u8; 16] = row.get(6)?;
            if status != MemoryStatus::Erased
                && content.is_ok_and(|content| content_hash(&content.0) != hash)
            {
                let problem = format!("content hash mismatch for m{number}");
                findings.add(Part::Database, FILE, Some(seq), problem);
            }
            let Some(due) = &mut due else { continue };
            let id = MemoryId::from_bytes(row.get(1)?);
            let problem = match due.remove(&id) {
                Some((MemoryStatus::Erased, _))
                    if status != MemoryStatus::Erased && self.is_erased_meanwhile(id) =>
                {
                    continue;
                }
                None => format!("m{number} is not in the journal"),
                Some((expected, at)) if (expected, at) != (status, seq) => format!(
                    "m{number} is {} since event {seq}, but {} in the journal since event {at}",
                    status.word(),
                    expected.word()
                ),
                Some(_) => continue,
            };
            findings.add(Part::Database, FILE, Some(seq), problem);
        }
        let mut missing: Vec<_> = due.into_iter().flatten().collect();
        missing.sort_by_key(|(_, (_, seq))| *seq);
        for (id, (_, seq)) in missing {
            let problem = format!("the memory {id} is missing");
            findings.add(Part::Database, FILE, Some(seq), problem);
        }
        Ok(())
    }

    fn examine_links(&self, journal: &Reading, findings: &mut Findings) -> Result<()> {
        let Some(fold) = &journal.fold else {
            return Ok(());
        };
        let there: BTreeSet<(MemoryId, MemoryId, LinkType)> =
            link::all_unverified(&self.connection)?
                .into_iter()
                .map(|link| (link.from, link.to, link.link_type))
                .collect();
        for (links, problem) in [
            (fold.links.difference(&there), "is missing"),
            (there.difference(&fold.links), "is not in the journal"),
        ] {
            for (from, to, link_type) in links {
                if self.is_erased_meanwhile(*from) || self.is_erased_meanwhile(*to) {
                    continue;
                }
                let problem = format!("the link {from} {link_type} {to} {problem}");
                findings.add(Part::Database, FILE, None, problem);
            }
        }
        Ok(())
    }
}

/// An unreadable state is a finding, unless the cause is a lock or a missing permission.
fn unreadable_state(row: Row, error: StoreError) -> Result<Option<String>> {
    if error.keeps_out() {
        return Err(error);
    }
    Ok(Some(format!("unreadable version of m{row}: {error}")))
}
