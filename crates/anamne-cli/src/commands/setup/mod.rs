//! `anamne setup`.

mod earlier;
mod proving;
mod status;

pub(crate) use status::words_of;

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anamne_hosts::adapters::{Adapter, adapter};
use anamne_hosts::files::{self, Applied, ChangeRecord};
use anamne_hosts::{Commands, Host, LeftAlone, Machine, Plan, SetupScope, host, hosts};
use earlier::EarlierConversations;
use serde::Serialize;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::output::{BOLD, GREEN, Output, RED, YELLOW, is_confirmed, paint};
use crate::place::Place;
use crate::wording::file_name;
use crate::{hooks, programs};

/// Connect the agents on this machine, or one project's, to the memory
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Finds the installed hosts (Claude Code, Codex, Gemini CLI, Cursor, …), shows the
changes of their configuration files, asks, and applies them: the MCP server,
hooks that recall and capture by themselves, and a few lines in the host's
instruction file. Comments, order and formatting of the files stay. A backup
lies beside each changed file (NAME.anamne-backup). A file that can't be
understood is left alone and named. Of a host that was not checked, such as
Cursor, only existing files are changed, and it says what to add to others (exit
code 4). A second run changes nothing.

Then it proves each connection: it starts the configured server, stores,
recalls and erases in a temporary store, reads once from the real one, and calls
each hook as the host does. What a person must do is said, also if a host has
its hooks or the entry switched off, and --status repeats it until it is done.

Then it offers to import the conversations that the host recorded before, as
`anamne import --from HOST` does: it says how many there are and how old they
are, and asks. Some hosts delete them after 30 days. --yes alone doesn't import.

An entry `anamne` keeps arguments that a person added, such as --space NAME.
--remove takes everything back: files that nobody changed since are restored byte
for byte, from others our entries are taken out. An entry with arguments that
set-up didn't write stays, and it says so.

Without --store and --space, each project gets its own space.

Examples:
  anamne setup
  anamne setup --host claude-code --host codex --yes
  anamne setup --all --yes --import
  anamne setup --dry-run --all
  anamne setup --status
  anamne setup --remove --all --yes

With --json (needs --yes, --dry-run or --status): {\"hosts\": [{\"host\", \"changed\": [file],
  \"left_alone\": [{\"path\", \"reason\"}], \"by_hand\": […], \"warnings\": […], \"proofs\": [{\"what\", \"ok\",
  \"milliseconds\", \"problem\"?}], \"earlier\"?: {\"conversations\", \"oldest\"?, \"deleted_after_days\"?,
  \"imported\"?: as of `import --from`, \"problem\"?}}]}; with --status: {\"hosts\": [{\"host\", \"installed\", \"server\",
  \"hooks\": [{\"event\", \"configured\", \"waits_for_trust\"}], \"instructions\",
  \"warnings\"}], \"captures\": {\"server\", \"waiting\": [{\"server\", \"space\", \"memories\",
  \"bytes\", \"since\", \"problem\"}]}}")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of the command line"
)]
pub(crate) struct Setup {
    /// A host; repeatable [default: every installed one, asking for each]
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Every installed host
    #[arg(long, conflicts_with = "host")]
    all: bool,
    /// Don't ask, and name the changed files only
    #[arg(long)]
    yes: bool,
    /// With --yes: show the changes, too
    #[arg(long, requires = "yes")]
    diff: bool,
    /// Show the changes only
    #[arg(long)]
    dry_run: bool,
    /// Change the configuration of the current project, not the person's
    #[arg(long)]
    project: bool,
    /// Show what is set up
    #[arg(long, conflicts_with_all = ["remove", "dry_run"])]
    status: bool,
    /// Take the changes back
    #[arg(long)]
    remove: bool,
    /// Import earlier conversations without asking
    #[arg(long, conflicts_with_all = ["no_import", "dry_run", "status", "remove"])]
    import: bool,
    /// Don't offer to import earlier conversations
    #[arg(long)]
    no_import: bool,
}

/// A host with its adapter.
pub(super) struct Chosen {
    pub(super) host: &'static Host,
    pub(super) adapter: &'static dyn Adapter,
    /// What shows that it is installed.
    pub(super) found: Option<PathBuf>,
}

/// What happened to one host.
#[derive(Debug, Serialize)]
struct Outcome {
    host: &'static str,
    changed: Vec<PathBuf>,
    left_alone: Vec<LeftAlone>,
    by_hand: Vec<String>,
    /// What keeps it from working, or stays of the person, as `--status` says it.
    warnings: Vec<String>,
    /// Whether the person must add text to a file.
    #[serde(skip)]
    is_incomplete: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proofs: Vec<proving::Proof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    earlier: Option<EarlierConversations>,
}

