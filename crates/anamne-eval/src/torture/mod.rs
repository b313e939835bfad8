//! Many processes on one store, processes that are killed, damaged files: is every acknowledged write found?

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::failure::Failure;
use crate::output;
use crowd::Crowd;
use damage::Damages;
use kills::Kills;

mod crowd;
pub(crate) mod damage;
pub(crate) mod kills;
mod space;
pub(crate) mod worker;

/// How hard to try.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Processes that write and recall at once.
    #[arg(long, default_value_t = 8)]
    processes: usize,
    /// Writes of each (0 for none of this), each followed by a recall of what another one wrote last.
    #[arg(long, default_value_t = 2_000)]
    writes: usize,
    /// How many processes are killed at random instants, two that write and one that moves and folds at a time; 0 for
    /// none.
    #[arg(long, default_value_t = 200)]
    kills: usize,
    /// How many copies of a store get one damaged file each, half of them while a process works with them.
    #[arg(long, default_value_t = 40)]
    damage: usize,
    /// What the damages are drawn from; the first one from this number, the next one from the number after it. On the
    /// same `--store` the same number does the same damage.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// A store to torture; a temporary one when not given.
    #[arg(long)]
    store: Option<PathBuf>,
}

/// Runs the tortures; the exit code says whether every promise was kept.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let temporary = tempfile::tempdir()?;
    let store = arguments
        .store
        .clone()
        .unwrap_or_else(|| temporary.path().to_owned());
    let wanted = |count: usize| (count > 0).then_some(count);
    let crowd = wanted(arguments.writes)
        .map(|writes| crowd::run(&store, arguments.processes, writes))
        .transpose()?;
    let kills = wanted(arguments.kills)
        .map(|kills| kills::run(&store, kills))
        .transpose()?;
    let damages = wanted(arguments.damage)
        .map(|cases| damage::run(&store.join("damage"), cases, arguments.seed))
        .transpose()?;
    let kept = crowd.as_ref().is_none_or(Crowd::kept)
        && kills.as_ref().is_none_or(Kills::kept)
        && damages.as_ref().is_none_or(Damages::kept);
    if arguments.json {
        let outcome = json!({ "crowd": crowd, "kills": kills, "damages": damages, "kept": kept });
        output::line(&outcome.to_string());
    } else {
        let said = [
            crowd.map(|crowd| crowd.to_string()),
            kills.map(|kills| kills.to_string()),
            damages.map(|damages| damages.to_string()),
        ];
        said.iter().flatten().for_each(|said| output::line(said));
        output::line(if kept {
            "every promise was kept"
        } else {
            "PROMISES WERE BROKEN"
        });
    }
    Ok(if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
