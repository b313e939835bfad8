//! `anamne rewind`.

use std::path::PathBuf;

use anamne::Rewound;

use crate::failure::Failure;
use crate::next_step::worded;
use crate::output::{BOLD, Output, counted, memories, paint};
use crate::place::Place;
use crate::shell::shell_path;
use crate::skipped;
use crate::wording::number;

/// Rebuild a space as of an earlier time, in a new folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Replays the journal up to TIME; a day or a month means its end. The result is
an independent store; this store is unchanged. What was erased since stays
erased; later erasures don't reach it. Settings are the current ones. With
--all, a space that can't be rebuilt is skipped and named (exit code 4).
After an interruption there is no store in DIR: repeat the same command.

Examples:
  anamne rewind --at yesterday --into ~/yesterday
  anamne --store ~/yesterday recall \"what did we decide?\"
  anamne rewind --at \"2026-03-01 14:05\" --into before-the-import --all

With --json: {\"at\", \"store\", \"spaces\": [{\"space\", \"at\", \"last_seq\",
  \"last_at\"?, \"later\", \"erased_since\"}], \"absent\": [spaces made later],
  \"skipped\"?: {\"count\", \"first\": [{\"entry\": space, \"reason\"}]}}")]
pub(crate) struct Rewind {
    /// The time: 2026-03-01, "2026-03-01 14:05", yesterday, 3d, …
    #[arg(long, value_name = "TIME")]
    at: String,
    /// An empty or new folder
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// All spaces of the store
    #[arg(long)]
    all: bool,
}

impl Rewind {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let at = output.dates.as_of("at", &self.at)?;
        let store = place.existing_store()?;
        let space = (!self.all).then(|| place.space_name().as_str());
        if !self.all {
            place.existing_space()?;
        }
        let rewind = store.rewind(at, &self.into, space)?;
        if output.is_json() {
            output.json(&worded(&rewind))?;
            return skipped::outcome(&rewind.skipped);
        }
        for rewound in &rewind.spaces {
            print(rewound, output)?;
        }
        for absent in &rewind.absent {
            output.line(format_args!("{}  created later", paint(BOLD, absent)))?;
        }
        output.flush()?;
        skipped::tell(&rewind.skipped, output);
        let folder = shell_path(&self.into);
        output.note(format_args!(
            "rebuilt in {folder}; use it with `anamne --store {folder} …`"
        ));
        skipped::outcome(&rewind.skipped)
    }
}

fn print(rewound: &Rewound, output: &mut Output) -> Result<(), Failure> {
    let last = match rewound.last_at {
        Some(last) => format!(", last one {}", output.dates.both(last)),
        None => String::new(),
    };
    output.line(format_args!(
        "{}  {}{last}; {} later events left out",
        paint(BOLD, &rewound.space),
        counted(rewound.last_seq.0, "event"),
        number(rewound.later)
    ))?;
    if rewound.erased_since > 0 {
        let (verb, stay) = if rewound.erased_since == 1 {
            ("has", "stays")
        } else {
            ("have", "stay")
        };
        output.line(format_args!(
            "  {} of then {verb} been erased since, and {stay} erased",
            memories(rewound.erased_since)
        ))?;
    }
    Ok(())
}
