//! The table of hosts.

use std::sync::LazyLock;

use anamne_ingest::transcripts::TranscriptFormat;

use crate::adapters::{Entry, entries};

/// A host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its id on the command line, such as `claude-code`.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The version that its entry was checked against; empty if it wasn't.
    pub checked: &'static str,
    /// The format of its transcripts, if they can be imported.
    pub transcripts: Option<TranscriptFormat>,
    /// After how many days the host deletes a transcript, unless a person told it otherwise; `None` if it keeps them, or
    /// that isn't known.
    pub transcript_days: Option<u32>,
}

static HOSTS: LazyLock<Vec<Host>> = LazyLock::new(|| entries().iter().map(Host::of).collect());

impl Host {
    fn of(entry: &'static Entry) -> Self {
        let named =
            |format: &TranscriptFormat| Some(format.as_str()) == entry.transcripts.as_deref();
        Self {
            id: &entry.id,
            name: &entry.name,
            checked: &entry.checked,
            transcripts: TranscriptFormat::ALL.into_iter().find(named),
            transcript_days: entry.transcript_days,
        }
    }
}

/// All hosts, by id. The first call reads the table, which takes less than a millisecond.
pub fn hosts() -> &'static [Host] {
    &HOSTS
}

/// The host with this id.
pub fn host(id: &str) -> Option<&'static Host> {
    hosts().iter().find(|host| host.id == id)
}
