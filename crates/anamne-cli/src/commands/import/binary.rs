//! Imports of export files.

use std::io::{self, Read};
use std::path::Path;

use anamne::{BinaryImport, BinaryImportReport, ImportOptions, ImportedSpace, is_export_file};

use super::Import;
use super::total::Total;
use crate::failure::Failure;
use crate::next_step::worded;
use crate::output::{BOLD, Output, counted, memories, paint};
use crate::place::Place;
use crate::settling;
use crate::wording::{file_name, named};

/// An export file, at its beginning.
pub(super) type ExportFile = Box<dyn Read>;

/// The number of bytes by which an export file is recognised.
const BEGINNING: u64 = 8;

/// Whether a stream begins like an export file, with the bytes that were read of it.
pub(super) fn beginning(stream: impl Read) -> io::Result<(bool, Vec<u8>)> {
    let mut bytes = Vec::new();
    stream.take(BEGINNING).read_to_end(&mut bytes)?;
    Ok((is_export_file(bytes.as_slice())?, bytes))
}

/// An export file among other files.
pub(super) fn not_alone(file: &str) -> Failure {
    Failure::refused(
        "file",
        format!(
            "{} is an export file; import it alone",
            file_name(Path::new(file))
        ),
    )
}

impl Import {
    /// Imports the spaces of an export file.
    pub(super) fn import_export_file(
        &self,
        file: &str,
        opened: ExportFile,
        options: ImportOptions,
        place: &Place,
        output: &mut Output,
    ) -> Result<(), Failure> {
        if self.no_guard {
            return Err(
                Failure::refused("no-guard", "--no-guard is not for export files")
                    .hint("with --trusted, its texts stay as they are"),
            );
        }
        let label = if file == "-" { "standard input" } else { file };
        let import = BinaryImport {
            space: place.is_named().then(|| place.space_name().to_string()),
            into: self.into.clone(),
            options,
        };
        let store = place.store()?;
        let report = store.import_binary(Path::new(label), opened, &import)?;
        if output.is_json() {
            output.json(&worded(&report))?;
        } else {
            print(&report, output)?;
        }
        for space in &report.spaces {
            settling::settle(&store.existing_space(&space.space)?, output)?;
        }
        let mut imports = report
            .spaces
            .iter()
            .filter_map(|space| space.import.as_ref());
        if imports.all(|import| import.bad.is_empty()) {
            Ok(())
        } else {
            Err(Failure::Incomplete)
        }
    }

    /// Refuses a name for files that have none of their own to replace.
    pub(super) fn refuse_into(&self) -> Result<(), Failure> {
        match self.into {
            None => Ok(()),
            Some(_) => Err(Failure::refused("into", "--into is for export files")
                .hint("lines and notes go to the space that --space names")),
        }
    }
}

fn print(report: &BinaryImportReport, output: &mut Output) -> Result<(), Failure> {
    for space in &report.spaces {
        output.line(line(space, report.trusted))?;
        if let Some(import) = &space.import {
            let mut total = Total::default();
            total.add(&space.exported, import.clone(), &[]);
            total.report_bad(output);
            total.report_reworded(output);
            total.report_unverified(output);
            total.report_guarded(output);
        }
        if let Some(folder) = &space.backups_to {
            output.note(format_args!(
                "the settings of {} schedule backups to {}",
                named(&space.space),
                named(&folder.to_string_lossy())
            ));
        }
    }
    if !report.trusted {
        output.note("the file is not trusted: its memories are imported without history, settings and authority; for your own file, use --trusted");
    }
    Ok(())
}

fn line(space: &ImportedSpace, trusted: bool) -> String {
    let name = paint(BOLD, &space.space);
    let renamed = if space.space == space.exported {
        String::new()
    } else {
        format!(" (exported as {})", named(&space.exported))
    };
    let what = match (space.known, trusted) {
        (true, _) => "known already, nothing changed".to_owned(),
        (false, true) => format!(
            "{} with {} of history",
            memories(space.memories),
            counted(space.events, "event")
        ),
        (false, false) => memories(space.memories),
    };
    format!("{name}{renamed}  {what}")
}
