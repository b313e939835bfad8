//! `anamne backup`.

use std::path::PathBuf;

use anamne::{BackupReport, Store, StruckBackup};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, Output, counted, paint};
use crate::place::Place;
use crate::shell::shell_path;
use crate::skipped;
use crate::wording::{number, size};

/// Copy the store to another folder while others use it, each time only what is new
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Copies every space, or the one that --space names, and verifies the copy. The
copy is a complete store (`anamne --store DIR …`) without indexes; they are
rebuilt on first use. The next backup to the same folder copies only new data
and deletes what was erased since. `forget --hard` also erases from every known
backup whose folder is available, and names those whose folder is missing.
--forget removes a folder from the list of known backups and changes nothing in
it. Erasures don't reach copies of a backup made by other means, or stores made
by `anamne rewind`.

A space that is damaged, or of a newer version, is skipped and named, and
the others are backed up; the exit code is then 4. The backup keeps what it had
of that space.

Examples:
  anamne backup /mnt/disk/anamne
  anamne --space recipes backup recipes-backup
  anamne --store /mnt/disk/anamne verify
  anamne backup --forget /mnt/lost-disk/anamne

With --json: {\"store\", \"backup\", \"spaces\": [{\"space\", \"folder\",
  \"first\", \"last_seq\", \"segments_copied\", \"segments_kept\",
  \"bytes_copied\"}]}; with --forget: {\"store\", \"forgotten\": DIR, \"spaces\":
  [name, …]}; both also: \"skipped\"?: {\"count\", \"first\": [{\"entry\": space,
  \"reason\"}]}")]
pub(crate) struct Backup {
    /// The folder: a backup of this store, an empty folder, or one that is not there yet
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Remove the folder from the list of known backups; copy nothing
    #[arg(long)]
    forget: bool,
}

impl Backup {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.existing_store()?;
        let space = place.is_named().then(|| place.space_name().as_str());
        if self.forget {
            return self.strike(&store, space, output);
        }
        let made = store.backup(&self.folder, space)?;
        let passed = &made.skipped;
        if output.is_json() {
            let mut answer = json!({
                "store": store.root(), "backup": self.folder, "spaces": made.spaces
            });
            skipped::describe(passed, &mut answer);
            output.json(&answer)?;
            return skipped::outcome(passed);
        }
        for report in &made.spaces {
            print(report, output)?;
        }
        output.flush()?;
        skipped::tell(passed, output);
        let folder = shell_path(&self.folder);
        output.note(format_args!(
            "read back and found whole; `anamne --store {folder} …` works on it"
        ));
        skipped::outcome(passed)
    }

    /// Strikes the folder from the list of backups.
    fn strike(
        self,
        store: &Store,
        space: Option<&str>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let StruckBackup {
            spaces,
            skipped: passed,
        } = store.forget_backup(&self.folder, space)?;
        let folder = self.folder.display();
        if spaces.is_empty() && passed.is_empty() {
            return Err(Failure::not_found(format!(
                "no space of this store has a backup in {folder}"
            )));
        }
        if output.is_json() {
            let mut answer = json!({
                "store": store.root(), "forgotten": self.folder, "spaces": spaces
            });
            skipped::describe(&passed, &mut answer);
            output.json(&answer)?;
            return skipped::outcome(&passed);
        }
        if !spaces.is_empty() {
            output.line(format_args!(
                "{folder} is no backup of {} any more; what is there stays there",
                spaces.join(", ")
            ))?;
        }
        output.flush()?;
        skipped::tell(&passed, output);
        skipped::outcome(&passed)
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
