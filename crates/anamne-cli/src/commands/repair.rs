//! `anamne repair`.

use anamne::RepairReport;
use serde_json::json;

use crate::failure::Failure;
use crate::next_step;
use crate::output::{BOLD, GREEN, Output, RED, YELLOW, paint};
use crate::place::Place;

/// Repair damage from the other copy, and list what is lost
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Repairs every space, or the one that --space names: the database from the
journal, the journal from the database, the indexes from the database. What both
lack is taken from the known backups, if its digest matches. Damaged files are
kept as NAME.damaged-1 and so on. Stop other programs that use the store first.
Exit code 1 means that something is lost or still wrong, or that
a space was not repaired because it is in use, unreadable or written by a
newer version.

Examples:
  anamne verify
  anamne repair
  anamne --space recipes repair --json

With --json: {\"store\", \"whole\", \"spaces\": [{\"space\", \"repaired\": […],
  \"lost\": […], \"not_repaired\"?: {\"kind\": \"busy|permission_denied|newer_format\",
  \"message\", \"next_step\", \"hint\"}, \"findings\": [what is still wrong, as
  `verify` says it], \"next_steps\"?: […], \"hints\"?: […]}]}")]
pub(crate) struct Repair {}

impl Repair {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.existing_store()?;
        let space = place.is_named().then(|| place.space_name().as_str());
        let reports = store.repair(space)?;
        let whole = reports.iter().all(RepairReport::is_whole);
        if output.is_json() {
            let spaces = next_step::worded(&reports);
            output.json(&json!({ "store": store.root(), "whole": whole, "spaces": spaces }))?;
        } else {
            for report in &reports {
                print(report, output)?;
            }
        }
        if whole {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}

fn print(report: &RepairReport, output: &mut Output) -> Result<(), Failure> {
    output.line(paint(BOLD, &report.space))?;
    if report.is_whole() && report.repaired.is_empty() {
        output.entry(GREEN, "well   ", "nothing to repair")?;
    }
    if let Some(kept) = &report.not_repaired {
        output.entry(RED, "skipped", &kept.message)?;
        next_step::print(&[kept.next_step], output)?;
    }
    for repaired in &report.repaired {
        output.entry(YELLOW, "repaired ", repaired)?;
    }
    for lost in &report.lost {
        output.entry(RED, "lost   ", lost)?;
    }
    for finding in &report.findings {
        output.entry(RED, "problem", &finding.to_string())?;
    }
    next_step::print(&report.next_steps, output)?;
    Ok(())
}
