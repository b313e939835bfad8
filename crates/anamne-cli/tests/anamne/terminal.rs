//! No output contains terminal commands, or foreign lines that look like the command's own.

mod commands;
mod hostile;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anamne::text::quote::is_invisible;
use serde_json::json;

use self::commands::COMMANDS;
use self::hostile::{FORGED, NAME, TEXT};
use crate::bench::{Bench, RunOutput, files_under, lines};

/// The escape sequences of the command's own styles, and the reset.
const STYLES: [&str; 8] = ["0", "1", "2", "4", "31", "32", "33", "36"];

/// Ways to run the command: with styles, without, and for programs.
const WAYS: [(&str, &str); 3] = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1"), ("JSON", "1")];

/// The text without the command's own escape sequences.
fn bare(text: &str) -> String {
    STYLES.iter().fold(text.to_owned(), |text, style| {
        text.replace(&format!("\u{1b}[{style}m"), "")
    })
}

/// Fails if the output contains terminal commands, or a line that begins with foreign text.
#[track_caller]
fn check(arguments: &[&str], ran: &RunOutput) {
    for text in [&ran.stdout, &ran.stderr] {
        // An escape sequence in foreign text is shown escaped, even if the command uses the same style.
        assert!(!text.contains("\u{1b}[31mred"), "{arguments:?}: {text:?}");
        let bare = bare(text);
        let hidden = bare
            .chars()
            .find(|character| is_invisible(*character) && !matches!(character, '\n' | '\t'));
        assert_eq!(hidden, None, "{arguments:?}: {bare:?}");
        let forged = bare.lines().find(|line| line.starts_with(FORGED));
        assert_eq!(forged, None, "{arguments:?}: {bare:?}");
    }
}

/// Runs a command in one way, and checks its output.
#[track_caller]
fn check_in(bench: &Bench, (name, value): (&str, &str), arguments: &[&str]) {
    let json = ["--json"];
    let global = if name == "JSON" { &json[..] } else { &[] };
    let output = bench
        .command(&[global, arguments].concat())
        .env(name, value)
        .output()
        .expect("the command starts");
    let ran = RunOutput::from(output);
    assert!(!ran.stderr.contains("internal error"), "{}", ran.stderr);
    check(arguments, &ran);
}

