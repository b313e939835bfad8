//! The hooks of agent hosts: what runs when a session starts, a prompt is submitted, a turn ends.
//!
//! A hook fails open: whatever happens, it answers something that the host takes, within 300 ms, and exits with 0. The
//! `watchdog` sees to that. `session` finds the store, the space and the record of the session; `inject` writes what is
//! added to the conversation; `capture` stores what was said, `held` where no transcript tells it. Work that takes longer
//! goes to a process of its own (`later`), which ends with its work.
//!
//! If a server has the memory (`remote`), blocks come from it, and what was said waits in a file of the store until a
//! process of its own has sent it (`unsent`). What is known of sessions is in the store either way.

mod capture;
mod git;
mod held;
mod inject;
mod input;
mod job;
mod later;
mod machine;
mod outcome;
mod remote;
mod session;
mod unsent;
mod watchdog;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use anamne::HookRun;
use anamne_hosts::hook::{HookEvent, HookInput, answer};

use crate::arguments::Global;
use crate::commands::Command;
use crate::failure::Failure;
use crate::output::Output;
use crate::usage;
use job::{Job, SharedJob};
use session::HookSite;
use watchdog::{Reply, Watchdog, latest};

pub(crate) use capture::without_told;
pub(crate) use git::{commit, install, uninstall};
pub(crate) use job::JobArguments;
pub(crate) use later::run as run_later;
pub(crate) use machine::of_environment as machine;
pub(crate) use session::space_of;
pub(crate) use unsent::{
    CaptureReport, erase as erase_unsent, print as print_unsent, report as report_unsent,
};

/// What a run of a hook did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effect {
    injected: u64,
    tokens: u64,
    stored: u64,
    redacted: u64,
    /// Why the server gave less than it was asked for, or a transcript nothing, in one word; empty if there is no problem.
    problem: &'static str,
}

/// Whether the command line calls a hook, so that even its usage errors must not disturb the host. Help does.
pub(crate) fn is_called() -> bool {
    let mut arguments = std::env::args().skip(1);
    let mut is_hook = false;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-h" | "--help" | "--install" | "--remove" => return false,
            "--store" | "--space" if !is_hook => drop(arguments.next()),
            "hook" => is_hook = true,
            option if option.starts_with('-') => {}
            _ if !is_hook => return false,
            _ => {}
        }
    }
    is_hook
}

/// Runs the hook of the command line. Says nothing about what went wrong: hosts show it, or stop.
pub(crate) fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    // A hook fails open: if the variable is invalid, which other commands report, it uses the best level.
    let _ = crate::simd::select();
    let Ok(cli) = usage::parse_quietly() else {
        return;
    };
    if let Some(Command::Hook(hook)) = cli.command {
        // Only usage errors are left to report.
        let _ = hook.run(&cli.global, &mut Output::new(false, false));
    }
}

/// Runs a hook for an event of a host.
pub(crate) fn run(event: HookEvent, host: &str, global: &Global) {
    let started = Instant::now();
    let reply = Reply::to(host, event);
    let job = SharedJob::new(global);
    let watchdog = Watchdog::start(started, latest(host, event), reply.clone(), job.clone());
    // A panic has been reported to nobody: hosts show what a hook writes to standard error.
    let work = AssertUnwindSafe(|| handle(event, host, global, &reply, &job, started));
    let failure = match catch_unwind(work) {
        Ok(Ok(())) => None,
        Ok(Err(failure)) => Some(failure.kind_word()),
        Err(_) => Some("panic"),
    };
    reply.give_empty();
    if let Some(kind) = failure {
        record_failure(event, host, global, kind, started);
    }
    watchdog.stop();
}

fn handle(
    event: HookEvent,
    host: &str,
    global: &Global,
    reply: &Reply,
    job: &SharedJob,
    started: Instant,
) -> Result<(), Failure> {
    let machine = machine::of_environment();
    let mut input = input::read(host, event, &machine);
    let host = input.sender.unwrap_or(host);
    reply.is_for(host);
    capture::find_transcript(event, host, &mut input, &machine);
    let Some(site) = HookSite::find(global, host, &input, started)? else {
        return Ok(());
    };
    if !site.acts_first(event, &input)? {
        return Ok(());
    }
    let effect = act(event, host, &input, &site, reply, job)?;
    reply.give_empty();
    let run = HookRun {
        host,
        event: event.as_str(),
        injected: effect.injected,
        tokens: effect.tokens,
        stored: effect.stored,
        redacted: effect.redacted,
        took: started.elapsed(),
        failure: effect.problem,
    };
    site.log.note_run(&run, site.now)?;
    // Calls of tools are many, and are sent at the end of the turn.
    let is_call = matches!(event, HookEvent::Tool | HookEvent::ToolFailed);
    if site.remote.is_some() && !is_call && site.is_unsettled()? {
        start_later(&site.job(host, JobArguments::default()));
    }
    Ok(())
}

fn act(
    event: HookEvent,
    host: &str,
    input: &HookInput,
    site: &HookSite,
    reply: &Reply,
    job: &SharedJob,
) -> Result<Effect, Failure> {
    match event {
        HookEvent::SessionStart => inject::at_session_start(host, input, site, reply),
        HookEvent::Prompt => {
            let words = held::words_of(input);
            if let Some(words) = &words {
                let work = JobArguments {
                    session: input.session.clone(),
                    ..JobArguments::default()
                };
                job.set(site.job(host, work).holding(words));
            }
            // Neither fails because of the other.
            let effect = inject::at_prompt(host, input, site, reply);
            if let Some(words) = &words {
                held::hold(host, input, words, site)?;
            }
            effect
        }
        HookEvent::TurnEnd | HookEvent::BeforeCompaction | HookEvent::SessionEnd => {
            capture::at_boundary(event, host, input, site, job)
        }
        HookEvent::Tool | HookEvent::ToolFailed => outcome::of_tool(event, host, input, site),
    }
}

/// Records a failed run, if there is a store. Failures of that are ignored: nobody is there to read about them.
fn record_failure(event: HookEvent, host: &str, global: &Global, kind: &str, started: Instant) {
    let run = HookRun {
        host,
        event: event.as_str(),
        took: started.elapsed(),
        failure: kind,
        ..HookRun::default()
    };
    let _ =
        session::existing_log(global).map(|found| found.map(|(log, now)| log.note_run(&run, now)));
}

/// Starts the job in a process of its own.
fn start_later(job: &Job) {
    match &job.prompt {
        Some(prompt) => later::start_with(job.clone(), prompt),
        None => later::start(job),
    }
}

/// The text that the host expects for `context`.
fn answer_of(host: &str, event: HookEvent, context: Option<&str>) -> String {
    answer(host, event, context)
}
