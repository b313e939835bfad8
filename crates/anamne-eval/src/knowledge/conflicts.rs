//! Quality of contradiction detection on conversations with questions.
//!
//! Prints links by kind, recall for both categories of questions about contradictions, speed, and on request a random
//! sample of links to judge by hand.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use anamne::{ConflictKind, Role};
use anamne_knowledge::conflicts::{ClaimId, Conflicts, Link, claims, keys};
use anamne_knowledge::reading::Utterance;
use jiff::Timestamp;

use crate::chance::Chance;
use crate::corpus::{ConversationFilter, Corpus, Record};
use crate::failure::Failure;
use crate::output::line;

/// The categories of questions about contradictions.
const CATEGORIES: [&str; 2] = ["contradiction_resolution", "knowledge_update"];

/// Maximum bytes printed per sentence.
const SHOWN_BYTES: usize = 420;

/// What to read, and what to print.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    chosen: ConversationFilter,
    /// Also print this many links of a set, drawn at random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: usize,
    /// The seed of the sample.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Sample only `superseded` or `contested` links.
    #[arg(long)]
    kind: Option<String>,
    /// Also print questions without two linked pieces of evidence.
    #[arg(long)]
    missed: bool,
    /// Also print the claims of one record, or of `all`.
    #[arg(long, value_name = "CORPUS/ID")]
    claims: Option<String>,
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
    /// Questions by category: all, those with two pieces of evidence linked, those with any piece linked.
    found: BTreeMap<String, [usize; 3]>,
    shown: Vec<String>,
}

/// Reads every conversation and prints a report per set.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let corpora = arguments.chosen.corpora()?;
    for of_set in corpora.chunk_by(|one, other| one.set == other.set) {
        let mut figures = Figures::default();
        for corpus in of_set {
            read(corpus, arguments, &mut figures)?;
        }
        report(&of_set[0].set, &figures);
        sample(figures.shown, arguments);
    }
    Ok(())
}

fn report(set: &str, figures: &Figures) {
    let each = |taken: Duration| taken.as_secs_f64() * 1e3 / figures.messages as f64;
    let (reading, linking) = (each(figures.reading), each(figures.linking));
    line(&format!(
        "{set}: {} messages, {} claims, {} superseded, {} contested; {:.0} messages/s ({:.3} ms a message: {reading:.3} reading, \
         {linking:.3} linking)",
        figures.messages,
        figures.claims,
        figures.superseded,
        figures.contested,
        1e3 / (reading + linking),
        reading + linking,
    ));
    let claims = figures.claims.max(1) as f64;
    line(&format!(
        "  {:.1} keys and {:.0} bytes of JSON a claim",
        figures.keys as f64 / claims,
        figures.bytes as f64 / claims
    ));
    for (category, [questions, linked, touched]) in &figures.found {
        line(&format!(
            "  {category}: {linked} of {questions} with two pieces of evidence linked, {touched} with any piece linked"
        ));
    }
}

fn read(corpus: &Corpus, arguments: &Arguments, figures: &mut Figures) -> Result<(), Failure> {
    let records = &corpus.records;
    let wants_claims = |record: &Record| {
        let wanted = arguments.claims.as_deref();
        wanted.is_some_and(|wanted| {
            wanted == "all" || wanted == format!("{}/{}", corpus.name, record.id)
        })
    };
    let mut conflicts = Conflicts::new();
    let started = Instant::now();
    for (row, record) in (0..).zip(records) {
        let found = claims(&Utterance {
            text: &record.text,
            author: &record.author,
            role: Some(role(&record.author)),
            at: at(record),
        });
        figures.claims += found.len();
        if wants_claims(record) {
            for claim in &found {
                line(&format!("  {} {}: {claim:?}", record.id, claim.quote));
            }
        }
        conflicts.insert(row, found);
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
        let (count, kind) = match link.conflict.kind {
            ConflictKind::Superseded => (&mut figures.superseded, "superseded"),
            ConflictKind::Contested => (&mut figures.contested, "contested"),
        };
        *count += 1;
        if arguments.kind.as_ref().is_none_or(|wanted| wanted == kind) {
            figures.shown.push(describe(corpus, &conflicts, link));
        }
    }
    answer(corpus, &links, arguments, figures);
    Ok(())
}

/// Counts the questions with linked evidence.
fn answer(corpus: &Corpus, links: &[Link], arguments: &Arguments, figures: &mut Figures) {
    let id = |claim: &ClaimId| corpus.records[claim.row as usize].id.as_str();
    let pairs: HashSet<(&str, &str)> = links
        .iter()
        .map(|link| (id(&link.earlier), id(&link.later)))
        .collect();
    let queries = corpus.queries.iter();
    for query in queries.filter(|query| CATEGORIES.contains(&query.category.as_str())) {
        let evidence = |id: &str| query.evidence.iter().any(|known| known == id);
        let linked = pairs
            .iter()
            .any(|&(earlier, later)| evidence(earlier) && evidence(later));
        let touched = pairs
            .iter()
            .any(|&(earlier, later)| evidence(earlier) || evidence(later));
        if arguments.missed && !linked {
            line(&format!(
                "  missed {} {}: {} {:?}",
                corpus.name, query.category, query.text, query.evidence
            ));
        }
        let counts = figures.found.entry(query.category.clone()).or_default();
        for (count, is_so) in counts.iter_mut().zip([true, linked, touched]) {
            *count += usize::from(is_so);
        }
    }
}

/// Authors that are assistants; all others are people.
fn role(author: &str) -> Role {
    if author.eq_ignore_ascii_case("assistant") {
        Role::Assistant
    } else {
        Role::User
    }
}

fn at(record: &Record) -> Timestamp {
    record.time.unwrap_or(Timestamp::UNIX_EPOCH)
}

fn describe(corpus: &Corpus, conflicts: &Conflicts, link: &Link) -> String {
    let side = |id: ClaimId| {
        let record = &corpus.records[id.row as usize];
        let span = conflicts.claim(id).map_or(0..0, |claim| claim.span.clone());
        let words = record.text[span].split_whitespace();
        let sentence = words.collect::<Vec<_>>().join(" ");
        format!(
            "    {} {} {}: {}",
            record.id,
            at(record).strftime("%F"),
            record.author,
            &sentence[..sentence.floor_char_boundary(SHOWN_BYTES)]
        )
    };
    format!(
        "- {} {:?} {:.2} {}\n{}\n{}",
        corpus.name,
        link.conflict.kind,
        link.conflict.confidence,
        link.conflict.reason,
        side(link.earlier),
        side(link.later),
    )
}

/// Prints a random sample of the links.
fn sample(mut shown: Vec<String>, arguments: &Arguments) {
    let mut chance = Chance::new(arguments.seed);
    for _ in 0..arguments.show.min(shown.len()) {
        line(&shown.swap_remove(chance.below(shown.len())));
    }
}
