//! Enrichment quality on annotated memories, with bootstrap intervals, and speed beside bare SQLite inserts.

#[path = "../../../anamne-knowledge/tests/knowledge/enrichment_quality/measure.rs"]
mod measure;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anamne::{Draft, Options, Store};
use anamne_knowledge::enrichment::Enricher;
use anamne_types::Category;

use self::measure::{Annotated, Group, Outcome, lines, measure, measure_links};
use crate::chance::Chance;
use crate::failure::Failure;
use crate::output::line;

/// Resamples of the bootstrap.
const RESAMPLES: usize = 2_000;

/// Memories whose enrichment is timed.
const TIMED: usize = 2_000;

/// The annotated memories.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files such as those in `crates/anamne-knowledge/annotations/enrichment`; those with `links` in their name hold links.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Only files of this half: `development` or `held-out`
    #[arg(long)]
    half: Option<String>,
    /// Also list what is wrong.
    #[arg(long)]
    show: bool,
    /// Also write what categories are judged by to this file, for `fitting/categories.py`
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
    /// Also measure the speed, on copies of the texts
    #[arg(long)]
    speed: bool,
}

/// Measures every file and prints the results.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut texts = Vec::new();
    let mut inputs = Vec::new();
    for file in &arguments.files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_wanted = |half: &String| name.contains(half.as_str());
        if !arguments.half.as_ref().is_none_or(is_wanted) {
            continue;
        }
        if name.contains("links") {
            report_links(file, arguments.show)?;
        } else {
            let read: Vec<Annotated> = lines(file)?;
            report_texts(file, &read, arguments.show);
            inputs.extend(read.iter().map(|text| inputs_of(&name, text)));
            texts.extend(read.into_iter().map(|annotated| annotated.text));
        }
    }
    if let Some(path) = &arguments.inputs {
        std::fs::write(path, inputs.join("\n") + "\n")?;
    }
    if arguments.speed && !texts.is_empty() {
        report_speed(&texts)?;
    }
    Ok(())
}

/// A line of JSON: file, field, right categories and inputs of a text.
fn inputs_of(file: &str, text: &Annotated) -> String {
    let inputs = Enricher::new().category_inputs(&text.text);
    let right: Vec<&str> = text
        .category
        .iter()
        .map(|one| one.map_or("none", Category::as_str))
        .collect();
    let named: serde_json::Map<String, serde_json::Value> = inputs
        .named
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect();
    serde_json::json!({
        "file": file, "id": text.id, "field": text.field, "right": right, "named": named, "vectors": inputs.vectors,
    })
    .to_string()
}

fn report_texts(file: &Path, texts: &[Annotated], show: bool) {
    let measured = measure(texts);
    let outcomes = &measured.outcomes;
    line(&format!("{}: {} texts", file.display(), texts.len()));
    let share = |right: fn(&Outcome) -> bool| -> Vec<(f64, f64)> {
        let each = outcomes.iter();
        each.map(|one| (f64::from(u8::from(right(one))), 1.0))
            .collect()
    };
    let keywords: Vec<(f64, f64)> = outcomes
        .iter()
        .map(|one| (one.useful as f64, one.keywords as f64))
        .collect();
    line(&row("category", &share(|one| one.category)));
    for (category, (right, all)) in &measured.by_category {
        line(&format!("    {category:<24}{right} of {all}"));
    }
    if texts.iter().any(|text| text.importance.is_some()) {
        line(&row("importance within 2", &share(|one| one.importance)));
    }
    if texts.iter().any(|text| text.keywords.is_some()) {
        line(&row("keywords useful", &keywords));
    }
    line(&row("language", &share(|one| one.language)));
    if show {
        measured
            .notes
            .iter()
            .for_each(|note| line(&format!("  {note}")));
    }
}

fn report_links(file: &Path, show: bool) -> Result<(), Failure> {
    let groups: Vec<Group> = lines(file)?;
    let measured = measure_links(&groups);
    line(&format!(
        "{}: {} groups, {} links",
        file.display(),
        groups.len(),
        measured.annotated
    ));
    let each = measured.found.iter();
    let found: Vec<(f64, f64)> = each
        .map(|right| (f64::from(u8::from(*right)), 1.0))
        .collect();
    line(&row("link precision", &found));
    let (precision, recall) = (measured.precision(), measured.recall());
    line(&format!("  precision {precision:.3}, recall {recall:.3}"));
    if show {
        measured
            .notes
            .iter()
            .for_each(|note| line(&format!("  {note}")));
    }
    Ok(())
}

/// A ratio of sums with its 95 % interval, resampled over the items.
fn row(label: &str, items: &[(f64, f64)]) -> String {
    let ratio = |items: &mut dyn Iterator<Item = &(f64, f64)>| {
        let (part, whole) = items.fold((0.0, 0.0), |sum, item| (sum.0 + item.0, sum.1 + item.1));
        if whole > 0.0 { part / whole } else { 1.0 }
    };
    let mut chance = Chance::new(1);
    let mut resampled: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn: Vec<usize> = items.iter().map(|_| chance.below(items.len())).collect();
            ratio(&mut drawn.iter().map(|place| &items[*place]))
        })
        .collect();
    resampled.sort_by(f64::total_cmp);
    let at = |share: f64| resampled[((RESAMPLES - 1) as f64 * share) as usize];
    format!(
        "  {label:<24}{:.3}  ({:.3} to {:.3}, {} items)",
        ratio(&mut items.iter()),
        at(0.025),
        at(0.975),
        items.len()
    )
}

/// Memories enriched per second, beside bare SQLite inserts of the same texts, and the bytes on disk.
fn report_speed(texts: &[String]) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let store = Store::open_with(Options::new(folder.path().join("store")).background(false))?;
    let space = store.space("speed")?;
    let drafts: Vec<Draft> = (0..TIMED)
        .map(|number| Draft::new(format!("{} ({number})", texts[number % texts.len()])))
        .collect();
    space.remember_all(&drafts)?;
    let started = Instant::now();
    let (report, _) = space.enrich(&mut |_| {})?;
    let enriched = report.memories as f64 / started.elapsed().as_secs_f64();
    let path = space.folder().join("views/summaries.db");
    let bytes = std::fs::metadata(&path).map_or(0, |found| found.len());
    let bare = bare_inserts(&folder.path().join("bare.db"), &drafts)?;
    line(&format!(
        "speed                     {enriched:.0} memories/s, {:.3} of bare SQLite inserts ({bare:.0}/s)",
        enriched / bare
    ));
    line(&format!(
        "size                      {:.0} KiB for 1 000 memories",
        bytes as f64 / 1024.0 * 1000.0 / report.memories.max(1) as f64
    ));
    Ok(())
}

fn bare_inserts(path: &Path, drafts: &[Draft]) -> rusqlite::Result<f64> {
    let mut connection = rusqlite::Connection::open(path)?;
    connection.execute_batch(
        "PRAGMA journal_mode=WAL; CREATE TABLE texts (row INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    )?;
    let started = Instant::now();
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare("INSERT INTO texts (text) VALUES (?1)")?;
        for draft in drafts {
            insert.execute([&draft.content])?;
        }
    }
    transaction.commit()?;
    Ok(drafts.len() as f64 / started.elapsed().as_secs_f64())
}
