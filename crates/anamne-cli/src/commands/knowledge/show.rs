//! `anamne knowledge show`.

use anamne::{Entity, Evidence, Frame, KnownElsewhere, Limits, Perspective, Relation};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, Output, paint};
use crate::place::Place;
use crate::reached::{EntityDetails, Reached, Together};
use crate::wording::{at_most, one_line, wrapped};
use crate::{extraction, known};

/// Show an entity's relations with their source memories
#[derive(Debug, clap::Args)]
#[command(after_help = "\
ENTITY is a name, an alias or an id.

Examples:
  anamne knowledge show \"Mara Lind\"
  anamne knowledge show PostgreSQL -k 20
  anamne knowledge show Hafen --frames
  anamne graph \"Mara Lind\" --steps 2

With --json: {\"entity\", \"frames\": [{\"frame\", \"name\"?, \"relations\":
  [{\"subject_name\", \"relation\", \"object\", \"both_ways\"?, \"state\", \"confidence\",
  \"told_weight\"?, \"valid_from\"?, \"valid_to\"?, \"asserted\", \"made_by\":
  \"told|rule NAME/VERSION|model NAME\", \"evidence\":
  [{\"memory\", \"citation\", \"at\"}], \"mentions\", …}], \"memories\"?}]}; without --frames
  also {\"mentions\": [{\"memory\", \"citation\", \"at\"}], \"named_together\": [{\"memories\",
  \"entity\"}], \"elsewhere\"?: [{\"space\", \"id\", \"name\"}]: the same entity in spaces
  that share a memory with this one}")]
pub(crate) struct Show {
    /// The entity
    entity: String,
    /// Maximum number of mentions
    #[arg(short = 'k', long, default_value_t = 5, value_name = "N")]
    limit: usize,
    /// Show only the frames: relations and properties, with the former values
    #[arg(long)]
    frames: bool,
}

impl Show {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        Limits::check_results(self.limit)?;
        let space = place.reached_existing()?;
        let knowledge = extraction::knowledge(&space, output)?;
        let id = extraction::entity(&knowledge, &self.entity)?.id.to_string();
        let known = knowledge.details(&id, self.limit)?;
        if output.is_json() {
            return output.json(&Shown::of(&known, self.frames));
        }
        known::print_entity(&known.entity, output)?;
        for frame in &known.frames {
            print_frame(frame, &known.entity, &space, output)?;
        }
        if self.frames {
            return Ok(());
        }
        if !known.mentions.is_empty() {
            print_heading("latest mentions", output)?;
            print_memories(&known.mentions, &space, output)?;
        }
        print_together(&known.named_together, output)?;
        print_elsewhere(&known.elsewhere, output)
    }
}

/// What is shown, as JSON. Serialised directly, so that a 32-bit 0.8 stays 0.8.
#[derive(Serialize)]
struct Shown<'a> {
    entity: &'a Entity,
    frames: &'a [Frame],
    #[serde(skip_serializing_if = "Option::is_none")]
    mentions: Option<&'a [Evidence]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    named_together: Option<&'a [Together]>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    elsewhere: &'a [KnownElsewhere],
}

impl<'a> Shown<'a> {
    fn of(known: &'a EntityDetails, frames_only: bool) -> Self {
        Self {
            entity: &known.entity,
            frames: &known.frames,
            mentions: (!frames_only).then_some(&known.mentions),
            named_together: (!frames_only).then_some(&known.named_together),
            elsewhere: if frames_only { &[] } else { &known.elsewhere },
        }
    }
}

fn print_heading(heading: &str, output: &mut Output) -> Result<(), Failure> {
    output.line("")?;
    output.line(paint(BOLD, heading))
}

fn heading(frame: Perspective) -> &'static str {
    match frame {
        Perspective::Semantic => "what it is and has",
        Perspective::Episodic => "what happened",
        Perspective::Procedural => "how to handle it",
        Perspective::Custom => "custom",
    }
}

fn print_frame(
    frame: &Frame,
    entity: &Entity,
    space: &Reached,
    output: &mut Output,
) -> Result<(), Failure> {
    match &frame.name {
        Some(name) => print_heading(&one_line(name), output)?,
        None => print_heading(heading(frame.frame), output)?,
    }
    let (over, current): (Vec<_>, Vec<_>) = frame
        .relations
        .iter()
        .partition(|relation| known::is_over(relation, &output.dates));
    for relation in current.into_iter().chain(over) {
        print_relation(relation, entity, output)?;
    }
    print_memories(&frame.memories, space, output)
}

/// Prints a relation, with its evidence on the same line if it fits, else on the next.
fn print_relation(
    relation: &Relation,
    entity: &Entity,
    output: &mut Output,
) -> Result<(), Failure> {
    const INDENT: usize = 2;
    let (word, arrow, end) = known::reach(relation, entity.id);
    let text = format!("{word} {arrow} {end}");
    let details = known::details(relation, &output.dates);
    let plain: usize = details
        .iter()
        .map(|(_, text)| textwrap::core::display_width(text) + 3)
        .sum();
    let head = if known::is_over(relation, &output.dates) {
        DIM
    } else {
        anstyle::Style::new()
    };
    let lines = wrapped(&text, output.width.saturating_sub(INDENT));
    let last = lines
        .last()
        .map_or(0, |line| textwrap::core::display_width(line));
    let fits = lines.len() == 1 && INDENT + last + 2 + plain <= output.width;
    for (index, line) in lines.iter().enumerate() {
        let tail = if fits && !details.is_empty() {
            format!("  {}", known::joined(&details))
        } else {
            String::new()
        };
        let indent = " ".repeat(INDENT * (1 + usize::from(index > 0)));
        output.line(format_args!("{indent}{}{tail}", paint(head, line)))?;
    }
    if !fits && !details.is_empty() {
        output.line(format_args!("      {}", known::joined(&details)))?;
    }
    Ok(())
}

/// Prints memories, one per line: citation, day and the beginning of the text.
fn print_memories(
    evidence: &[Evidence],
    space: &Reached,
    output: &mut Output,
) -> Result<(), Failure> {
    let column = evidence
        .iter()
        .map(|evidence| evidence.citation.len())
        .max()
        .unwrap_or(0);
    let ids: Vec<_> = evidence.iter().map(|evidence| evidence.memory).collect();
    for (memory, evidence) in space.get_each(&ids)?.iter().zip(evidence) {
        let width = output.width.saturating_sub(column + 16);
        let text = at_most(wrapped(&one_line(&memory.content), width), 1, width).join("");
        output.line(format_args!(
            "  {}  {}  {text}",
            paint(CYAN, format_args!("{:column$}", evidence.citation)),
            paint(DIM, output.dates.day(evidence.at)),
        ))?;
    }
    Ok(())
}

fn print_together(together: &[Together], output: &mut Output) -> Result<(), Failure> {
    if together.is_empty() {
        return Ok(());
    }
    print_heading("mentioned together with", output)?;
    let names: Vec<_> = together
        .iter()
        .map(|one| format!("{} ({})", one_line(&one.entity.name), one.memories))
        .collect();
    for line in wrapped(&names.join(", "), output.width.saturating_sub(2)) {
        output.line(format_args!("  {line}"))?;
    }
    Ok(())
}

/// Prints where else the entity is known, through memories that spaces share.
fn print_elsewhere(elsewhere: &[KnownElsewhere], output: &mut Output) -> Result<(), Failure> {
    if elsewhere.is_empty() {
        return Ok(());
    }
    print_heading("also known in", output)?;
    for known in elsewhere {
        let (space, name) = (one_line(&known.space), one_line(&known.name));
        let id = paint(DIM, known.id);
        output.line(format_args!("  {space}  {name}  {id}"))?;
    }
    Ok(())
}
