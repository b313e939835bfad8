//! Writing memories out: JSON lines, Markdown notes, a training corpus.

mod corpus;
mod file_names;
mod lines;
mod notes;

use std::collections::HashMap;

use anamne_types::{Link, LinkType, Memory, MemoryId, Skipped};
use jiff::Timestamp;
use serde::Serialize;

use crate::Error;
use crate::space::Space;

pub use corpus::CorpusReport;
pub(crate) use corpus::corpus;
pub(crate) use lines::lines;
pub(crate) use notes::notes;

/// How many memories are read at a time.
const PAGE: usize = 1_000;

/// What an export came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Memories that were written.
    pub exported: u64,
    /// Memories, by their ids, and links, by their ends, that are damaged in both copies and are missing in the export.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

/// A link as it stands with the memory from which it starts.
#[derive(Serialize)]
struct ExportedLink<'a> {
    /// The outside id of its end where that has one, else its id: what an import finds it by.
    to: String,
    #[serde(rename = "type")]
    link_type: LinkType,
    weight: f32,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    created_at: Timestamp,
    /// The note of its end, in an export of notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

/// The links between memories that are exported, by where they start.
struct Links {
    by_start: HashMap<MemoryId, Vec<Link>>,
    /// What the end of a link is called, where it has an outside id.
    outside_ids: HashMap<MemoryId, String>,
}

impl Links {
    /// The links of `space` whose ends are both among `exported`.
    fn among(space: &Space, exported: &[MemoryId], passed: &mut Skipped) -> Result<Self, Error> {
        let exported: std::collections::HashSet<_> = exported.iter().collect();
        let mut by_start: HashMap<MemoryId, Vec<Link>> = HashMap::new();
        let mut ends = Vec::new();
        let (links, damaged) = space.source().links_apart()?;
        for (link, error) in damaged {
            if exported.contains(&link.from) && exported.contains(&link.to) {
                passed.add(named_ends(&link), &error, error.next_step());
            }
        }
        for link in links {
            if exported.contains(&link.from) && exported.contains(&link.to) {
                ends.push(link.to);
                by_start.entry(link.from).or_default().push(link);
            }
        }
        ends.sort_unstable();
        ends.dedup();
        let mut outside_ids = HashMap::new();
        for page in ends.chunks(PAGE) {
            // Those that are skipped are named when it is their turn to be written.
            let ends = space
                .source()
                .get_sound(page, &mut Skipped::default())?
                .into_iter();
            outside_ids.extend(ends.filter_map(|end| Some((end.id, end.external_id?))));
        }
        Ok(Self {
            by_start,
            outside_ids,
        })
    }

    fn of(&self, memory: &Memory) -> &[Link] {
        self.by_start.get(&memory.id).map_or(&[], Vec::as_slice)
    }

    fn exported<'a>(&'a self, link: &'a Link, note: Option<&'a str>) -> ExportedLink<'a> {
        let outside = self.outside_ids.get(&link.to).cloned();
        ExportedLink {
            to: outside.unwrap_or_else(|| link.to.to_string()),
            link_type: link.link_type,
            weight: link.weight,
            reason: &link.reason,
            created_at: link.created_at,
            note,
        }
    }
}

/// What names a link: its start, its type and its end.
pub(crate) fn named_ends(link: &Link) -> String {
    format!("{} {} {}", link.from, link.link_type, link.to)
}

fn failed(source: std::io::Error) -> Error {
    Error::Stream {
        action: "write the export",
        source,
    }
}
