//! `anamne stats`.

use std::fmt::Write as _;

use anamne::{Class, SpaceReport, Statistics, ViewState};

use crate::card;
use crate::failure::Failure;
use crate::output::{Output, YELLOW, counted, paint};
use crate::place::Place;
use crate::wording::{self, number, size};

/// Show counts, sizes and index status of a space
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  anamne stats
  anamne --space recipes stats --json

With --json: {\"space\", \"description\", \"memories\", \"by_kind\": {…}, \"forgotten\",
  \"erased\", \"lost\"?, \"threads\", \"links\", \"events\",
  \"guard\"?: {kind: count}, \"first\", \"last\", \"views\": [{\"name\",
  \"class\": log|paid|observed|external, \"exists\", \"watermark\",
  \"position\", \"tail_rows\", \"bytes\", \"problem\"}],
  \"tiers\": [{\"tier\", \"memories\", \"bytes\"}],
  \"embedding\": {\"model\", \"answering\", \"embedded\", \"pending\",
  \"private\", \"problem\"}, \"source_bytes\", \"journal_bytes\"}; embedded is
  there while another model is on its way, and problem where it can't be had;
  lost counts memories whose content is gone without an erasure: damage took it,
  or a rewind left it out")]
pub(crate) struct Stats {}

impl Stats {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let report = space.report()?;
        if output.is_json() {
            output.json(&report)?;
        } else {
            card::print_table(&rows(&report, output), "", output)?;
            print_views(&report, output)?;
        }
        space.settle(output)
    }
}

fn rows(report: &SpaceReport, output: &Output) -> Vec<(&'static str, String)> {
    let statistics = &report.statistics;
    let kinds: Vec<_> = statistics
        .by_kind
        .iter()
        .map(|(kind, count)| format!("{kind} {}", number(*count)))
        .collect();
    let kinds = if kinds.is_empty() {
        String::new()
    } else {
        format!(" ({})", kinds.join(", "))
    };
    let mut rows = vec![("space", report.space.clone())];
    if !report.description.is_empty() {
        rows.push(("about", report.description.clone()));
    }
    rows.push((
        "memories",
        format!("{}{kinds}", number(statistics.memories)),
    ));
    if let (Some(first), Some(last)) = (statistics.first, statistics.last) {
        rows.push(("from", output.dates.both(first)));
        rows.push(("to", output.dates.both(last)));
    }
    rows.extend([
        ("threads", number(statistics.threads)),
        ("links", number(statistics.links)),
        ("gone", gone(statistics)),
        ("events", number(statistics.events)),
        ("guard", guarded(report)),
        ("tiers", tiers(report)),
        ("model", model(report)),
        (
            "on disk",
            format!(
                "database {}, journal {}",
                size(report.source_bytes),
                size(report.journal_bytes)
            ),
        ),
    ]);
    rows
}

/// What is forgotten, erased or lost.
fn gone(statistics: &Statistics) -> String {
    let mut text = format!(
        "{} forgotten, {} erased",
        number(statistics.forgotten),
        number(statistics.erased)
    );
    if statistics.lost > 0 {
        let _ = write!(text, ", {} lost", number(statistics.lost));
    }
    text
}

/// What the guard redacted or marked.
fn guarded(report: &SpaceReport) -> String {
    let kinds = report.statistics.guard.iter();
    let kinds: Vec<_> = kinds
        .map(|(kind, count)| format!("{kind} {}", number(*count)))
        .collect();
    if kinds.is_empty() {
        return "nothing found".to_owned();
    }
    kinds.join(", ")
}

fn tiers(report: &SpaceReport) -> String {
    let counts = report
        .tiers
        .iter()
        .map(|tier| format!("{} {}", tier.tier, number(tier.memories)));
    counts.collect::<Vec<_>>().join(", ")
}

/// The memories that a remote model has no vectors of.
fn without_vectors(state: &anamne::EmbeddingState) -> String {
    let mut text = String::new();
    if state.pending > 0 {
        let _ = write!(text, "; {} not embedded yet", number(state.pending));
    }
    if state.private > 0 {
        let _ = write!(
            text,
            "; {} private, found by words only",
            number(state.private)
        );
    }
    text
}

/// The current embedding model, and the progress of switching to another one.
fn model(report: &SpaceReport) -> String {
    let state = &report.embedding;
    if !state.problem.is_empty() {
        return format!(
            "{} answers, for {}",
            state.answering,
            wording::one_line(&state.problem)
        );
    }
    match state.embedded {
        Some(embedded) => {
            let batched = match state.batched() {
                0 => String::new(),
                texts => format!(", {} in batches", counted(texts, "text")),
            };
            format!(
                "{} answers until {} has embedded all memories ({} of {} done{batched})",
                state.answering,
                state.model,
                number(embedded),
                number(report.statistics.memories)
            )
        }
        None => format!("{}{}", state.answering, without_vectors(state)),
    }
}

fn print_views(report: &SpaceReport, output: &mut Output) -> Result<(), Failure> {
    let is_there = |view: &&ViewState| {
        view.exists || view.position.is_some_and(|event| event > 0) || !view.problem.is_empty()
    };
    let views: Vec<_> = report.views.iter().filter(is_there).collect();
    let column = views.iter().map(|view| view.name.len()).max().unwrap_or(0);
    for view in views {
        let state = if !view.problem.is_empty() {
            let problem = wording::one_line(&view.problem);
            paint(YELLOW, format_args!("not used now: {problem}"))
        } else if let Some(event) = view.position {
            format!("up to event {}", number(event))
        } else {
            "independent of the log".to_owned()
        };
        let tail = match view.tail_rows {
            0 => String::new(),
            rows => format!("{} in the tail, ", number(rows as u64)),
        };
        let kept = match view.class {
            Class::Log => "",
            Class::Paid => "; paid, never rebuilt",
            Class::Observed => "; observed, never rebuilt",
            Class::External => "; external",
        };
        output.line(format_args!(
            "{:<8}  {:column$}  {state}, {tail}{}{kept}",
            "view",
            view.name,
            size(view.bytes)
        ))?;
    }
    Ok(())
}
