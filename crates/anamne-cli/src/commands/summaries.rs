//! `anamne summaries`.

use std::time::Instant;

use anamne::llm::BridgeError;
use anamne::{Error, Level, RewordedSentence, Skipped, Space, StoreError, Summary};
use clap::ValueEnum;
use jiff::Timestamp;
use serde_json::json;

use crate::failure::Failure;
use crate::next_step;
use crate::output::{CYAN, DIM, Output, memories, paint};
use crate::place::Place;
use crate::reached::{Reached, SummaryChoice};
use crate::skipped;
use crate::wording::{named, number, one_line, wrapped};

/// The period of one summary.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Period {
    /// Memories of one thread without a gap of six hours
    Session,
    /// A day in UTC
    Day,
    /// A week from Monday
    Week,
    /// A calendar month
    Month,
}

impl Period {
    fn level(self) -> Level {
        match self {
            Self::Session => Level::Session,
            Self::Day => Level::Day,
            Self::Week => Level::Week,
            Self::Month => Level::Month,
        }
    }
}

/// Show summaries by session, day, week or month
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Summaries are extractive: original sentences, each with its source memory.
Nothing else is derived from them. Outdated summaries are updated first.

Memories that are damaged in both copies, and summaries that the model fails
to reword, are skipped and named (exit code 4).

Examples:
  anamne summaries
  anamne summaries --by week --since \"last month\"
  anamne summaries --by session --thread standup
  anamne summaries --by day --since 2026-03-01 --until 2026-03-07 --json
  anamne summaries --by week --reword

With --json: {\"summaries\": [{\"level\", \"thread\"?, \"start\", \"end\", \"memories\",
  \"characters\", \"stale\", \"made_by\", \"sentences\": [..]}], \"more\": whether there are more,
  \"reworded\"?: [[{\"text\", \"made_by\", \"sources\", \"citations\"}] or null],
  \"skipped\"?: {\"count\", \"first\": [{\"entry\", \"reason\"}]}}")]
pub(crate) struct Summaries {
    /// The period of one summary
    #[arg(long, value_enum, default_value = "day")]
    by: Period,
    /// Beginning at or after this: 2026-03-01, yesterday, "last week", 3d, …
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Beginning until the end of this
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only sessions of this thread
    #[arg(long, value_name = "THREAD", conflicts_with_all = ["since", "until"])]
    thread: Option<String>,
    /// Let the configured language model word them
    #[arg(long)]
    reword: bool,
    /// Maximum number of summaries, 1 to 1000
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

impl Summaries {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let since = output.dates.start("since", self.since.as_deref())?;
        let until = output.dates.end("until", self.until.as_deref())?;
        let space = if self.reword {
            place.reached_with_model(output)?
        } else {
            place.reached_existing()?
        };
        let mut passed = update(&space, output)?;
        let choice = if let Some(thread) = &self.thread {
            SummaryChoice::Thread(thread.clone())
        } else {
            let span = since.unwrap_or(Timestamp::MIN)..until.unwrap_or(Timestamp::MAX);
            SummaryChoice::Periods(self.by.level(), span)
        };
        let (summaries, more) = space.summaries(&choice, self.limit.into())?;
        let reworded = match space.here() {
            Some(space) if self.reword => reword(space, &summaries, &mut passed, output)?,
            _ => vec![None; summaries.len()],
        };
        if output.is_json() {
            let mut answer = json!({ "summaries": summaries, "more": more });
            if self.reword {
                answer["reworded"] = json!(reworded);
            }
            skipped::describe(&passed, &mut answer);
            output.json(&answer)?;
            return skipped::outcome(&passed);
        }
        for (place, (summary, worded)) in summaries.iter().zip(&reworded).enumerate() {
            if place > 0 {
                output.line("")?;
            }
            print(summary, worded.as_deref(), output)?;
        }
        output.flush()?;
        if summaries.is_empty() {
            output.note("no memories in that period");
        } else if more {
            output.note("there are more: see --since, --until, --limit");
        }
        skipped::tell(&passed, output);
        skipped::outcome(&passed)
    }
}

