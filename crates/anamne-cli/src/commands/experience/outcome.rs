//! `anamne experience outcome`.

use anamne::{ActionOutcome, Experience};

use crate::commands::remember;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::reached::ToldBy;
use crate::session_argument::SessionArgument;

/// Record an action and what came of it
#[derive(Debug, clap::Args)]
pub(crate) struct Outcome {
    /// The action: a tool or a command; `task` for a whole run
    action: String,
    /// Its arguments, such as the command line
    #[arg(default_value = "", hide_default_value = true)]
    arguments: String,
    /// What it acted on: a file, a host, a database
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    target: String,
    /// It failed
    #[arg(long)]
    failed: bool,
    /// The error message; implies --failed
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    error: String,
    /// Its result, in short
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    result: String,
    /// How well, 0 to 1 [default: 1, or 0 if it failed]
    #[arg(long, value_name = "SHARE")]
    score: Option<f32>,
    /// The goal that it served
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    goal: String,
    /// The run that it is a step of: one attempt at the goal
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "NAME"
    )]
    run: String,
    /// It is the outcome of the whole run
    #[arg(long)]
    ends_run: bool,
    /// How long it took, in milliseconds
    #[arg(long, value_name = "NUMBER")]
    duration_ms: Option<u64>,
    /// What it cost, in US dollars
    #[arg(long, value_name = "DOLLARS")]
    dollars: Option<f64>,
    /// The model that chose it
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "NAME"
    )]
    model: String,
    /// What made it succeed; may be repeated
    #[arg(long, value_name = "TEXT")]
    factor: Vec<String>,
    /// A memory that was in view; may be repeated
    #[arg(long, value_name = "ID")]
    in_view: Vec<String>,
    /// The thread
    #[arg(long, value_name = "NAME")]
    thread: Option<String>,
    #[command(flatten)]
    session: SessionArgument,
    /// Who acted
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
}

impl Outcome {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let mut outcome = ActionOutcome {
            action: self.action,
            target: self.target,
            arguments: self.arguments,
            succeeded: !self.failed && self.error.is_empty(),
            score: self.score,
            result: self.result,
            error: self.error,
            goal: self.goal,
            run: self.run,
            ends_run: self.ends_run,
            duration_ms: self.duration_ms,
            dollars: self.dollars,
            model: self.model,
            factors: self.factor,
            in_view: Vec::new(),
        };
        // Before the store is opened, so that a rejected outcome creates no store.
        Experience::Outcome(outcome.clone()).check()?;
        let space = place.reached()?;
        outcome.in_view = space.resolve_all(&self.in_view)?;
        let told = ToldBy {
            thread: self.thread,
            session: self.session.name(),
            author: self.author,
        };
        let remembered = space.record_outcome(outcome, told)?;
        remember::print(&remembered, output)?;
        space.settle(output)
    }
}
