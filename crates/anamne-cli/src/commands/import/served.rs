//! Import into a space of a server.

use std::io::{BufReader, Cursor, Read, stdin};

use anamne::{Error, ImportOptions, ImportReport};
use anamne_client::{ClientError, RemoteSpace};

use super::progress::Progress;
use super::{Import, Source, Total, binary, stopped};
use crate::failure::Failure;
use crate::place::Place;
use crate::reached;

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
    /// Sends the lines to a server, and returns what it reports.
    pub(super) fn send(
        self,
        file: &str,
        space: &RemoteSpace,
        options: ImportOptions,
        progress: &Progress,
        before: &Total,
    ) -> Result<ImportReport, Failure> {
        let lines: Box<dyn Read> = match self {
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
        let mut lines = Watched {
            lines,
            sent: ImportReport::default(),
            progress,
            before,
        };
        let sent = reached::send(space, &mut lines, options);
        sent.map_err(|error| match stopped_at(&error) {
            Some(bad_line) => stopped(file, bad_line, before, &ImportReport::default()),
            None => error.into(),
        })
    }
}

/// The error that the same line would be on this machine.
fn stopped_at(error: &ClientError) -> Option<Error> {
    let problem = error.problem()?;
    let stopped = problem.stopped.as_ref()?;
    Some(Error::BadLine {
        line: stopped.line,
        reason: stopped.reason.clone(),
        next_step: problem.next_step,
        taken: Box::new(ImportReport {
            imported: stopped.imported,
            known: stopped.known,
            links: stopped.links,
            ..ImportReport::default()
        }),
    })
}

/// Lines whose bytes are counted as they are sent.
struct Watched<'a> {
    lines: Box<dyn Read>,
    sent: ImportReport,
    progress: &'a Progress,
    before: &'a Total,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.lines.read(buffer)?;
        self.sent.bytes += read as u64;
        self.progress.reading(self.before, &self.sent);
        Ok(read)
    }
}
