//! Stores memories and runs queries while the background extracts knowledge and builds summaries.
//!
//! `cargo run -p anamne --example background_loop [SECONDS]`; twelve by default.
#![expect(clippy::print_stdout, reason = "an example prints what it shows")]

use std::thread::sleep;
use std::time::{Duration, Instant};

use anamne::{Draft, Options, Recall, Space, Store};

const PEOPLE: [&str; 4] = ["Mara Lind", "Tomas Weber", "Ines Okonkwo", "Teo Brandt"];
const PLACES: [&str; 3] = ["Bonn", "Lyon", "Oslo"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds = std::env::args()
        .nth(1)
        .map_or(Ok(12), |word| word.parse())?;
    let folder = tempfile::tempdir()?;
    // Background work is off by default; one thread does it, and ends with the last handle.
    let store = Store::open_with(Options::new(folder.path()).background(true))?;
    let space = store.space("core")?;

    let (started, mut number) = (Instant::now(), 0);
    while started.elapsed() < Duration::from_secs(seconds) {
        let (person, place) = (PEOPLE[number % 4], PLACES[number % 3]);
        let text = format!("Visit {number}: {person} lives in {place} and keeps {number} hives.");
        space.remember(Draft::new(text).thread("visits"))?;
        let answer = space.recall(&Recall::new(format!("where does {person} live?")))?;
        println!(
            "told {number}, asked in {:.1} ms; {}",
            answer.took_ms,
            progress(&space)?
        );
        number += 1;
        sleep(Duration::from_secs(1));
    }

    // Finished and pending background work. Any process that opens the store continues it.
    let report = space.task_queue()?.report()?;
    println!("\nactivity: {}", report.activity.level.as_str());
    for kind in &report.kinds {
        println!(
            "  {}: {} done, {} waiting",
            kind.kind, kind.done, kind.waiting
        );
    }
    for task in &report.periodic {
        println!("  {} is due at {}", task.name, task.next);
    }

    // Before it ends, a program can do the rest itself, whatever the load.
    let done = space.run_tasks(&mut |ran| println!("now done: {}", ran.task.kind))?;
    println!("{done} tasks were left; {}", progress(&space)?);
    Ok(())
}

/// The progress of extraction into the knowledge graph.
fn progress(space: &Space) -> Result<String, anamne::Error> {
    let (position, left) = space.extracted()?;
    Ok(format!("{position} events extracted, {left} to go"))
}
