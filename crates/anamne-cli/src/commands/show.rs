//! `anamne show`.

use anamne::{
    Body, Enrichment, Link, LinkStrength, Memory, MemoryId, MemoryUse, QualitySignals, ToolCall,
};
use serde_json::{Value, json};

use crate::commands::show_metadata;
use crate::failure::Failure;
use crate::output::{CYAN, DIM, Output, paint};
use crate::place::Place;
use crate::reached::Reached;
use crate::wording::{number, one_line};
use crate::{card, enriched, known};

/// Show one memory with its links and contradictions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
In every command, an ID is a citation (m12, within its space), an id, a unique
beginning of one, or the external id of an imported memory.

Current importance and current strength are computed from what was told, use,
links and age; what was told stays. `anamne spaces set --recompute-importance
off` and `--recompute-links off` show what was told.

Examples:
  anamne show m12
  anamne show 0198c0de-7a11 --json

With --json: {\"memory\": {\"id\", \"space\", \"kind\", \"content\", …}, \"links\":
  [{\"from\", \"to\", \"type\", \"weight\": as told, \"reason\", \"created_at\",
  \"strength\": now, \"since\": told last, or both ends opened since}], \"disputes\":
  [{\"memory\", \"citation\", \"kind\": \"contested|superseded\", \"holds\"?:
whether the shown memory holds, \"reason\"}], \"related\": [{\"memory\", \"citation\", \"type\",
  \"strength\", \"reason\"}], \"signals\": {\"utility\", \"importance\": now,
  \"parts\"?: {\"told\", \"enriched\"?, \"base\", \"uses\", \"links\", \"age\"}: the last four
  are points whose sum is the importance; missing if importance is as told}, \"use\":
   {\"count\", \"last\"}: how often it was opened before, or null,
  \"enrichment\": null or as anamne enrich ID, \"spaces\": [the other spaces of
  which it is a member]}. The memory of a member has \"member\": {\"home\",
  \"relevance\", …}")]
pub(crate) struct Show {
    /// The memory
    id: String,
}

impl Show {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let shown = space.open(&self.id)?;
        let memory = &shown.memory;
        if output.is_json() {
            let links = shown.links.iter();
            let links: Vec<_> = links
                .map(|(link, strength)| link_json(link, strength))
                .collect();
            return output.json(&json!({
                "memory": memory,
                "links": links,
                "disputes": shown.disputes,
                "related": shown.related,
                "signals": shown.signals,
                "enrichment": shown.enrichment,
                "use": shown.known_use,
                "spaces": shown.spaces,
            }));
        }
        print(memory, &space, output)?;
        if !shown.spaces.is_empty() {
            let spaces: Vec<_> = shown.spaces.iter().map(|space| one_line(space)).collect();
            output.line(paint(DIM, format_args!("also in {}", spaces.join(", "))))?;
        }
        output.line(paint(DIM, signals_line(&shown.signals)))?;
        if let Some(known_use) = shown.known_use {
            output.line(paint(DIM, use_line(known_use, output)))?;
        }
        if !shown.links.is_empty() || !shown.disputes.is_empty() {
            output.line("")?;
        }
        known::print_disputes(&shown.disputes, "", output)?;
        for (link, strength) in &shown.links {
            print_link(link, strength, memory, &space, output)?;
        }
        if let Some(enrichment) = &shown.enrichment {
            print_enrichment(enrichment, output)?;
        }
        for one in &shown.related {
            let line = format!("{}  {}", one.citation, one_line(&one.reason));
            output.entry(DIM, "related", &line)?;
        }
        Ok(())
    }
}

/// Prints what rules note beside the memory, apart from what was told.
fn print_enrichment(enrichment: &Enrichment, output: &mut Output) -> Result<(), Failure> {
    let rows = enriched::rows(enrichment);
    if rows.is_empty() {
        return Ok(());
    }
    output.line("")?;
    output.line(paint(DIM, format_args!("by {}:", enrichment.by)))?;
    card::print_table(&rows, "  ", output)
}

