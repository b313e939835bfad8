//! How much of what people ask about later a day's summary still holds, at which length, beside simpler ways.
//!
//! `cargo run --release -p anamne-knowledge --example summaries_quality -- FOLDER`, where each subfolder of FOLDER is a
//! set of conversations: `<name>.records.jsonl` (`id`, `thread`, `time`, `author`, `text`) and `<name>.queries.jsonl`
//! (`evidence`, `evidence_threads`, `answer`, `answerable`, `category`). With `--corrected`, `evidence_corrected` counts where
//! it is there. With `--show N` the first N days of each conversation are printed.
#![allow(clippy::print_stdout, reason = "a program that reports")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anamne_embed::{Embedder, StaticModel};
use anamne_knowledge::summaries::{Digest, Level, Turn, text_of};
use anamne_text::sentences::sentences;
use anamne_types::{MemoryId, Row};
use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

struct Said {
    id: String,
    thread: String,
    author: String,
    text: String,
    at: jiff::Timestamp,
}

/// A turn that is evidence, and the words of the answers that it holds.
#[derive(Default)]
struct Evidence {
    answers: HashSet<String>,
}

struct Conversation {
    name: String,
    days: BTreeMap<String, Vec<Said>>,
    evidence: HashMap<String, Evidence>,
    evidence_threads: HashSet<String>,
}

/// What a method keeps of a day: which turn, and the words; and the characters of the whole as a person reads it.
struct Kept {
    parts: Vec<(usize, String)>,
    characters: usize,
}

#[derive(Default, Clone)]
struct Tally {
    evidence: usize,
    held: usize,
    words: usize,
    words_held: usize,
    threads: usize,
    threads_held: usize,
    characters: usize,
    kept: usize,
    turns: usize,
    turns_kept: usize,
    sentences: usize,
    days: usize,
    seconds: f64,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = arguments
        .first()
        .ok_or("name the folder with the sets of conversations")?;
    let corrected = arguments.iter().any(|argument| argument == "--corrected");
    let show = match arguments.iter().position(|argument| argument == "--show") {
        Some(at) => arguments
            .get(at + 1)
            .ok_or("--show wants a number")?
            .parse()?,
        None => 0,
    };
    println!(
        "  method      held   answer words  length  turns kept  sentences a day  ms a thousand turns"
    );
    for set in sorted(Path::new(folder))? {
        let mut all: BTreeMap<&str, Tally> = BTreeMap::new();
        for records in sorted(&set)? {
            let Some(name) = records
                .to_string_lossy()
                .strip_suffix(".records.jsonl")
                .map(str::to_owned)
            else {
                continue;
            };
            let conversation = read(&name, corrected)?;
            shown(&conversation, show);
            let mut here: BTreeMap<&str, Tally> = BTreeMap::new();
            for (method, keep) in METHODS {
                let tally = here.entry(*method).or_default();
                for day in conversation.days.values() {
                    let begun = std::time::Instant::now();
                    let kept = keep(day);
                    tally.seconds += begun.elapsed().as_secs_f64();
                    tally.add(&conversation, day, &kept);
                }
                all.entry(method).or_default().join(tally);
            }
            report(&conversation.name, &here);
        }
        report(&set.file_name().unwrap_or_default().to_string_lossy(), &all);
    }
    Ok(())
}

fn report(name: &str, tallies: &BTreeMap<&str, Tally>) {
    println!("\n{name}");
    for (method, _) in METHODS {
        let Some(tally) = tallies.get(method) else {
            continue;
        };
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let (held, of) = if tally.evidence > 0 {
            (share(tally.held, tally.evidence), "")
        } else {
            (
                share(tally.threads_held, tally.threads),
                "  (held: sessions)",
            )
        };
        println!(
            "  {method:<10}  {held:.3}  {:.3}         {:.4}  {:.3}       {:<15.1}  {:.1}{of}",
            share(tally.words_held, tally.words),
            share(tally.kept, tally.characters),
            share(tally.turns_kept, tally.turns),
            share(tally.sentences, tally.days),
            1e6 * tally.seconds / tally.turns.max(1) as f64,
        );
    }
}

/// A way to choose from a day's turns.
type Method = fn(&[Said]) -> Kept;

const METHODS: &[(&str, Method)] = &[
    ("anamne", anamne),
    ("lead", lead),
    ("random", random),
    ("textrank", textrank),
];

