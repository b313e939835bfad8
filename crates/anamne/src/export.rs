//! Writing every memory as JSON lines.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Write;

use anamne_store::{Listing, Order};
use anamne_types::{Link, Memory, MemoryId};
use serde::Serialize;

use crate::Error;
use crate::space::Space;

/// How many memories are read at a time.
const PAGE: usize = 1_000;

/// One exported line: the memory with the links that start at it.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    memory: &'a Memory,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<ExportedLink<'a>>,
}

#[derive(Serialize)]
struct ExportedLink<'a> {
    /// The outside id of its end where that has one, else its id: what an import finds it by.
    to: String,
    #[serde(rename = "type")]
    link_type: anamne_types::LinkType,
    weight: f32,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
}

/// Writes the live memories, oldest first, one JSON object a line; returns how many.
pub(crate) fn export(space: &Space, mut writer: impl Write) -> Result<u64, Error> {
    let failed = |source| Error::Stream {
        action: "write the export",
        source,
    };
    let mut links: HashMap<MemoryId, Vec<Link>> = HashMap::new();
    for link in space.all_links()? {
        links.entry(link.from).or_default().push(link);
    }
    let mut ends = HashMap::new();
    for link in links.values().flatten() {
        if let Entry::Vacant(end) = ends.entry(link.to) {
            let memory = space.get(link.to)?;
            end.insert(memory.external_id.unwrap_or_else(|| memory.id.to_string()));
        }
    }
    let mut exported = 0;
    loop {
        let listing = Listing {
            order: Order::OldestFirst,
            limit: PAGE,
            offset: exported as usize,
            ..Listing::default()
        };
        let page = space.list(&listing)?;
        for memory in &page {
            let started = links.get(&memory.id).map_or(&[][..], Vec::as_slice);
            let line = Line {
                memory,
                links: started
                    .iter()
                    .map(|link| ExportedLink::of(link, &ends))
                    .collect(),
            };
            serde_json::to_writer(&mut writer, &line).map_err(|error| failed(error.into()))?;
            writer.write_all(b"\n").map_err(failed)?;
        }
        exported += page.len() as u64;
        if page.len() < PAGE {
            writer.flush().map_err(failed)?;
            return Ok(exported);
        }
    }
}

impl<'a> ExportedLink<'a> {
    fn of(link: &'a Link, ends: &HashMap<MemoryId, String>) -> Self {
        Self {
            to: ends
                .get(&link.to)
                .cloned()
                .unwrap_or_else(|| link.to.to_string()),
            link_type: link.link_type,
            weight: link.weight,
            reason: &link.reason,
        }
    }
}
