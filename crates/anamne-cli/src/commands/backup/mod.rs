//! `anamne backup`.

mod server;

use std::path::PathBuf;

use anamne::{BackupConfig, BackupRemoval, BackupReport, Store};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, Output, counted, paint};
use crate::place::Place;
use crate::shell::shell_path;
use crate::skipped;
use crate::wording::{number, size};

/// Back up the store to another folder, incrementally
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Copies every space, or the one that --space names, and verifies the copy. The
copy is a complete store (`anamne --store DIR …`) without indexes; they are
rebuilt on first use. To restore, use it as it is, or copy it to a new folder:
`anamne --store DIR backup NEW`. The next backup to the same folder copies only new data
and deletes what was erased since. `forget --hard` also erases from every known
backup whose folder is available, and names those whose folder is missing.
--forget removes a folder from the list of known backups and changes nothing in
it. Erasures don't reach copies of a backup made by other means, or stores made
by `anamne rewind`.

With --every, a running MCP server or `anamne tasks run` makes backups on
schedule. Each is a complete store in a folder under DIR named by space and
time. No backup is made if nothing changed. After a new backup is verified,
the oldest beyond --keep are deleted. `anamne tasks` shows the next run;
`--every never` ends the schedule and deletes nothing.

With --tenants, the copy is that of a whole server: its own store, the stores of
all tenants, and their records: tenants with suspensions and quotas, and the
salted hashes of keys; also the models and costs of each store. A tenant that
was erased here is erased there. The keys of models are not copied.
`anamne --store NEW backup DIR --restore` makes a server of such a copy: it
copies DIR to the new or empty folder NEW, verifies it, and lists the tenants
and keys that are valid again. Keys that were revoked and tenants that were
erased after the backup are back: repeat that before you start the server. A
server refuses to run in DIR itself. If DIR is that of `anamne serve --backup-to`,
the newest complete backup in it is restored.

A space that is damaged or has a newer format is skipped and named (exit code
4); the backup keeps its earlier copy of that space.

Examples:
  anamne backup /mnt/disk/anamne
  anamne --space recipes backup recipes-backup
  anamne --store /mnt/disk/anamne verify
  anamne --store /mnt/disk/anamne backup ~/restored
  anamne backup --forget /mnt/lost-disk/anamne
  anamne backup /mnt/disk/daily --every day --keep 7
  anamne --store /var/lib/anamne backup /mnt/disk/server --tenants
  anamne --store /var/lib/new backup /mnt/disk/server --restore

With --json: {\"store\", \"backup\", \"spaces\": [{\"space\", \"folder\",
  \"first\", \"last_seq\", \"segments_copied\", \"segments_kept\",
  \"bytes_copied\"}]}; with --forget: {\"store\", \"forgotten\": DIR, \"spaces\":
  [name, …]}; with --every:
  {\"store\", \"folder\", \"every_hours\", \"keep\", \"spaces\": [name, …]}; all also: \"skipped\"?: {\"count\", \"first\": [{\"entry\": space,
  \"reason\"}]}; with --tenants: {\"store\", \"backup\", \"at\", \"stores\": [{\"tenant\",
  \"spaces\", \"skipped\"?}], \"erased\"?: [tenant, …], \"skipped\"?}; with --restore:
  {\"store\", \"backup\", \"from\": the folder of the backup, \"as_of\", \"tenants\":
  [as `tenants list`], \"keys\": [as `keys list`], \"damaged\"?: [as `verify`, with \"tenant\"]}")]
