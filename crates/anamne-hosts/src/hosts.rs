//! The table of hosts.

use anamne_ingest::transcripts::TranscriptFormat;

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
}

/// All hosts, by id.
pub fn hosts() -> &'static [Host] {
    &[]
}

/// The host with this id.
pub fn host(id: &str) -> Option<&'static Host> {
    hosts().iter().find(|host| host.id == id)
}
