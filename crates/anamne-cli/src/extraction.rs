//! Extracts knowledge before a command answers from it.

use std::time::{Duration, Instant};

use anamne::{Entity, Error, ExtractionReport, GraphError, Knowledge, Skipped, Space};

use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::progress::Bar;
use crate::shell::shell_word;
use crate::skipped;
use crate::wording::{named, number};

/// Extraction that takes longer than this shows progress.
const LONG: Duration = Duration::from_secs(2);

/// Number of similar names suggested for an unknown name.
const OFFERED: usize = 3;

const TEMPLATE: &str = "{bar:24} {percent:>3} % extracting {msg} · {eta} to go";

/// The knowledge of a space, including everything written so far.
pub(crate) fn knowledge(space: &Space, output: &Output) -> Result<Knowledge, Failure> {
    let (extracted, passed) = extract(space, LONG, output)?;
    skipped::report_to_stderr(&passed, output);
    let knowledge = space.knowledge()?;
    if extracted.busy {
        let behind = counted(knowledge.behind()?, "event");
        output.warn(format_args!(
            "another process is extracting; answered without the last {behind}"
        ));
    }
    Ok(knowledge)
}

/// Extracts what is missing, skips damaged memories and returns them. Shows progress after `patience`.
pub(crate) fn extract(
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
pub(crate) fn entity(knowledge: &Knowledge, name: &str) -> Result<Entity, Failure> {
    if name.trim().is_empty() {
        return Err(
            anamne::InvalidValue::new("entity", "the name or id of an entity", "empty").into(),
        );
    }
    match knowledge.entity(name) {
        Err(Error::Knowledge(GraphError::NoEntity { name })) => Err(no_entity(knowledge, &name)?),
        found => Ok(found?),
    }
}

fn no_entity(knowledge: &Knowledge, name: &str) -> Result<Failure, Failure> {
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