fn anamne(day: &[Said]) -> Kept {
    let mut digest = Digest::new();
    let mut thread = "";
    for (at, said) in day.iter().enumerate() {
        if said.thread != thread {
            digest.turn_away();
            thread = &said.thread;
        }
        digest.read(&Turn {
            id: MemoryId::at(at as u64),
            row: Row(at as u32),
            author: &said.author,
            role: said.author.parse().ok(),
            text: &said.text,
            at: said.at,
        });
    }
    let sentences = digest.sentences(&Level::Day.bounds());
    Kept {
        characters: text_of(&sentences).chars().count(),
        parts: sentences
            .into_iter()
            .map(|sentence| (sentence.row.0 as usize, sentence.text))
            .collect(),
    }
}

/// The sentences of a day, each with its turn.
fn whole_sentences(day: &[Said]) -> Vec<(usize, &str)> {
    let of = |(at, said): (usize, &'_ Said)| -> Vec<(usize, std::ops::Range<usize>)> {
        sentences(&said.text)
            .into_iter()
            .map(|range| (at, range))
            .collect()
    };
    let ranges: Vec<_> = day.iter().enumerate().flat_map(of).collect();
    ranges
        .into_iter()
        .map(|(at, range)| (at, &day[at].text[range]))
        .collect()
}

/// As many sentences, in this order, as fit.
fn fitting(day: &[Said], order: impl Iterator<Item = usize>) -> Kept {
    let all = whole_sentences(day);
    let mut left = budget(day);
    let mut kept = Vec::new();
    for at in order {
        let cost = all[at].1.chars().count() + 1;
        if cost <= left {
            left -= cost;
            kept.push((all[at].0, all[at].1.to_owned()));
        }
    }
    let characters = kept
        .iter()
        .map(|(_, text): &(usize, String)| text.chars().count() + 1)
        .sum();
    Kept {
        parts: kept,
        characters,
    }
}

fn budget(day: &[Said]) -> usize {
    let characters: usize = day.iter().map(|said| said.text.chars().count()).sum();
    let bounds = Level::Day.bounds();
    ((characters as f64 * bounds.share) as usize).clamp(bounds.at_least, bounds.at_most)
}

fn lead(day: &[Said]) -> Kept {
    fitting(day, 0..whole_sentences(day).len())
}

fn random(day: &[Said]) -> Kept {
    let mut order: Vec<usize> = (0..whole_sentences(day).len()).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for at in (1..order.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, (state >> 33) as usize % (at + 1));
    }
    fitting(day, order.into_iter())
}

fn textrank(day: &[Said]) -> Kept {
    let all = whole_sentences(day);
    let model = StaticModel::builtin();
    let texts: Vec<&str> = all.iter().map(|(_, text)| *text).collect();
    let Ok(vectors) = model.embed_batch(&texts) else {
        return Kept {
            parts: Vec::new(),
            characters: 0,
        };
    };
    let rank = ranks(&vectors, model.dimensions());
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| rank[*b].total_cmp(&rank[*a]).then(a.cmp(b)));
    fitting(day, order.into_iter())
}

/// The rank of a random walk over cosines, as it stands in textbooks.
fn ranks(vectors: &[f32], dimensions: usize) -> Vec<f32> {
    let rows: Vec<&[f32]> = vectors.chunks_exact(dimensions).collect();
    let cosine = |a: usize, b: usize| -> f32 {
        if a == b {
            return 0.0;
        }
        rows[a]
            .iter()
            .zip(rows[b])
            .map(|(a, b)| a * b)
            .sum::<f32>()
            .max(0.0)
    };
    let edges: Vec<Vec<f32>> = (0..rows.len())
        .map(|a| (0..rows.len()).map(|b| cosine(a, b)).collect())
        .collect();
    let out: Vec<f32> = edges
        .iter()
        .map(|row| row.iter().sum::<f32>().max(1e-9))
        .collect();
    let mut rank = vec![1.0f32; rows.len()];
    for _ in 0..30 {
        rank = (0..rows.len())
            .map(|a| {
                0.15 + 0.85
                    * (0..rows.len())
                        .map(|b| rank[b] * edges[a][b] / out[b])
                        .sum::<f32>()
            })
            .collect();
    }
    rank
}

