//! What the trees that estimate secrets are fitted on: values of labelled texts, and of files without secrets.

use std::fs;
use std::path::PathBuf;

use anamne::guard::fitting;
use serde_json::{Value, json};

use super::clean_folder::texts;
use super::set::{self, Half, Subject};
use crate::failure::Failure;
use crate::output::line;

/// How much of a file is read, in bytes, so that no kind of file outweighs the others.
const MOST: usize = 200_000;

/// The texts.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folders of files that contain no secrets, such as sources and chats; of a line that is a JSON object with a `text`, the
    /// text is read.
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The seed of the labelled texts.
    #[arg(long, value_name = "N", default_value_t = set::SEED)]
    seed: u64,
}

/// Prints the names of the inputs, then a line for each text: whose it is, whether its secrets are found without the trees'
/// help, and its values.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    line(&serde_json::to_string(&fitting::inputs())?);
    for record in set::records(Subject::Secrets, arguments.seed)? {
        if record.half == Half::Development {
            let expected: Vec<_> = record
                .expected
                .iter()
                .map(|expected| [expected.span.start, expected.span.end])
                .collect();
            print(
                &record.text,
                &json!({ "author": record.author, "template": record.template, "expected": expected }),
            )?;
        }
    }
    for folder in &arguments.folders {
        for path in texts(folder)? {
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            let mut end = text.len().min(MOST);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            for part in parts(&text[..end]) {
                print(&part, &json!({ "author": null, "expected": [] }))?;
            }
        }
    }
    Ok(())
}

/// The texts of JSON lines, or the file as it is.
fn parts(file: &str) -> Vec<String> {
    let text = |line: &str| {
        let record: Value = serde_json::from_str(line).ok()?;
        Some(record.get("text")?.as_str()?.to_owned())
    };
    let texts: Vec<String> = file.lines().filter_map(text).collect();
    if texts.is_empty() {
        vec![file.to_owned()]
    } else {
        texts
    }
}

fn print(text: &str, about: &Value) -> Result<(), Failure> {
    let candidates = fitting::candidates(text);
    if candidates.is_empty() && about["author"].is_null() {
        return Ok(());
    }
    let found: Vec<_> = fitting::found_without_trees(text)
        .into_iter()
        .map(|span| [span.start, span.end])
        .collect();
    let values: Vec<_> = candidates
        .iter()
        .map(|one| json!([one.span.start, one.span.end, one.inputs]))
        .collect();
    let mut printed = about.clone();
    printed["found"] = json!(found);
    printed["values"] = json!(values);
    printed["bytes"] = json!(text.len());
    line(&serde_json::to_string(&printed)?);
    Ok(())
}
