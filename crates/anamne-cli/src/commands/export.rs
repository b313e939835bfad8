//! `anamne export`.

use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anamne::Space;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::place::Place;

/// Write every memory as a line of JSON, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
`anamne import` reads the lines back, with ids kept as the ids they were
imported under. Forgotten memories are left out.

Examples:
  anamne export > memories.jsonl
  anamne --space recipes export --output recipes.jsonl
  anamne export | jq -r .content

With --json and --output: {\"exported\", \"output\"}")]
pub(crate) struct Export {
    /// The file to write, readable by its owner only; it appears when it is whole
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.existing_space()?;
        let Some(path) = self.output else {
            space.export(output.stream())?;
            return Ok(());
        };
        let exported = write_whole(&space, &path)?;
        if output.is_json() {
            return output.json(&json!({ "exported": exported, "output": path }));
        }
        output.note(format_args!(
            "{} written to {}",
            memories(exported),
            path.display()
        ));
        Ok(())
    }
}

/// Writes beside the file and renames at the end, so that nobody ever reads half an export.
fn write_whole(space: &Space, path: &Path) -> Result<u64, Failure> {
    let failed = |error| Failure::failed(format!("can't write {}: {error}", path.display()));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = create_private(&part).map_err(failed).and_then(|file| {
        let exported = space.export(BufWriter::new(&file))?;
        file.sync_all().map_err(failed)?;
        std::fs::rename(&part, path).map_err(failed)?;
        Ok(exported)
    });
    if written.is_err() {
        // What can't be removed either is left for a person to see.
        let _ = std::fs::remove_file(&part);
    }
    written
}

fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