impl Tally {
    fn add(&mut self, conversation: &Conversation, day: &[Said], kept: &Kept) {
        let turns: HashSet<usize> = kept.parts.iter().map(|(turn, _)| *turn).collect();
        self.characters += day
            .iter()
            .map(|said| said.text.chars().count())
            .sum::<usize>();
        self.kept += kept.characters;
        self.days += 1;
        self.turns += day.len();
        self.turns_kept += turns.len();
        self.sentences += kept.parts.len();
        for (at, said) in day.iter().enumerate() {
            let Some(evidence) = conversation.evidence.get(&said.id) else {
                continue;
            };
            self.evidence += 1;
            self.held += usize::from(turns.contains(&at));
            let said_of: String = kept
                .parts
                .iter()
                .filter(|one| one.0 == at)
                .map(|one| one.1.as_str())
                .collect::<Vec<_>>()
                .join(" ");
            let (told, summed) = (words(&said.text), words(&said_of));
            for word in evidence.answers.iter().filter(|word| told.contains(*word)) {
                self.words += 1;
                self.words_held += usize::from(summed.contains(word));
            }
        }
        let threads: HashSet<&String> = day.iter().map(|said| &said.thread).collect();
        for thread in threads {
            if conversation.evidence_threads.contains(thread) {
                self.threads += 1;
                self.threads_held +=
                    usize::from(turns.iter().any(|turn| day[*turn].thread == *thread));
            }
        }
    }

    fn join(&mut self, other: &Self) {
        self.evidence += other.evidence;
        self.held += other.held;
        self.words += other.words;
        self.words_held += other.words_held;
        self.threads += other.threads;
        self.threads_held += other.threads_held;
        self.characters += other.characters;
        self.kept += other.kept;
        self.turns += other.turns;
        self.turns_kept += other.turns_kept;
        self.sentences += other.sentences;
        self.days += other.days;
        self.seconds += other.seconds;
    }
}

/// The words of a text that a stop list leaves, in lower case.
fn words(text: &str) -> HashSet<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| word.len() > 2 && !anamne_text::analyser::is_function_word(word))
        .collect()
}

fn shown(conversation: &Conversation, days: usize) {
    for (day, said) in conversation.days.iter().take(days) {
        println!("\n{} {day}", conversation.name);
        let kept = anamne(said);
        for (at, turn) in said.iter().enumerate() {
            let mark = if conversation.evidence.contains_key(&turn.id) {
                '*'
            } else {
                ' '
            };
            for (_, text) in kept.parts.iter().filter(|one| one.0 == at) {
                println!("  {mark} {text}");
            }
        }
    }
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, std::io::Error>>()?;
    paths.sort();
    paths.retain(|path| {
        path.is_dir()
            || path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
    });
    Ok(paths)
}

fn read(name: &str, corrected: bool) -> Result<Conversation, Failure> {
    let mut conversation = Conversation {
        name: Path::new(name)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        days: BTreeMap::new(),
        evidence: HashMap::new(),
        evidence_threads: HashSet::new(),
    };
    for line in fs::read_to_string(format!("{name}.records.jsonl"))?.lines() {
        let record: Value = serde_json::from_str(line)?;
        let text = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
        let time = text("time");
        conversation
            .days
            .entry(time.chars().take(10).collect())
            .or_default()
            .push(Said {
                id: text("id"),
                thread: text("thread"),
                author: text("author"),
                text: text("text"),
                at: time.parse().unwrap_or_default(),
            });
    }
    let none = Vec::new();
    for line in fs::read_to_string(format!("{name}.queries.jsonl"))?.lines() {
        let query: Value = serde_json::from_str(line)?;
        if query["answerable"] != Value::Bool(true) || query["category"] == "adversarial" {
            continue;
        }
        let answer = words(query["answer"].as_str().unwrap_or_default());
        let evidence = match &query["evidence_corrected"] {
            Value::Array(ids) if corrected => ids,
            _ => query["evidence"].as_array().unwrap_or(&none),
        };
        for id in evidence.iter().filter_map(Value::as_str) {
            conversation
                .evidence
                .entry(id.to_owned())
                .or_default()
                .answers
                .extend(answer.iter().cloned());
        }
        let threads = query["evidence_threads"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        conversation
            .evidence_threads
            .extend(threads.map(str::to_owned));
    }
    Ok(conversation)
}
