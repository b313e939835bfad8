//! How much of what people ask about later is in a day's summary, by length, compared with simpler methods.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::AddAssign;
use std::time::Instant;

use anamne::embed::{Embedder, StaticModel};
use anamne::text::analyser::is_function_word;
use anamne::text::sentences::sentences;
use anamne::{Level, MemoryId, Row};
use anamne_knowledge::summaries::{Digest, Turn, text_of};

use crate::corpus::{ConversationFilter, Corpus, Query, Record};
use crate::failure::Failure;
use crate::output::line;

/// The conversations to summarise.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    chosen: ConversationFilter,
    /// Use the corrected evidence if available.
    #[arg(long)]
    corrected: bool,
    /// Also print the summaries of the first days of each conversation.
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: usize,
}

/// A conversation by day, and the evidence of its questions.
struct Conversation<'corpus> {
    days: BTreeMap<String, Vec<&'corpus Record>>,
    /// Turns that are evidence, each with the answer words it supports.
    evidence: HashMap<&'corpus str, HashSet<String>>,
    threads: HashSet<&'corpus str>,
}

/// The selection of a method for a day: turns with their text, and the characters of the whole as displayed.
#[derive(Default)]
struct SelectedTurns {
    parts: Vec<(usize, String)>,
    characters: usize,
}

/// A fraction.
#[derive(Default, Clone, Copy)]
struct Fraction {
    part: usize,
    whole: usize,
}

impl Fraction {
    fn of(part: usize, whole: usize) -> Self {
        Self { part, whole }
    }

    fn value(self) -> f64 {
        self.part as f64 / self.whole.max(1) as f64
    }
}

impl AddAssign for Fraction {
    fn add_assign(&mut self, other: Self) {
        self.part += other.part;
        self.whole += other.whole;
    }
}

#[derive(Default, Clone, Copy)]
struct Tally {
    evidence: Fraction,
    words: Fraction,
    threads: Fraction,
    characters: Fraction,
    turns: Fraction,
    /// Sentences per day.
    sentences: Fraction,
    seconds: f64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.evidence += other.evidence;
        self.words += other.words;
        self.threads += other.threads;
        self.characters += other.characters;
        self.turns += other.turns;
        self.sentences += other.sentences;
        self.seconds += other.seconds;
    }
}

/// Summarises every day with every method, and prints a table per conversation and set.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    line(
        "  method      held   answer words  length  turns kept  sentences a day  ms a thousand turns",
    );
    let corpora = arguments.chosen.corpora()?;
    for of_set in corpora.chunk_by(|one, other| one.set == other.set) {
        let mut all = [Tally::default(); METHODS.len()];
        for corpus in of_set {
            let conversation = Conversation::of(corpus, arguments.corrected);
            show(corpus, &conversation, arguments.show);
            let mut here = [Tally::default(); METHODS.len()];
            for (tally, (_, keep)) in here.iter_mut().zip(METHODS) {
                for day in conversation.days.values() {
                    let started = Instant::now();
                    let kept = keep(day);
                    tally.seconds += started.elapsed().as_secs_f64();
                    *tally += conversation.tally(day, &kept);
                }
            }
            all.iter_mut()
                .zip(here)
                .for_each(|(all, here)| *all += here);
            report(&corpus.name, &here);
        }
        report(&of_set[0].set, &all);
    }
    Ok(())
}

fn report(name: &str, tallies: &[Tally]) {
    line(&format!("\n{name}"));
    for (tally, (method, _)) in tallies.iter().zip(METHODS) {
        let (held, of) = match tally.evidence.whole {
            0 => (tally.threads, "  (held: sessions)"),
            _ => (tally.evidence, ""),
        };
        line(&format!(
            "  {method:<10}  {:.3}  {:.3}         {:.4}  {:.3}       {:<15.1}  {:.1}{of}",
            held.value(),
            tally.words.value(),
            tally.characters.value(),
            tally.turns.value(),
            tally.sentences.value(),
            1e6 * tally.seconds / tally.turns.whole.max(1) as f64,
        ));
    }
}