/// The parts that every host needs.
struct Work<'a> {
    global: &'a Global,
    /// The store and space of the command, or its server.
    place: &'a Place,
    machine: Machine,
    scope: SetupScope,
    commands: Commands,
    record: ChangeRecord,
    /// The store of this machine, also if a server has the memory.
    here: Place,
}

impl Setup {
    pub(crate) fn run(
        self,
        place: &Place,
        global: &Global,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let machine = hooks::machine();
        let chosen = self.chosen(&machine)?;
        if self.import {
            earlier::check_place(place)?;
        }
        let work = Work {
            global,
            place,
            scope: self.scope(place)?,
            commands: programs::for_hosts(global)?,
            record: ChangeRecord {
                path: place.root()?.join("setup.json"),
            },
            machine,
            here: Place::named_by(global)?,
        };
        if !self.status && !self.remove {
            programs::check_name(&work.commands.program)?;
        }
        if self.status {
            return status::print(&chosen, &work, &hooks::report_unsent(global)?, output);
        }
        if chosen.is_empty() {
            return Err(
                Failure::not_found("no host that can be set up was found here")
                    .hint("name one with --host; `anamne setup --help` has examples"),
            );
        }
        self.check_confirmation(output)?;
        let mut outcomes = Vec::new();
        for (index, one) in chosen.iter().enumerate() {
            if index > 0 && !output.is_json() {
                output.line("")?;
            }
            if let Some(outcome) = self.of_host(one, &work, output)? {
                outcomes.push(outcome);
            }
        }
        let failed = outcomes.iter().any(Outcome::has_failed);
        if output.is_json() {
            output.json(&serde_json::json!({ "hosts": outcomes }))?;
        } else if !self.remove && outcomes.iter().any(|one| !one.changed.is_empty()) {
            output.flush()?;
            output.note(
                "restart the hosts that are running; `anamne status` shows what they do with it",
            );
        }
        if failed {
            return Err(Failure::Incomplete);
        }
        Ok(())
    }

    /// The named hosts, else the installed ones.
    fn chosen(&self, machine: &Machine) -> Result<Vec<Chosen>, Failure> {
        let of = |host: &'static Host| {
            let adapter = adapter(host.id)?;
            let found = adapter.found(machine);
            Some(Chosen {
                host,
                adapter,
                found,
            })
        };
        if self.host.is_empty() {
            let all = hosts().iter().filter_map(of);
            return Ok(all.filter(|one| one.found.is_some()).collect());
        }
        let mut seen = BTreeSet::new();
        let named = self.host.iter().filter(|name| seen.insert(name.as_str()));
        named
            .map(|name| host(name).and_then(of).ok_or_else(|| unknown(name)))
            .collect()
    }

    fn scope(&self, place: &Place) -> Result<SetupScope, Failure> {
        if !self.project {
            return Ok(SetupScope::Person);
        }
        match place.project() {
            Some(project) => Ok(SetupScope::Project(project.root().to_owned())),
            None => std::env::current_dir()
                .map(SetupScope::Project)
                .map_err(|error| {
                    Failure::failed(format!("can't find the current folder: {error}"))
                }),
        }
    }

    /// Without a terminal there is nobody to ask.
    fn check_confirmation(&self, output: &Output) -> Result<(), Failure> {
        let can_ask = std::io::stdin().is_terminal() && !output.is_json();
        if self.yes || self.dry_run || can_ask {
            return Ok(());
        }
        Err(Failure::refused(
            "yes",
            "changing configuration files without a terminal needs --yes",
        )
        .hint("see the changes with --dry-run; apply them with --yes"))
    }

    fn of_host(
        &self,
        one: &Chosen,
        work: &Work<'_>,
        output: &mut Output,
    ) -> Result<Option<Outcome>, Failure> {
        let plan = if self.remove {
            let former =
                files::former_texts(one.host.id, &work.record).map_err(|error| unusable(&error))?;
            let (machine, scope) = (&work.machine, &work.scope);
            one.adapter.remove_knowing(machine, scope, &former)
        } else {
            one.adapter
                .set_up(&work.machine, &work.scope, &work.commands)
        };
        if !output.is_json() {
            self.print_plan(one.host, &plan, output)?;
        }
        if !self.dry_run && !plan.changes.is_empty() && !self.is_agreed(one.host)? {
            return Ok(None);
        }
        let applied = if self.dry_run {
            Applied {
                left_alone: plan.left_alone.clone(),
                ..Applied::default()
            }
        } else {
            self.apply(one, &plan, work)?
        };
        let mut outcome = Outcome::of(one.host, plan, applied);
        if !output.is_json() {
            print_applied(&outcome, output)?;
        }
        if !self.dry_run && !self.remove {
            let status = one
                .adapter
                .status(&work.machine, &work.scope, &work.commands);
            outcome.proofs = proving::prove(one.host, &status, &work.commands);
            outcome.add_warnings(status.warnings);
            if !output.is_json() {
                proving::print(&outcome.proofs, output)?;
                print_warnings(&outcome.warnings, output)?;
            }
        }
        if !self.remove {
            let is_changed = !outcome.changed.is_empty();
            outcome.earlier = self.offer_earlier(one.host, is_changed, work, output)?;
        }
        Ok(Some(outcome))
    }

    fn apply(&self, one: &Chosen, plan: &Plan, work: &Work<'_>) -> Result<Applied, Failure> {
        if self.remove {
            return files::take_back(plan, one.host.id, &work.record)
                .map_err(|error| unusable(&error));
        }
        // Hooks do nothing without a store, and the record of the changes lies in it.
        work.here.store()?;
        files::apply(plan, one.host.id, &work.record).map_err(|error| unusable(&error))
    }

    /// Names the host and shows the changes, unless they were agreed to unseen.
    fn print_plan(&self, host: &Host, plan: &Plan, output: &mut Output) -> Result<(), Failure> {
        output.line(paint(BOLD, host.name))?;
        if self.diff || self.dry_run || !self.yes {
            for change in &plan.changes {
                output.document(files::difference(change))?;
            }
        }
        if plan.changes.is_empty() && plan.left_alone.is_empty() && !plan.has_text_to_add() {
            output.line("  nothing to change")?;
        }
        output.flush()
    }

    fn is_agreed(&self, host: &Host) -> Result<bool, Failure> {
        if self.yes {
            return Ok(true);
        }
        is_confirmed(format_args!("Apply these changes to {}? [y/N]", host.name))
    }
}

