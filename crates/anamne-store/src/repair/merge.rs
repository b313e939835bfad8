//! Merges the events of both copies, each verified, with the payload from whichever copy verifies.

use std::collections::{BTreeSet, HashMap};
use std::iter::Peekable;
use std::path::Path;

use anamne_types::{EventKind, Link, LinkType, MemoryId, Row, Seq};
use rusqlite::{Connection, OptionalExtension};

use super::kept::KeptPayloads;
use crate::Result;
use crate::examine::open_untouched;
use crate::files::look_at;
use crate::journal::{Digest, Line, Scan};
use crate::restore::{EVENTS, bare_line_of, payload_of};
use crate::source::record::Payload;
use crate::source::{Names, end_of_log, link, read};

/// The key of a link.
pub(super) type LinkKey = (MemoryId, MemoryId, LinkType);

/// An event in the journal, with its line if readable.
type JournalEntry = (Seq, Option<Line>);

fn key(link: &Link) -> LinkKey {
    (link.from, link.to, link.link_type)
}

/// The database as a source of events. Whatever it can't read counts as missing.
pub(super) struct DatabaseEvents {
    connection: Connection,
    names: Names,
    last: Seq,
}

impl DatabaseEvents {
    /// `None` if it is unreadable; an error if it is only inaccessible now.
    fn open(path: &Path) -> Result<Option<Self>> {
        if look_at(path)?.is_none() {
            return Ok(None);
        }
        let open = || -> Result<Self> {
            let connection = open_untouched(path)?;
            Ok(Self {
                last: end_of_log(&connection)?.0,
                connection,
                names: Names::default(),
            })
        };
        match open() {
            Ok(witness) => Ok(Some(witness)),
            Err(error) if error.keeps_out() => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// The stored links.
    pub(super) fn links(&self) -> Option<BTreeSet<LinkKey>> {
        let links = link::all_unverified(&self.connection).ok()?;
        Some(links.iter().map(key).collect())
    }

    /// Whether all events continue the chain.
    fn has_valid_chain(&self) -> bool {
        let sound = || -> Result<bool, rusqlite::Error> {
            let mut statement = self
                .connection
                .prepare(&format!("{EVENTS} ORDER BY events.seq"))?;
            let (mut seq, mut hash) = (0, Digest::default());
            for line in statement.query_map([], bare_line_of)? {
                let line = line?;
                seq += 1;
                if line.seq != Seq(seq) || line.expected_hash(hash) != line.hash {
                    return Ok(false);
                }
                hash = line.hash;
            }
            Ok(true)
        };
        sound().unwrap_or(false)
    }

    /// The event without its payload, and the row of its memory.
    fn event(&self, seq: Seq) -> Option<(Line, Row)> {
        let sql = format!("{EVENTS} WHERE events.seq = ?1");
        let mut statement = self.connection.prepare_cached(&sql).ok()?;
        statement
            .query_row([seq.0 as i64], |row| {
                Ok((bare_line_of(row)?, Row(row.get(8)?)))
            })
            .optional()
            .ok()?
    }

    /// Adds the payload to the line, if the database still holds it and its digest matches.
    fn complete(&self, line: &mut Line) {
        let Some((_, row)) = self.event(line.seq) else {
            return;
        };
        let stored = read::by_row(self.names.of(&self.connection), row);
        let payload = stored.ok().flatten().and_then(|stored| {
            payload_of(&self.connection, &line.event(), &stored)
                .ok()
                .flatten()
        });
        line.payload =
            payload.filter(|payload| Digest::of(payload.get().as_bytes()) == line.payload_hash);
    }

    /// Whether the event's memory was erased on purpose.
    fn is_erased(&self, seq: Seq) -> bool {
        let stored = self
            .event(seq)
            .and_then(|(_, row)| read::by_row(self.names.of(&self.connection), row).ok()?);
        stored.is_some_and(|stored| stored.erased)
    }
}

/// Iterates over the events of both copies, each verified by the chain, with the payload from whichever copy verifies.
pub(super) struct Merge {
    pub(super) database: Option<DatabaseEvents>,
    scan: Peekable<Box<dyn Iterator<Item = JournalEntry>>>,
    /// The last event found in the journal.
    furthest: Seq,
    /// Whether the database wins if the copies differ, because its chain is sound.
    database_leads: bool,
    /// If given, only these links are kept.
    pub(super) links: Option<BTreeSet<LinkKey>>,
    /// What backups hold of the lost versions.
    pub(super) kept: KeptPayloads,
    /// What was taken from backups.
    pub(super) taken: Vec<String>,
    hash: Digest,
    /// The last verified event.
    pub(super) seq: Seq,
    /// What neither copy holds any more.
    pub(super) lost: Vec<String>,
    /// The events whose versions neither copy holds any more, with their hashes.
    pub(super) lost_versions: HashMap<Seq, Digest>,
    /// Whether the payload of a link removal is lost.
    pub(super) lost_unlink: bool,
}

impl Merge {
    pub(super) fn of(database: &Path, journal: &Path) -> Result<Self> {
        let database = DatabaseEvents::open(database)?;
        // A torn line was never acknowledged.
        let places = Scan::of(journal)?
            .filter(|scanned| !scanned.torn)
            .map(|scanned| (scanned.event, scanned.line));
        Ok(Self {
            database_leads: database
                .as_ref()
                .is_some_and(DatabaseEvents::has_valid_chain),
            database,
            scan: (Box::new(places) as Box<dyn Iterator<Item = JournalEntry>>).peekable(),
            furthest: Seq(0),
            links: None,
            kept: KeptPayloads::default(),
            taken: Vec::new(),
            hash: Digest::default(),
            seq: Seq(0),
            lost: Vec::new(),
            lost_versions: HashMap::new(),
            lost_unlink: false,
        })
    }

    /// The journal's line of an event, sound or not.
    fn journaled(&mut self, seq: Seq) -> Option<Line> {
        let mut found = None;
        while let Some((event, line)) = self.scan.next_if(|(event, _)| *event <= seq) {
            self.furthest = self.furthest.max(event);
            found = line.filter(|line| line.seq == seq).or(found);
        }
        found
    }

    fn merged(&mut self) -> Option<Line> {
        let seq = Seq(self.seq.0 + 1);
        let continues = |line: &Line| line.seq == seq && line.expected_hash(self.hash) == line.hash;
        let written = self
            .database
            .as_ref()
            .and_then(|database| database.event(seq))
            .map(|(line, _)| line)
            .filter(continues);
        let hash = self.hash;
        let journaled = self
            .journaled(seq)
            .filter(|line| line.expected_hash(hash) == line.hash);
        let both_agree =
            written.as_ref().map(|line| line.hash) == journaled.as_ref().map(|line| line.hash);
        let line = match (written, journaled) {
            (Some(written), Some(journaled)) if both_agree || !self.database_leads => {
                drop(written);
                journaled
            }
            (Some(written), _) => written,
            (None, journaled) => return Some(self.with_payload(journaled?, true)),
        };
        Some(self.with_payload(line, both_agree))
    }

    /// Takes the payload from the copy that verifies; records the loss if neither does.
    fn with_payload(&mut self, mut line: Line, of_journal: bool) -> Line {
        let was_emptied = of_journal && line.payload.is_none();
        if line.check_payload().is_err() || !self.may_be_drawn(&line) {
            line.payload = None;
        }
        if line.payload.is_none() && !was_emptied {
            let database = self.database.as_ref();
            if let Some(database) = database {
                database.complete(&mut line);
            }
            let erased = database.is_some_and(|database| database.is_erased(line.seq));
            if line.payload.is_none() && !erased && self.kept.complete(&mut line) {
                self.taken.push(format!(
                    "the payload of event {} ({}) of the memory {} was taken from a backup",
                    line.seq, line.kind, line.memory
                ));
            }
            if line.payload.is_none() && !erased {
                if line.kind.changes_state() {
                    self.lost_versions.insert(line.seq, line.hash);
                }
                self.lost_unlink |= line.kind == EventKind::Unlinked;
                self.lost.push(format!(
                    "the payload of event {} ({}) of the memory {}: missing in both copies",
                    line.seq, line.kind, line.memory
                ));
            }
        }
        (self.seq, self.hash) = (line.seq, line.hash);
        line
    }

    fn may_be_drawn(&self, line: &Line) -> bool {
        let (Some(links), EventKind::Linked, Some(payload)) =
            (&self.links, line.kind, &line.payload)
        else {
            return true;
        };
        serde_json::from_str::<Payload<'_>>(payload.get())
            .ok()
            .and_then(|payload| payload.link)
            .is_some_and(|link| links.contains(&key(&link)))
    }

    /// Number of events after the last verified one, according to either copy.
    pub(super) fn events_behind(&mut self) -> u64 {
        let written = self.database.as_ref().map(|database| database.last);
        let places = self.scan.by_ref().map(|(event, _)| event);
        let last = places.chain(written).fold(self.furthest, Seq::max);
        last.0.saturating_sub(self.seq.0)
    }
}

impl Iterator for &mut Merge {
    type Item = Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        self.merged().map(Ok)
    }
}
