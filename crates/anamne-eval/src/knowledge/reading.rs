//! Extraction quality: precision, recall and F1 of entities (name and type must match) and of statements.

#[path = "../../../anamne-knowledge/tests/knowledge/reading_quality/measure.rs"]
mod measure;

use std::path::PathBuf;
use std::time::Instant;

use anamne_knowledge::reading::Term;

use self::measure::{Annotated, Tally, annotated, measure, reading_of};
use crate::failure::Failure;
use crate::output::line;

/// The texts to read.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files of annotated texts, such as those in `crates/anamne-knowledge/annotations`.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Also list false positives and missed items.
    #[arg(long)]
    show: bool,
    /// Print the extraction from each text instead, also for files without annotations.
    #[arg(long)]
    statements: bool,
}

/// Reads every file and prints the results.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    for file in &arguments.files {
        let texts = annotated(file)?;
        if arguments.statements {
            texts.iter().for_each(print_reading);
            continue;
        }
        line(&format!("{}: {} texts", file.display(), texts.len()));
        report(&texts, arguments.show);
    }
    Ok(())
}

fn report(texts: &[Annotated], show: bool) {
    let measured = measure(texts);
    line(&row("  entities", &measured.entities));
    for (kind, tally) in &measured.by_type {
        line(&row(&format!("    {kind}"), tally));
    }
    line(&row("  relations", &measured.relations));
    let started = Instant::now();
    let (mut words, mut rounds) = (0, 0);
    while rounds == 0 || started.elapsed().as_millis() < 500 {
        for text in texts {
            words += text.text.split_whitespace().count();
            std::hint::black_box(reading_of(text));
        }
        rounds += 1;
    }
    let seconds = started.elapsed().as_secs_f64();
    line(&format!(
        "  speed            {:.0} texts/s, {:.3} ms for 100 words",
        (texts.len() * rounds) as f64 / seconds,
        seconds * 100_000.0 / words.max(1) as f64
    ));
    if show {
        let notes = measured.notes.iter();
        notes.for_each(|note| line(&format!("  {note}")));
    }
}

fn row(label: &str, tally: &Tally) -> String {
    format!(
        "{label:<17}precision {:.3}  recall {:.3}  F1 {:.3}  (right {}, false {}, missed {})",
        tally.precision(),
        tally.recall(),
        tally.f1(),
        tally.right,
        tally.wrong,
        tally.missed
    )
}

fn print_reading(text: &Annotated) {
    let reading = reading_of(text);
    for mention in &reading.mentions {
        line(&format!(
            "E\t{}\t{}\t{:.2}",
            mention.entity_type, mention.name, mention.confidence
        ));
    }
    for statement in &reading.statements {
        let (Term::Entity(subject, _) | Term::Value(subject)) = &statement.subject;
        let (Term::Entity(object, _) | Term::Value(object)) = &statement.object;
        let words = text.text[statement.span.clone()].split_whitespace();
        let sentence = words.collect::<Vec<_>>().join(" ");
        let not = if statement.negated { "NOT " } else { "" };
        let from = statement.valid_from.as_ref();
        let from = from.map_or(String::new(), |from| format!(" from {from}"));
        let to = statement.valid_to.as_ref();
        let to = to.map_or(String::new(), |to| format!(" to {to}"));
        line(&format!(
            "S\t{}\t{subject}\t{not}{}\t{object}\t{:.2}{from}{to}\t{}: {sentence}",
            statement.relation, statement.relation, statement.confidence, text.author
        ));
    }
}
