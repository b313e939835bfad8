//! The commands, and how one is run.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use super::hooks::Session;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::speed::budgets;
use crate::speed::figures::Budget;
use crate::speed::site::Site;
use crate::store::SPACE;

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// The hook of a submitted prompt.
    PromptHook,
    /// The hook of a session's start.
    SessionStartHook,
    /// The hook of a turn's end.
    TurnEndHook,
    /// `anamne recall`.
    Recall,
    /// `anamne context` with the preset of a session's start.
    Briefing,
    /// `anamne remember`.
    Remember,
    /// `anamne --version`.
    Version,
}

impl Work {
    /// All, in the order of the report.
    pub(super) const ALL: [Self; 7] = [
        Self::PromptHook,
        Self::SessionStartHook,
        Self::TurnEndHook,
        Self::Recall,
        Self::Briefing,
        Self::Remember,
        Self::Version,
    ];

    /// The prefix of its JSON keys.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::PromptHook => "prompt",
            Self::SessionStartHook => "session_start",
            Self::TurnEndHook => "turn_end",
            Self::Recall => "recall",
            Self::Briefing => "briefing",
            Self::Remember => "remember",
            Self::Version => "version",
        }
    }

    /// Its label in tables.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::PromptHook => "hook prompt",
            Self::SessionStartHook => "hook session-start",
            Self::TurnEndHook => "hook turn-end",
            Self::Recall => "anamne recall",
            Self::Briefing => "session_start block",
            Self::Remember => "anamne remember",
            Self::Version => "anamne --version",
        }
    }

    /// Its budget at p95.
    pub(super) fn budget(self) -> Option<Budget> {
        match self {
            Self::PromptHook => Some(budgets::PROMPT),
            Self::SessionStartHook | Self::Briefing => Some(budgets::SESSION_START),
            Self::TurnEndHook => Some(budgets::TURN_END),
            Self::Recall | Self::Remember | Self::Version => None,
        }
    }

    /// The name of its event, if it is a hook.
    fn event(self) -> Option<&'static str> {
        match self {
            Self::PromptHook => Some("prompt"),
            Self::SessionStartHook => Some("session-start"),
            Self::TurnEndHook => Some("turn-end"),
            _ => None,
        }
    }

    /// Whether it must print something.
    fn answers(self) -> bool {
        matches!(self, Self::Recall | Self::Briefing | Self::Version)
    }
}

/// Runs commands on a store.
pub(super) struct Runner<'site> {
    program: PathBuf,
    store: PathBuf,
    home: PathBuf,
    generator: &'site Generator,
    /// The number of the first record that is not in the store.
    next: u64,
    session: Session,
    has_hooks: bool,
}

impl<'site> Runner<'site> {
    pub(super) fn new(
        program: &Path,
        site: &'site Site,
        session: Session,
    ) -> Result<Self, Failure> {
        let mut runner = Self {
            program: std::path::absolute(program)?,
            store: site.store(),
            home: site.peer("home")?,
            generator: &site.generator,
            next: site.records,
            session,
            has_hooks: false,
        };
        let help = runner.command(&["hook", "--help"]).output()?;
        runner.has_hooks = help.status.success();
        Ok(runner)
    }

    /// What could not be measured.
    pub(super) fn note(&self) -> Option<String> {
        let lacking = "skipped: hooks, which this `anamne` doesn't know";
        (!self.has_hooks).then(|| lacking.to_owned())
    }

    /// Runs a command to its end; returns the milliseconds from before the fork to after the exit, or `None` if the
    /// command doesn't know this work.
    pub(super) fn run(&self, work: Work, round: u64) -> Result<Option<f64>, Failure> {
        let Some((mut command, input)) = self.prepare(work, round)? else {
            return Ok(None);
        };
        let started = Instant::now();
        let child = start(&mut command, &input)?;
        let ended = child.wait_with_output()?;
        let took = started.elapsed().as_secs_f64() * 1_000.0;
        if ended.status.success() && !(work.answers() && ended.stdout.is_empty()) {
            return Ok(Some(took));
        }
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        Err(format!("`{}` failed: {}", work.label(), said.trim()).into())
    }

    /// Starts a command; `None` if the command doesn't know this work.
    pub(super) fn start(&self, work: Work, round: u64) -> Result<Option<Child>, Failure> {
        let prepared = self.prepare(work, round)?;
        prepared
            .map(|(mut command, input)| start(&mut command, &input))
            .transpose()
    }

    /// The command and its standard input.
    fn prepare(&self, work: Work, round: u64) -> Result<Option<(Command, String)>, Failure> {
        if let Some(event) = work.event() {
            if !self.has_hooks {
                return Ok(None);
            }
            let input = self.session.input(work, round, self.generator)?;
            let command = self.command(&["hook", event, "--host", "claude-code"]);
            return Ok(Some((command, input)));
        }
        let question = self.generator.question(round);
        let new = self.generator.record(self.next + round).text;
        let command = match work {
            Work::Recall => self.command(&["recall", &question]),
            Work::Briefing => self.command(&["context", "--preset", "session_start"]),
            Work::Remember => self.command(&["remember", &new]),
            _ => self.command(&["--version"]),
        };
        Ok(Some((command, String::new())))
    }

    /// A command that sees this store and a home folder of its own, as little else as possible.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(&self.home)
            .env("ANAMNE_STORE", &self.store)
            .env("ANAMNE_SPACE", SPACE)
            .env("HOME", &self.home);
        for variable in ["CONFIG", "DATA", "STATE", "CACHE"] {
            command.env(format!("XDG_{variable}_HOME"), self.home.join(variable));
        }
        command
    }
}

/// Starts a command with this standard input.
fn start(command: &mut Command, input: &str) -> Result<Child, Failure> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        match pipe.write_all(input.as_bytes()) {
            // A command may end without reading its input.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                return Err(error.into());
            }
            _ => {}
        }
    }
    Ok(child)
}
