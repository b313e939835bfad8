//! `anamne setup --status`.

use anamne_hosts::{Connection, HookState, HostStatus};
use anstyle::Style;
use serde::Serialize;

use super::{Chosen, Work, shown};
use crate::failure::Failure;
use crate::hooks as running;
use crate::output::{BOLD, DIM, GREEN, Output, RED, YELLOW, paint};

/// A host as written by `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct HostReport {
    host: &'static str,
    name: &'static str,
    installed: Option<String>,
    #[serde(flatten)]
    status: HostStatus,
}

pub(super) fn print(
    chosen: &[Chosen],
    work: &Work<'_>,
    captures: &running::CaptureReport,
    output: &mut Output,
) -> Result<(), Failure> {
    let reports: Vec<HostReport> = chosen.iter().map(|one| report_of(one, work)).collect();
    if output.is_json() {
        return output.json(&serde_json::json!({ "hosts": reports, "captures": captures }));
    }
    if reports.is_empty() {
        output.note("no host was found");
    }
    for report in &reports {
        print_one(report, output)?;
    }
    running::print_unsent(captures, output)
}

fn report_of(one: &Chosen, work: &Work<'_>) -> HostReport {
    HostReport {
        host: one.host.id,
        name: one.host.name,
        installed: one.found.as_deref().map(shown),
        status: one
            .adapter
            .status(&work.machine, &work.scope, &work.commands),
    }
}

fn print_one(report: &HostReport, output: &mut Output) -> Result<(), Failure> {
    output.line(paint(BOLD, report.name))?;
    let (style, words) = words_of(report.status.server);
    output.entry(style, "server", words)?;
    if !report.status.hooks.is_empty() {
        output.entry(DIM, "hooks ", &hooks(&report.status.hooks))?;
    }
    if let Some(has_block) = report.status.instructions {
        let words = if has_block { "in place" } else { "missing" };
        output.entry(DIM, "lines ", words)?;
    }
    for warning in &report.status.warnings {
        output.entry(YELLOW, "note  ", warning)?;
    }
    Ok(())
}

/// The state of a connection, with its colour.
pub(crate) fn words_of(server: Connection) -> (Style, &'static str) {
    match server {
        Connection::Current => (GREEN, "connected"),
        Connection::Absent => (DIM, "not set up"),
        Connection::Different => (YELLOW, "another command is configured; run anamne setup"),
        Connection::Unreadable => (RED, "its configuration can't be understood"),
    }
}

/// `session-start, prompt; missing: turn-end; not trusted: prompt`.
pub(super) fn hooks(states: &[HookState]) -> String {
    let named = |wanted: &dyn Fn(&HookState) -> bool| {
        let events = states.iter().filter(|state| wanted(state));
        let events: Vec<_> = events.map(|state| state.event.as_str()).collect();
        events.join(", ")
    };
    let mut parts = Vec::new();
    for (words, events) in [
        ("", named(&|state| state.configured)),
        ("missing: ", named(&|state| !state.configured)),
        ("not trusted yet: ", named(&|state| state.waits_for_trust)),
    ] {
        if !events.is_empty() {
            parts.push(format!("{words}{events}"));
        }
    }
    parts.join("; ")
}
