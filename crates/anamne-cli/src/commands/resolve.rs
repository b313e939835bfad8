//! `anamne resolve`.

use std::fmt::Write;

use anamne::{ConflictKind, Contradiction, Limits, Side};
use anstyle::Style;
use serde_json::json;

use crate::extraction;
use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, GREEN, Output, YELLOW, counted, paint};
use crate::place::Place;
use crate::reached::{Listed, Reached};
use crate::wording::{at_most, one_line, percent, wrapped};

/// Maximum lines of a statement.
const LINES: usize = 3;

/// List open contradictions, or resolve one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Both memories stay and show the decision wherever they are recalled. The
losing statement no longer counts as knowledge. Deciding again replaces the
decision; it prints a memory, and `anamne forget` of that memory reopens the
contradiction.

An ID may be shortened while it is unique. Superseded statements (someone
moved, a port was changed) need no decision; --all lists them too.

Examples:
  anamne resolve
  anamne resolve 3f2a
  anamne resolve 3f2a --keep m31

With --json: {\"contradictions\": [{\"id\", \"kind\": \"contested|superseded\",
  \"earlier\": {\"memory\", \"citation\", \"at\", \"author\"?, \"quote\"}, \"later\": {…},
  \"reason\", \"confidence\", \"made_by\": rule NAME/VERSION or model NAME,
  \"kept\"?: the memory that holds}], \"more\"}; with an ID
  {\"contradiction\": {…}}, with --keep also \"decision\": {\"id\", \"citation\"}")]
pub(crate) struct Resolve {
    /// The contradiction
    id: Option<String>,
    /// The memory that is right; the other is marked wrong
    #[arg(long, value_name = "MEMORY", requires = "id")]
    keep: Option<String>,
    /// Include resolved and superseded statements
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// Maximum number of contradictions, 1 to 1000
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    limit: usize,
}

impl Resolve {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        Limits::check_results(self.limit)?;
        let space = place.reached_existing()?;
        match (&self.id, &self.keep) {
            (None, _) => self.list(&space, output),
            (Some(id), None) => show(id, &space, output),
            (Some(id), Some(keep)) => decide(id, keep, &space, output),
        }
    }

    fn list(&self, space: &Reached, output: &mut Output) -> Result<(), Failure> {
        let knowledge = extraction::knowledge(space, output)?;
        let Listed { list: found, more } = knowledge.contradictions(self.all, self.limit)?;
        if output.is_json() {
            return output.json(&json!({ "contradictions": found, "more": more }));
        }
        for (index, contradiction) in found.iter().enumerate() {
            if index > 0 {
                output.line("")?;
            }
            print(contradiction, output)?;
        }
        output.flush()?;
        if more {
            let count = counted(found.len() as u64, "contradiction");
            output.note(format_args!("{count}; see --limit"));
        }
        match found.iter().find(|one| is_open(one)) {
            Some(open) => output.note(format_args!(
                "`anamne resolve {} --keep {}` keeps the later one",
                &open.id[..open.id.len().min(6)],
                open.later.evidence.citation
            )),
            None if found.is_empty() && self.all => {
                output.note(format_args!(
                    "no contradictions in the space {}",
                    space.name()
                ));
            }
            None if found.is_empty() => output.note(format_args!(
                "no open contradictions in the space {}; --all lists resolved and superseded ones",
                space.name()
            )),
            None => {}
        }
        Ok(())
    }
}

fn is_open(contradiction: &Contradiction) -> bool {
    contradiction.kept.is_none() && contradiction.kind == ConflictKind::Contested
}

fn show(id: &str, space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let contradiction = extraction::knowledge(space, output)?.contradiction(id)?;
    if output.is_json() {
        return output.json(&json!({ "contradiction": contradiction }));
    }
    print(&contradiction, output)
}

fn decide(id: &str, keep: &str, space: &Reached, output: &mut Output) -> Result<(), Failure> {
    extraction::knowledge(space, output)?.contradiction(id)?;
    let kept = space.resolve(keep)?;
    let stored = space.decide(id, kept)?;
    let contradiction = extraction::knowledge(space, output)?.contradiction(id)?;
    let decision = space.read(stored.id)?.citation();
    if output.is_json() {
        output.json(&json!({
            "contradiction": contradiction,
            "decision": { "id": stored.id, "citation": decision },
        }))?;
        return space.settle(output);
    }
    print(&contradiction, output)?;
    output.flush()?;
    let what = if stored.duplicate {
        "already decided"
    } else {
        "decided"
    };
    output.note(format_args!(
        "{what} ({decision}); reopen with `anamne forget {decision}`"
    ));
    space.settle(output)
}

/// Prints both statements, which one holds, and why they contradict each other.
pub(super) fn print(contradiction: &Contradiction, output: &mut Output) -> Result<(), Failure> {
    let (style, what) = match (contradiction.kept, contradiction.kind) {
        (Some(_), _) => (GREEN, "decided"),
        (None, ConflictKind::Contested) => (YELLOW, "open"),
        (None, ConflictKind::Superseded) => (DIM, "outdated"),
    };
    let mut sureness = format!("{} sure", percent(contradiction.confidence));
    if contradiction.made_by.is_model() {
        let made_by = one_line(&contradiction.made_by.to_string());
        let _ = write!(sureness, ", by {made_by}");
    }
    output.line(format_args!(
        "{}  {}  {}",
        paint(CYAN, &contradiction.id),
        paint(style, what),
        paint(DIM, sureness)
    ))?;
    let holds = holder(contradiction);
    let sides = [&contradiction.earlier, &contradiction.later];
    for (place, side) in sides.into_iter().enumerate() {
        print_side(side, holds.map(|holder| holder == place), output)?;
    }
    let width = output.width.saturating_sub(2);
    for line in wrapped(&one_line(&contradiction.reason), width) {
        output.line(format_args!("  {}", paint(DIM, line)))?;
    }
    Ok(())
}

/// Which of the two holds, if known: the first or the second.
fn holder(contradiction: &Contradiction) -> Option<usize> {
    match (contradiction.kept, contradiction.kind) {
        (Some(kept), _) => Some(usize::from(kept == contradiction.later.evidence.memory)),
        (None, ConflictKind::Superseded) => Some(1),
        (None, ConflictKind::Contested) => None,
    }
}

fn print_side(side: &Side, holds: Option<bool>, output: &mut Output) -> Result<(), Failure> {
    let who = side
        .author
        .as_deref()
        .map_or_else(String::new, |author| format!("{} · ", one_line(author)));
    let when = output.dates.both(side.evidence.at);
    let (style, mark) = match holds {
        None => (BOLD, " "),
        Some(true) => (GREEN, "✓"),
        Some(false) => (DIM, "✗"),
    };
    output.line(format_args!(
        "{} {}  {}",
        paint(style, mark),
        paint(CYAN, &side.evidence.citation),
        paint(DIM, format_args!("{who}{when}"))
    ))?;
    let width = output.width.saturating_sub(8);
    let quote = format!("“{}”", one_line(&side.quote));
    let style = if holds == Some(false) {
        DIM
    } else {
        Style::new()
    };
    for line in at_most(wrapped(&quote, width), LINES, width) {
        output.line(format_args!("      {}", paint(style, line)))?;
    }
    Ok(())
}
