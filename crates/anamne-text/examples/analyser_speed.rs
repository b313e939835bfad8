//! Prints how many words per second the analyser takes in, by kind of text.
//!
//! `cargo run --release -p anamne-text --example analyser_speed`

use std::time::Instant;

use anamne_text::analyser::Analyser;
use anamne_text::sentences::windows;
use anamne_text::tokens::estimate_tokens;

const ENGLISH: &str = "the of and to in we that it was for on with as they at had but not by from have which she \
    project decided backup machine because another somebody whenever running meeting garden letters walked quickly \
    answers question morning evening holiday neighbour planned repairing kitchen windows visited doctor remembered \
    birthday present bought cheaper flights winter summer training marathon recipe cooking tomatoes guitar lessons";

const NAMES: &str = "project backup machine Anna Weber Lisbon garden letters Friday deploy staging runner tomatoes \
    guitar marathon kitchen window doctor flight Tokyo budget invoice Berlin Marco Elena cache index shard";

const GERMAN: &str = "der die und in wir das es war für auf mit als sie bei hatte aber nicht von haben welche sich \
    Projekt entschieden Sicherung Maschine weil andere jemand immer laufend Besprechung Garten Briefe gegangen \
    Antworten Frage Morgen Abend Urlaub Nachbar geplant Küche Fenster besuchte Ärztin erinnerte Geburtstag";

const CODE: &str = "parse_http_header(line: &str) self.position foo::bar::Baz src/main.rs if (x == 10) return \
    getUserById userName kebab-case-name let mut buffer = Vec::with_capacity(1024); HTTPServer utf8 v1.2.3";

const CHINESE: &str = "今天天气很好我们决定去公园散步 因为孩子们喜欢那里的湖 晚上回家做饭";

/// Words in an order that repeats only after a long while.
fn texts(words: &str, count: usize) -> Vec<String> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut word = |at: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let chosen = words[(state >> 33) as usize % words.len()];
        // One word in twenty is new, as in letters and notes.
        match state >> 59 {
            0 => format!("{chosen}{}", char::from(b'a' + (state >> 40) as u8 % 26)),
            _ if at % 12 == 11 => format!("{chosen}."),
            _ => chosen.to_owned(),
        }
    };
    (0..count)
        .map(|_| (0..100).map(&mut word).collect::<Vec<_>>().join(" "))
        .collect()
}

#[expect(clippy::print_stdout, reason = "an example that measures")]
fn main() {
    for (name, words) in [
        ("English", ENGLISH),
        ("names", NAMES),
        ("German", GERMAN),
        ("code", CODE),
        ("Chinese", CHINESE),
    ] {
        let texts = texts(words, 20_000);
        let mut analyser = Analyser::new();
        let mut terms = 0_u64;
        let start = Instant::now();
        for text in &texts {
            analyser.document(text, &mut |_, _| terms += 1);
        }
        let seconds = start.elapsed().as_secs_f64();
        let words = texts.len() as f64 * 100.0;
        println!(
            "{name:>8}: {:5.2} M words/s, {:.2} terms per word",
            words / seconds / 1e6,
            terms as f64 / words
        );
    }
    let texts = texts(ENGLISH, 20_000);
    let start = Instant::now();
    let runs: usize = texts.iter().map(|text| windows(text, 50).len()).sum();
    println!(
        " windows: {:5.2} M words/s, {runs} windows",
        2.0 / start.elapsed().as_secs_f64()
    );
    let texts_outside_ascii: Vec<String> = texts.iter().map(|text| format!("“{text}”")).collect();
    let start = Instant::now();
    let runs: usize = texts_outside_ascii
        .iter()
        .map(|text| windows(text, 50).len())
        .sum();
    println!(
        " windows: {:5.2} M words/s outside ASCII, {runs} windows",
        2.0 / start.elapsed().as_secs_f64()
    );
    let start = Instant::now();
    let tokens: usize = texts.iter().map(|text| estimate_tokens(text)).sum();
    println!(
        "  tokens: {:5.2} M words/s, {tokens} tokens",
        2.0 / start.elapsed().as_secs_f64()
    );
    let mut analyser = Analyser::new();
    for query in [
        "where did we move the backup to",
        "backup machine project",
        "Wo sind die Verträge für Anna",
        "猫が好き",
    ] {
        let start = Instant::now();
        let mut terms = 0;
        for _ in 0..10_000 {
            terms = analyser.query(query).terms.len();
        }
        println!(
            "   query: {:5.2} us, {terms} terms, {query:?}",
            start.elapsed().as_secs_f64() * 100.0
        );
    }
}
