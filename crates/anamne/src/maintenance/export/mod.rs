//! Exports: JSON lines, Markdown notes, training corpus, export files.

mod binary;
mod corpus;
mod file_names;
mod lines;
mod notes;
mod selection;

use std::collections::HashMap;

use anamne_types::{Link, LinkType, Memory, MemoryId, Skipped};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::space::Space;

pub use binary::{BinaryExport, MembersWithoutHome};
pub use corpus::CorpusReport;
pub(crate) use corpus::corpus;
pub(crate) use lines::lines;
pub(crate) use notes::notes;
pub use selection::ExportSelection;

/// Memories read per batch.
const PAGE: usize = 1_000;

/// The result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportReport {
    /// Memories that were written.
    pub exported: u64,
    /// Facts that were left out because people told them about personal entities.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub personal: u64,
    /// Records of experience that were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub experience: u64,
    /// Memories (by id) and links (by ends) missing in the export because they are damaged in both copies.
    #[serde(default, skip_serializing_if = "Skipped::is_empty")]
    pub skipped: Skipped,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// An exported link, stored with its start.
#[derive(Serialize)]
struct ExportedLink<'a> {
    /// The external id of its end, else its id; imports find it by this.
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

/// The links between exported memories, by start.
struct Links {
    by_start: HashMap<MemoryId, Vec<Link>>,
    /// The external id of a link's end, if any.
    outside_ids: HashMap<MemoryId, String>,
}

impl Links {
    /// The links of `space` whose ends are both among `exported`.
    fn among(space: &Space, exported: &[MemoryId], passed: &mut Skipped) -> Result<Self, Error> {
        let exported: std::collections::HashSet<_> = exported.iter().collect();
        let mut by_start: HashMap<MemoryId, Vec<Link>> = HashMap::new();
        let mut ends = Vec::new();
        let (links, damaged) = space.source().links_with_damage()?;
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
            // Skipped ones are reported when they would be written.
            let ends = space
                .source()
                .get_undamaged(page, &mut Skipped::default())?
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

/// The name of a link: start, type and end.
pub(crate) fn named_ends(link: &Link) -> String {
    format!("{} {} {}", link.from, link.link_type, link.to)
}

fn failed(source: std::io::Error) -> Error {
    Error::Stream {
        action: "write the export",
        source,
    }
}
