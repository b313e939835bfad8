//! `anamne recall`.

mod details;
mod learning;
mod related;

use std::collections::BTreeMap;

use anamne::text::analyser::{Analyser, QueryTerm};
use anamne::text::snippet::snippet;
use anamne::{Answer, Enrichment, Hit, MemoryId, Ranking, ToolResult};
use serde::Serialize;

use self::details::Details;
use crate::arguments;
use crate::commands::cache;
use crate::failure::Failure;
use crate::filters::Filters;
use crate::output::{BOLD, CYAN, DIM, GREEN, Output, YELLOW, memories, paint};
use crate::place::Place;
use crate::scope_arguments::{ScopeArguments, SpaceSelection};
use crate::wording::{at_most, duration, marked, percent, wrapped};
use crate::{card, input, known, planned};

/// Columns before a result's text.
const INDENT: usize = 10;

/// Maximum lines of text per result.
const LINES: usize = 4;

/// Search the memories; best results first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The percentage is the probability that the result is relevant. Results of 0 %
are shown with --min-confidence 0 or --explain, and if there are no better ones
the first three; --json has all.

Examples:
  anamne recall \"which port does staging use?\"
  anamne recall http header -k 3 --explain
  anamne recall \"what broke\" --since \"last month\" --author Ada --kind fact
  anamne recall \"who owns the billing service?\" --min-confidence 0.5 --json
  anamne recall \"what did we decide the week before the release?\" --times only
  anamne recall \"who works with the owner of the parser?\" --depth 2
  anamne recall \"which port?\" --as-of 2026-01-31
  anamne recall \"which units does the user want?\" --across auto
  anamne recall \"what did we just decide?\" --narrow=s42
  anamne recall \"what changed?\" --about billing --about invoices
  anamne recall \"where is the release guide?\" --learn
  anamne recall \"where is the release guide?\" --learn --after m31

With --json: {\"results\": [{\"memory\": {\"id\", \"content\", \"kind\", …}, \"score\",
  \"confidence\", \"scores\": {…}, \"reasoning\", \"explanation\": {…}, \"path\"?,
  \"entities\"?, \"related_entities\"?: [{\"name\", \"relation\", \"of\"}],
  \"related_memories\"?: [{\"id\", \"citation\", \"by\", \"excerpt\"}], \"space\"?}], \"times\"?: [{\"words\", \"since\", \"until\"}],
  \"ignored_times\"?: [{\"words\", \"reason\": unclear or event_not_found}],
  \"reached\"?: session, space or core, with --narrow,
  \"needs_clarification\"?: {\"words\", \"readings\": [{\"kind\", \"name\", \"results\"}]},
  \"abstained\"?: {\"threshold\", \"looked_at\", \"nearest\"}, \"plan\"?: {…},
  \"answered\": the probability that the store has an answer,
  \"degraded\": [view, …], \"took_ms\", \"tool_results\"?: as anamne cache list,
  \"enrichment\": {id: as anamne enrich ID}};
  --learn adds \"search\", \"citation\", \"strategy\", \"why\", \"learned_from\",
  \"explores\", \"tried\", \"worthwhile\", \"experiment\"")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of the command line"
)]
pub(crate) struct Recall {
    /// The question or search words; `-` reads standard input
    #[arg(required = true)]
    query: Vec<String>,
    /// Maximum number of results
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N")]
    limit: usize,
    /// Abstain below this confidence, 0 to 1 [default: 0]
    #[arg(long, value_name = "SHARE")]
    min_confidence: Option<f32>,
    /// Show the score of each feature
    #[arg(long)]
    explain: bool,
    /// Show which tiers were searched and why
    #[arg(long)]
    explain_plan: bool,
    /// Also search cached results of tools, which were written by others; they follow the memories
    #[arg(long, conflicts_with = "chosen")]
    with_tool_results: bool,
    /// Show each result's entities, related entities and related memories, at most five each
    #[arg(long)]
    related: bool,
    /// Disable planning; search all tiers
    #[arg(long)]
    no_plan: bool,
    #[command(flatten)]
    learning: learning::Learning,
    #[command(flatten)]
    order: Order,
    #[command(flatten)]
    reach: ScopeArguments,
    #[command(flatten)]
    across: SpaceSelection,
    #[command(flatten)]
    filters: Filters,
}

/// Options that say how results are ordered.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Order")]
struct Order {
    /// The ranking formula: full, or for comparison reciprocal_rank, meaning_first or words_first
    #[arg(long, default_value = "full", hide_possible_values = true, value_name = "FORMULA", value_parser = arguments::ranking())]
    ranking: Ranking,
    /// Set the weight of a feature (names: see --explain); repeatable
    #[arg(long, value_name = "NAME=NUMBER", value_parser = arguments::weight)]
    weight: Vec<(String, f32)>,
    /// Penalty for results similar to better ones, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    diversity: f32,
    /// Rank for this role: developer, architect, reviewer, planner, assistant, or one from the space's settings
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
}

/// An answer, and cached results of tools if they were asked for.
#[derive(Serialize)]
struct WithToolResults<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_results: Option<&'a [ToolResult]>,
    enrichment: BTreeMap<MemoryId, Enrichment>,
}

