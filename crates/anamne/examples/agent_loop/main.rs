//! The agent loop: store the message, what do we know, what worked before, cached result, act, feedback.
//!
//! The same task is done twice. The second run recalls the command, follows the steps of the first one and asks the web
//! nothing.
//!
//! `cargo run -p anamne --example agent_loop`

#![expect(clippy::print_stdout, reason = "an example prints what it shows")]

mod agent;
mod workshop;

use agent::Agent;
use anamne::Store;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let space = Store::open(folder.path())?.space("parser")?;
    let goal = "publish the next release of the parser";
    for (run, message) in [
        (
            "first",
            "Please publish the next release of the parser. We release with: make release",
        ),
        ("second", "Please publish the next release of the parser."),
    ] {
        let report = Agent::new(&space, run, goal).work_on(message)?;
        println!(
            "{run} run: {} commands, {} of them failed; {} web searches; {} steps taken over",
            report.actions, report.failed, report.searches, report.planned
        );
    }
    Ok(())
}
