//! A process that does what a hook has no time for, and ends with it.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anamne::HookRun;
use anamne_hosts::hook::{HookEvent, HookInput, MAX_INPUT};

use super::job::{Job, JobArguments};
use super::session::HookSite;
use super::{capture, held, record_failure};
use crate::arguments::Global;
use crate::failure::Failure;

/// When such a process ends at the latest, done or not. The next hook goes on where it stopped.
const LATEST: Duration = Duration::from_mins(2);

/// Starts the process. If it can't be started, the next hook does the work.
pub(super) fn start(job: &Job) {
    drop(spawn(job, Stdio::null()));
}

/// Starts the process with the agent's last message, or with a prompt, which are not for a command line.
pub(super) fn start_with(mut job: Job, said: &str) {
    job.work.said = Some(said.len());
    if let Some(mut input) = spawn(&job, Stdio::piped()).and_then(|process| process.stdin) {
        // The process takes only a whole message.
        let _ = input.write_all(said.as_bytes());
    }
}

/// What was written by [`start_with`]; `None` if it isn't whole.
fn said(bytes: usize) -> Option<String> {
    let mut said = String::new();
    let most = u64::try_from(MAX_INPUT).unwrap_or(u64::MAX);
    std::io::stdin().take(most).read_to_string(&mut said).ok()?;
    (said.len() == bytes).then_some(said)
}

fn spawn(job: &Job, input: Stdio) -> Option<Child> {
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new(program);
    command
        .args(job.command_line())
        .stdin(input)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Hosts end the group of a hook with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().ok()
}

/// Does the work of a job: notes a hook that ran out of time, holds its prompt, captures a transcript, updates the
/// indexes, sends captures to the server.
pub(crate) fn run(host: &str, job: &JobArguments, global: &Global) {
    std::thread::spawn(|| {
        std::thread::sleep(LATEST);
        std::process::exit(0);
    });
    let started = Instant::now();
    if let Some(event) = job.timed_out.as_deref().and_then(HookEvent::named) {
        record_failure(event, host, global, "timeout", started);
    }
    if let Err(failure) = work(host, job, global, started) {
        record_failure(
            HookEvent::TurnEnd,
            host,
            global,
            failure.kind_word(),
            started,
        );
    }
}

fn work(host: &str, job: &JobArguments, global: &Global, started: Instant) -> Result<(), Failure> {
    let is_prompt = job.timed_out.as_deref() == Some(HookEvent::Prompt.as_str());
    let said = job.said.and_then(said);
    let (prompt, last_message) = if is_prompt {
        (said, None)
    } else {
        (None, said)
    };
    let input = HookInput {
        session: job.session.clone(),
        transcript: job.transcript.clone(),
        last_message,
        ..HookInput::default()
    };
    let Some(site) = HookSite::find(global, host, &input, started)? else {
        return Ok(());
    };
    if let Some(words) = &prompt {
        held::hold_late(host, &input, words, &site)?;
    }
    if input.transcript.is_some() {
        let effect = capture::everything(host, &input, &site)?;
        let run = HookRun {
            host,
            event: HookEvent::TurnEnd.as_str(),
            stored: effect.stored,
            redacted: effect.redacted,
            took: started.elapsed(),
            failure: effect.problem,
            ..HookRun::default()
        };
        site.log.note_run(&run, site.now)?;
    }
    if let Some(remote) = &site.remote {
        let problem = remote.send()?;
        if !problem.is_empty() {
            record_failure(HookEvent::TurnEnd, host, global, problem, started);
        }
    } else if let Some(space) = site.existing_space()?
        && space.is_unsettled()?
    {
        space.settle(&mut |_, _| {})?;
    }
    Ok(())
}
