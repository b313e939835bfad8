//! `anamne doctor`.

use anamne::{CheckUp, PendingErasure, SimdLevel, Store, Unreadable};
use serde_json::{Value, json};

use crate::bridge;
use crate::commands::doctor_backups::ServerBackups;
use crate::commands::model::VerifiedModels;
use crate::failure::Failure;
use crate::next_step::{self, StoreOwner};
use crate::output::{BOLD, DIM, GREEN, Output, RED, YELLOW, paint};
use crate::place::Place;
use crate::projects::{self, ProjectWarning};
use crate::reached::ReachedStore;
use crate::wording::{file_name, one_line};

/// Check everything, repair what can be repaired, and report the rest
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Checks every space, or the one that --space names: the journal and its hash
chain, the database and each index. Damaged indexes are rebuilt. Exit code 1
means that a problem needs you or `anamne repair`. It also lists repairs of
the last thirty days, deferred retention, scheduled backups (the last, the next,
a failure, an overdue one, a missing folder), and why a configured language
model is not used.

Examples:
  anamne doctor
  anamne --space recipes doctor --json

Files of embedding models are compared with their manifests.

It also says when the last backup of a server was made that backs itself up
(`anamne serve --backup-to`), and why none was made since.

It also names spaces that several projects may share, with the command that
splits them, folders that contain the same project, and places that may still
have something of a deleted space.

Searches use the best vector instructions of the processor, unless the
variable ANAMNE_SIMD names others: avx512, avx2, neon or portable. Results are
the same, times differ.

