//! Memories as JSON lines.

use std::io::Write;

use anamne_types::{Memory, Skipped};
use serde::Serialize;

use super::selection::selected;
use super::{ExportReport, ExportSelection, ExportedLink, Links, PAGE, failed};
use crate::Error;
use crate::space::Space;

/// One exported line: the memory with its outgoing links.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    memory: &'a Memory,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<ExportedLink<'a>>,
}

/// Writes memories, oldest first, one JSON object per line.
pub(crate) fn lines(
    space: &Space,
    mut writer: impl Write,
    selection: ExportSelection,
) -> Result<ExportReport, Error> {
    let chosen = selected(space, selection)?;
    let mut skipped = Skipped::default();
    let links = Links::among(space, &chosen.ids, &mut skipped)?;
    let mut exported = 0;
    for page in chosen.ids.chunks(PAGE) {
        for memory in &space.source().get_undamaged(page, &mut skipped)? {
            let started = links.of(memory).iter();
            let line = Line {
                memory,
                links: started.map(|link| links.exported(link, None)).collect(),
            };
            serde_json::to_writer(&mut writer, &line).map_err(|error| failed(error.into()))?;
            writer.write_all(b"\n").map_err(failed)?;
            exported += 1;
        }
    }
    writer.flush().map_err(failed)?;
    Ok(ExportReport {
        exported,
        personal: chosen.personal,
        experience: chosen.experience,
        skipped,
    })
}
