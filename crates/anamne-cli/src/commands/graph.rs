//! `anamne graph`.

use std::path::{Path, PathBuf};

use anamne::{InvalidValue, Limits, Neighbourhood};
use serde_json::{Value, json};

use crate::drawing::{dot, svg, tree};
use crate::extraction;
use crate::failure::Failure;
use crate::output::{CYAN, Output, counted, paint};
use crate::place::Place;
use crate::terminal::{LineBreaks, plain};
use crate::whole_file::write_whole;
use crate::wording::{file_name, named};

/// Maximum distance from the entity.
const MAX_STEPS: u32 = 6;

/// Draw the neighbourhood of an entity as text, SVG or DOT
#[derive(Debug, clap::Args)]
#[command(after_help = "\
ENTITY is a name, an alias or an id. Without --format, the file extension
decides: .svg, .dot, .gv, .json, .txt. The SVG is self-contained and readable
on light and dark backgrounds.

Examples:
  anamne graph \"Mara Lind\"
  anamne graph PostgreSQL --steps 2 --limit 100
  anamne graph \"Mara Lind\" --output mara.svg
  anamne graph \"Mara Lind\" --format dot | dot -Tpdf > mara.pdf

With --json or --format json: {\"entity\": name, \"entities\": [{\"steps\", \"id\",
  \"name\", \"type\", …}], \"relations\": [{\"subject\", \"subject_name\", \"relation\",
  \"object\", \"state\", …}], \"cut\": whether the limit was reached}")]
pub(crate) struct Graph {
    /// The central entity
    entity: String,
    /// Maximum distance in relations, 1 to 6
    #[arg(long, default_value_t = 1, value_name = "N")]
    steps: u32,
    /// Maximum number of entities, 1 to 1000
    #[arg(short = 'k', long, default_value_t = 40, value_name = "N")]
    limit: usize,
    /// Leave out personal entities and their relations
    #[arg(long)]
    shared: bool,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How surroundings are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A tree of lines
    Text,
    /// The language of Graphviz
    Dot,
    /// A picture
    Svg,
    /// For programs
    Json,
}

impl Graph {
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        if !(1..=MAX_STEPS).contains(&self.steps) {
            let accepts = format!("a whole number from 1 to {MAX_STEPS}");
            return Err(InvalidValue::new("steps", accepts, self.steps).into());
        }
        Limits::check_results(self.limit)?;
        let format = self.format(output)?;
        let space = place.reached_existing()?;
        let knowledge = extraction::knowledge(&space, output)?;
        let entity = extraction::entity(&knowledge, &self.entity)?;
        let id = entity.id.to_string();
        let around = knowledge.neighbourhood(&id, self.steps, self.limit, self.shared)?;
        match &self.output {
            None => print(&around, format, output)?,
            Some(path) => write(&around, format, path, output)?,
        }
        output.flush()?;
        if around.cut {
            output.note(format_args!("only the nearest {}; see --limit", self.limit));
        } else if around.relations.is_empty() {
            output.note(
                "no relations yet; `anamne knowledge show` lists the memories that mention it",
            );
        }
        Ok(())
    }

    /// The requested format, or the one of the file extension.
    fn format(&self, output: &Output) -> Result<Format, Failure> {
        if let Some(format) = self.format {
            if output.is_json() && self.output.is_none() && format != Format::Json {
                return Err(Failure::refused("format", "--json conflicts with --format"));
            }
            return Ok(format);
        }
        let ending = self.output.as_deref().and_then(Path::extension);
        let ending = ending.map(|ending| ending.to_string_lossy().to_lowercase());
        Ok(match ending.as_deref() {
            Some("svg") => Format::Svg,
            Some("dot" | "gv") => Format::Dot,
            Some("json") => Format::Json,
            Some("txt") => Format::Text,
            Some(other) => {
                let message = format!("a graph can't be drawn as .{}", named(other));
                return Err(Failure::refused("output", message)
                    .hint("use .svg, .dot, .gv, .json or .txt, or choose with --format"));
            }
            None if output.is_json() => Format::Json,
            None => Format::Text,
        })
    }
}

fn print(around: &Neighbourhood, format: Format, output: &mut Output) -> Result<(), Failure> {
    match format {
        Format::Json => output.json(&as_json(around)),
        Format::Text => {
            for line in tree(around, output.width, &output.dates) {
                output.line(line)?;
            }
            Ok(())
        }
        Format::Dot | Format::Svg => output.document(drawn(around, format, output)),
    }
}

fn drawn(around: &Neighbourhood, format: Format, output: &Output) -> String {
    match format {
        Format::Dot => dot(around, output.dates.now),
        Format::Svg => svg(around, output.dates.now),
        Format::Json => format!("{}\n", as_json(around)),
        Format::Text => {
            let mut text = String::new();
            for line in tree(around, output.width, &output.dates) {
                text.push_str(&plain(&line, LineBreaks::Shown));
                text.push('\n');
            }
            text
        }
    }
}

fn write(
    around: &Neighbourhood,
    format: Format,
    path: &Path,
    output: &mut Output,
) -> Result<(), Failure> {
    let drawing = drawn(around, format, output);
    write_whole(path, |writer| {
        writer
            .write_all(drawing.as_bytes())
            .map_err(|error| Failure::failed(format!("can't write {}: {error}", file_name(path))))
    })?;
    let (entities, relations) = (around.entities.len(), around.relations.len());
    if output.is_json() {
        return output.json(&json!({
            "output": path,
            "entities": entities,
            "relations": relations,
            "cut": around.cut,
        }));
    }
    let entities = if entities == 1 {
        "1 entity".to_owned()
    } else {
        format!("{entities} entities")
    };
    output.line(format_args!(
        "{}  {entities}, {}",
        paint(CYAN, path.display()),
        counted(relations as u64, "relation")
    ))
}

/// The neighbourhood as JSON, with named fields.
fn as_json(around: &Neighbourhood) -> Value {
    let entities: Vec<Value> = around
        .entities
        .iter()
        .map(|(steps, entity)| {
            let mut described = json!(entity);
            described["steps"] = json!(steps);
            described
        })
        .collect();
    json!({
        "entity": around.entities.first().map(|(_, entity)| &entity.name),
        "entities": entities,
        "relations": around.relations,
        "cut": around.cut,
    })
}
