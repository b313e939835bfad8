//! Verifies a space without changing anything.

mod database;
mod fold;
mod journal;

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use anamne_types::{NextStep, Seq};
use serde::{Deserialize, Serialize};

use crate::backup::{KnownBackups, Manifest};
use crate::config::SpaceConfig;
use crate::journal::{Digest, Journal};
use crate::special_files::refuse_special_files;
use crate::{Result, StoreError};

pub(crate) use database::open_untouched;

/// Maximum number of listed findings of one kind; the rest is only counted.
const MOST_FINDINGS: usize = 100;

/// Maximum number of attempts while others write to the space; the findings of the last one count.
const ROUNDS: usize = 4;

/// The damaged part of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// `space.toml` and `backups.toml`.
    Settings,
    /// The journal.
    Journal,
    /// The database.
    Database,
    /// A view.
    View,
    /// A backup's manifest.
    Backup,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    /// What is damaged.
    pub part: Part,
    /// The file, relative to the space's folder.
    pub file: String,
    /// The event at which, or from which on, it is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Seq>,
    /// What is wrong with it.
    pub problem: String,
}

impl Finding {
    /// A finding in a file, at an event if known.
    pub fn new(
        part: Part,
        file: impl Into<String>,
        event: Option<Seq>,
        problem: impl Into<String>,
    ) -> Self {
        Self {
            part,
            file: file.into(),
            event,
            problem: problem.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.file)?;
        if let Some(event) = self.event {
            write!(formatter, ", event {event}")?;
        }
        write!(formatter, ": {}", self.problem)
    }
}

/// The result of examining a space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Examination {
    /// The last event of the log.
    pub last_seq: Seq,
    /// Verified journal events.
    pub events: u64,
    /// Those whose payload was erased.
    pub erased: u64,
    /// Segments of the journal.
    pub segments: usize,
    /// Memory rows in the database.
    pub rows: u64,
    /// Notes that are not damage.
    pub notes: Vec<String>,
    /// Next steps for the notes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<NextStep>,
    /// Findings; empty if none.
    pub findings: Vec<Finding>,
}

/// The files of a space that are examined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copies<'space> {
    pub(crate) database: &'space Path,
    pub(crate) journal: &'space Path,
    /// The database that the journal belongs to; differs from `database` if that is a copy.
    pub(crate) live: &'space Path,
}

/// The findings so far.
struct Findings {
    list: Vec<Finding>,
    unlisted: [usize; 2],
}

impl Findings {
    fn add(&mut self, part: Part, file: &str, event: Option<Seq>, problem: impl Into<String>) {
        let listed = self.list.iter().filter(|known| known.part == part).count();
        if listed < MOST_FINDINGS {
            self.list.push(Finding::new(part, file, event, problem));
        } else {
            self.unlisted[usize::from(part == Part::Database)] += 1;
        }
    }

    fn any(&self, part: Part) -> bool {
        self.list.iter().any(|finding| finding.part == part)
    }

    fn finish(mut self) -> Vec<Finding> {
        for (part, file, more) in [
            (Part::Journal, "journal", self.unlisted[0]),
            (Part::Database, database::FILE, self.unlisted[1]),
        ] {
            if more > 0 {
                let problem = format!("{more} more findings of this kind");
                self.list.push(Finding::new(part, file, None, problem));
            }
        }
        self.list
    }
}

/// Examines settings, journal and database of the space in `folder`, and the manifest if it is a backup.
///
/// Changes, repairs and waits for nothing; other processes may write meanwhile. Damage is returned as a finding. The
/// errors are: a file of a newer version, an unreadable folder, and a database that can't be read because of a lock or
/// a missing permission. O(bytes of both copies), with a few dozen bytes of memory per event.
pub fn examine(folder: &Path) -> Result<Examination> {
    refuse_special_files(folder)?;
    let (database, journal) = (folder.join(database::FILE), folder.join("journal"));
    let copies = Copies {
        database: &database,
        journal: &journal,
        live: &database,
    };
    let mut found = examine_settled(copies)?;
    found.findings.splice(0..0, examine_settings(folder)?);
    match Manifest::read(folder) {
        Ok(Some(manifest)) => manifest.compare(folder, &mut found),
        Ok(None) => {}
        Err(StoreError::Damaged { reason, .. }) => {
            let finding = Finding::new(Part::Backup, "backup.json", None, reason);
            found.findings.push(finding);
        }
        Err(error) => return Err(error),
    }
    Ok(found)
}

