//! A process that opens a store, answers, and reports the cost: the child of `speed`.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anamne::{Recall, Temperature};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output;
use crate::store;

/// The store to open, and the questions.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The store's folder.
    #[arg(long)]
    store: PathBuf,
    /// The first question; further ones may be on standard input, one per line.
    #[arg(long)]
    query: String,
    /// Ask only the active tier of a store that spans three years; results are not required.
    #[arg(long)]
    hot: bool,
}

/// The cost of the first answer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FirstAnswer {
    /// Milliseconds from the start of opening to the open space.
    pub(crate) opened_ms: f64,
    /// Milliseconds from the start of opening to the first answer.
    pub(crate) answered_ms: f64,
    /// Anonymous resident bytes after opening the space; `None` if the system does not report it.
    pub(crate) idle_bytes: Option<u64>,
    /// The same after the first answer.
    pub(crate) first_bytes: Option<u64>,
}

/// The state after the questions on standard input.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ManyAnswers {
    /// Total number of questions.
    pub(crate) questions: u64,
    /// Anonymous resident bytes.
    pub(crate) bytes: Option<u64>,
}

/// Prints a [`FirstAnswer`] immediately, and [`ManyAnswers`] at the end, one JSON object per line.
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

/// Anonymous resident bytes of a process (`RssAnon` on Linux); `None` on other systems.
pub(crate) fn anonymous_bytes(process: &str) -> Option<u64> {
    let status = Path::new("/proc").join(process).join("status");
    let text = std::fs::read_to_string(status).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
