//! Concurrent processes, killed processes, damaged files: is every acknowledged write found?

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::failure::Failure;
use crate::output;
use crowd::CrowdResult;
use damage::Damages;
use kills::Kills;

mod crowd;
pub(crate) mod damage;
pub(crate) mod kills;
mod space;
pub(crate) mod worker;

/// What to run, and for how long.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of processes that write and recall at the same time.
    #[arg(long, default_value_t = 8)]
    processes: usize,
    /// Writes per process (0 to skip), each followed by a recall of another process's last write.
    #[arg(long, default_value_t = 2_000)]
    writes: usize,
    /// Number of processes killed at random times, in rounds of two writers and one that moves and folds; 0 to skip.
    #[arg(long, default_value_t = 200)]
    kills: usize,
    /// Number of store copies that get one damaged file each, half of them while a process uses them.
    #[arg(long, default_value_t = 40)]
    damage: usize,
    /// The seed of the first damage; each further damage adds one. On the same `--store` the same seed does the same
    /// damage.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// The store to use; a temporary one if not given.
    #[arg(long)]
    store: Option<PathBuf>,
}

/// Runs the tortures; the exit code tells whether all passed.
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
    let kept = crowd.as_ref().is_none_or(CrowdResult::kept)
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
