//! Import into a space of a server.

use std::io::{BufReader, Cursor, Read, stdin};

use anamne::{Error, ImportOptions, ImportReport, LineOutcome};
use anamne_client::{ClientError, RemoteSpace};

use super::progress::Progress;
use super::source::{Source, stopped, unreadable};
use super::total::{SHOWN_BAD_LINES, Total, refused_line, sum};
use super::{Import, binary};
use crate::failure::Failure;
use crate::place::Place;
use crate::reached::{self, SendFailure};
use crate::wording::named;

impl Import {
    /// Refuses what only a store of this machine imports.
    pub(super) fn check_place(&self, place: &Place) -> Result<(), Failure> {
        if place.server().is_none() || (self.from.is_none() && self.into.is_none()) {
            return Ok(());
        }
        Err(not_lines().hint("leave out --from and --into, or import where the server runs"))
    }
}

fn not_lines() -> Failure {
    Failure::refused("server", "a server takes files of JSON lines only")
}

impl Source {
    /// Sends the lines to a server, and returns what it reports. Meanwhile it shows how far the server is, and the first
    /// refused lines if `watching` says so.
    pub(super) fn send(
        self,
        file: &str,
        space: &RemoteSpace,
        options: ImportOptions,
        watching: &mut Watching<'_>,
    ) -> Result<ImportReport, Failure> {
        let lines: Box<dyn Read + Send> = match self {
            Self::StandardInput(beginning) => {
                Box::new(Cursor::new(beginning).chain(BufReader::new(stdin())))
            }
            Self::Lines(opened) => Box::new(opened),
            Self::Binary(_) => return Err(binary::not_alone(file)),
            Self::Notes(_) => {
                let hint =
                    "import the notes where the server runs, or `anamne export` a store of them";
                return Err(not_lines().hint(hint));
            }
        };
        let sent = reached::send(space, lines, options, &mut |outcome, sent| {
            watching.reach(file, outcome, sent);
        });
        sent.map_err(|failure| watching.failure(file, failure))
    }
}

/// How far a server is with a file.
pub(super) struct Watching<'a> {
    pub(super) progress: &'a Progress,
    pub(super) before: &'a Total,
    /// Whether refused lines are shown as they come.
    pub(super) shows_refused: bool,
    /// The refused lines that were shown.
    pub(super) shown: Vec<u64>,
    reached: ImportReport,
}

impl<'a> Watching<'a> {
    pub(super) fn new(progress: &'a Progress, before: &'a Total, shows_refused: bool) -> Self {
        Self {
            progress,
            before,
            shows_refused,
            shown: Vec::new(),
            reached: ImportReport::default(),
        }
    }

    fn reach(&mut self, file: &str, outcome: &LineOutcome, sent: u64) {
        let reached = &mut self.reached;
        reached.lines = reached.lines.max(outcome.line);
        reached.bytes = sent;
        match (&outcome.problem, &outcome.id) {
            (Some(reason), _) => self.refuse(file, outcome.line, reason),
            (None, Some(_)) if outcome.known => reached.known += 1,
            (None, Some(_)) => reached.imported += 1,
            (None, None) => {}
        }
        self.progress.reading(self.before, &self.reached);
    }

    fn refuse(&mut self, file: &str, line: u64, reason: &str) {
        if self.shows_refused && self.before.bad.len() + self.shown.len() < SHOWN_BAD_LINES {
            self.shown.push(line);
            self.progress.above(&refused_line(file, line, reason));
        }
    }

    /// The failure that ended the import of a file.
    fn failure(&self, file: &str, failure: SendFailure) -> Failure {
        match failure {
            SendFailure::Client(error) => match stopped_at(&error) {
                Some(bad_line) => stopped(file, bad_line, self.before, &ImportReport::default()),
                None => Failure::from(error).taken(sum(self.before, &self.reached)),
            },
            SendFailure::Lines(error) => {
                unreadable(file, &error).taken(sum(self.before, &self.reached))
            }
            SendFailure::CutOff(reason) => {
                let name = if file == "-" { "standard input" } else { file };
                let message = format!(
                    "the server's answer on {} ended after line {}: {reason}",
                    named(name),
                    self.reached.lines
                );
                Failure::failed(message)
                    .hint("run the import again: what was stored counts as known")
                    .taken(sum(self.before, &self.reached))
            }
        }
    }
}

/// The error that the same line would be on this machine.
fn stopped_at(error: &ClientError) -> Option<Error> {
    let problem = error.problem()?;
    let stopped = problem.stopped.as_ref()?;
    Some(Error::BadLine {
        line: stopped.line,
        reason: stopped.reason.clone(),
        stored: stopped.stored,
        next_step: problem.next_step,
        taken: Box::new(ImportReport {
            imported: stopped.imported,
            known: stopped.known,
            links: stopped.links,
            ..ImportReport::default()
        }),
    })
}
