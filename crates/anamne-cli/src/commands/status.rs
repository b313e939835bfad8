//! `anamne status`.

use anamne::{Clock, Error, ErrorKind, HookActivity, Space, Store, StoreFolder, SystemClock};
use anamne_hosts::adapters::adapter;
use anamne_hosts::{Connection, Host, HostStatus, SetupScope, hosts};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::setup;
use crate::arguments::Global;
use crate::dates::Dates;
use crate::failure::Failure;
use crate::hooks::CaptureReport;
use crate::output::{BOLD, DIM, GREEN, Output, RED, YELLOW, counted, memories, paint, times};
use crate::place::Place;
use crate::wording::{duration, number, one_line};
use crate::{hooks, programs};

/// The latest questions of a space that are looked at.
const QUESTIONS: usize = 1_000;

/// Minimum confidence of an answered question.
const ANSWERED: f32 = 0.5;

/// Show whether it works: what is connected, and what hooks and questions did
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For each installed host: whether its server and hooks are configured, when each
hook last ran, how many memories it added to conversations and stored, how long
it took, and what failed. Then, for today (UTC): questions that were asked,
findings of the guard, and waiting background work. The record has counts and
times only, no content, and stays on this machine. After `anamne login`, it says
which server hooks use, what waits for it, and why the last attempt failed.

Examples:
  anamne status
  anamne status --json

With --json: {\"store\", \"hosts\": [{\"host\", \"installed\", \"server\", \"hooks\", \"instructions\",
  \"warnings\", \"activity\": [{\"event\", \"runs\", \"failures\", \"injected\", \"tokens\", \"stored\",
  \"redacted\", \"mean_ms\", \"slowest_ms\", \"last_at\", \"failure\"}]}], \"captures\":
  {\"server\", \"waiting\": [{\"server\", \"space\", \"memories\", \"bytes\", \"since\",
  \"problem\"}]}, \"today\":
  {\"questions\", \"answered\", \"injected\", \"stored\", \"guard\", \"waiting\", \"dead\",
  \"problems\"}}; store and today are null if only a server has the memory")]
pub(crate) struct Status {}

/// A host with what is configured and what its hooks did.
#[derive(Debug, Serialize)]
struct HostReport {
    host: &'static str,
    name: &'static str,
    #[serde(flatten)]
    status: HostStatus,
    activity: Vec<HookActivity>,
}

/// What happened since the day (UTC) began, in all spaces.
#[derive(Debug, Default, Serialize)]
struct Today {
    /// Questions that were asked.
    questions: u64,
    /// Those with a result that is probably evidence.
    answered: u64,
    /// Memories that hooks added to conversations.
    injected: u64,
    /// Memories that hooks stored.
    stored: u64,
    /// Findings of the guard in what hooks stored.
    guard: u64,
    /// Waiting background tasks.
    waiting: u64,
    /// Background tasks that failed for good.
    dead: u64,
    /// What could not be read, by space.
    problems: Vec<String>,
}

impl Status {
    pub(crate) fn run(global: &Global, output: &mut Output) -> Result<(), Failure> {
        // Hooks and their record are those of this machine, also if a server has the memory.
        let captures = hooks::report_unsent(global)?;
        let store = store_of(&Place::named_by(global)?, &captures)?;
        let now = SystemClock.now();
        let activity = |since| -> Result<_, Error> {
            match &store {
                Some(store) => Ok(store.hook_log()?.activity(since)?),
                None => Ok(Vec::new()),
            }
        };
        let reports = host_reports(&activity(None)?, global)?;
        let today = match &store {
            Some(store) => Some(today(store, &activity(Some(now))?, now)?),
            None => None,
        };
        if output.is_json() {
            return output.json(&serde_json::json!({
                "store": store.as_ref().map(Store::root), "hosts": reports, "captures": captures,
                "today": today,
            }));
        }
        if reports.is_empty() {
            output.note("no host was found; `anamne setup` connects one");
        }
        let (absent, present): (Vec<_>, Vec<_>) = reports.iter().partition(|one| one.is_absent());
        for report in present {
            print_host(report, output)?;
        }
        print_absent(&absent, output)?;
        hooks::print_unsent(&captures, output)?;
        today.map_or(Ok(()), |today| print_today(&today, output))
    }
}

/// The store of this machine, which must exist unless a server has the memory.
fn store_of(place: &Place, captures: &CaptureReport) -> Result<Option<Store>, Failure> {
    if captures.uses_server()
        && !StoreFolder::at(&place.root()?)
            .is_there()
            .map_err(Error::from)?
    {
        return Ok(None);
    }
    place.existing_store().map(Some)
}

/// The installed hosts, and those whose hooks ran.
fn host_reports(activity: &[HookActivity], global: &Global) -> Result<Vec<HostReport>, Failure> {
    let machine = hooks::machine();
    let commands = programs::for_hosts(global)?;
    let of = |host: &'static Host| {
        let adapter = adapter(host.id)?;
        let ran = activity.iter().filter(|run| run.host == host.id);
        let activity: Vec<_> = ran.cloned().collect();
        if activity.is_empty() && adapter.found(&machine).is_none() {
            return None;
        }
        Some(HostReport {
            host: host.id,
            name: host.name,
            status: adapter.status(&machine, &SetupScope::Person, &commands),
            activity,
        })
    };
    Ok(hosts().iter().filter_map(of).collect())
}

