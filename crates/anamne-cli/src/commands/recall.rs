//! `anamne recall`.

use anamne::text::analyser::{Analyser, QueryTerm};
use anamne::text::snippet::snippet;
use anamne::{Answer, Hit, Space, Temperature};

use crate::arguments;
use crate::failure::Failure;
use crate::filters::Filters;
use crate::output::{BOLD, CYAN, DIM, GREEN, Output, YELLOW, memories, paint};
use crate::place::Place;
use crate::wording::{at_most, duration, marked, percent, wrapped};
use crate::{card, input, known, settling};

/// Columns left of a result's text.
const INDENT: usize = 10;

/// Lines of text of one result.
const LINES: usize = 4;

/// Ask a question and get the memories that bear on it, best first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The share before a result is the probability that it bears on the question.

Examples:
  anamne recall \"which port does staging use?\"
  anamne recall http header -k 3 --explain
  anamne recall \"what broke\" --since \"last month\" --author Ada --kind fact
  anamne recall \"who owns the billing service?\" --min-confidence 0.5 --json

With --json: {\"results\": [{\"memory\": {\"id\", \"content\", \"kind\", …}, \"score\",
  \"confidence\", \"scores\": {…}, \"reasoning\", \"explanation\": {…}}], \"answered\":
  the probability that the memory holds what is asked, \"degraded\": [view, …],
  \"took_ms\"}")]
pub(crate) struct Recall {
    /// The question, or words to look for; `-` reads standard input
    #[arg(required = true)]
    query: Vec<String>,
    /// Results at most
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N")]
    limit: usize,
    /// Leave out results less sure than this, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    min_confidence: f32,
    /// Show what each signal gave
    #[arg(long)]
    explain: bool,
    /// Search only the active tier (hot), the recent one (warm) or the archives (cold)
    #[arg(long, default_value = "all", hide_possible_values = true, value_name = "WHICH", value_parser = arguments::temperature())]
    temperature: Temperature,
    #[command(flatten)]
    filters: Filters,
}

impl Recall {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let question = anamne::Recall {
            min_confidence: self.min_confidence,
            ..anamne::Recall::new(input::text("query", &self.query, output)?)
                .limit(self.limit)
                .temperature(self.temperature)
                .filter(self.filters.read(&output.dates)?)
        };
        question.check()?;
        let space = place.existing_space()?;
        let answer = space.recall(&question)?;
        if output.is_json() {
            output.json(&answer)?;
        } else {
            print(&question.query, &answer, self.explain, &space, output)?;
        }
        settling::settle(&space, output)
    }
}

fn print(
    query: &str,
    answer: &Answer,
    explain: bool,
    space: &Space,
    output: &mut Output,
) -> Result<(), Failure> {
    let terms = Analyser::new().query(query).terms;
    for (index, hit) in answer.results.iter().enumerate() {
        if index > 0 {
            output.line("")?;
        }
        let head = format!("{:>2}  {:>5} ", index + 1, percent(hit.confidence));
        print_text(hit, &head, &terms, output)?;
        print_origin(hit, output)?;
        known::print_disputes(&hit.disputes, &" ".repeat(INDENT), output)?;
        if explain {
            print_explanation(hit, output)?;
        }
    }
    output.flush()?;
    output.warn_degraded(&answer.degraded);
    if answer.results.is_empty() {
        output.note(format_args!(
            "nothing in the space {} bears on this ({})",
            space.name(),
            duration(answer.took_ms)
        ));
    } else {
        let found = memories(answer.results.len() as u64);
        output.note(format_args!("{found} in {}", duration(answer.took_ms)));
    }
    Ok(())
}

/// The passage that answers, with the words of the question in it marked.
fn print_text(
    hit: &Hit,
    head: &str,
    terms: &[QueryTerm],
    output: &mut Output,
) -> Result<(), Failure> {
    let width = output.width.saturating_sub(INDENT);
    let passage = snippet(&hit.memory.content, terms, width * LINES - LINES);
    let lines = at_most(wrapped(&passage, width), LINES, width);
    for (index, line) in lines.iter().enumerate() {
        let line = marked(line, |word| is_matched(hit, word), BOLD);
        let head = if index == 0 {
            paint(sureness(hit.confidence), head)
        } else {
            " ".repeat(INDENT)
        };
        output.line(format_args!("{head}{line}"))?;
    }
    Ok(())
}

