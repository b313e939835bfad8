//! How well texts are read: `cargo run -p anamne-knowledge --example reading_quality -- [--show] FILE…`
//!
//! Prints precision, recall and F1 of names (name and type must match) and of statements, per file of annotated texts,
//! and how many texts are read in a second. `--show` lists what was found in vain and what was missed; `--statements`
//! prints what is read from each text instead, for files without annotations too.

#![allow(clippy::print_stdout, clippy::print_stderr)] // A report is what this program is for.

#[path = "../tests/reading/measure.rs"]
mod measure;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anamne_knowledge::reading::Term;

use self::measure::{Annotated, Tally, annotated, measure, reading_of};

fn main() -> ExitCode {
    let (options, files): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let chosen = |option: &str| options.iter().any(|given| given == option);
    if files.is_empty() {
        eprintln!(
            "no file was given; give files of annotated texts, such as annotations/demo.jsonl"
        );
        return ExitCode::FAILURE;
    }
    for file in &files {
        let texts = match annotated(Path::new(file)) {
            Ok(texts) => texts,
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        };
        if chosen("--statements") {
            texts.iter().for_each(print_reading);
        } else {
            report(file, &texts, chosen("--show"));
        }
    }
    ExitCode::SUCCESS
}

fn report(file: &str, texts: &[Annotated], show: bool) {
    let measured = measure(texts);
    println!("{file}: {} texts", texts.len());
    println!("  entities   {}", line(&measured.entities));
    for (kind, tally) in &measured.by_type {
        println!("    {kind:13}{}", line(tally));
    }
    println!("  relations  {}", line(&measured.relations));
    let start = Instant::now();
    let mut words = 0;
    let mut rounds = 0;
    while rounds == 0 || start.elapsed().as_millis() < 500 {
        for text in texts {
            words += text.text.split_whitespace().count();
            std::hint::black_box(reading_of(text));
        }
        rounds += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "  speed      {:.0} texts/s, {:.3} ms for 100 words",
        (texts.len() * rounds) as f64 / seconds,
        seconds * 100_000.0 / words.max(1) as f64
    );
    if show {
        measured.notes.iter().for_each(|note| println!("  {note}"));
    }
}

fn line(tally: &Tally) -> String {
    format!(
        "precision {:.3}  recall {:.3}  F1 {:.3}  (right {}, false {}, missed {})",
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
        println!(
            "E\t{}\t{}\t{:.2}",
            mention.entity_type, mention.name, mention.confidence
        );
    }
    for statement in &reading.statements {
        let (Term::Entity(subject, _) | Term::Value(subject)) = &statement.subject;
        let (Term::Entity(object, _) | Term::Value(object)) = &statement.object;
        let sentence = text.text[statement.span.clone()]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let not = if statement.negated { "NOT " } else { "" };
        let from = statement
            .valid_from
            .map_or(String::new(), |from| format!(" from {from}"));
        let to = statement
            .valid_to
            .map_or(String::new(), |to| format!(" to {to}"));
        println!(
            "S\t{}\t{subject}\t{not}{}\t{object}\t{:.2}{from}{to}\t{}: {sentence}",
            statement.relation, statement.relation, statement.confidence, text.author
        );
    }
}
