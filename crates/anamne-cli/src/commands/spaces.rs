//! `anamne spaces`.

use anamne::{SpaceName, Statistics, Store};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, Output, memories, paint};
use crate::place::Place;
use crate::wording::{number, one_line};

/// List the spaces of the store
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The space that commands use here is marked by an arrow.

Examples:
  anamne spaces
  anamne --space recipes list

With --json: {\"store\", \"here\": the space used here, \"spaces\": [{\"name\",
  \"description\", \"memories\", \"threads\", \"last\"}]}")]
pub(crate) struct Spaces {}

#[derive(Serialize)]
struct Row {
    name: String,
    description: String,
    memories: u64,
    threads: u64,
    last: Option<Timestamp>,
}

impl Spaces {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        let store = place.existing_store()?;
        let here = place.space_name();
        let names = store.spaces()?;
        let rows = names
            .iter()
            .map(|name| row(&store, name))
            .collect::<Result<Vec<_>, _>>()?;
        if output.is_json() {
            return output
                .json(&json!({ "store": store.root(), "here": here.as_str(), "spaces": rows }));
        }
        let column = rows
            .iter()
            .map(|row| row.name.chars().count())
            .max()
            .unwrap_or(0);
        for row in &rows {
            print(row, row.name == here.as_str(), column, output)?;
        }
        output.flush()?;
        if !names.contains(here) {
            output.note(format_args!(
                "commands use the space {here} here, which is not there yet"
            ));
        }
        Ok(())
    }
}

fn row(store: &Store, name: &SpaceName) -> Result<Row, Failure> {
    let space = store.existing_space(name.as_str())?;
    let Statistics {
        memories,
        threads,
        last,
        ..
    } = space.report()?.statistics;
    Ok(Row {
        name: name.to_string(),
        description: space.config().description.clone(),
        memories,
        threads,
        last,
    })
}

fn print(row: &Row, is_here: bool, column: usize, output: &mut Output) -> Result<(), Failure> {
    let mark = if is_here {
        paint(CYAN, "→")
    } else {
        " ".to_owned()
    };
    let last = match row.last {
        Some(last) => format!(", last {}", output.dates.relative(last)),
        None => String::new(),
    };
    let name = paint(BOLD, format_args!("{:column$}", row.name));
    output.line(format_args!(
        "{mark} {name}  {} in {} threads{last}",
        memories(row.memories),
        number(row.threads)
    ))?;
    if !row.description.is_empty() {
        output.line(format_args!(
            "  {:column$}  {}",
            "",
            paint(DIM, one_line(&row.description))
        ))?;
    }
    Ok(())
}