/// A method that selects from a day's turns.
type Method = fn(&[&Record]) -> SelectedTurns;

const METHODS: [(&str, Method); 4] = [
    ("anamne", anamne),
    ("lead", lead),
    ("random", random),
    ("textrank", textrank),
];

fn anamne(day: &[&Record]) -> SelectedTurns {
    let mut digest = Digest::new();
    let mut thread = "";
    for (at, said) in day.iter().enumerate() {
        if said.thread != thread {
            digest.start_conversation();
            thread = &said.thread;
        }
        digest.read(&Turn {
            id: MemoryId::at(at as u64),
            row: Row(at as u32),
            author: &said.author,
            role: said.author.parse().ok(),
            text: &said.text,
            at: said.time.unwrap_or_default(),
        });
    }
    let sentences = digest.sentences(&Level::Day.bounds());
    SelectedTurns {
        characters: characters(&text_of(&sentences)),
        parts: sentences
            .into_iter()
            .map(|sentence| (sentence.row.0 as usize, sentence.text))
            .collect(),
    }
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

/// The sentences of a day, each with the index of its turn.
fn whole_sentences<'day>(day: &[&'day Record]) -> Vec<(usize, &'day str)> {
    let of = |(at, said): (usize, &&'day Record)| {
        let text = said.text.as_str();
        let ranges = sentences(text).into_iter();
        ranges.map(move |range| (at, &text[range]))
    };
    day.iter().enumerate().flat_map(of).collect()
}

/// The sentences that fit into the budget, taken in this order.
fn fitting(
    day: &[&Record],
    all: &[(usize, &str)],
    order: impl Iterator<Item = usize>,
) -> SelectedTurns {
    let bounds = Level::Day.bounds();
    let said: usize = day.iter().map(|said| characters(&said.text)).sum();
    let budget = ((said as f64 * bounds.share) as usize).clamp(bounds.at_least, bounds.at_most);
    let mut kept = SelectedTurns::default();
    for (turn, text) in order.map(|at| all[at]) {
        let cost = characters(text) + 1;
        if kept.characters + cost <= budget {
            kept.characters += cost;
            kept.parts.push((turn, text.to_owned()));
        }
    }
    kept
}

fn lead(day: &[&Record]) -> SelectedTurns {
    let all = whole_sentences(day);
    fitting(day, &all, 0..all.len())
}

fn random(day: &[&Record]) -> SelectedTurns {
    let all = whole_sentences(day);
    let mut order: Vec<usize> = (0..all.len()).collect();
    // Not `Chance`, so that the peer selects the same sentences as in its published figures.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for at in (1..order.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, (state >> 33) as usize % (at + 1));
    }
    fitting(day, &all, order.into_iter())
}

fn textrank(day: &[&Record]) -> SelectedTurns {
    let all = whole_sentences(day);
    let model = StaticModel::builtin();
    let texts: Vec<&str> = all.iter().map(|(_, text)| *text).collect();
    let Ok(vectors) = model.embed_batch(&texts) else {
        return SelectedTurns::default();
    };
    let rank = ranks(&vectors, model.dimensions());
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| rank[*b].total_cmp(&rank[*a]).then(a.cmp(b)));
    fitting(day, &all, order.into_iter())
}

