//! Consistent names: values are spelt the same on the command line, in MCP and in JSON.

use std::collections::{BTreeMap, BTreeSet};

use anamne::{
    Category, ContextPreset, EntityType, ErrorKind, EventKind, Kind, LinkType, Perspective,
    Ranking, Temperature, TimeWords,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::bench::{Bench, lines};

/// The commands and subcommands that `--help` lists, including the top level.
fn commands(bench: &Bench, above: &[String]) -> Vec<Vec<String>> {
    let mut arguments: Vec<&str> = above.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = bench.run(&arguments).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help");
    let mut found = vec![above.to_vec()];
    for name in names {
        found.extend(commands(bench, &[above, &[name.to_owned()]].concat()));
    }
    found
}

/// All values listed in a help text.
fn words_of_help(help: &str) -> BTreeSet<String> {
    let one_line = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = one_line
        .split("[possible values: ")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(']')?.0.to_owned()))
        .flat_map(|words| words.split(", ").map(str::to_owned).collect::<Vec<_>>());
    // Values with descriptions have a line each.
    let long = help.lines().filter_map(|line| {
        let (word, _) = line.trim_start().strip_prefix("- ")?.split_once(':')?;
        (!word.contains(' ')).then(|| word.to_owned())
    });
    short.chain(long).collect()
}

/// All values, by the interface that shows them.
fn words_of_doors(bench: &Bench) -> BTreeMap<String, BTreeSet<String>> {
    let mut doors = BTreeMap::new();
    for path in commands(bench, &[]) {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let words = words_of_help(&bench.run(&arguments).stdout);
        doors.insert(format!("anamne {}", path.join(" ")), words);
    }
    let input = lines([
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ]);
    let ran = bench.feed(&["mcp", "--tools", "knowledge"], input.as_bytes());
    let listed: Value =
        serde_json::from_str(ran.stdout.lines().nth(1).expect("two replies")).expect("JSON");
    for tool in listed["result"]["tools"].as_array().expect("tools") {
        let properties = tool["inputSchema"]["properties"].as_object();
        for (name, property) in properties.into_iter().flatten() {
            let words = property["enum"].as_array().into_iter().flatten();
            let words = words.filter_map(Value::as_str).map(str::to_owned).collect();
            doors.insert(format!("{} {name}", tool["name"]), words);
        }
    }
    doors
}

#[test]
fn no_word_is_shown_in_two_spellings() {
    let bench = Bench::new();
    let doors = words_of_doors(&bench);
    let all: BTreeSet<&String> = doors.values().flatten().collect();
    for word in [
        "session_start",
        "derived_from",
        "read_only",
        "bug_fix",
        "useful",
    ] {
        assert!(all.contains(&word.to_owned()), "{word} is not found");
    }
    for (door, words) in &doors {
        for word in words {
            let is_plain = |character: char| {
                character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_'
            };
            // Names of shells and CPU features are given.
            assert!(word.chars().all(is_plain), "{door}: {word}");
        }
    }
}

fn check<Word: Copy + Serialize + std::fmt::Debug>(all: &[Word], spelt: fn(Word) -> &'static str) {
    for &word in all {
        let json = serde_json::to_value(word).expect("JSON");
        assert_eq!(json, spelt(word), "{word:?}");
    }
}

#[test]
fn json_has_the_words_of_the_command_line() {
    check(Kind::ALL, Kind::as_str);
    check(Category::ALL, Category::as_str);
    check(LinkType::ALL, LinkType::as_str);
    check(EntityType::ALL, EntityType::as_str);
    check(EventKind::ALL, EventKind::as_str);
    check(Perspective::ALL, Perspective::as_str);
    check(Temperature::ALL, Temperature::as_str);
    check(ContextPreset::ALL, ContextPreset::as_str);
    check(Ranking::ALL, Ranking::as_str);
    check(TimeWords::ALL, TimeWords::as_str);
    let kinds: Vec<_> = ErrorKind::ALL.iter().map(|kind| kind.as_str()).collect();
    assert!(kinds.iter().all(|kind| !kind.contains('-')), "{kinds:?}");
}

#[test]
fn a_word_is_read_with_hyphens_too() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at nine", "--category", "bug-fix"]);
    bench.remember(&["The ferry leaves at ten"]);
    bench.json(&["link", "m1", "m2", "--type", "derived-from"]);
    let shown = bench.json(&["show", "m1"]);
    assert_eq!(shown["memory"]["category"], "bug_fix");
    for preset in ["session_start", "session-start"] {
        assert!(bench.json(&["context", "--preset", preset]).is_object());
    }
    let call = |id: u64, tool: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments}})
    };
    let input = lines([
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(2, "memory_context", json!({"preset": "session-start"})),
        call(
            3,
            "memory_store",
            json!({"content": "The mole closes", "category": "bug-fix"}),
        ),
        call(
            4,
            "memory_update",
            json!({"id": "m1", "category": "code-pattern"}),
        ),
        call(
            5,
            "memory_link",
            json!({"from": "m1", "to": "m2", "type": "derived-from"}),
        ),
        call(6, "memory_knowledge", json!({})),
    ]);
    for set in ["knowledge", "read-only", "read_only"] {
        let ran = bench.feed(&["mcp", "--tools", set], input.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let expected = if set == "knowledge" { 5 } else { 1 };
        let replies = ran.stdout.lines().skip(1);
        let replies = replies.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let done = replies.filter(|reply| {
            reply["result"]["content"].is_array() && reply["result"]["isError"] != true
        });
        assert_eq!(done.count(), expected, "{set}: {}", ran.stdout);
    }
}

#[test]
fn an_error_repeats_at_most_200_characters_of_a_value() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at nine"]);
    let long = "x".repeat(5_000);
    let spaced = "xx ".repeat(1_500);
    let line = format!("{{\"content\": \"a\", \"{long}\": 1}}\n");
    let file = bench.file("import.jsonl", line);
    let file = file.to_str().expect("UTF-8");
    let mut tried = Vec::new();
    for value in [&long, &spaced] {
        for arguments in [
            &["show", value][..],
            &["recall", "a", "--kind", value],
            &["recall", "a", "--since", value],
            &["recall", "a", "--role", value],
            &["recall", "a", "--depth", value],
            &["recall", "a", "--weight", value],
            &["remember", "a", "--category", value],
            &["remember", "a", "--metadata", value],
            &["--space", value, "recall", "a"],
            &["knowledge", "show", value],
            &["graph", value],
            &["resolve", value],
            &["spaces", "set", "--model", value],
            &["tasks", "cancel", value],
            &["import", value],
            &["import", file],
            &[value],
        ] {
            tried.push(bench.run(arguments));
            tried.push(bench.run(&[&["--json"], arguments].concat()));
        }
    }
    fs_write_settings(&bench, &long);
    tried.push(bench.run(&["recall", "a"]));
    tried.push(bench.run(&["--json", "recall", "a"]));
    let mut too_long = Vec::new();
    for ran in tried {
        assert_ne!(ran.code, 0, "{}", ran.stdout);
        // The value once, plus its first eighty characters in the description of the problem.
        let count = ran.stderr.matches('x').count();
        if count > 290 {
            too_long.push(ran.stderr.chars().take(300).collect::<String>());
        }
    }
    assert_eq!(too_long, Vec::<String>::new());
}

fn fs_write_settings(bench: &Bench, value: &str) {
    let path = bench.store().join("spaces/core/space.toml");
    std::fs::write(path, format!("format = \"{value}\"\n")).expect("written");
}
