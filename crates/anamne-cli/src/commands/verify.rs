//! `anamne verify`.

use anamne::Verification;
use serde_json::json;

use crate::failure::Failure;
use crate::next_step::StoreOwner;
use crate::output::{BOLD, GREEN, Output, RED, YELLOW, counted, paint};
use crate::place::Place;

/// Check everything without changing anything
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Checks every space, or the one that --space names: settings, the journal's
hash chain, the digest of every version in the database, each row against a
replay of the journal, the indexes, and a backup's checksums. Exit code 1
means that something is wrong; run `anamne repair`.

Examples:
  anamne verify
  anamne --store /mnt/disk/anamne verify
  anamne verify --json

With --json: {\"store\", \"sound\", \"spaces\": [{\"space\", \"last_seq\",
  \"events\", \"erased\", \"segments\", \"rows\", \"notes\": […],
  \"next_steps\"?: […], \"hints\"?: […], \"findings\": [{\"part\": settings,
  journal, database, view or backup, \"file\", \"event\"?, \"problem\"}]}]}")]
pub(crate) struct Verify {}

impl Verify {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.reached_store()?;
        let space = place.is_named().then(|| place.space_name().as_str());
        let found = store.verify(space)?;
        let sound = found
            .iter()
            .all(|found| found.examination.findings.is_empty());
        if output.is_json() {
            let spaces = store.owner().worded(&found);
            output.json(&json!({ "store": store.location(), "sound": sound, "spaces": spaces }))?;
        } else {
            for found in &found {
                print(found, store.owner(), output)?;
            }
        }
        if sound {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}

fn print(found: &Verification, owner: StoreOwner, output: &mut Output) -> Result<(), Failure> {
    let examined = &found.examination;
    output.line(paint(BOLD, &found.space))?;
    if examined.findings.is_empty() {
        let whole = format!(
            "{} in {}, {}, all indexes: no damage",
            counted(examined.events, "event"),
            counted(examined.segments as u64, "segment"),
            counted(examined.rows, "row")
        );
        output.entry(GREEN, "well   ", &whole)?;
    }
    for note in &examined.notes {
        output.entry(YELLOW, "note   ", note)?;
    }
    for finding in &examined.findings {
        output.entry(RED, "problem", &finding.to_string())?;
    }
    owner.print(&examined.next_steps, output)
}