/// Textbook TextRank: a random walk over cosine similarities.
fn ranks(vectors: &[f32], dimensions: usize) -> Vec<f32> {
    let rows: Vec<&[f32]> = vectors.chunks_exact(dimensions).collect();
    let cosine = |a: usize, b: usize| -> f32 {
        let products = rows[a].iter().zip(rows[b]).map(|(a, b)| a * b);
        if a == b {
            0.0
        } else {
            products.sum::<f32>().max(0.0)
        }
    };
    let edges: Vec<Vec<f32>> = (0..rows.len())
        .map(|a| (0..rows.len()).map(|b| cosine(a, b)).collect())
        .collect();
    let out = edges.iter().map(|row| row.iter().sum::<f32>().max(1e-9));
    let out: Vec<f32> = out.collect();
    let mut rank = vec![1.0f32; rows.len()];
    for _ in 0..30 {
        let flow = |a: usize| {
            (0..rows.len())
                .map(|b| rank[b] * edges[a][b] / out[b])
                .sum::<f32>()
        };
        rank = (0..rows.len()).map(|a| 0.15 + 0.85 * flow(a)).collect();
    }
    rank
}

impl<'corpus> Conversation<'corpus> {
    fn of(corpus: &'corpus Corpus, corrected: bool) -> Self {
        let mut conversation = Self {
            days: BTreeMap::new(),
            evidence: HashMap::new(),
            threads: HashSet::new(),
        };
        for record in &corpus.records {
            let day = record.time.map(|time| time.strftime("%F").to_string());
            let days = conversation.days.entry(day.unwrap_or_default());
            days.or_default().push(record);
        }
        for query in corpus.queries.iter().filter(|query| query.is_answerable()) {
            let answer = words(query.answer.as_str().unwrap_or_default());
            for id in evidence_of(query, corrected) {
                let answers = conversation.evidence.entry(id).or_default();
                answers.extend(answer.iter().cloned());
            }
            let threads = query.evidence_threads.iter();
            conversation.threads.extend(threads.map(String::as_str));
        }
        conversation
    }

    fn tally(&self, day: &[&Record], kept: &SelectedTurns) -> Tally {
        let turns: HashSet<usize> = kept.parts.iter().map(|(turn, _)| *turn).collect();
        let said = day.iter().map(|said| characters(&said.text)).sum();
        let mut tally = Tally {
            characters: Fraction::of(kept.characters, said),
            turns: Fraction::of(turns.len(), day.len()),
            sentences: Fraction::of(kept.parts.len(), 1),
            ..Tally::default()
        };
        for (at, said) in day.iter().enumerate() {
            let Some(answers) = self.evidence.get(said.id.as_str()) else {
                continue;
            };
            tally.evidence += Fraction::of(usize::from(turns.contains(&at)), 1);
            let parts = kept.parts.iter().filter(|(turn, _)| *turn == at);
            let summed: HashSet<String> = parts.flat_map(|(_, text)| words(text)).collect();
            let stored = words(&said.text);
            for word in answers.intersection(&stored) {
                tally.words += Fraction::of(usize::from(summed.contains(word)), 1);
            }
        }
        let threads: HashSet<&str> = day.iter().map(|said| said.thread.as_str()).collect();
        for thread in threads.intersection(&self.threads) {
            let is_held = turns.iter().any(|turn| day[*turn].thread == **thread);
            tally.threads += Fraction::of(usize::from(is_held), 1);
        }
        tally
    }
}

fn evidence_of(query: &Query, corrected: bool) -> impl Iterator<Item = &str> {
    let ids = match &query.evidence_corrected {
        Some(ids) if corrected => ids,
        _ => &query.evidence,
    };
    ids.iter().map(String::as_str)
}

/// The lowercase words of a text without stop words.
fn words(text: &str) -> HashSet<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| word.len() > 2 && !is_function_word(word))
        .collect()
}

fn show(corpus: &Corpus, conversation: &Conversation<'_>, days: usize) {
    for (day, said) in conversation.days.iter().take(days) {
        line(&format!("\n{} {day}", corpus.name));
        for (turn, text) in anamne(said).parts {
            let is_evidence = conversation.evidence.contains_key(said[turn].id.as_str());
            let mark = if is_evidence { '*' } else { ' ' };
            line(&format!("  {mark} {text}"));
        }
    }
}