impl Outcome {
    fn of(host: &'static Host, plan: Plan, applied: Applied) -> Self {
        Self {
            host: host.id,
            changed: applied.written.into_iter().map(|(path, _)| path).collect(),
            left_alone: applied.left_alone,
            is_incomplete: plan.has_text_to_add(),
            by_hand: plan.by_hand,
            warnings: Vec::new(),
            proofs: Vec::new(),
            earlier: None,
        }
    }

    /// Adds what `--status` says, without what is said as a step or a file that is left alone.
    fn add_warnings(&mut self, warnings: Vec<String>) {
        let is_said = |warning: &String| {
            let path = |left: &LeftAlone| left.path.display().to_string();
            self.by_hand.contains(warning)
                || self
                    .left_alone
                    .iter()
                    .any(|left| warning.starts_with(&path(left)))
        };
        self.warnings = warnings.into_iter().filter(|one| !is_said(one)).collect();
    }

    fn has_failed(&self) -> bool {
        let has_failed = EarlierConversations::has_failed;
        self.is_incomplete
            || !self.left_alone.is_empty()
            || self.proofs.iter().any(|proof| !proof.ok)
            || self.earlier.as_ref().is_some_and(has_failed)
    }
}

fn unusable(error: &files::ChangeError) -> Failure {
    Failure::failed(error.to_string())
}

fn unknown(name: &str) -> Failure {
    let known: Vec<_> = hosts().iter().map(|host| host.id).collect();
    Failure::refused("host", format!("no host {name:?} is known"))
        .hint(format!("known hosts: {}", known.join(", ")))
}

fn print_applied(outcome: &Outcome, output: &mut Output) -> Result<(), Failure> {
    for path in &outcome.changed {
        let verb = if path.exists() { "changed" } else { "removed" };
        output.entry(GREEN, verb, &file_name(path))?;
    }
    for left in &outcome.left_alone {
        let text = format!("{}: {}", file_name(&left.path), left.reason);
        output.entry(RED, "left alone", &text)?;
    }
    for step in &outcome.by_hand {
        print_step(step, output)?;
    }
    Ok(())
}

/// A sentence, and below it the text that the person copies: that is not wrapped.
fn print_step(step: &str, output: &mut Output) -> Result<(), Failure> {
    let (sentence, text) = step.split_once('\n').unwrap_or((step, ""));
    output.entry(YELLOW, "by hand", sentence)?;
    for line in text.lines() {
        output.line(format_args!("    {line}"))?;
    }
    Ok(())
}

/// What keeps a host from working.
fn print_warnings(warnings: &[String], output: &mut Output) -> Result<(), Failure> {
    for warning in warnings {
        output.entry(YELLOW, "note", warning)?;
    }
    Ok(())
}

/// A path as text.
fn shown(path: &Path) -> String {
    file_name(path)
}
