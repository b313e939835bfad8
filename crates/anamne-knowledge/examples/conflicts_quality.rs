//! How good the finder of contradictions is on conversations with questions.
//!
//! `cargo run -p anamne-knowledge --example conflicts_quality -- FOLDER [--show N] [--seed S] [--set NAME]`: the folder holds sets, each
//! with `*.records.jsonl` and `*.queries.jsonl`. It prints links by kind, the recall of both categories of questions that
//! turn on contradictions, the speed, and on demand a random sample of links for a person to judge.

#![expect(clippy::print_stdout, reason = "an example prints its figures")]

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anamne_knowledge::conflicts::{Conflicts, Link, claims, keys};
use anamne_knowledge::reading::Utterance;
use anamne_types::ConflictKind;
use anamne_types::Role;
use jiff::Timestamp;
use serde::Deserialize;

#[derive(Deserialize)]
struct Record {
    id: String,
    time: Option<Timestamp>,
    author: String,
    text: String,
}

#[derive(Deserialize)]
struct Query {
    #[serde(rename = "query")]
    question: String,
    #[serde(default)]
    category: String,
    evidence: Vec<String>,
}

struct Arguments {
    folder: PathBuf,
    show: usize,
    seed: u64,
    set: Option<String>,
    missed: bool,
    kind: Option<String>,
    claims: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    let mut sets: Vec<PathBuf> = fs::read_dir(&arguments.folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    sets.sort();
    for set in sets.iter().filter(|set| set.is_dir()) {
        let name = set.file_name().unwrap_or_default().to_string_lossy();
        if arguments.set.as_deref().is_none_or(|wanted| wanted == name) {
            measure_set(set, &name, &arguments)?;
        }
    }
    Ok(())
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let mut arguments = Arguments {
        folder: PathBuf::new(),
        show: 0,
        seed: 1,
        set: None,
        missed: false,
        kind: None,
        claims: None,
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--show" => arguments.show = words.next().ok_or("--show wants a number")?.parse()?,
            "--seed" => arguments.seed = words.next().ok_or("--seed wants a number")?.parse()?,
            "--set" => arguments.set = Some(words.next().ok_or("--set wants a name")?),
            "--kind" => {
                arguments.kind = Some(words.next().ok_or("--kind wants superseded or contested")?);
            }
            "--claims" => {
                arguments.claims = Some(words.next().ok_or("--claims wants CORPUS/ID, or all")?);
            }
            "--missed" => arguments.missed = true,
            _ => arguments.folder = PathBuf::from(word),
        }
    }
    if arguments.folder.as_os_str().is_empty() {
        return Err("usage: conflicts_quality FOLDER [--set NAME] [--kind KIND] [--show N] [--seed S] [--missed] [--claims CORPUS/ID]".into());
    }
    Ok(arguments)
}

#[derive(Default)]
struct Figures {
    messages: usize,
    claims: usize,
    superseded: usize,
    contested: usize,
    keys: usize,
    bytes: usize,
    reading: Duration,
    linking: Duration,
    found: HashMap<String, (usize, usize, usize)>,
    shown: Vec<String>,
}

fn measure_set(set: &Path, name: &str, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut corpora: Vec<PathBuf> = fs::read_dir(set)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    corpora.retain(|path| path.to_string_lossy().ends_with(".records.jsonl"));
    corpora.sort();
    let mut figures = Figures::default();
    for corpus in &corpora {
        measure_corpus(corpus, arguments, &mut figures)?;
    }
    let seconds = (figures.reading + figures.linking).as_secs_f64();
    println!(
        "{name}: {} messages, {} claims, {} superseded, {} contested; {:.0} messages/s ({:.3} ms a message: {:.3} reading, {:.3} linking)",
        figures.messages,
        figures.claims,
        figures.superseded,
        figures.contested,
        figures.messages as f64 / seconds,
        seconds * 1e3 / figures.messages as f64,
        figures.reading.as_secs_f64() * 1e3 / figures.messages as f64,
        figures.linking.as_secs_f64() * 1e3 / figures.messages as f64,
    );
    let claims = figures.claims.max(1) as f64;
    println!(
        "  {:.1} keys and {:.0} bytes of JSON a claim",
        figures.keys as f64 / claims,
        figures.bytes as f64 / claims
    );
    let mut categories: Vec<_> = figures.found.into_iter().collect();
    categories.sort();
    for (category, (questions, linked, touched)) in categories {
        println!(
            "  {category}: {linked} of {questions} with two pieces of evidence linked, {touched} with any piece linked"
        );
    }
    sample(figures.shown, arguments);
    Ok(())
}

