//! Does recall say that a question has several readings, and only then?
//!
//! Our own questions about three small corpora, half of them ambiguous. They were written before any answer to them was
//! seen. Detection may be changed on the development half; the held-out half is only reported. The questions about the
//! conversations of `recall` count as ones with one reading.

use std::process::ExitCode;

use crate::corpus::ConversationFilter;
use crate::failure::Failure;
use crate::output;
use report::Report;

mod questions;
mod report;
mod runs;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    chosen: ConversationFilter,
    /// Print JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Print each question of the development half that was judged wrong.
    #[arg(long)]
    wrong: bool,
    /// Fail if less than this share of the ambiguous questions of a half is noticed.
    #[arg(long)]
    floor: Option<f64>,
    /// Fail if more than this share of the other questions of a half is called ambiguous.
    #[arg(long)]
    ceiling: Option<f64>,
}

/// Measures and prints; the exit code tells whether floor and ceiling are kept.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut report = Report::default();
    for corpus in questions::corpora()? {
        report.add(runs::measure(&corpus)?);
    }
    for corpus in arguments.chosen.corpora()? {
        report.add_conversation(runs::called(&corpus)?, corpus.queries.len());
    }
    if arguments.wrong {
        report
            .wrong_in_development()
            .for_each(|line| output::print_error(&line));
    }
    output::line(&if arguments.json {
        report.json()
    } else {
        report.tables()
    });
    Ok(output::judge(
        &report.missed(arguments.floor, arguments.ceiling),
    ))
}
