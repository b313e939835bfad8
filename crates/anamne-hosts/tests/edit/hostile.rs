//! Texts that nobody would write.

use std::time::{Duration, Instant};

use anamne_hosts::edit::{MAX_LENGTH, MAX_NESTING, Syntax, open};
use serde_json::json;

use crate::writers::{self, Dice};
use crate::yaml_writer;

const SYNTAXES: [Syntax; 3] = [Syntax::Json, Syntax::Toml, Syntax::Yaml];
const PIECES: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "\"", "'", "#", "//", "/*", "*/", "\n", "\r", "\r\n", "\t", "  ",
    "- ", "? ", "|", ">", "&a", "*a", "!!str", "<<", "---\n", "...", "= ", ".", "\"\"\"", "'''",
    "[[a]]\n", "null", "\\u0000", "\u{feff}", "é", "😀", "%", "\0",
];

/// The text with up to eight pieces cut out, doubled or put in.
fn mutated(dice: &mut Dice, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=dice.roll(8) {
        let at = dice.roll(characters.len() + 1);
        let end = (at + dice.roll(12)).min(characters.len());
        match dice.roll(4) {
            0 => drop(characters.drain(at..end)),
            1 => {
                let doubled: Vec<char> = characters[at..end].to_vec();
                characters.splice(at..at, doubled);
            }
            _ => drop(characters.splice(at..at, dice.word(PIECES).chars())),
        }
    }
    characters.into_iter().collect()
}

#[test]
fn mutated_texts_are_edited_or_refused_within_seconds() {
    let started = Instant::now();
    let (mut edited, mut refused) = (0, 0);
    for seed in 0..10_000 {
        let dice = &mut Dice::new(seed);
        let value = writers::table(dice, 3);
        let (syntax, text) = match seed % 3 {
            0 => (Syntax::Json, writers::json(dice, &value)),
            1 => (Syntax::Toml, writers::toml(dice, &value)),
            _ => (Syntax::Yaml, yaml_writer::yaml(dice, &value)),
        };
        let text = mutated(dice, &text);
        let Ok(mut document) = open(syntax, &text) else {
            refused += 1;
            continue;
        };
        edited += 1;
        assert_eq!(document.text(), text);
        let entry = json!({ "command": "anamne", "args": ["mcp"] });
        let parent = dice.word(&["a", "hooks", "mcpServers"]);
        if document.set(&[parent, "anamne"], &entry).is_ok() {
            let read = open(syntax, &document.text()).unwrap();
            assert_eq!(read.get(&[parent, "anamne"]), Some(entry.clone()));
        }
        let _ = document.push(&["hooks", "list"], &entry);
        let _ = document.retain(&["hooks", "list"], &|value| *value != entry);
        let _ = document.remove(&["a"]);
        assert!(open(syntax, &document.text()).is_ok());
    }
    assert!(
        edited > 1_000 && refused > 1_000,
        "{edited} edited, {refused} refused"
    );
    assert!(
        started.elapsed() < Duration::from_mins(1),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn nesting_and_length_are_bounded() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let deep = [10_000, 1_000_000];
    for depth in deep {
        let texts = [
            (Syntax::Json, nested("{\"a\":", "1", "}", depth)),
            (Syntax::Json, nested("[", "1", "]", depth)),
            (
                Syntax::Toml,
                format!("a = {}", nested("[", "1", "]", depth)),
            ),
            (
                Syntax::Toml,
                format!("a = {}", nested("{a.b.c = ", "1", "}", depth)),
            ),
            (Syntax::Toml, format!("{}a = 1", "a.".repeat(depth))),
            (Syntax::Toml, format!("[{}a]", "a.".repeat(depth))),
            (Syntax::Yaml, nested("[", "1", "]", depth)),
            (Syntax::Yaml, nested("{a: ", "1", "}", depth)),
            (Syntax::Yaml, "- ".repeat(depth)),
            (Syntax::Yaml, nested("[", "", "", depth)),
        ];
        for (syntax, text) in texts {
            assert!(open(syntax, &text).is_err(), "{syntax:?} {}", &text[..40]);
        }
    }
    for syntax in SYNTAXES {
        let text = format!("{}{{}}", " ".repeat(MAX_LENGTH));
        let error = open(syntax, &text).err().unwrap().to_string();
        assert_eq!(error, "longer than 8 MiB");
    }
    let fits = MAX_NESTING - 8;
    let text = nested("{\"a\":", "1", "}", fits);
    assert!(open(Syntax::Json, &text).is_ok());
}

#[test]
fn long_texts_cost_linear_time() {
    let texts = |lines: usize| {
        let json: Vec<String> = (0..lines)
            .map(|line| format!("  \"k{line}\": [1, 2]"))
            .collect();
        let toml: Vec<String> = (0..lines)
            .map(|line| format!("[t.k{line}]\nx = 'y'\n"))
            .collect();
        let yaml: Vec<String> = (0..lines)
            .map(|line| format!("k{line}: [\"é\", 2]\n"))
            .collect();
        let flow: Vec<String> = (0..lines).map(|line| format!("k{line}: é")).collect();
        [
            (Syntax::Json, format!("{{\n{}\n}}\n", json.join(",\n"))),
            (Syntax::Toml, toml.concat()),
            (Syntax::Yaml, yaml.concat()),
            (Syntax::Yaml, format!("a: {{{}}}\n", flow.join(", "))),
        ]
    };
    let time = |syntax, text: &str| {
        let started = Instant::now();
        let mut document = open(syntax, text).unwrap();
        document.set(&["anamne"], &json!({ "x": 1 })).unwrap();
        assert_eq!(document.remove(&["anamne"]), Ok(true));
        assert_eq!(document.text(), text);
        started.elapsed().max(Duration::from_millis(5))
    };
    for ((syntax, short), (_, long)) in texts(2_000).into_iter().zip(texts(16_000)) {
        // The better of two runs: other tests run at the same time.
        let best = |text: &str| time(syntax, text).min(time(syntax, text));
        let (short, long) = (best(&short), best(&long));
        assert!(
            long < short * 40,
            "{syntax:?}: {short:?} and {long:?} for eight times as much"
        );
    }
}