fn sureness(confidence: f32) -> anstyle::Style {
    if confidence >= 0.5 { GREEN } else { YELLOW }
}

fn is_matched(hit: &Hit, word: &str) -> bool {
    hit.explanation
        .matched
        .iter()
        .any(|matched| matched.to_lowercase() == word)
}

fn print_origin(hit: &Hit, output: &mut Output) -> Result<(), Failure> {
    let indent = " ".repeat(INDENT);
    let width = output.width.saturating_sub(INDENT);
    let when = output.dates.both(hit.memory.occurred_at);
    for line in wrapped(&card::origin(&hit.memory, &when), width) {
        output.line(format_args!("{indent}{}", paint(DIM, line)))?;
    }
    let id = hit.memory.citation();
    for line in wrapped(&format!("{id} · {}", reasons(hit)), width) {
        match line.strip_prefix(&id) {
            Some(rest) => output.line(format_args!(
                "{indent}{}{}",
                paint(CYAN, &id),
                paint(DIM, rest)
            ))?,
            None => output.line(format_args!("{indent}{}", paint(DIM, line)))?,
        }
    }
    Ok(())
}

/// Why it was found. What speaks against it is left out, for it follows on lines of its own.
fn reasons(hit: &Hit) -> String {
    let speaks_against = hit
        .disputes
        .first()
        .and_then(|dispute| hit.reasoning.find(&format!("; but {} ", dispute.citation)));
    match speaks_against {
        Some(at) => format!("{}.", &hit.reasoning[..at]),
        None => hit.reasoning.clone(),
    }
}

fn print_explanation(hit: &Hit, output: &mut Output) -> Result<(), Failure> {
    let indent = " ".repeat(INDENT);
    let explanation = &hit.explanation;
    let parts = &hit.scores;
    let mut rows = vec![
        ("found by", explanation.found_by.join(", ")),
        ("words", explanation.matched.join(", ")),
    ];
    rows.retain(|(_, value)| !value.is_empty());
    let signals = [
        ("lexical", parts.lexical),
        ("semantic", parts.semantic),
        ("word cover", parts.words),
        ("neighbours", parts.neighbours),
        ("thread", parts.thread),
        ("recency", parts.recency),
        ("importance", parts.importance),
        ("trust", parts.trust),
    ];
    rows.extend(signals.map(|(name, value)| (name, format!("{value:>6.3}"))));
    rows.push(("score", format!("{:>6.3}", hit.score)));
    card::print_table(&rows, &indent, output)?;
    print_features(hit, &indent, output)
}

/// What each feature gave to the score, the weightiest first; those that gave nothing are left out.
fn print_features(hit: &Hit, indent: &str, output: &mut Output) -> Result<(), Failure> {
    let mut features: Vec<_> = hit
        .explanation
        .features
        .iter()
        .map(|(name, value, weight)| (name, *value, *weight, value * weight))
        .filter(|(.., gives)| gives.abs() >= 0.000_5)
        .collect();
    features.sort_by(|one, other| other.3.abs().total_cmp(&one.3.abs()));
    let Some(column) = features.iter().map(|(name, ..)| name.len()).max() else {
        return Ok(());
    };
    let column = column.max("feature".len());
    let heading = format!(
        "{:column$}  {:>8} {:>8} {:>8}",
        "feature", "value", "weight", "gives"
    );
    output.line(format_args!("{indent}{}", paint(DIM, heading)))?;
    for (name, value, weight, gives) in features {
        output.line(format_args!(
            "{indent}{name:column$}  {value:>8.3} {weight:>8.3} {gives:>8.3}"
        ))?;
    }
    Ok(())
}