fn measure_corpus(
    path: &Path,
    arguments: &Arguments,
    figures: &mut Figures,
) -> Result<(), Box<dyn Error>> {
    let records: Vec<Record> = lines(path)?;
    let mut conflicts = Conflicts::new();
    let started = Instant::now();
    for (row, record) in records.iter().enumerate() {
        let found = claims(&Utterance {
            text: &record.text,
            author: &record.author,
            role: Some(role(&record.author)),
            at: record.time.unwrap_or(Timestamp::UNIX_EPOCH),
        });
        figures.claims += found.len();
        if wants_claims(arguments, path, record) {
            for claim in &found {
                println!("  {} {}: {claim:?}", record.id, claim.quote);
            }
        }
        conflicts.insert(row as u32, found);
    }
    figures.reading += started.elapsed();
    for claim in (0..records.len() as u32).flat_map(|row| conflicts.claims_of(row)) {
        figures.keys += keys(claim).listed.len();
        figures.bytes += serde_json::to_string(claim)?.len();
    }
    let started = Instant::now();
    let links = conflicts.links();
    figures.linking += started.elapsed();
    figures.messages += records.len();
    for link in &links {
        match link.conflict.kind {
            ConflictKind::Superseded => figures.superseded += 1,
            ConflictKind::Contested => figures.contested += 1,
        }
        let kind = format!("{:?}", link.conflict.kind).to_lowercase();
        if arguments.kind.as_ref().is_none_or(|wanted| *wanted == kind) {
            figures
                .shown
                .push(describe(path, &records, &conflicts, link));
        }
    }
    answer(path, &records, &links, arguments, figures)
}

/// Whether a person asked for the claims of this record.
fn wants_claims(arguments: &Arguments, path: &Path, record: &Record) -> bool {
    let corpus = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .replace(".records.jsonl", "");
    arguments
        .claims
        .as_ref()
        .is_some_and(|wanted| wanted == "all" || *wanted == format!("{corpus}/{}", record.id))
}

fn answer(
    path: &Path,
    records: &[Record],
    links: &[Link],
    arguments: &Arguments,
    figures: &mut Figures,
) -> Result<(), Box<dyn Error>> {
    let pairs: HashSet<(&str, &str)> = links
        .iter()
        .map(|link| {
            (
                records[link.earlier.row as usize].id.as_str(),
                records[link.later.row as usize].id.as_str(),
            )
        })
        .collect();
    let touched: HashSet<&str> = pairs
        .iter()
        .flat_map(|&(earlier, later)| [earlier, later])
        .collect();
    let queries: Vec<Query> = lines(Path::new(
        &path.to_string_lossy().replace(".records.", ".queries."),
    ))?;
    for query in queries {
        if !matches!(
            query.category.as_str(),
            "contradiction_resolution" | "knowledge_update"
        ) {
            continue;
        }
        let evidence = |id: &str| query.evidence.iter().any(|known| known == id);
        let linked = pairs
            .iter()
            .any(|&(earlier, later)| evidence(earlier) && evidence(later));
        let any = touched.iter().any(|id| evidence(id));
        if arguments.missed && !linked {
            println!(
                "  missed {} {}: {} {:?}",
                path.file_name().unwrap_or_default().to_string_lossy(),
                query.category,
                query.question,
                query.evidence
            );
        }
        let counts = figures.found.entry(query.category).or_default();
        counts.0 += 1;
        counts.1 += usize::from(linked);
        counts.2 += usize::from(any);
    }
    Ok(())
}

/// Who answers as an assistant; everybody else is a person.
fn role(author: &str) -> Role {
    if author.eq_ignore_ascii_case("assistant") {
        Role::Assistant
    } else {
        Role::User
    }
}

fn describe(path: &Path, records: &[Record], conflicts: &Conflicts, link: &Link) -> String {
    let side = |id: anamne_knowledge::conflicts::ClaimId| {
        let record = &records[id.row as usize];
        let span = conflicts.claim(id).map_or(0..0, |claim| claim.span.clone());
        let sentence = record.text[span]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let cut = sentence.floor_char_boundary(420);
        format!(
            "    {} {} {}: {}",
            record.id,
            record.time.unwrap_or(Timestamp::UNIX_EPOCH).strftime("%F"),
            record.author,
            &sentence[..cut]
        )
    };
    format!(
        "- {} {:?} {:.2} {}\n{}\n{}",
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .trim_end_matches(".records.jsonl"),
        link.conflict.kind,
        link.conflict.confidence,
        link.conflict.reason,
        side(link.earlier),
        side(link.later),
    )
}

/// Prints `show` of the links, drawn by the seed.
fn sample(mut shown: Vec<String>, arguments: &Arguments) {
    let mut state = arguments.seed;
    for _ in 0..arguments.show.min(shown.len()) {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        println!(
            "{}",
            shown.swap_remove((state >> 33) as usize % shown.len())
        );
    }
}

fn lines<Line: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    text.lines()
        .map(|line| Ok(serde_json::from_str(line)?))
        .collect()
}
