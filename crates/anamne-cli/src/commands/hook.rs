//! `anamne hook`.

use anamne_hosts::hook::HookEvent;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::hooks::{self, JobArguments};
use crate::output::Output;

/// Run for an agent host, which calls this at the events of a session
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Events: session-start, prompt, tool, tool-failed, turn-end, before-compaction,
session-end. `anamne setup` writes these commands into the configuration of a
host; they never change. The host sends JSON on standard input and gets what it
adds to the conversation on standard output.

At session-start: decisions, open points and recent work, at most 1200 tokens.
At prompt: memories that are likely about the prompt, at most 400 tokens, none
that the session was already shown, unless it changed. At the end of a turn,
before a compaction and at the end of a session: what was said since the last
time is stored, with one line for each tool call, from which
`anamne experience` learns. Where no transcript tells how calls ended, each call
becomes an episode when it ends. Where none can be read, the prompts and what
the agent said last are stored.

A hook never disturbs its host: after any error it answers nothing, within
300 ms, with exit code 0. `anamne status` shows what hooks did and what failed.
Outside of a project, sessions are stored in the space `unfiled`.

After `anamne login`, hooks brief and recall from the server, and send it what
they capture. What it can't take now waits in a private file and is sent by the
next hooks, in order and once; `anamne setup --status` shows what waits,
`anamne hook unsent --remove` erases it. A session in a project whose space is
private on this machine stays in the store of this machine.

`anamne hook git --install` makes git store each commit of the current project:
message, files and branch. Git runs no such hook after a merge without
conflicts, so its commit is not stored. A hook that isn't executable is left
alone; if core.hooksPath names a folder outside of the project, every repository
that uses the folder stores its commits.

Examples:
  anamne hook git --install
  anamne hook unsent --remove
  echo '{\"session_id\":\"s1\",\"prompt\":\"how do we deploy?\"}' | anamne hook prompt --host claude-code")]
pub(crate) struct Hook {
    /// The event, git, or unsent
    #[arg(value_name = "EVENT")]
    event: String,
    /// The host that calls
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "NAME"
    )]
    host: String,
    /// With git: add the hook to the current repository
    #[arg(long, conflicts_with = "remove")]
    install: bool,
    /// With git: remove it. With unsent: erase what waits for a server
    #[arg(long)]
    remove: bool,
    #[command(flatten)]
    job: JobArguments,
}

impl Hook {
    pub(crate) fn run(self, global: &Global, output: &mut Output) -> Result<(), Failure> {
        match self.event.as_str() {
            "git" if self.install => return hooks::install(global, output),
            "git" if self.remove => return hooks::uninstall(output),
            "git" => {
                return Err(Failure::usage("git needs --install or --remove".to_owned()));
            }
            "unsent" if self.remove => return hooks::erase_unsent(global, output),
            "unsent" => return Err(Failure::usage("unsent needs --remove".to_owned())),
            "git-commit" => hooks::commit(global),
            "later" => hooks::run_later(&self.host, &self.job, global),
            name => match HookEvent::named(name) {
                Some(event) => hooks::run(event, &self.host, global),
                None => return Err(Failure::usage(format!("no event {name:?}"))),
            },
        }
        Ok(())
    }
}
