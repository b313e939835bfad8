//! A process that opens a store, answers, and says what that cost: the child of `speed`.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anamne::{Recall, Temperature};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output;
use crate::store;

/// Which store to open, and what to ask it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The store's folder.
    #[arg(long)]
    store: PathBuf,
    /// The first question; more of them may stand on standard input, one a line.
    #[arg(long)]
    query: String,
    /// Ask the active tier alone, of a store that spans three years; nothing need be found.
    #[arg(long)]
    hot: bool,
}

/// What the first answer cost.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FirstAnswer {
    /// Milliseconds from the beginning of opening to the open space.
    pub(crate) opened_ms: f64,
    /// Milliseconds from the beginning of opening to the first answer.
    pub(crate) answered_ms: f64,
    /// Anonymous resident bytes once the space was open; none where the system does not tell.
    pub(crate) idle_bytes: Option<u64>,
    /// The same after the first answer.
    pub(crate) first_bytes: Option<u64>,
}

/// What it came to after the questions on standard input.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ManyAnswers {
    /// Questions that were asked in all.
    pub(crate) questions: u64,
    /// Anonymous resident bytes.
    pub(crate) bytes: Option<u64>,
}

/// Prints a [`FirstAnswer`] as soon as it is there, and [`ManyAnswers`] at the end, one JSON object a line.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let milliseconds = || started.elapsed().as_secs_f64() * 1_000.0;
    let space = if arguments.hot {
        store::open_at_the_end(&arguments.store)?
    } else {
        store::open(&arguments.store)?
    };
    let opened_ms = milliseconds();
    let idle_bytes = anonymous_bytes("self");
    if arguments.hot {
        space.recall(&Recall::new(&arguments.query).temperature(Temperature::Hot))?;
    } else {
        store::ask(&space, &Recall::new(&arguments.query))?;
    }
    let first = FirstAnswer {
        opened_ms,
        answered_ms: milliseconds(),
        idle_bytes,
        first_bytes: anonymous_bytes("self"),
    };
    output::line(&serde_json::to_string(&first)?);
    let mut questions = 1;
    for line in std::io::stdin().lock().lines() {
        store::ask(&space, &Recall::new(line?))?;
        questions += 1;
    }
    let many = ManyAnswers {
        questions,
        bytes: anonymous_bytes("self"),
    };
    output::line(&serde_json::to_string(&many)?);
    Ok(ExitCode::SUCCESS)
}

/// Resident bytes of a process that no file backs (`RssAnon` of Linux); `None` on other systems.
pub(crate) fn anonymous_bytes(process: &str) -> Option<u64> {
    let status = Path::new("/proc").join(process).join("status");
    let text = std::fs::read_to_string(status).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