/// Updates the summaries, with progress notes if it takes long. Returns the memories that were skipped.
fn update(space: &Reached, output: &mut Output) -> Result<Skipped, Failure> {
    let started = Instant::now();
    let mut shown = started;
    let updated = space.update_summaries(&mut |periods| {
        if shown.elapsed().as_secs() >= 2 {
            shown = Instant::now();
            output.note(format_args!(
                "{} periods summarised …",
                number(periods as u64)
            ));
        }
    })?;
    if !updated.updated {
        output.note("not updated now: the server updates summaries in the background");
    }
    Ok(updated.skipped)
}

/// Each summary as worded by the model. A summary that the model can't word is skipped and shown verbatim; if the model
/// can't be reached at all, so are all that follow, with one warning.
fn reword(
    space: &Space,
    summaries: &[Summary],
    passed: &mut Skipped,
    output: &mut Output,
) -> Result<Vec<Option<Vec<RewordedSentence>>>, Failure> {
    let mut reworded = Vec::with_capacity(summaries.len());
    for summary in summaries {
        let sentences = summary.sentences.len().div_ceil(2).max(1);
        match space.reword_summary(summary, sentences) {
            Ok(Some(worded)) => reworded.push(Some(worded)),
            Ok(None) => {
                return Err(Failure::no_model());
            }
            Err(error) if is_of_one_text(&error) => {
                passed.add(entry(summary), &error, error.next_step());
                reworded.push(None);
            }
            Err(error) => {
                let reason = next_step::on_one_line(&error, error.next_step());
                output.warn(format_args!("shown verbatim: {reason}"));
                reworded.resize(summaries.len(), None);
                break;
            }
        }
    }
    Ok(reworded)
}

/// Whether the error concerns only this summary, so that the next one may succeed.
fn is_of_one_text(error: &Error) -> bool {
    matches!(
        error,
        Error::Bridge(
            BridgeError::TooLong { .. }
                | BridgeError::TooLarge { .. }
                | BridgeError::Declined { .. }
                | BridgeError::Unusable { .. }
        ) | Error::Store(StoreError::Unverified { .. } | StoreError::Damaged { .. })
    )
}

/// The name of a summary in reports.
fn entry(summary: &Summary) -> String {
    let level = format!("{:?}", summary.level).to_lowercase();
    match &summary.thread {
        Some(thread) => format!("{level} {} {thread}", summary.start),
        None => format!("{level} {}", summary.start),
    }
}

fn print(
    summary: &Summary,
    worded: Option<&[RewordedSentence]>,
    output: &mut Output,
) -> Result<(), Failure> {
    let day = output.dates.day(summary.start);
    let what = match (summary.level, &summary.thread) {
        (Level::Session, Some(thread)) => format!("{day} · {}", named(thread)),
        (Level::Week, _) => format!("week from {day}"),
        (Level::Month, _) => summary.start.strftime("%Y-%m").to_string(),
        _ => day,
    };
    let made_by = worded.and_then(|worded| worded.first());
    let made_by = made_by.map_or(&summary.made_by, |sentence| &sentence.made_by);
    let of = memories(u64::from(summary.memories));
    let of = format!("{of} · by {}", one_line(&made_by.to_string()));
    output.line(format_args!("{}  {}", paint(CYAN, what), paint(DIM, of)))?;
    if let Some(worded) = worded {
        for sentence in worded {
            print_sentence(&sentence.text, &sentence.citations, output)?;
        }
        return Ok(());
    }
    for sentence in &summary.sentences {
        let text = match sentence.author.as_str() {
            "" => sentence.text.clone(),
            author => format!("{author}: {}", sentence.text),
        };
        print_sentence(&text, &[format!("m{}", sentence.row)], output)?;
    }
    Ok(())
}

/// Prints a sentence with its citations, wrapped; continuation lines are indented further.
pub(super) fn print_sentence(
    text: &str,
    citations: &[String],
    output: &mut Output,
) -> Result<(), Failure> {
    let citations = format!("[{}]", citations.join(", "));
    let whole = format!("{} {citations}", one_line(text));
    let lines = wrapped(&whole, output.width.saturating_sub(4));
    for (place, line) in lines.iter().enumerate() {
        let indent = if place == 0 { "  " } else { "    " };
        // Citations that are on a separate line or split across two stay unstyled.
        let line = match line.strip_suffix(citations.as_str()) {
            Some(before) => format!("{before}{}", paint(DIM, &citations)),
            None => line.clone(),
        };
        output.line(format_args!("{indent}{line}"))?;
    }
    Ok(())
}
