//! The offer to import the conversations that a host recorded before.

use std::fmt::Write;

use anamne_hosts::{Host, SetupScope};
use anamne_ingest::transcripts::{self, TranscriptFormat};
use jiff::Timestamp;
use serde::Serialize;

use super::{Setup, Work};
use crate::failure::Failure;
use crate::output::{Output, RED, YELLOW, counted, is_confirmed};
use crate::place::Place;
use crate::transcripts::{TranscriptImport, TranscriptReport};

/// The conversations of a host on this machine, and what became of them.
#[derive(Debug, Serialize)]
pub(super) struct EarlierConversations {
    #[serde(skip)]
    format: TranscriptFormat,
    conversations: u64,
    /// When the one that was left alone longest was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<Timestamp>,
    /// After how many days the host deletes one, unless told otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_after_days: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported: Option<TranscriptReport>,
    /// Why they weren't imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl EarlierConversations {
    /// Those of a host; `None` if there are none, or its format isn't known.
    fn of(host: &Host, work: &Work<'_>) -> Option<Self> {
        let format = host.transcripts?;
        let (found, _) = transcripts::find(format, &work.machine);
        let oldest = found.first()?.modified;
        Some(Self {
            format,
            conversations: found.len() as u64,
            oldest,
            deleted_after_days: host.transcript_days,
            imported: None,
            problem: None,
        })
    }

    pub(super) fn has_failed(&self) -> bool {
        self.problem.is_some()
    }

    /// `Claude Code has 214 earlier conversations here, the oldest from 3 weeks ago. It deletes them after 30 days.`
    fn sentence(&self, host: &Host, output: &Output) -> String {
        let count = counted(self.conversations, "earlier conversation");
        let mut sentence = format!("{} has {count} on this machine", host.name);
        if let Some(oldest) = self.oldest {
            let which = match self.conversations {
                1 => "from",
                _ => "the oldest from",
            };
            let age = output.dates.relative(oldest);
            let _ = write!(sentence, ", {which} {age}");
        }
        sentence.push('.');
        if let Some(days) = self.deleted_after_days {
            let _ = write!(
                sentence,
                " It deletes them after {days} days, unless you told it otherwise."
            );
        }
        sentence
    }
}

impl Setup {
    /// Shows the earlier conversations of a host, and imports them if the person wants that.
    pub(super) fn offer_earlier(
        &self,
        host: &Host,
        is_changed: bool,
        work: &Work<'_>,
        output: &mut Output,
    ) -> Result<Option<EarlierConversations>, Failure> {
        // A server takes no transcripts.
        if self.no_import || work.place.server().is_some() {
            return Ok(None);
        }
        let Some(mut earlier) = EarlierConversations::of(host, work) else {
            return Ok(None);
        };
        if !output.is_json() {
            output.entry(YELLOW, "import", &earlier.sentence(host, output))?;
            output.flush()?;
        }
        if self.import || self.asks_for_import(is_changed, work, output)? {
            earlier.import(work, output)?;
        } else if !output.is_json() {
            let command = format!("anamne import --from {}", earlier.format);
            output.note(format_args!("to import them: {command}"));
        }
        Ok(Some(earlier))
    }

    /// Asks once, when the host is connected; later runs and scripts are told the command only.
    fn asks_for_import(
        &self,
        is_changed: bool,
        work: &Work<'_>,
        output: &Output,
    ) -> Result<bool, Failure> {
        let is_asked = is_changed && !self.yes && !output.is_json();
        if !is_asked || work.scope != SetupScope::Person {
            return Ok(false);
        }
        is_confirmed("Import them now? Nothing leaves this machine. [y/N]")
    }
}

impl EarlierConversations {
    /// What `anamne import --from` does. A problem is noted: the next host is set up in any case.
    fn import(&mut self, work: &Work<'_>, output: &mut Output) -> Result<(), Failure> {
        let import = TranscriptImport {
            format: self.format,
            since: None,
            dry_run: false,
            no_guard: false,
        };
        match import.carry_out(work.place, work.global, output) {
            Ok(report) if output.is_json() => self.imported = Some(report),
            Ok(report) => report.print(import.dry_run, output)?,
            Err(failure) => {
                let problem = failure.into_message()?;
                if !output.is_json() {
                    output.entry(RED, "failed", &format!("the import: {problem}"))?;
                }
                self.problem = Some(problem);
            }
        }
        Ok(())
    }
}

/// Refuses an import where the memory is on a server.
pub(super) fn check_place(place: &Place) -> Result<(), Failure> {
    place.refuse_server(
        "it takes no conversations that hosts recorded",
        "leave out --import, or choose a store of this machine with --store DIR",
    )
}
