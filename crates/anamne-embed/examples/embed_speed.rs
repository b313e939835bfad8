//! Prints how fast the built-in model is: start, turns of 20 words, cosines of tokens.
//!
//! `cargo run --release -p anamne-embed --example embed_speed`

#![expect(clippy::print_stdout, reason = "an example reports to its caller")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use anamne_embed::{Embedder, StaticModel};

const TURNS: usize = 20_000;
const WORDS: usize = 20;
const ROUNDS: usize = 5;
const PASSAGE: &str = "When we moved the billing service to the new cluster last spring, Priya \
    noticed that nightly invoices were arriving twice; the scheduler had kept a stale lock, so we \
    patched it, wrote a regression test and agreed to rotate credentials every quarter. My sister \
    adopted a greyhound called Biscuit who hates thunderstorms and loves peanut butter. Please \
    remember I'm allergic to shellfish, my flight lands at 18:40, and the reservation is under \
    Okonkwo. Compilation fails with an undefined symbol whenever incremental linking is enabled.";

fn main() {
    let (model, ready) = timed(|| {
        let model = StaticModel::builtin();
        let mut vector = vec![0.0; model.dimensions()];
        model
            .embed_into("ready", &mut vector)
            .expect("the vector has the model's length");
        model
    });
    println!(
        "ready and first text   {:8.3} ms",
        ready.as_secs_f64() * 1e3
    );
    embed_turns(model);
    tokenize_turns();
    compare_tokens();
}

fn turns() -> Vec<String> {
    let words: Vec<&str> = PASSAGE.split_whitespace().collect();
    let word = |turn: usize, place: usize| words[(turn * 7 + place * (1 + turn % 5)) % words.len()];
    let turn = |turn| {
        (0..WORDS)
            .map(|place| word(turn, place))
            .collect::<Vec<_>>()
            .join(" ")
    };
    (0..TURNS).map(turn).collect()
}

fn embed_turns(model: &StaticModel) {
    let turns = turns();
    let mut vector = vec![0.0; model.dimensions()];
    let seconds = best(|| {
        for turn in &turns {
            model
                .embed_into(turn, &mut vector)
                .expect("the vector has the model's length");
            black_box(&vector);
        }
    });
    let rate = TURNS as f64 / seconds;
    println!("embed                  {rate:8.0} turns/s of {WORDS} words");
}

fn tokenize_turns() {
    let table = StaticModel::builtin_tokens();
    let turns = turns();
    let mut tokens = Vec::new();
    let seconds = best(|| {
        for turn in &turns {
            tokens.clear();
            table.tokens(turn, &mut tokens);
            black_box(&tokens);
        }
    });
    let rate = TURNS as f64 / seconds;
    println!("tokens only            {rate:8.0} turns/s of {WORDS} words");
}

fn compare_tokens() {
    let table = StaticModel::builtin_tokens();
    let mut passage = Vec::new();
    table.tokens(PASSAGE, &mut passage);
    let everything: Vec<u16> = (0..table.rows() as u16).collect();
    for (name, tokens) in [("of a passage", &passage), ("of all rows", &everything)] {
        let mut cosines = vec![0.0; tokens.len()];
        let rounds = 300_000 / tokens.len();
        let seconds = best(|| {
            for round in 0..rounds {
                table.similarities(passage[round % passage.len()], tokens, &mut cosines);
                black_box(&cosines);
            }
        });
        let each = seconds * 1e9 / (rounds * tokens.len()) as f64;
        println!("cosine {name:<15} {each:8.1} ns");
    }
}

/// The seconds of the fastest round.
fn best(mut round: impl FnMut()) -> f64 {
    let rounds = (0..ROUNDS).map(|_| timed(&mut round).1.as_secs_f64());
    rounds.fold(f64::INFINITY, f64::min)
}

fn timed<Outcome>(work: impl FnOnce() -> Outcome) -> (Outcome, Duration) {
    let start = Instant::now();
    let outcome = work();
    (outcome, start.elapsed())
}