With --json: {\"store\", \"healthy\", \"spaces\": [{\"space\", \"well\": […], \"deferred\":
  […], \"repaired\": […], \"earlier\": […], \"problems\": […], \"next_steps\": […],
  \"hints\": […], \"backups\"?: {\"folder\", \"every_hours\", \"keep\", \"made\",
  \"last_at\", \"last_folder\", \"events_since\", \"next_at\", \"overdue\",
  \"failed_at\", \"failure\", \"missing\": [folder, …]}}], \"model_problem\": why the configured model is not used,
or null, \"simd\": the vector instructions in use, \"embedding_models\": as
\"models\" of `anamne model verify`, or null with --space, \"projects\":
  [{\"space\", \"finding\", \"commands\": […]}], \"unfinished_erasures\": what deleted
  spaces may have left, [{\"place\", \"reason\"}], \"server_backups\": the backups of the
  server, or null: {\"folder\", \"every_seconds\", \"keep\", \"since\", \"complete\",
  \"changed\", \"last_at\"?, \"last_folder\"?, \"failed_at\"?, \"failure\"?}}")]
pub(crate) struct Doctor {}

impl Doctor {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.reached_store()?;
        let found: Vec<_> = if place.is_named() {
            let space = place.existing_in(&store)?;
            vec![store.check_up(space.name())?]
        } else {
            let checked = store.names()?.into_iter();
            let mut checked: Vec<_> = checked
                .map(|name| store.check_up(name.as_str()))
                .collect::<Result<_, _>>()?;
            checked.extend(store.unreadable_spaces()?.iter().map(unreadable));
            checked
        };
        let machine = match &store {
            ReachedStore::Here(store) => Some(Machine::of(store, place.is_named())?),
            ReachedStore::There(_) => None,
        };
        let healthy = found.iter().all(|check_up| check_up.problems.is_empty())
            && machine.as_ref().is_none_or(Machine::is_sound);
        if output.is_json() {
            let mut answer = json!({
                "store": store.location(),
                "healthy": healthy,
                "spaces": store.owner().worded(&found),
            });
            if let Some(machine) = &machine {
                machine.describe(&mut answer);
            }
            output.json(&answer)?;
        } else {
            for check_up in &found {
                print(check_up, store.owner(), output)?;
            }
            if let Some(machine) = &machine {
                machine.print(output)?;
            }
        }
        if healthy {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}

/// What is checked beside the spaces, if the store is on this machine.
struct Machine {
    /// Not for a space alone.
    models: Option<VerifiedModels>,
    /// Why the configured language model is not used.
    model_problem: Option<String>,
    projects: Vec<ProjectWarning>,
    /// Where something of deleted spaces may be left.
    unfinished: Vec<PendingErasure>,
    /// The backups of the server, if it makes any; not for a space alone.
    backups: Option<ServerBackups>,
}

impl Machine {
    fn of(store: &Store, for_one_space: bool) -> Result<Self, Failure> {
        let (models, projects, unfinished, backups) = if for_one_space {
            (None, Vec::new(), Vec::new(), None)
        } else {
            let models = VerifiedModels::of(store, None)?;
            let unfinished = store.unfinished_space_erasures()?;
            let backups = ServerBackups::of(store)?;
            (
                Some(models),
                projects::findings(store)?,
                unfinished,
                backups,
            )
        };
        Ok(Self {
            models,
            model_problem: bridge::usable(store.root())
                .err()
                .map(|error| next_step::on_one_line(&error, error.next_step())),
            projects,
            unfinished,
            backups,
        })
    }

    fn is_sound(&self) -> bool {
        self.unfinished.is_empty()
            && self.backups.as_ref().is_none_or(ServerBackups::are_sound)
            && self.models.as_ref().is_none_or(VerifiedModels::are_sound)
    }

    fn describe(&self, answer: &mut Value) {
        answer["model_problem"] = json!(self.model_problem);
        answer["simd"] = json!(SimdLevel::current().as_str());
        answer["embedding_models"] = json!(self.models.as_ref().map(VerifiedModels::as_json));
        answer["projects"] = json!(self.projects);
        let backups = self.backups.as_ref();
        answer["server_backups"] = json!(backups.map(|backups| &backups.status));
        answer["unfinished_erasures"] = next_step::worded(&self.unfinished);
    }

    fn print(&self, output: &mut Output) -> Result<(), Failure> {
        if let Some(problem) = &self.model_problem {
            output.line(paint(BOLD, "language model"))?;
            output.entry(YELLOW, "not used", problem)?;
        }
        if let Some(models) = &self.models {
            models.print(output)?;
        }
        print_projects(&self.projects, output)?;
        print_unfinished(&self.unfinished, output)?;
        if let Some(backups) = &self.backups {
            backups.print(output)?;
        }
        output.line(paint(BOLD, "processor"))?;
        let level = SimdLevel::current();
        let instructions = format!("vector instructions in use: {level}");
        output.entry(GREEN, "well   ", &instructions)
    }
}

/// Prints where something of deleted spaces may be left.
fn print_unfinished(places: &[PendingErasure], output: &mut Output) -> Result<(), Failure> {
    if places.is_empty() {
        return Ok(());
    }
    output.line(paint(BOLD, "deleted spaces"))?;
    for PendingErasure { place, reason, .. } in places {
        let finding = format!("{}: {reason}", file_name(place));
        output.entry(RED, "problem", &finding)?;
    }
    let mut steps: Vec<_> = places.iter().filter_map(|place| place.next_step).collect();
    steps.dedup();
    next_step::print(&steps, output)
}

/// Prints advice about projects; nothing is damaged.
fn print_projects(findings: &[ProjectWarning], output: &mut Output) -> Result<(), Failure> {
    if findings.is_empty() {
        return Ok(());
    }
    output.line(paint(BOLD, "projects"))?;
    for finding in findings {
        output.entry(YELLOW, "look   ", &finding.finding)?;
        for command in &finding.commands {
            output.line(format_args!("           {}", one_line(command)))?;
        }
    }
    Ok(())
}

/// A space with unreadable settings is named by its folder.
fn unreadable(found: &Unreadable) -> CheckUp {
    let name = found.folder.file_name().unwrap_or_default();
    CheckUp {
        space: name.to_string_lossy().into_owned(),
        problems: vec![format!("settings: {}", found.error)],
        next_steps: found.error.next_step().into_iter().collect(),
        ..CheckUp::default()
    }
}

fn print(check_up: &CheckUp, owner: StoreOwner, output: &mut Output) -> Result<(), Failure> {
    output.line(paint(BOLD, &check_up.space))?;
    for (style, sign, findings) in [
        (GREEN, "well   ", &check_up.well),
        (DIM, "earlier", &check_up.earlier),
        (YELLOW, "repaired ", &check_up.repaired),
        (YELLOW, "waiting", &check_up.deferred),
        (RED, "problem", &check_up.problems),
    ] {
        for finding in findings {
            output.entry(style, sign, finding)?;
        }
    }
    owner.print(&check_up.next_steps, output)
}
