//! `anamne backup`.

use std::path::PathBuf;

use anamne::BackupReport;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, Output, counted, paint};
use crate::place::Place;
use crate::shell::shell_path;
use crate::wording::{number, size};

/// Copy the store to another folder while others use it, each time only what is new
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Copies every space, or the one that --space names, and reads the copy back at
the end. It is a store of its own (`anamne --store DIR …`), without indexes,
which are rebuilt when they are needed. The next backup to the same folder
copies only what is new, and drops there what was erased. `forget --hard` does
so by itself where the folder is there. Out of its reach are copies of a backup
made by other means, and stores made by `anamne rewind`.

Examples:
  anamne backup /mnt/disk/anamne
  anamne --space recipes backup recipes-backup
  anamne --store /mnt/disk/anamne verify

With --json: {\"store\", \"backup\", \"spaces\": [{\"space\", \"folder\",
  \"first\", \"last_seq\", \"segments_copied\", \"segments_kept\",
  \"bytes_copied\"}]}")]
pub(crate) struct Backup {
    /// The folder: a backup of this store, an empty folder, or one that is not there yet
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Backup {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.existing_store()?;
        let space = place.is_named().then(|| place.space_name().as_str());
        let reports = store.backup(&self.folder, space)?;
        if output.is_json() {
            return output.json(&json!({
                "store": store.root(), "backup": self.folder, "spaces": reports
            }));
        }
        for report in &reports {
            print(report, output)?;
        }
        output.flush()?;
        let folder = shell_path(&self.folder);
        output.note(format_args!(
            "read back and found whole; `anamne --store {folder} …` works on it"
        ));
        Ok(())
    }
}

fn print(report: &BackupReport, output: &mut Output) -> Result<(), Failure> {
    output.line(format_args!(
        "{}  up to event {}: {} copied, {} kept, {} written",
        paint(BOLD, &report.space),
        number(report.last_seq.0),
        counted(report.segments_copied as u64, "segment"),
        number(report.segments_kept as u64),
        size(report.bytes_copied)
    ))
}
