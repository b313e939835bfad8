//! Every public function that takes text runs in linear time, on texts of every kind.
//!
//! Only small sizes by default, to keep the tests fast; up to a megabyte with `ANAMNE_COST=full`.

mod measure;
mod shapes;

use std::collections::BTreeSet;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anamne_text::analyser::{
    Analyser, QueryTerm, has_other_scripts, is_function_word, is_function_word_in, parts_by_script,
};
use anamne_text::echo;
use anamne_text::json_size::has_more_values;
use anamne_text::normal::{content_hash, normalise};
use anamne_text::quote;
use anamne_text::sentences::{sentences, windows};
use anamne_text::snippet::{occurrences, snippet};
use anamne_text::time::{expressions, month_of, parse_instant, parse_range, weekday_of};
use anamne_text::tokens::{estimate_tokens, truncate_to_tokens};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use measure::{Cost, faults, sizes};
use shapes::{Shape, chosen};

/// Maximum time per megabyte in an optimised build.
const MOST: Duration = Duration::from_secs(1);

/// The name of a function, and a call of it with a text.
type Function = (&'static str, fn(&str));

/// Every public function that takes text.
const FUNCTIONS: &[Function] = &[
    ("normalise", |text| drop(black_box(normalise(text)))),
    ("quote_block", |text| {
        drop(black_box(quote::quote_block(text)));
    }),
    ("push_block", |text| {
        let mut block = String::new();
        quote::push_block(&mut block, text);
        drop(black_box(block));
    }),
    ("lines", |text| {
        black_box(quote::lines(text).count());
    }),
    ("escape_invisible", |text| {
        drop(black_box(quote::escape_invisible(text)));
    }),
    ("on_one_line", |text| {
        drop(black_box(quote::on_one_line(text)));
    }),
    ("quote_name", |text| {
        drop(black_box(quote::quote_name(text)));
    }),
    ("shorten", |text| drop(black_box(echo::shorten(text)))),
    ("shorten_values", |text| {
        drop(black_box(echo::shorten_values(text)));
        drop(black_box(echo::shorten_values(&format!(
            "unknown `{text}`, \"{text}"
        ))));
    }),
    ("content_hash", |text| {
        black_box(content_hash(text));
    }),
    ("document", |text| {
        let mut terms = 0;
        Analyser::new().document(text, &mut |term, _| terms += term.len());
        black_box(terms);
    }),
    ("query", |text| drop(black_box(Analyser::new().query(text)))),
    ("is_function_word", |text| {
        black_box(is_function_word(text));
    }),
    ("is_function_word_in", |text| {
        black_box(is_function_word_in(text, "en"));
    }),
    ("language", |text| {
        black_box(Analyser::new().language(text));
    }),
    ("has_other_scripts", |text| {
        black_box(has_other_scripts(text));
    }),
    ("parts_by_script", |text| {
        let mut parts = 0;
        parts_by_script(text, &mut |_| parts += 1);
        black_box(parts);
    }),
    ("has_more_values", |text| {
        black_box(has_more_values(text, usize::MAX));
    }),
    ("estimate_tokens", |text| {
        black_box(estimate_tokens(text));
    }),
    ("truncate_to_tokens", |text| {
        for budget in [1, 1_000, text.len() / 20] {
            black_box(truncate_to_tokens(text, budget));
        }
    }),
    ("sentences", |text| drop(black_box(sentences(text)))),
    ("windows", |text| drop(black_box(windows(text, 120)))),
    ("snippet", |text| {
        for terms in [beginning(text), many_terms()] {
            black_box(snippet(text, &terms, 240));
        }
    }),
    ("occurrences", |text| {
        for terms in [beginning(text), many_terms()] {
            black_box(occurrences(text, &terms));
        }
    }),
    ("expressions", |text| {
        black_box(expressions(text, now(), &TimeZone::UTC));
    }),
    ("parse_instant", |text| {
        drop(black_box(parse_instant(text, now(), &TimeZone::UTC)));
    }),
    ("parse_range", |text| {
        drop(black_box(parse_range(text, now(), &TimeZone::UTC)));
    }),
    ("month_of", |text| {
        black_box(month_of(text));
    }),
    ("weekday_of", |text| {
        black_box(weekday_of(text));
    }),
];

fn now() -> Timestamp {
    Timestamp::from_second(1_772_000_000).expect("an instant")
}

/// Terms from the beginning of a text, so that they occur in it.
fn beginning(text: &str) -> Vec<QueryTerm> {
    let first: String = text.chars().take(200).collect();
    Analyser::new().query(&first).terms
}

/// The maximum number of terms, most of which are missing from the text.
fn many_terms() -> Vec<QueryTerm> {
    let words = "harbour winter engine table mountain paper silver garden window market signal bridge copper island \
        letter motor number orange planet quarter river summit timber valley wagon yellow zebra anchor basket candle desert \
        forest glacier hammer insect jungle kettle ladder mirror needle oyster pillow rabbit saddle tunnel umbrella village \
        whistle 東京 大阪 猫が 犬は";
    Analyser::new().query(words).terms
}

/// The violations of the functions on a kind of text.
fn faults_of(shape: &Shape) -> Vec<String> {
    let mut run = |bytes| {
        let text = shape.text(bytes);
        let costs = FUNCTIONS
            .iter()
            .map(|(name, run)| Cost::of(name, MOST, &mut || run(&text)));
        costs.collect()
    };
    let found = sizes().iter().flat_map(|small| faults(*small, &mut run));
    found
        .map(|fault| format!("{}: {fault}", shape.name))
        .collect()
}

fn all_faults(shapes: &[&Shape]) -> Vec<String> {
    shapes.iter().flat_map(|shape| faults_of(shape)).collect()
}

#[test]
fn every_function_is_linear_in_texts_of_every_kind() {
    // Each thread measures its own time, so two threads halve the duration.
    let shapes: Vec<&Shape> = chosen(2).collect();
    let (ones, others) = shapes.split_at(shapes.len() / 2);
    let faults = std::thread::scope(|scope| {
        let others = scope.spawn(|| all_faults(others));
        let mut faults = all_faults(ones);
        faults.extend(others.join().expect("the other half"));
        faults
    });
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn no_public_function_that_takes_text_is_left_out() {
    let mut found = BTreeSet::new();
    let paths = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    // A lexicon reads compiled-in files only.
    for path in paths
        .into_iter()
        .filter(|path| !path.ends_with("lexicon.rs"))
    {
        let source = std::fs::read_to_string(&path).expect("a source file");
        for (at, _) in source.match_indices("pub fn ") {
            let signature = source[at + "pub fn ".len()..].split('{').next();
            let signature = signature.expect("the beginning of a function");
            if signature.contains("&str") && signature.contains('(') {
                let name = signature.split(['(', '<']).next().expect("a name");
                found.insert(name.to_owned());
            }
        }
    }
    let listed: BTreeSet<String> = FUNCTIONS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(listed, found);
    assert!(chosen(2).count() >= 60);
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of sources");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}
