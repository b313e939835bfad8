//! Extracts knowledge before a command answers from it.

use std::time::{Duration, Instant};

use anamne::{Entity, ExtractionReport, Seq, Skipped, Space};
use anamne_client::{ClientError, RemoteSpace};
use serde::Deserialize;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::progress::Bar;
use crate::reached::{Known, Reached, is_denied};
use crate::shell::shell_word;
use crate::skipped;
use crate::wording::{named, number};

/// Extraction that takes longer than this shows progress.
const LONG: Duration = Duration::from_secs(2);

/// Number of similar names suggested for an unknown name.
const OFFERED: usize = 3;

const TEMPLATE: &str = "{bar:24} {percent:>3} % extracting {msg} · {eta} to go";

/// What was extracted.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Extracted {
    /// Number of memories extracted now.
    pub(crate) memories: u64,
    /// The event up to which memories were extracted.
    pub(crate) events: Seq,
    /// Number of events that were not extracted yet.
    pub(crate) behind: u64,
    /// Whether another process is extracting.
    pub(crate) busy: bool,
    /// Memories that were skipped because they are damaged.
    #[serde(default)]
    pub(crate) skipped: Skipped,
}

/// The knowledge of a space, including everything written so far.
pub(crate) fn knowledge(space: &Reached, output: &Output) -> Result<Known, Failure> {
    match space {
        Reached::Here(space) => {
            let (extracted, passed) = extract_here(space, LONG, output)?;
            skipped::report_to_stderr(&passed, output);
            let knowledge = space.knowledge()?;
            if extracted.busy {
                let behind = counted(knowledge.behind()?, "event");
                output.warn(format_args!(
                    "another process is extracting; answered without the last {behind}"
                ));
            }
            Ok(Known::Here(Box::new(knowledge)))
        }
        Reached::There(space) => {
            let known = Known::There(space.clone());
            let behind = match extract_there(space, false, output) {
                Ok(extracted) => {
                    skipped::report_to_stderr(&extracted.skipped, output);
                    extracted.behind
                }
                // A key that may only read; the server extracts in the background.
                Err(error) if is_denied(&error) => known.overview()?.behind,
                Err(error) => return Err(error.into()),
            };
            if behind > 0 {
                let behind = counted(behind, "event");
                output.warn(format_args!(
                    "the server is extracting; answered without the last {behind}"
                ));
            }
            Ok(known)
        }
    }
}

/// Extracts what is missing, or everything again. Skips damaged memories and returns them.
pub(crate) fn extract(space: &Reached, again: bool, output: &Output) -> Result<Extracted, Failure> {
    let space = match space {
        Reached::There(space) => return Ok(extract_there(space, again, output)?),
        Reached::Here(space) => space,
    };
    if again {
        space.discard_graph()?;
    }
    let (report, skipped) = extract_here(space, Duration::ZERO, output)?;
    let knowledge = space.knowledge()?;
    Ok(Extracted {
        memories: report.memories,
        events: knowledge.position()?,
        behind: knowledge.behind()?,
        busy: report.busy,
        skipped,
    })
}

/// Lets a server extract, which stops after some seconds each time, until nothing is left or another process does it.
fn extract_there(
    space: &RemoteSpace,
    again: bool,
    output: &Output,
) -> Result<Extracted, ClientError> {
    let started = Instant::now();
    let mut whole = Extracted::default();
    let mut discard = again;
    loop {
        let before = whole.events;
        let step: Extracted =
            space.post(&["knowledge", "extraction"], &json!({ "again": discard }))?;
        whole.memories += step.memories;
        whole.skipped.append(step.skipped);
        (whole.events, whole.behind, whole.busy) = (step.events, step.behind, step.busy);
        let is_stuck = !discard && whole.events == before;
        if whole.behind == 0 || whole.busy || is_stuck {
            return Ok(whole);
        }
        discard = false;
        if started.elapsed() >= LONG {
            let behind = counted(whole.behind, "event");
            output.note(format_args!("the server extracts; {behind} to go …"));
        }
    }
}

/// Extracts what is missing, skips damaged memories and returns them. Shows progress after `patience`.
fn extract_here(
    space: &Space,
    patience: Duration,
    output: &Output,
) -> Result<(ExtractionReport, Skipped), Failure> {
    // On failure the graph is damaged: the progress is unknown, and extraction repairs it or reports why not.
    let (begin, behind) = space
        .extracted()
        .map_or((0, 0), |(position, behind)| (position.0, behind));
    let mut progress = Progress {
        begin,
        behind,
        started: Instant::now(),
        patience,
        bar: None,
        said: false,
    };
    let extracted = space.extract(&mut |reached| {
        progress.reached(reached.0, output);
        true
    });
    progress.end();
    Ok(extracted?)
}

/// The entity with this name; the error suggests similar names.
pub(crate) fn entity(knowledge: &Known, name: &str) -> Result<Entity, Failure> {
    if name.trim().is_empty() {
        return Err(
            anamne::InvalidValue::new("entity", "the name or id of an entity", "empty").into(),
        );
    }
    match knowledge.entity(name)? {
        Some(entity) => Ok(entity),
        None => Err(no_entity(knowledge, name)?),
    }
}

fn no_entity(knowledge: &Known, name: &str) -> Result<Failure, Failure> {
    let like = knowledge.nearest_names(name, OFFERED)?;
    let quoted: Vec<_> = like.iter().map(|name| shell_word(name)).collect();
    let hint = match quoted.as_slice() {
        [] => "list them with `anamne knowledge list`".to_owned(),
        [only] => format!("did you mean {only}? List all with `anamne knowledge list`"),
        [others @ .., last] => format!(
            "did you mean {} or {last}? List all with `anamne knowledge list`",
            others.join(", ")
        ),
    };
    let message = format!("no entity named \"{}\"", named(name));
    Ok(Failure::not_found(message).hint(hint))
}

/// The progress display of an extraction.
struct Progress {
    begin: u64,
    behind: u64,
    started: Instant,
    patience: Duration,
    bar: Option<Bar>,
    said: bool,
}

impl Progress {
    fn reached(&mut self, event: u64, output: &Output) {
        let elapsed = self.started.elapsed();
        if elapsed < self.patience || self.behind == 0 {
            return;
        }
        if !output.is_watched() {
            if !self.said {
                let events = counted(self.behind, "event");
                output.note(format_args!("extracting knowledge from {events} …"));
            }
            self.said = true;
            return;
        }
        let done = event.saturating_sub(self.begin);
        let bar = self
            .bar
            .get_or_insert_with(|| Bar::new(TEMPLATE, Some(self.behind)));
        let rate = done as f64 / elapsed.as_secs_f64().max(0.001);
        let message = format!(
            "{} events · {} memories/s",
            number(self.behind),
            number(rate as u64)
        );
        bar.reached(done, &message);
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.end();
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_template_of_the_bar_can_be_read() {
        assert!(indicatif::ProgressStyle::with_template(super::TEMPLATE).is_ok());
    }
}
