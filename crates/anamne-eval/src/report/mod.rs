//! The normal report of recall quality: each set with trees that were not fitted on it, next to the shipped trees, which
//! were, and to the weights alone.

use std::process::ExitCode;
use std::sync::Arc;

use anamne::Forest;

use crate::corpus::{ConversationFilter, Corpus};
use crate::failure::Failure;
use crate::held_out::{Folds, FoldsFolder, HeldOut};
use crate::output;
use ranker::Ranker;
use table::Report;

mod estimate;
mod ranker;
mod runs;
mod table;

/// What to measure, and on which data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    chosen: ConversationFilter,
    #[command(flatten)]
    folds: FoldsFolder,
    /// Also print a table for each category of questions.
    #[arg(long)]
    by_category: bool,
    /// Print {group: {category: {questions, ranker: {metric: {value, low, high, gain}}}}} instead of tables, with every
    /// category.
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let folds = arguments.folds.read()?;
    let mut report = Report::default();
    for corpus in arguments.chosen.corpora()? {
        output::print_error(&format!("{}/{}", corpus.set, corpus.name));
        report.add(
            &corpus.set,
            runs::measure(&corpus, &rankers(&folds, &corpus))?,
        );
    }
    output::line(&if arguments.json {
        report.json()
    } else {
        report.tables(arguments.by_category)
    });
    Ok(ExitCode::SUCCESS)
}

/// The compared rankers with their trees. For a set of an unknown family there are no trees without it.
fn rankers(folds: &Folds, corpus: &Corpus) -> Vec<(Ranker, Option<Arc<Forest>>)> {
    let mut rankers = vec![(Ranker::Weights, Some(Arc::default()))];
    let family = folds.without(HeldOut::Family, corpus);
    let conversation = folds.without(HeldOut::Conversation, corpus);
    match family.zip(conversation) {
        Some((family, conversation)) => rankers.extend([
            (Ranker::Family, Some(family)),
            (Ranker::Conversation, Some(conversation)),
            (Ranker::InSample, None),
        ]),
        None => rankers.push((Ranker::Unseen, None)),
    }
    rankers
}