pub(crate) struct Backup {
    /// A backup of this store, an empty folder, or a new folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Remove the folder from the list of known backups; copy nothing
    #[arg(long)]
    forget: bool,
    /// Schedule backups to this folder: `hour`, `day`, `week`, a number of hours such as `12h`, or `never`
    #[arg(long, value_name = "TIME", value_parser = hours, conflicts_with = "forget")]
    every: Option<Every>,
    /// Back up the whole server: also the stores of its tenants, and keys, tenants and quotas
    #[arg(long, conflicts_with_all = ["forget", "every"])]
    tenants: bool,
    /// Restore the server whose backup DIR is to the store's folder, which must be new or empty
    #[arg(long, conflicts_with_all = ["forget", "every", "tenants"])]
    restore: bool,
    /// Number of scheduled backups to keep
    #[arg(long, value_name = "N", requires = "every", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
}

/// The interval in hours; `None` for never.
type Every = Option<u32>;

/// An interval in hours that is not `never`.
pub(super) fn interval(text: &str) -> Result<u32, String> {
    let never = || "give `hour`, `day`, `week`, or 1h to 8760h".to_owned();
    hours(text)?.ok_or_else(never)
}

fn hours(text: &str) -> Result<Every, String> {
    Ok(Some(match text {
        "never" => return Ok(None),
        "hour" => 1,
        "day" => 24,
        "week" => 7 * 24,
        text => {
            let hours = text.strip_suffix('h').and_then(|hours| hours.parse().ok());
            let hours = hours.filter(|hours| (1..=24 * 365).contains(hours));
            hours.ok_or("give `hour`, `day`, `week`, `never`, or 1h to 8760h")?
        }
    }))
}

impl Backup {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        if (self.tenants || self.restore) && place.is_named() {
            return Err(
                Failure::refused("space", "a server is backed up and restored as a whole")
                    .hint("leave out --space, or --tenants to back up one space"),
            );
        }
        if self.restore {
            return server::restore(place, &self.folder, output);
        }
        let store = place.existing_store()?;
        if self.tenants {
            return server::back_up(&store, &self.folder, output);
        }
        let space = place.is_named().then(|| place.space_name().as_str());
        if self.forget {
            return self.forget_backup_folder(&store, space, output);
        }
        if let Some(every) = self.every {
            return self.schedule(&store, space, every, output);
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
            "verified; use it with `anamne --store {folder} …`"
        ));
        skipped::outcome(passed)
    }

    /// Schedules backups to the folder, or ends the schedule.
    fn schedule(
        self,
        store: &Store,
        space: Option<&str>,
        every: Every,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let schedule = BackupConfig {
            folder: if every.is_some() {
                std::path::absolute(&self.folder)?
            } else {
                PathBuf::new()
            },
            every_hours: every.unwrap_or(BackupConfig::default().every_hours),
            keep: self.keep.unwrap_or(BackupConfig::default().keep),
        };
        let (spaces, passed) = store.schedule_backups(&schedule, space)?;
        if output.is_json() {
            let mut answer = json!({
                "store": store.root(), "folder": schedule.folder, "every_hours": every,
                "keep": schedule.keep, "spaces": spaces
            });
            skipped::describe(&passed, &mut answer);
            output.json(&answer)?;
            return skipped::outcome(&passed);
        }
        let names = spaces.join(", ");
        match every {
            Some(hours) => output.line(format_args!(
                "{names}: a backup every {}, keeping the last {}, in {}",
                counted(u64::from(hours), "hour"),
                schedule.keep,
                schedule.folder.display()
            ))?,
            None => output.line(format_args!("{names}: scheduled backups disabled"))?,
        }
        output.flush()?;
        skipped::tell(&passed, output);
        skipped::outcome(&passed)
    }

    /// Removes the folder from the list of known backups.
    fn forget_backup_folder(
        self,
        store: &Store,
        space: Option<&str>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let BackupRemoval {
            spaces,
            skipped: passed,
        } = store.forget_backup(&self.folder, space)?;
        let folder = self.folder.display();
        if spaces.is_empty() && passed.is_empty() {
            return Err(Failure::not_found(format!(
                "{folder} is not a known backup of this store"
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
                "{folder} is no longer a known backup of {}; its files are unchanged",
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