impl Recall {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        if self.learning.learn {
            return self.run_learning(place, output);
        }
        let spaces = self.across.spaces(place);
        let is_elsewhere = self.across.is_elsewhere();
        let (details, with_tool_results) = (self.details(), self.with_tool_results);
        let question = self.question(output)?;
        let store = place.reached_store()?;
        // Opened first, because its error for a missing space says more.
        let here = if is_elsewhere {
            None
        } else {
            Some(place.existing_in(&store)?)
        };
        let answer = store.recall(&spaces, &question)?;
        let tool_results = match &here {
            Some(space) if with_tool_results => {
                space.search_tool_results(&question.query, question.limit)?
            }
            _ => Vec::new(),
        };
        if output.is_json() {
            let tool_results = with_tool_results.then_some(tool_results.as_slice());
            output.json(&WithToolResults {
                answer: &answer,
                tool_results,
                enrichment: store.enrichment_of(&answer.results)?,
            })?;
        } else {
            print(&question.query, &answer, details, output)?;
            let from = match &here {
                Some(space) if answer.results.iter().all(|hit| hit.space.is_none()) => {
                    format!("the space {}", space.name())
                }
                _ => "the searched spaces".to_owned(),
            };
            if !tool_results.is_empty() {
                output.line("")?;
                output.line("Cached results of tools, written by others:")?;
                cache::print_found(&tool_results, output)?;
                output.flush()?;
            }
            sum_up(&answer, details, &from, output);
        }
        here.map_or(Ok(()), |space| space.settle(output))
    }

    /// What is shown of each result.
    fn details(&self) -> Details {
        Details {
            explanation: self.explain,
            related: self.related,
            unlikely: self.explain || self.min_confidence.is_some(),
        }
    }

    /// Converts the arguments to a checked query.
    fn question(self, output: &mut Output) -> Result<anamne::Recall, Failure> {
        let question = anamne::Recall {
            min_confidence: self.min_confidence.unwrap_or(0.0),
            ranking: self.order.ranking,
            weights: self.order.weight.into_iter().collect(),
            diversity: self.order.diversity,
            role: self.order.role,
            planning: !self.no_plan,
            explain_plan: self.explain_plan,
            related: self.related,
            ..anamne::Recall::new(input::some_text("query", &self.query, output)?)
                .limit(self.limit)
                .filter(self.filters.read(&output.dates)?)
        };
        let question = self.reach.of(question, &output.dates)?;
        question.check()?;
        Ok(question)
    }
}

fn print(
    query: &str,
    answer: &Answer,
    details: Details,
    output: &mut Output,
) -> Result<(), Failure> {
    let terms = Analyser::new().query(query).terms;
    let shown = answer.results.iter().take(details.shown(answer));
    for (index, hit) in shown.enumerate() {
        if index > 0 {
            output.line("")?;
        }
        let head = format!("{:>2}  {:>5} ", index + 1, percent(hit.confidence));
        print_text(hit, &head, &terms, output)?;
        print_origin(hit, output)?;
        known::print_disputes(&hit.disputes, &" ".repeat(INDENT), output)?;
        if details.related {
            related::print(hit, &" ".repeat(INDENT), output)?;
        }
        if details.explanation {
            print_explanation(hit, output)?;
        }
    }
    if let Some(plan) = &answer.plan {
        planned::print(plan, output)?;
    }
    output.flush()
}

/// Prints a note on how the question was interpreted, what was unavailable, and how much was found.
fn sum_up(answer: &Answer, details: Details, from: &str, output: &Output) {
    for time in &answer.times {
        output.note(planned::understood(time, &output.dates));
    }
    for time in &answer.ignored_times {
        output.note(planned::ignored(time));
    }
    if let Some(reached) = answer.reached {
        output.note(planned::reached(reached));
    }
    if let Some(clarification) = &answer.needs_clarification {
        output.note(planned::ambiguous(clarification));
    }
    output.warn_degraded(&answer.degraded);
    let took = duration(answer.took_ms);
    match &answer.abstained {
        Some(abstained) => output.note(planned::declined(abstained)),
        None if answer.results.is_empty() => {
            output.note(format_args!("no results in {from} ({took})"));
        }
        None => {
            let shown = details.shown(answer);
            let found = memories(shown as u64);
            match answer.results.len() - shown {
                0 => output.note(format_args!("{found} in {took}")),
                more => output.note(format_args!(
                    "{found} in {took}; {more} more at 0 %, shown with --min-confidence 0"
                )),
            }
        }
    }
}

/// Prints the passage that answers, with the words of the question highlighted.
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
            let margin = " ".repeat(INDENT - card::MARK_INDENT.len());
            format!("{margin}{}", paint(DIM, card::MARK))
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
    let origin = card::origin(&hit.memory, &when, output.dates.now);
    for line in wrapped(&origin, width) {
        output.line(format_args!("{indent}{}", paint(DIM, line)))?;
    }
    if !hit.path.is_empty() {
        for line in wrapped(&planned::path(&hit.path), width) {
            output.line(format_args!("{indent}{}", paint(DIM, line)))?;
        }
    }
    let id = match &hit.space {
        Some(space) => format!("{} in {space}", hit.memory.citation()),
        None => hit.memory.citation(),
    };
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

/// Why it was found; without disputes, which follow on separate lines.
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

/// The contribution of each feature to the score, largest first, without zeros.
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
