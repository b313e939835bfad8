//! The help texts, which are the reference of the command line.

use crate::bench::Bench;

const COMMANDS: [&str; 55] = [
    "demo",
    "init",
    "remember",
    "recall",
    "context",
    "think",
    "show",
    "list",
    "edit",
    "forget",
    "restore",
    "retention",
    "history",
    "audit",
    "rewind",
    "link",
    "feedback",
    "experience",
    "experiment",
    "working",
    "knowledge",
    "graph",
    "resolve",
    "check",
    "extract",
    "enrich",
    "import",
    "export",
    "cache",
    "guard",
    "stats",
    "summaries",
    "consolidate",
    "spaces",
    "promote",
    "demote",
    "tiers",
    "meta",
    "tasks",
    "model",
    "costs",
    "keys",
    "tenants",
    "doctor",
    "backup",
    "verify",
    "repair",
    "setup",
    "status",
    "hook",
    "mcp",
    "serve",
    "login",
    "completions",
    "man",
];

const KNOWLEDGE: [&str; 9] = [
    "list",
    "show",
    "entity",
    "relation",
    "property",
    "deny",
    "merge",
    "distinct",
    "suggestions",
];

#[test]
fn the_reference_reads_as_it_was_agreed() {
    let bench = Bench::new();
    let whole = bench.run(&["--help"]);
    assert_eq!(whole.code, 0);
    insta::assert_snapshot!("anamne", whole.stdout);
    for command in COMMANDS {
        assert!(
            whole.stdout.contains(&format!("\n  {command} ")),
            "{command} is not listed"
        );
        let ran = bench.run(&[command, "--help"]);
        assert_eq!(ran.code, 0, "{command}");
        assert!(
            ran.stdout.contains("Examples:\n  "),
            "{command} has no example"
        );
        insta::assert_snapshot!(format!("anamne_{command}"), ran.stdout);
    }
}

#[test]
fn commands_of_commands_are_in_the_reference_too() {
    let bench = Bench::new();
    let ran = bench.run(&["spaces", "set", "--help"]);
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!("anamne_spaces_set", ran.stdout);
    for change in ["add", "remove", "join", "split", "delete"] {
        let ran = bench.run(&["spaces", change, "--help"]);
        assert_eq!(ran.code, 0, "{change}");
        assert!(
            ran.stdout.contains("Examples:\n  "),
            "{change} has no example"
        );
        insta::assert_snapshot!(format!("anamne_spaces_{change}"), ran.stdout);
    }
    for change in [
        "set", "key", "trust", "test", "off", "list", "verify", "remove", "import",
    ] {
        let ran = bench.run(&["model", change, "--help"]);
        assert_eq!(ran.code, 0, "{change}");
        insta::assert_snapshot!(format!("anamne_model_{change}"), ran.stdout);
    }
    for change in ["run", "pause", "resume", "retry", "cancel", "dead"] {
        let ran = bench.run(&["tasks", change, "--help"]);
        assert_eq!(ran.code, 0, "{change}");
        insta::assert_snapshot!(format!("anamne_tasks_{change}"), ran.stdout);
    }
    for command in KNOWLEDGE {
        let ran = bench.run(&["knowledge", command, "--help"]);
        assert_eq!(ran.code, 0, "{command}");
        assert!(
            ran.stdout.contains("Examples:\n  "),
            "{command} has no example"
        );
        insta::assert_snapshot!(format!("anamne_knowledge_{command}"), ran.stdout);
    }
}

#[test]
fn without_a_command_help_is_shown() {
    let bench = Bench::new();
    let ran = bench.run(&[]);
    assert_eq!((ran.code, ran.stdout), (0, bench.run(&["--help"]).stdout));
    let version = bench.run(&["--version"]);
    assert_eq!(
        (version.code, version.stdout.trim()),
        (0, concat!("anamne ", env!("CARGO_PKG_VERSION")))
    );
    assert!(!bench.store().exists());
}

#[test]
fn shells_and_manuals_know_every_command() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = bench.run(&["completions", shell]).stdout;
        assert!(
            COMMANDS.iter().all(|command| script.contains(command)),
            "{shell}"
        );
    }
    assert!(bench.run(&["man"]).stdout.contains(".TH anamne 1"));
    let folder = bench.folder().join("man1");
    assert_eq!(
        bench
            .run(&["man", "--folder", folder.to_str().expect("UTF-8")])
            .code,
        0
    );
    for command in COMMANDS {
        assert!(
            folder.join(format!("anamne-{command}.1")).is_file(),
            "{command}"
        );
    }
}