/// Examines both copies; repeats if others wrote meanwhile, so that unfinished writes are not reported.
pub(crate) fn examine_settled(copies: Copies<'_>) -> Result<Examination> {
    let mut round = 0;
    loop {
        let found = examine_once(copies)?;
        round += 1;
        if found.findings.is_empty() || round == ROUNDS || end_of(copies) == Some(found.last_seq) {
            return Ok(found);
        }
    }
}

/// The last event of both copies; `None` if they can't be read or disagree.
fn end_of(copies: Copies<'_>) -> Option<Seq> {
    let database = open_untouched(copies.database).ok()?;
    let (end, _) = crate::source::end_of_log(&database).ok()?;
    let (journaled, _) = Journal::at(copies.journal).end().ok()?;
    (end == journaled).then_some(end)
}

fn examine_once(copies: Copies<'_>) -> Result<Examination> {
    let mut findings = Findings {
        list: Vec::new(),
        unlisted: [0; 2],
    };
    // The journal's end first: everything in it was committed to the database before.
    let journaled = match Journal::at(copies.journal).end() {
        Err(newer @ StoreError::Newer { .. }) => return Err(newer),
        // The full read below reports what is wrong, and where.
        journaled => journaled.ok().map(|(seq, _)| seq),
    };
    let journaled = journaled.filter(|_| copies.live == copies.database);
    let mut database = database::Database::open(copies, &mut findings)?;
    let end = database.as_ref().map(database::Database::end);
    let journal = journal::read(copies.journal, end.map(|(seq, _)| seq), &mut findings)?;
    let mut notes = Vec::new();
    let mut rows = 0;
    if let Some(database) = &mut database {
        compare_ends(database, journaled, &journal, &mut findings, &mut notes);
        rows = database.examine(&journal, &mut findings)?;
    }
    Ok(Examination {
        last_seq: end.map_or(journal.last.0, |(seq, _)| seq),
        events: journal.events,
        erased: journal.erased,
        segments: journal.segments,
        rows,
        notes,
        next_steps: Vec::new(),
        findings: findings.finish(),
    })
}

/// Checks that both copies end at the same event with the same hash, apart from lines still in the outbox.
fn compare_ends(
    database: &database::Database,
    journaled: Option<Seq>,
    journal: &journal::Reading,
    findings: &mut Findings,
    notes: &mut Vec<String>,
) {
    let (end, _) = database.end();
    if let Some(journaled) = journaled
        && journaled > end
    {
        let problem = format!("it ends at event {end}, the journal at event {journaled}");
        findings.add(Part::Database, database::FILE, Some(end), problem);
    }
    let (last, chain) = journal.last;
    let differs = |chain: Digest| database.hash_at(last) != Some(chain);
    if chain.is_some_and(differs) && last <= end {
        let problem = "its chain differs from the database's";
        findings.add(Part::Journal, "journal", Some(last), problem);
    } else if last < end && database.outbox_holds(last) {
        let count = end.0 - last.0;
        notes.push(format!(
            "{count} events in the database are not in the journal yet; the next writer appends them"
        ));
    } else if last < end && !findings.any(Part::Journal) {
        let problem = format!("it ends at event {last}, the database at event {end}");
        findings.add(Part::Journal, "journal", Some(last), problem);
    }
}

/// Problems of `space.toml`, which must exist, and `backups.toml`, which may be missing.
fn examine_settings(folder: &Path) -> Result<Vec<Finding>> {
    let space = match SpaceConfig::read(&folder.join("space.toml")) {
        Ok(None) => Some("it is missing".to_owned()),
        read => unreadable(read)?,
    };
    let backups = unreadable(KnownBackups::read(folder))?;
    let found = [("space.toml", space), ("backups.toml", backups)];
    Ok(found
        .into_iter()
        .filter_map(|(file, problem)| Some(Finding::new(Part::Settings, file, None, problem?)))
        .collect())
}

/// Why a file is unreadable; `None` if it is not.
fn unreadable<T>(read: Result<T>) -> Result<Option<String>> {
    match read {
        Ok(_) => Ok(None),
        Err(StoreError::Damaged { reason, .. }) => Ok(Some(reason)),
        // Not valid UTF-8.
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::InvalidData => {
            Ok(Some(source.to_string()))
        }
        Err(error) => Err(error),
    }
}
