//! Every command rejects numbers that are too large.

use crate::bench::Bench;

/// Value placeholders in help texts that stand for numbers.
const NUMBERS: [&str; 10] = [
    "N",
    "NUMBER",
    "DAYS",
    "DOLLARS",
    "SHARE",
    "SIZE",
    "STEPS",
    "TOKENS",
    "NAME=NUMBER",
    "SECONDS",
];

/// Value placeholders that don't stand for numbers. A new placeholder fails the test until it is in one of the two
/// lists.
const TEXTS: &str = "ADDRESS LEVEL ORIGIN RATE SPACE CONDITION DATA PATH SCOPE ORDER on|off ACTOR BOOL BY CATEGORY DIR DUPLICATES FILE FORMAT FORMULA FRAME HOST HOW ID KIND KINDS MEMORY MODEL NAME NAMES NAME=VALUE PART PROVIDER ROLE \
SET SETS SOURCE SPACES TAG TEXT THREAD TIME TOPIC TYPE URL WHICH WORDS";

/// An option that takes a value: command, name and placeholder.
type Taken = (Vec<String>, String, String);

/// Every option of a command and of its subcommands, from the help texts.
fn options_of(bench: &Bench, command: &[String], found: &mut Vec<Taken>) {
    let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = bench.run(&arguments).stdout;
    let (mut in_commands, mut below) = (false, Vec::new());
    for line in help.lines() {
        if !line.starts_with(' ') && !line.is_empty() {
            in_commands = line == "Commands:";
        }
        let Some(entry) = line.strip_prefix("  ") else {
            continue;
        };
        let entry = entry.trim_start();
        let word = entry.split_whitespace().next().unwrap_or_default();
        if in_commands && line.starts_with("  ") && !line.starts_with("   ") && word != "help" {
            below.push(word.to_owned());
        }
        let long = entry
            .split_whitespace()
            .take(3)
            .find(|word| word.starts_with("--"));
        if let Some(long) = long
            && line.len() < 140
            && let Some((_, value)) = entry.split_once(&format!("{long} <"))
        {
            let value = value.split('>').next().unwrap_or_default();
            found.push((command.to_vec(), long.to_owned(), value.to_owned()));
        }
    }
    for word in below {
        let mut deeper = command.to_vec();
        deeper.push(word);
        options_of(bench, &deeper, found);
    }
}

/// The other arguments that a command requires.
fn needs(command: &str) -> &'static [&'static str] {
    match command {
        "remember" | "recall" | "context" | "think" | "cache store" | "experience ask" => {
            &["words"]
        }
        "experience outcome" => &["Bash"],
        "experiment start" => &["pages", "default", "words"],
        "edit" => &["m1"],
        "forget" => &["--query", "words"],
        "spaces add" => &["m1", "--to", "other"],
        "keys create" => &["name", "--all-spaces"],
        "tenants create" | "tenants limit" => &["acme"],
        "link" => &["m1", "m1", "--type", "related"],
        "check" => &["--topic", "words"],
        "model set" => &["--provider", "anthropic", "--model", "small"],
        "graph" | "knowledge show" => &["Ada"],
        "knowledge entity" => &["Ada", "--type", "person"],
        "knowledge relation" => &["Ada", "works_at", "Hafen"],
        "knowledge property" => &["Ada", "colour", "red"],
        _ => &[],
    }
}

#[test]
fn every_option_that_takes_a_number_refuses_one_that_is_too_large() {
    let bench = Bench::new();
    bench.remember(&["The words of Ada"]);
    let mut options = Vec::new();
    options_of(&bench, &[], &mut options);
    assert!(options.len() > 100, "{}", options.len());
    let texts: Vec<_> = TEXTS.split(' ').collect();
    let mut numbers = 0;
    for (command, option, value) in &options {
        let value = value.as_str();
        if !NUMBERS.contains(&value) {
            assert!(
                texts.contains(&value),
                "{command:?} {option} <{value}>: is it a number?"
            );
            continue;
        }
        numbers += 1;
        for given in ["18446744073709551615", "99999999999999999999999", "1e400"] {
            let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
            arguments.extend(needs(&command.join(" ")));
            let set = match value {
                "NAME=NUMBER" => format!("{option}=recency={given}"),
                _ => format!("{option}={given}"),
            };
            arguments.push(&set);
            let ran = bench.run(&arguments);
            assert_eq!(ran.code, 2, "{arguments:?}: {} {}", ran.stdout, ran.stderr);
            let said = ran.stderr.replace('_', "-");
            assert!(
                said.contains(option.trim_start_matches("--")) || said.contains(given),
                "{arguments:?}: {said}"
            );
        }
    }
    assert!(numbers > 40, "{numbers}");
}

#[test]
fn a_citation_beyond_all_numbers_names_nothing() {
    let bench = Bench::new();
    bench.remember(&["x"]);
    for (id, code) in [
        ("m4294967295", 3),
        ("m4294967296", 2),
        ("m99999999999999", 2),
        ("m18446744073709551616", 2),
        ("m+0", 2),
        ("m-1", 2),
    ] {
        for command in ["show", "edit", "history", "forget", "restore"] {
            let mut arguments = vec![command, id];
            if command == "edit" {
                arguments.extend(["--importance", "3"]);
            }
            let ran = bench.run(&arguments);
            assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
            assert!(ran.stderr.contains(id), "{}", ran.stderr);
        }
    }
}

#[test]
fn numbers_of_an_import_are_refused_and_not_cut() {
    let bench = Bench::new();
    bench.remember(&["x"]);
    for field in [
        r#""thread": "t", "position": 4294967296"#,
        r#""thread": "t", "position": -1"#,
        r#""thread": "t", "position": 1.5"#,
        r#""importance": 256"#,
        r#""importance": 11"#,
        r#""trust": 1e39"#,
        r#""confidence": -0.1"#,
        r#""id": 99999999999999999999999"#,
        r#""id": 1.5"#,
        r#""thread": 99999999999999999999999"#,
        r#""time": "+999999-01-01T00:00:00Z""#,
    ] {
        let line = format!("{{\"text\": \"y\", {field}}}\n");
        let ran = bench.feed(&["import", "-"], line.as_bytes());
        assert_ne!(ran.code, 0, "{field}: {}", ran.stdout);
    }
    assert_eq!(
        bench.json(&["list"])["memories"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_size_is_exact_or_refused() {
    let bench = Bench::new();
    bench.remember(&["x"]);
    let quota = |size: &str| bench.run(&["--json", "spaces", "set", "--quota", size]);
    assert_eq!(
        quota("9007199254740993").parsed()["quota_bytes"],
        9_007_199_254_740_993_u64
    );
    assert_eq!(quota("1.5 GiB").parsed()["quota_bytes"], 1_610_612_736_u64);
    // It would round to 0, which means no limit.
    for size in ["0.4B", "0.0001k", "9223372036854775808", "9999999TB", "1e3"] {
        assert_eq!(quota(size).code, 2, "{size}");
    }
    for metadata in [
        "ticket=99999999999999999999",
        "ticket=-99999999999999999999",
    ] {
        let ran = bench.run(&["remember", "z", "--metadata", metadata]);
        assert_eq!(ran.code, 2, "{metadata}");
    }
}