/// The quality signals of a memory, on one line.
fn signals_line(signals: &QualitySignals) -> String {
    let utility = signals.utility;
    let Some(parts) = signals.parts else {
        return format!("importance as told · utility {utility:.2}");
    };
    let base = match parts.enriched {
        Some(enriched) => format!("by enrichment {enriched}"),
        None => format!("told {}", parts.told),
    };
    let points = parts.points;
    format!(
        "current importance {:.2} of 10 = base {:.2} ({base}) + use {:.2} + links {:.2} + age {:.2} · utility {utility:.2}",
        signals.importance, points.base, points.uses, points.links, points.age
    )
}

/// A link with its current strength.
fn link_json(link: &Link, strength: &LinkStrength) -> Value {
    let mut json = json!(link);
    json["strength"] = json!(strength.current);
    json["since"] = json!(strength.since);
    json
}

/// How often a memory was opened before, on one line.
fn use_line(known: MemoryUse, output: &Output) -> String {
    let times = match known.count {
        1 => "once".to_owned(),
        count => format!("{} times", number(count)),
    };
    format!(
        "opened {times} before, last {}",
        output.dates.both(known.last)
    )
}

/// Prints the content, and below it all fields.
pub(super) fn print(memory: &Memory, space: &Reached, output: &mut Output) -> Result<(), Failure> {
    card::print_text(&memory.content, card::MARK_INDENT, usize::MAX, output)?;
    output.line("")?;
    let mut rows = vec![
        ("id", format!("{} · {}", memory.citation(), memory.id)),
        ("kind", card::sort(memory)),
    ];
    rows.extend(body_rows(&memory.body));
    let named = [
        ("author", memory.author.as_deref().map(one_line)),
        ("thread", card::place(memory)),
        ("session", memory.session.as_deref().map(one_line)),
        (
            "tags",
            (!memory.tags.is_empty()).then(|| card::tags(memory).join(", ")),
        ),
        ("imported as", memory.external_id.as_deref().map(one_line)),
    ];
    rows.extend(
        named
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let related = ["files", "entities"].into_iter().zip(memory.related());
    rows.extend(
        related
            .filter(|(_, names)| !names.is_empty())
            .map(|(name, names)| {
                let names: Vec<_> = names.into_iter().map(one_line).collect();
                (name, names.join("\n"))
            }),
    );
    rows.extend(show_metadata::rows(memory));
    rows.push((
        "importance",
        format!(
            "{} of 10 · confidence {:.2} · trust {:.2}",
            memory.importance, memory.confidence, memory.trust
        ),
    ));
    rows.extend(memory.member.as_ref().map(|member| {
        let (home, relevance) = (one_line(&member.home), member.relevance);
        ("home", format!("{home} · relevance here {relevance:.2}"))
    }));
    rows.extend(date_rows(memory, output));
    rows.extend(
        memory
            .superseded_by
            .map(|id| ("superseded by", name_of(id, space.read(id).ok().as_ref()))),
    );
    card::print_table(&rows, "", output)
}

fn date_rows(memory: &Memory, output: &Output) -> Vec<(&'static str, String)> {
    let dates = &output.dates;
    let mut rows = vec![
        ("happened", dates.both(memory.occurred_at)),
        ("learned", dates.both(memory.created_at)),
    ];
    if memory.version > 1 {
        let changed = dates.both(memory.updated_at);
        rows.push(("changed", format!("{changed} (version {})", memory.version)));
    }
    rows.extend(memory.expires_at.map(|at| ("expires", dates.both(at))));
    rows.extend(memory.deleted_at.map(|at| ("forgotten", dates.both(at))));
    rows
}

fn body_rows(body: &Body) -> Vec<(&'static str, String)> {
    let mut rows = match body {
        Body::Message { role } => vec![(
            "role",
            role.map(|role| role.to_string()).unwrap_or_default(),
        )],
        Body::Thought {
            follows,
            framework,
            number,
            total,
            chain,
        } => vec![
            (
                "follows",
                follows.map(|id| id.to_string()).unwrap_or_default(),
            ),
            ("framework", one_line(framework)),
            ("chain", one_line(chain)),
            ("number", numbering(*number, *total)),
        ],
        Body::Fact { .. } => Vec::new(),
        Body::Episode {
            goal,
            plan,
            steps,
            outcome,
            tool_log,
            salience,
        } => vec![
            ("goal", goal.clone()),
            ("plan", numbered(plan)),
            ("steps", numbered(steps)),
            ("outcome", outcome.clone()),
            (
                "salience",
                salience
                    .map(|salience| format!("{salience:.2}"))
                    .unwrap_or_default(),
            ),
            ("tools", tool_calls(tool_log)),
        ],
        Body::Skill {
            name,
            trigger,
            steps,
            code,
        } => vec![
            ("name", name.clone()),
            ("trigger", trigger.clone()),
            ("steps", numbered(steps)),
            ("code", code.clone()),
        ],
        Body::Document { title, source } => {
            vec![("title", title.clone()), ("source", source.clone())]
        }
        Body::Chunk { document, heading } => vec![
            ("document", document.to_string()),
            ("heading", heading.clone()),
        ],
        Body::Summary { sources } => {
            vec![(
                "sources",
                sources
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join("\n"),
            )]
        }
        Body::Experience { experience } => vec![
            ("record", experience.type_name().to_owned()),
            (
                "fields",
                serde_json::to_string(experience).unwrap_or_default(),
            ),
        ],
    };
    rows.retain(|(_, value)| !value.is_empty());
    rows
}

/// Steps, one per line, with their numbers.
fn numbered(steps: &[String]) -> String {
    let lines = steps.iter().enumerate();
    let lines: Vec<_> = lines
        .map(|(place, step)| format!("{}. {}", place + 1, one_line(step)))
        .collect();
    lines.join("\n")
}

/// The number of a thought, and how many are expected: `2 of 5`.
fn numbering(number: Option<u32>, total: Option<u32>) -> String {
    match (number, total) {
        (Some(number), Some(total)) => format!("{number} of {total}"),
        (Some(number), None) => number.to_string(),
        (None, Some(total)) => format!("? of {total}"),
        (None, None) => String::new(),
    }
}

/// The names of the tools that were called, and which calls failed.
fn tool_calls(calls: &[ToolCall]) -> String {
    let names: Vec<_> = calls
        .iter()
        .map(|call| match call.succeeded {
            Some(false) => format!("{} (failed)", one_line(&call.tool)),
            _ => one_line(&call.tool),
        })
        .collect();
    names.join(", ")
}

/// The citation of a memory, or its id if it has been erased.
fn name_of(id: MemoryId, memory: Option<&Memory>) -> String {
    memory.map_or_else(|| id.to_string(), Memory::citation)
}

/// Prints a link from the perspective of `memory`, with the beginning of the other memory's text.
fn print_link(
    link: &Link,
    strength: &LinkStrength,
    memory: &Memory,
    space: &Reached,
    output: &mut Output,
) -> Result<(), Failure> {
    let outward = link.from == memory.id;
    let (arrow, other) = if outward {
        ("→", link.to)
    } else {
        ("←", link.from)
    };
    let reason = if link.reason.is_empty() {
        String::new()
    } else {
        format!(", {}", one_line(&link.reason))
    };
    let (told, current) = (
        format!("{:.2}", link.weight),
        format!("{:.2}", strength.current),
    );
    let now = if current == told {
        String::new()
    } else {
        format!(", now {current}")
    };
    let strength = paint(DIM, format_args!("(weight {told}{now}{reason})"));
    let other_end = space.read(other).ok();
    let name = name_of(other, other_end.as_ref());
    output.line(format_args!(
        "{arrow} {} {} {strength}",
        link.link_type,
        paint(CYAN, name)
    ))?;
    if let Some(other) = other_end {
        card::print_text(&one_line(&other.content), "  ", 1, output)?;
    }
    Ok(())
}
