//! Imports a conversation, and prints the context block that a model should read before it answers a question.
//!
//! `cargo run -p anamne --example import_and_context [FILE.jsonl|FOLDER_OF_NOTES] [QUESTION]`; without arguments it
//! imports a short built-in conversation. A line of a file only needs a `text`.
#![expect(clippy::print_stdout, reason = "an example prints what it shows")]

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anamne::{BadLines, ContextRequest, ImportReport, Space, Store};

const CONVERSATION: &str = r#"
{"id": "1", "thread": "garden", "position": 0, "time": "2026-03-02T08:10:00Z", "author": "Ada", "text": "The tomatoes go into the south bed this year; the north bed was too wet."}
{"id": "2", "thread": "garden", "position": 1, "time": "2026-03-02T08:12:00Z", "author": "Ben", "text": "Fine. Then the beans need new poles, the old ones are rotten."}
{"id": "3", "thread": "garden", "position": 2, "time": "2026-03-09T17:40:00Z", "author": "Ben", "text": "I bought twelve poles of chestnut, 48 euros. The receipt is in the shed."}
{"id": "4", "thread": "water", "position": 0, "time": "2026-04-11T06:55:00Z", "author": "Ada", "text": "The pump lost its prime again. Fill the filter housing first, then switch it on."}
{"id": "5", "thread": "water", "position": 1, "time": "2026-05-20T19:05:00Z", "author": "Ada", "text": "From June on we water before seven in the morning, every other day."}
"#;

/// Maximum tokens of the block.
const BUDGET: usize = 150;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (source, question) = (arguments.next(), arguments.next());
    let question = question
        .as_deref()
        .unwrap_or("the pump does not start, what now?");

    let folder = tempfile::tempdir()?;
    let space = Store::open(folder.path())?.space("core")?;
    let report = import(&space, source.as_deref().map(Path::new))?;
    println!("{report}");
    // Importing the same again adds nothing, so an interrupted import can be repeated.
    println!("{}\n", import(&space, source.as_deref().map(Path::new))?);

    let context = space.context(&ContextRequest::new(question, BUDGET))?;
    println!("{}", context.text);
    println!("{} of {BUDGET} tokens; from:", context.tokens);
    for entry in &context.entries {
        println!("  [{}] {}", entry.citation, entry.id);
    }
    Ok(())
}

/// Imports JSON lines, a folder of notes, or the conversation above; invalid lines are reported and skipped.
fn import(
    space: &Space,
    source: Option<&Path>,
) -> Result<ImportReport, Box<dyn std::error::Error>> {
    let mut quiet = |_: &ImportReport| {};
    let report = match source {
        None => space.import(CONVERSATION.as_bytes(), BadLines::Skip, &mut quiet)?,
        Some(folder) if folder.is_dir() => {
            space.import_notes(folder, BadLines::Skip, &mut quiet)?
        }
        Some(file) => {
            let lines = BufReader::new(File::open(file)?);
            space.import(lines, BadLines::Skip, &mut quiet)?
        }
    };
    Ok(report)
}
