//! Random edits of random texts.

use anamne_hosts::edit::{Document, EditError, Syntax, open};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::writers::{self, Dice};
use crate::yaml_writer;

const SYNTAXES: [Syntax; 3] = [Syntax::Json, Syntax::Toml, Syntax::Yaml];

/// A random table and a text that says the same.
fn random(syntax: Syntax, dice: &mut Dice) -> (Value, String) {
    let value = writers::table(dice, 3);
    let text = match syntax {
        Syntax::Json => writers::json(dice, &value),
        Syntax::Toml => writers::toml(dice, &value),
        Syntax::Yaml => yaml_writer::yaml(dice, &value),
    };
    (value, text)
}

fn opened(syntax: Syntax, text: &str) -> Box<dyn Document> {
    open(syntax, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn keys(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// One table of the text; the first one is the text itself.
fn some_table(dice: &mut Dice, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    writers::tables(value, &[], &mut found);
    dice.pick(&found).clone()
}

fn set_in(value: &mut Value, path: &[&str], new: Value) {
    let (last, parents) = path.split_last().expect("a key");
    let table = parents.iter().fold(value, |value, key| &mut value[*key]);
    table[*last] = new;
}

fn checked<T>(result: Result<T, EditError>, text: &str) -> T {
    result.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A new value for one key, written twice and taken out.
fn set_and_remove(syntax: Syntax, seed: u64) {
    let dice = &mut Dice::new(seed);
    let (value, text) = random(syntax, dice);
    let mut document = opened(syntax, &text);
    assert_eq!(document.get(&[]), Some(value.clone()), "{text}");
    assert_eq!(document.text(), text);
    let mut path = some_table(dice, &value);
    path.push("anamne".to_owned());
    let path = keys(&path);
    let entry = writers::value(dice, 3);
    checked(document.set(&path, &entry), &text);
    let with = document.text();
    let mut expected = value;
    set_in(&mut expected, &path, entry.clone());
    assert_eq!(
        opened(syntax, &with).get(&[]),
        Some(expected),
        "{text}\n{with}"
    );
    let mut again = opened(syntax, &with);
    checked(again.set(&path, &entry), &with);
    assert_eq!(again.text(), with);
    assert!(checked(again.remove(&path), &with));
    assert_eq!(again.text(), text, "after removal from\n{with}");
}

/// A value at the end of a list, and out of it again.
fn push_and_retain(syntax: Syntax, seed: u64) {
    let dice = &mut Dice::new(seed);
    let (value, text) = random(syntax, dice);
    let mut found = Vec::new();
    writers::lists(&value, &[], &mut found);
    if found.is_empty() {
        return;
    }
    let path = dice.pick(&found).clone();
    let path = keys(&path);
    let mut document = opened(syntax, &text);
    let entry = json!({ "command": "anamne", "args": ["hook"] });
    checked(document.push(&path, &entry), &text);
    let with = document.text();
    let list = document.get(&path).expect("a list");
    assert_eq!(list.as_array().and_then(|list| list.last()), Some(&entry));
    assert_eq!(
        checked(document.retain(&path, &|value| *value != entry), &with),
        1
    );
    assert_eq!(document.text(), text, "after removal from\n{with}");
}

/// Other values for existing keys, and their removal: all else keeps its value.
fn change_and_remove(syntax: Syntax, seed: u64) {
    let dice = &mut Dice::new(seed);
    let (mut value, text) = random(syntax, dice);
    let mut document = opened(syntax, &text);
    for _ in 0..3 {
        let table = some_table(dice, &value);
        let inside = table.iter().fold(&value, |value, key| &value[key]);
        let inside: Vec<String> = inside
            .as_object()
            .expect("a table")
            .keys()
            .cloned()
            .collect();
        if inside.is_empty() {
            continue;
        }
        let mut path = table.clone();
        path.push(dice.pick(&inside).clone());
        let path = keys(&path);
        let before = document.text();
        if dice.roll(2) == 0 {
            let entry = writers::value(dice, 2);
            checked(document.set(&path, &entry), &before);
            set_in(&mut value, &path, entry);
        } else {
            assert!(checked(document.remove(&path), &before));
            let (last, parents) = path.split_last().expect("a key");
            let table = parents
                .iter()
                .fold(&mut value, |value, key| &mut value[*key]);
            table.as_object_mut().expect("a table").remove(*last);
        }
        let after = document.text();
        let read = opened(syntax, &after).get(&[]).expect("a table");
        assert_eq!(
            without_empty(&read, syntax),
            without_empty(&value, syntax),
            "{before}\n{after}"
        );
        value = read;
    }
}

/// TOML can't say that a table is empty if it stands in its children's headers alone.
fn without_empty(value: &Value, syntax: Syntax) -> Value {
    match value {
        Value::Object(map) if syntax == Syntax::Toml => {
            let entries = map.iter();
            let entries = entries.map(|(key, value)| (key.clone(), without_empty(value, syntax)));
            let is_empty = |value: &Value| *value == json!({}) || *value == json!([]);
            Value::Object(entries.filter(|(_, value)| !is_empty(value)).collect())
        }
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_was_set_and_removed_leaves_no_trace(seed: u64) {
        for syntax in SYNTAXES {
            set_and_remove(syntax, seed);
        }
    }

    #[test]
    fn what_was_pushed_and_taken_out_leaves_no_trace(seed: u64) {
        for syntax in SYNTAXES {
            push_and_retain(syntax, seed);
        }
    }

    #[test]
    fn changes_and_removals_keep_every_other_value(seed: u64) {
        for syntax in SYNTAXES {
            change_and_remove(syntax, seed);
        }
    }
}
