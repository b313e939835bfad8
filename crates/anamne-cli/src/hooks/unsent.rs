//! What waits for a server, for people: how much, why, and how to erase it.

use anamne::{StoreFolder, UnsentCaptures, WaitingCaptures};
use serde::Serialize;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::output::{BOLD, DIM, Output, YELLOW, memories, paint};
use crate::place::Place;
use crate::server;

/// Where hooks keep what they capture, and what waits for a server.
#[derive(Debug, Serialize)]
pub(crate) struct CaptureReport {
    /// The address of the server; none if it is the store of this machine.
    server: Option<String>,
    waiting: Vec<WaitingCaptures>,
}

impl CaptureReport {
    /// Whether hooks and commands use a server, and not the store of this machine.
    pub(crate) fn uses_server(&self) -> bool {
        self.server.is_some()
    }

    /// The number of memories that wait.
    pub(crate) fn memories(&self) -> u64 {
        self.waiting.iter().map(|one| one.memories).sum()
    }
}

/// Where hooks keep what they capture now, and what waits.
pub(crate) fn report(global: &Global) -> Result<CaptureReport, Failure> {
    let waiting = match captures(global)? {
        Some(captures) => captures.waiting()?,
        None => Vec::new(),
    };
    Ok(CaptureReport {
        server: server::chosen_address(global)?,
        waiting,
    })
}

/// Prints where hooks work, unless it is the store of this machine and nothing waits.
pub(crate) fn print(report: &CaptureReport, output: &mut Output) -> Result<(), Failure> {
    if report.server.is_none() && report.waiting.is_empty() {
        return Ok(());
    }
    output.line(paint(BOLD, "hooks"))?;
    if let Some(server) = &report.server {
        output.entry(DIM, "memory", &format!("hooks use the server {server}"))?;
    }
    for one in &report.waiting {
        let why = match one.problem.as_str() {
            "" => String::new(),
            problem => format!(" ({})", problem.replace('_', " ")),
        };
        let text = format!(
            "{} of {} since {} for {}{why}",
            memories(one.memories),
            one.space,
            output.dates.both(one.since),
            one.server,
        );
        output.entry(YELLOW, "unsent", &text)?;
    }
    Ok(())
}

/// Erases what waits.
pub(crate) fn erase(global: &Global, output: &mut Output) -> Result<(), Failure> {
    let erased = match captures(global)? {
        Some(captures) => captures.erase()?,
        None => 0,
    };
    if output.is_json() {
        return output.json(&serde_json::json!({ "erased": erased }));
    }
    output.line(format_args!("erased {} that waited", memories(erased)))
}

/// The captures of the store of this machine, if there is one.
fn captures(global: &Global) -> Result<Option<UnsentCaptures>, Failure> {
    let place = Place::named_by(global)?;
    if !StoreFolder::at(&place.root()?).is_there()? {
        return Ok(None);
    }
    Ok(Some(place.store()?.unsent_captures()?))
}
