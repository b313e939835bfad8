//! The commands, one file each.

mod audit;
mod backup;
mod cache;
mod check;
mod completions;
mod consolidate;
mod context;
mod costs;
mod demo;
mod demote;
mod doctor;
mod doctor_backups;
mod edit;
mod enrich;
mod experience;
mod experiment;
mod export;
mod extract;
mod feedback;
mod forget;
mod graph;
mod guard;
mod history;
mod hook;
mod import;
mod init;
mod keys;
mod knowledge;
mod link;
mod list;
mod login;
mod man;
mod mcp;
mod meta;
mod model;
mod promote;
mod recall;
mod remember;
mod repair;
mod resolve;
mod restore;
mod retention;
mod rewind;
mod serve;
mod setup;
mod show;
mod show_metadata;
mod spaces;
mod spaces_add;
mod spaces_delete;
mod spaces_join;
mod spaces_model;
mod spaces_remove;
mod spaces_set;
mod spaces_settings;
mod spaces_split;
mod stats;
mod status;
mod summaries;
mod tasks;
mod tenants;
mod think;
mod tiers;
mod verify;
mod working;

use crate::arguments::Global;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// What can be asked of `anamne`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Demo(demo::Demo),
    Init(init::Init),
    Remember(remember::Remember),
    Recall(recall::Recall),
    Context(context::Context),
    Think(think::Think),
    Show(show::Show),
    List(list::List),
    Edit(edit::Edit),
    Forget(forget::Forget),
    Restore(restore::Restore),
    Retention(retention::Retention),
    History(history::History),
    Audit(audit::Audit),
    Rewind(rewind::Rewind),
    Link(link::Link),
    Feedback(feedback::Feedback),
    Experience(experience::Experience),
    Experiment(experiment::Experiment),
    Working(working::Working),
    Knowledge(knowledge::Knowledge),
    Graph(graph::Graph),
    Resolve(resolve::Resolve),
    Check(check::Check),
    #[command(alias = "weave")]
    Extract(extract::Extract),
    Enrich(enrich::Enrich),
    Import(import::Import),
    Export(export::Export),
    Cache(cache::Cache),
    Guard(guard::Guard),
    Stats(stats::Stats),
    Summaries(summaries::Summaries),
    Consolidate(consolidate::Consolidate),
    Spaces(spaces::Spaces),
    Promote(promote::Promote),
    Demote(demote::Demote),
    Tiers(tiers::Tiers),
    Meta(meta::Meta),
    Tasks(tasks::Tasks),
    Model(model::Model),
    Costs(costs::Costs),
    Doctor(doctor::Doctor),
    Backup(backup::Backup),
    Verify(verify::Verify),
    Repair(repair::Repair),
    Setup(setup::Setup),
    Status(status::Status),
    Hook(hook::Hook),
    Mcp(mcp::Mcp),
    Serve(serve::Serve),
    Login(login::Login),
    Keys(keys::Keys),
    Tenants(tenants::Tenants),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Whether its output is for programs only, and must not be changed by a byte.
    pub(crate) fn is_verbatim(&self) -> bool {
        matches!(self, Self::Export(_) | Self::Completions(_) | Self::Man(_))
    }

    /// Why a server doesn't do it, and what to do instead.
    fn only_here(&self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::Backup(_) => (
                "a backup is a folder of the machine that has the store",
                "schedule backups on the server's machine with `anamne backup DIR --every day`, or copy the memories here with `anamne export`",
            ),
            Self::Repair(_) | Self::Rewind(_) => (
                "it works on the files of the store",
                "run it on the server's machine; `anamne verify` and `anamne doctor` check a space from here",
            ),
            Self::Guard(_) => (
                "the guard's settings and scans belong to the machine that has the store",
                "run it on the server's machine; what is sent there passes its guard",
            ),
            Self::Model(_) | Self::Costs(_) => (
                "models, their keys and their costs belong to the machine that has the store",
                "run it on the server's machine",
            ),
            Self::Keys(_) | Self::Tenants(_) => (
                "keys and tenants are managed on the server's machine, or by the routes under /v1/admin",
                "run it on the server's machine",
            ),
            Self::Spaces(spaces) => return spaces.only_here(),
            _ => return None,
        })
    }

    /// Runs the command.
    pub(crate) fn run(
        self,
        place: &Place,
        global: &Global,
        output: &mut Output,
    ) -> Result<(), Failure> {
        if let Some((reason, instead)) = self.only_here() {
            place.refuse_server(reason, instead)?;
        }
        match self {
            Self::Demo(command) => command.run(place, output),
            Self::Init(init::Init {}) => init::Init::run(place, output),
            Self::Remember(command) => command.run(place, output),
            Self::Recall(command) => command.run(place, output),
            Self::Context(command) => command.run(place, output),
            Self::Think(command) => command.run(place, output),
            Self::Show(command) => command.run(place, output),
            Self::List(command) => command.run(place, output),
            Self::Edit(command) => command.run(place, output),
            Self::Forget(command) => command.run(place, output),
            Self::Restore(command) => command.run(place, output),
            Self::Retention(command) => command.run(place, output),
            Self::History(command) => command.run(place, output),
            Self::Audit(command) => command.run(place, output),
            Self::Rewind(command) => command.run(place, output),
            Self::Link(command) => command.run(place, output),
            Self::Feedback(command) => command.run(place, output),
            Self::Experience(command) => command.run(place, output),
            Self::Experiment(command) => command.run(place, output),
            Self::Working(command) => command.run(place, output),
            Self::Knowledge(command) => command.run(place, output),
            Self::Graph(command) => command.run(place, output),
            Self::Resolve(command) => command.run(place, output),
            Self::Check(command) => command.run(place, output),
            Self::Extract(command) => command.run(place, output),
            Self::Enrich(command) => command.run(place, output),
            Self::Import(command) => command.run(place, global, output),
            Self::Export(command) => command.run(place, output),
            Self::Cache(command) => command.run(place, output),
            Self::Guard(command) => command.run(place, output),
            Self::Stats(stats::Stats {}) => stats::Stats::run(place, output),
            Self::Summaries(command) => command.run(place, output),
            Self::Consolidate(command) => command.run(place, output),
            Self::Spaces(command) => command.run(place, output),
            Self::Promote(command) => command.run(place, output),
            Self::Demote(command) => command.run(place, output),
            Self::Tiers(command) => command.run(place, output),
            Self::Meta(command) => command.run(place, output),
            Self::Tasks(command) => command.run(place, output),
            Self::Model(command) => command.run(place, output),
            Self::Costs(command) => command.run(place, output),
            Self::Doctor(doctor::Doctor {}) => doctor::Doctor::run(place, output),
            Self::Backup(command) => command.run(place, output),
            Self::Verify(verify::Verify {}) => verify::Verify::run(place, output),
            Self::Repair(repair::Repair {}) => repair::Repair::run(place, output),
            Self::Setup(command) => command.run(place, global, output),
            Self::Status(status::Status {}) => status::Status::run(global, output),
            Self::Hook(command) => command.run(global, output),
            Self::Mcp(command) => command.run(place, output),
            Self::Serve(command) => command.run(place, output),
            Self::Login(command) => command.run(global, output),
            Self::Keys(command) => command.run(place, output),
            Self::Tenants(command) => command.run(place, output),
            Self::Completions(command) => command.run(output),
            Self::Man(command) => command.run(output),
        }
    }
}