/// Every command, as words separated by spaces, from the manual pages that clap's command tree generates.
fn all_commands(bench: &Bench) -> BTreeSet<String> {
    let folder = bench.folder().join("pages");
    let ran = bench.run(&["man", "--folder", folder.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    files_under(&folder)
        .iter()
        .filter_map(|page| page.file_stem()?.to_str()?.strip_prefix("anamne-"))
        // It runs until it is told to end.
        .filter(|name| *name != "serve")
        .filter(|name| *name != "help" && !name.ends_with("-help") && !name.contains("help-"))
        .map(|name| name.replace('-', " "))
        .collect()
}

#[test]
fn every_command_shows_hostile_text_without_anything_that_a_terminal_obeys() {
    let bench = hostile::store();
    let covered: BTreeSet<String> = COMMANDS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(
        all_commands(&bench),
        covered,
        "each command has its lines in commands.rs"
    );
    for (name, invocations) in COMMANDS {
        let words: Vec<&str> = name.split(' ').collect();
        for invocation in *invocations {
            let rest: Vec<String> = invocation
                .iter()
                .map(|word| hostile::filled(word))
                .collect();
            let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
            for way in WAYS {
                check_in(&bench, way, &[&words[..], &rest].concat());
            }
        }
        // Invalid values, in each place where an error would repeat them.
        let option = format!("--{TEXT}");
        for wrong in [
            &[TEXT][..],
            &[&option],
            &["-k", TEXT],
            &["--space", NAME],
            &["--store", TEXT],
        ] {
            let whole = [&words[..], wrong].concat();
            check_in(&bench, WAYS[0], &whole);
        }
        check_in(&bench, WAYS[2], &[&words[..], &[&option]].concat());
    }
}

/// The hostile texts really reach the output of the commands, as escapes.
#[test]
fn hostile_text_is_shown_and_not_left_out() {
    let bench = hostile::store();
    for arguments in [
        &["show", "m2"][..],
        &["list"],
        &["recall", TEXT],
        &["context", "launch date", "--min-confidence", "0"],
        &["history", "m1"],
        &["summaries"],
        &["consolidate", "--insights"],
        &["meta", "log"],
        &["knowledge", "list"],
        &["knowledge", "show", NAME],
        &["knowledge", "suggestions"],
        &["graph", NAME],
        &["resolve", "--all"],
        &["spaces"],
        &["spaces", "set"],
        &["stats"],
        &["doctor"],
        &["import", "vault", "--skip-bad"],
        &["import", TEXT],
        &["show", TEXT],
        &["remember", "x", "--kind", TEXT],
    ] {
        let ran = bench.run(arguments);
        let whole = ran.stdout + &ran.stderr;
        assert!(
            whole.contains("\\u{") || whole.contains("\\n"),
            "{arguments:?}: {whole}"
        );
    }
}

#[test]
fn styles_are_written_where_they_are_wanted_and_nowhere_else() {
    let bench = hostile::store();
    for (arguments, style) in [
        (&["list"][..], "\u{1b}[36m"),
        (&["--help"], "\u{1b}[1m"),
        (&["show", "m99"], "\u{1b}[31m"),
    ] {
        let run = |name: &str| {
            let output = bench.command(arguments).env(name, "1").output();
            let ran = RunOutput::from(output.expect("the command starts"));
            ran.stdout + &ran.stderr
        };
        assert!(run("CLICOLOR_FORCE").contains(style), "{arguments:?}");
        assert!(!run("NO_COLOR").contains('\u{1b}'), "{arguments:?}");
        assert_eq!(
            bare(&run("CLICOLOR_FORCE")),
            run("NO_COLOR"),
            "{arguments:?}"
        );
    }
}

#[test]
fn json_contains_the_text_unchanged_and_an_export_its_exact_bytes() {
    let bench = Bench::new();
    let id = bench.remember(&[TEXT]);
    assert_eq!(bench.json(&["show", &id])["memory"]["content"], TEXT);
    let exported = bench.run(&["export"]).stdout;
    // Characters that JSON doesn't escape itself stay unchanged in a file.
    assert!(
        exported.contains('\u{202e}') && exported.contains('\u{9b}'),
        "{exported:?}"
    );
    let line: serde_json::Value = serde_json::from_str(&exported).expect("JSON");
    assert_eq!(line["content"], TEXT);
}

#[test]
fn an_error_repeats_no_more_of_a_value_than_a_reader_needs() {
    let bench = Bench::new();
    bench.remember(&["Something"]);
    let long = "x".repeat(50_000);
    let words = format!("priority={}", "word ".repeat(10_000));
    let quoted = format!("a~{}", "\"".repeat(50_000));
    let lines = format!("a={}", "x\n".repeat(20_000));
    for arguments in [
        &["show", &long][..],
        &["list", "--where", &long],
        &["list", "--where", &words],
        &["list", "--where", &quoted],
        &["list", "--where", &lines],
        &["list", "--where", &format!("{long}=1")],
        &["recall", "x", "--where", &words],
        &["remember", "x", "--kind", &long],
        &["knowledge", "show", &long],
        &["import", &long],
        &[&long],
    ] {
        let ran = bench.run(arguments);
        assert_ne!(ran.code, 0);
        assert!(
            ran.stderr.len() < 3_000,
            "{:?} {} bytes",
            &arguments[..arguments.len() - 1],
            ran.stderr.len()
        );
    }
}

/// The printed command works when copied, and the shell runs nothing contained in a name.
#[cfg(unix)]
#[test]
fn a_suggested_command_can_be_copied_whatever_the_names_are() {
    for hostile in [
        "$(touch pwned)",
        "`touch pwned`",
        "';touch pwned;'",
        "--hard",
        "a\\'\"$(touch pwned)\"",
    ] {
        let bench = Bench::new();
        let (one, other) = (format!("{hostile}Kestrel"), format!("{hostile} Kestrel"));
        for name in [&one, &other] {
            let ran = bench.run(&["knowledge", "entity", "--type", "tool", "--", name]);
            assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        }
        let suggested = bench.run(&["knowledge", "suggestions"]).stdout;
        let command = suggested
            .lines()
            .find_map(|line| line.trim().strip_prefix("anamne "))
            .unwrap_or_else(|| panic!("{one} and {other} are suggested: {suggested}"));
        let script = format!("\"$PROGRAM\" {command}");
        let ran = Command::new("sh")
            .args(["-c", &script])
            .current_dir(bench.folder())
            .env("PROGRAM", env!("CARGO_BIN_EXE_anamne"))
            .env("ANAMNE_STORE", bench.store())
            .output()
            .expect("a shell");
        assert!(ran.status.success(), "{script}: {ran:?}");
        assert!(!bench.folder().join("pwned").exists(), "{script}");
        let known = bench.json(&["knowledge", "suggestions"]);
        assert_eq!(known["suggestions"], json!([]), "{script}");
    }
}

/// A shell reads folders and spaces in hints as the same names.
#[cfg(unix)]
#[test]
fn a_folder_in_a_hint_is_one_word_to_a_shell() {
    let bench = Bench::new();
    bench.remember(&["Something to keep"]);
    for folder in ["$(touch pwned) copy", "-copy", "it's", "\u{1b}]0;x\u{7}"] {
        let into = bench.folder().join("backups").join(folder);
        std::fs::create_dir_all(bench.folder().join("backups")).expect("a folder");
        let ran = bench
            .command(&["backup", "--", folder])
            .current_dir(bench.folder().join("backups"))
            .output()
            .expect("the command starts");
        let said = RunOutput::from(ran).stderr;
        let hint = said
            .split('`')
            .find_map(|part| part.strip_prefix("anamne --store "));
        // A backtick in a name would end the quotation; these names have none.
        let word = hint.expect("a hint").trim_end_matches(" …");
        let ran = Command::new("bash")
            .args(["-c", &format!("cd backups && cd {word} && pwd -P")])
            .current_dir(bench.folder())
            .output();
        let Ok(ran) = ran else { continue };
        let reached = String::from_utf8(ran.stdout).expect("UTF-8");
        let expected = into.canonicalize().expect("a folder");
        assert_eq!(
            Path::new(reached.trim_end_matches('\n')),
            expected,
            "{word}"
        );
        assert!(!bench.folder().join("backups/pwned").exists(), "{word}");
    }
}

#[test]
fn a_bad_line_of_an_import_is_reported_without_its_escapes() {
    let bench = Bench::new();
    let wrong = lines([
        json!({ "text": "x", "kind": TEXT }),
        json!({ "text": "x", "time": TEXT }),
    ]);
    for arguments in [&["import", "-"][..], &["import", "-", "--skip-bad"]] {
        let ran = bench.feed(arguments, wrong.as_bytes());
        assert!(ran.stderr.contains("\\u{"), "{}", ran.stderr);
        check(arguments, &ran);
    }
}

/// The output layer can't be bypassed: only it uses the standard streams, and only it passes on output of libraries.
#[test]
fn only_the_output_layer_holds_standard_output_and_standard_error() {
    let holders = [
        ("output.rs", &["stdout()", "stderr()"][..]),
        ("progress.rs", &["set_message(", "ProgressBar"]),
        // The MCP stream is not for a terminal; the server writes it.
        ("commands/mcp.rs", &["serve_stdio("]),
        ("usage.rs", &["print_help("]),
    ];
    let ways = [
        "stdout()",
        "stderr()",
        "print!(",
        "println!(",
        "dbg!(",
        ".print()",
        "print_help(",
        "print_long_help(",
        ".exit()",
        "Cli::parse()",
        "set_message(",
        "ProgressBar",
        "serve_stdio(",
        "/dev/tty",
        "/dev/stdout",
        "/dev/stderr",
    ];
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in files_under(&sources) {
        let source = std::fs::read_to_string(&file).expect("a source");
        let name = file
            .strip_prefix(&sources)
            .expect("inside")
            .to_str()
            .expect("UTF-8");
        let allowed = holders
            .iter()
            .find(|(holder, _)| *holder == name)
            .map_or(&[][..], |(_, ways)| ways);
        for way in ways {
            assert!(
                allowed.contains(&way) || !source.contains(way),
                "{name} writes by {way} and not by Output"
            );
        }
    }
}