fn today(store: &Store, activity: &[HookActivity], now: Timestamp) -> Result<Today, Failure> {
    let mut today = Today::default();
    for run in activity {
        today.injected += run.injected;
        today.stored += run.stored;
        today.guard += run.redacted;
    }
    let began = day_of(now);
    for name in store.spaces()? {
        // A space that can't be opened is the doctor's business.
        if let Ok(space) = store.existing_space(name.as_str())
            && let Err(error) = today.add(&space, began)
        {
            today.problems.push(format!("{name}: {error}"));
        }
    }
    Ok(today)
}

/// The day (UTC) of a time.
fn day_of(now: Timestamp) -> Timestamp {
    let since = SignedDuration::from_secs(now.as_second().rem_euclid(86_400));
    now.saturating_sub(since).unwrap_or(now)
}

impl Today {
    fn add(&mut self, space: &Space, began: Timestamp) -> Result<(), anamne::Error> {
        let asked = space.query_log(QUESTIONS)?;
        for query in asked.iter().filter(|query| query.at >= began) {
            self.questions += 1;
            self.answered += u64::from(query.results > 0 && query.confidence >= ANSWERED);
        }
        let queue = match space.task_queue() {
            // It has none, and this user can't create one.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(()),
            queue => queue?,
        };
        for kind in queue.report()?.kinds {
            self.waiting += kind.waiting;
            self.dead += kind.dead;
        }
        Ok(())
    }
}

impl HostReport {
    /// Whether the host is installed, but nothing of it is set up and nothing ran.
    fn is_absent(&self) -> bool {
        self.status.server == Connection::Absent && self.activity.is_empty()
    }
}

/// Names the hosts that are not set up, and what connects them.
fn print_absent(absent: &[&HostReport], output: &mut Output) -> Result<(), Failure> {
    if absent.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = absent.iter().map(|report| report.name).collect();
    output.line(paint(BOLD, "not set up"))?;
    output.entry(DIM, "hosts ", &names.join(", "))?;
    output.entry(DIM, "next  ", "`anamne setup` connects them or says how")
}

fn print_host(report: &HostReport, output: &mut Output) -> Result<(), Failure> {
    output.line(paint(BOLD, report.name))?;
    let (style, words) = setup::words_of(report.status.server);
    output.entry(style, "server", words)?;
    let missing = report.status.hooks.iter().filter(|state| !state.configured);
    let missing: Vec<_> = missing.map(|state| state.event.as_str()).collect();
    if !missing.is_empty() {
        let text = format!(
            "{}: not configured; `anamne setup` adds them or says how",
            missing.join(", ")
        );
        output.entry(YELLOW, "hook  ", &text)?;
    }
    for run in &report.activity {
        let style = if run.failures > 0 { YELLOW } else { GREEN };
        output.entry(style, "hook  ", &worded(run, &output.dates))?;
    }
    let silent = report.status.hooks.iter().filter(|state| {
        state.configured
            && !report
                .activity
                .iter()
                .any(|run| run.event == state.event.as_str())
    });
    let silent: Vec<_> = silent.map(|state| state.event.as_str()).collect();
    if !silent.is_empty() {
        output.entry(DIM, "hook  ", &format!("{}: never ran", silent.join(", ")))?;
    }
    for warning in &report.status.warnings {
        output.entry(RED, "note  ", warning)?;
    }
    Ok(())
}

/// `prompt: 120 times, last 2 hours ago, added 31 memories, 9 ms (slowest 40 ms)`.
fn worded(run: &HookActivity, dates: &Dates) -> String {
    let mut parts = vec![times(run.runs), format!("last {}", dates.both(run.last_at))];
    if run.injected > 0 {
        parts.push(format!(
            "added {} ({} tokens)",
            memories(run.injected),
            number(run.tokens)
        ));
    }
    if run.stored > 0 {
        parts.push(format!("stored {}", memories(run.stored)));
    }
    if run.redacted > 0 {
        parts.push(format!("guard: {}", counted(run.redacted, "finding")));
    }
    parts.push(format!(
        "{} (slowest {})",
        duration(run.mean_ms),
        duration(run.slowest_ms)
    ));
    if run.failures > 0 {
        parts.push(format!(
            "{} failed ({})",
            number(run.failures),
            run.failure.replace('_', " ")
        ));
    }
    format!("{}: {}", run.event, parts.join(", "))
}

fn print_today(today: &Today, output: &mut Output) -> Result<(), Failure> {
    output.line(paint(BOLD, "today"))?;
    let asked = format!(
        "{} asked, {} answered",
        counted(today.questions, "question"),
        number(today.answered)
    );
    output.entry(DIM, "recall", &asked)?;
    let hooks = format!(
        "added {}, stored {}",
        memories(today.injected),
        number(today.stored)
    );
    output.entry(DIM, "hooks ", &hooks)?;
    if today.guard > 0 {
        output.entry(YELLOW, "guard ", &counted(today.guard, "finding"))?;
    }
    let style = if today.dead > 0 { YELLOW } else { DIM };
    let work = match today.dead {
        0 => format!("{} waiting", number(today.waiting)),
        dead => format!(
            "{} waiting, {} failed for good (anamne tasks)",
            number(today.waiting),
            number(dead)
        ),
    };
    output.entry(style, "work  ", &work)?;
    for problem in &today.problems {
        let advice = format!("{} (anamne doctor)", one_line(problem));
        output.entry(YELLOW, "problem", &advice)?;
    }
    Ok(())
}
