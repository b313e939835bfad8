//! Five kinds of errors, distinguished by every interface, each with its next step: no permission, busy, newer format,
//! not found, damaged.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::bench::{Bench, RunOutput, lines};

/// A system user who owns nothing, for tests that run as root, which permissions don't restrict.
#[cfg(unix)]
const NOBODY: u32 = 65_534;

/// Breaks a store. The returned file keeps it broken.
type Breakage = fn(&Bench) -> Option<File>;

struct ErrorCase {
    kind: &'static str,
    code: i32,
    /// Part of the next step.
    next: &'static str,
    harm: Breakage,
}

/// The names of the five kinds, as listed by `--help`.
const ERROR_CASES: [ErrorCase; 5] = [
    ErrorCase {
        kind: "permission_denied",
        code: 1,
        next: "read and write permission there",
        harm: |bench| {
            set_mode(&bench.store(), 0o000);
            None
        },
    },
    ErrorCase {
        kind: "busy",
        code: 1,
        next: "wait, or stop the other process",
        harm: |bench| {
            let path = core(bench).join("write.lock");
            let lock = File::options().write(true).open(path).expect("a lock");
            lock.lock().expect("locked");
            Some(lock)
        },
    },
    ErrorCase {
        kind: "newer_format",
        code: 1,
        next: "install a newer version",
        harm: |bench| {
            let path = core(bench).join("space.toml");
            let settings = fs::read_to_string(&path).expect("settings");
            let changed = settings.replacen("format = 1", "format = 99", 1);
            assert_ne!(changed, settings);
            fs::write(path, changed).expect("written");
            None
        },
    },
    ErrorCase {
        kind: "not_found",
        code: 3,
        next: "remember",
        harm: |bench| {
            fs::remove_dir_all(bench.store()).expect("removed");
            None
        },
    },
    ErrorCase {
        kind: "damaged",
        code: 1,
        next: "anamne repair",
        harm: |bench| {
            fs::write(core(bench).join("space.toml"), b"\0\0 not settings").expect("written");
            None
        },
    },
];

fn core(bench: &Bench) -> PathBuf {
    bench.store().join("spaces/core")
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) {}

/// Whether this test runs as root, which permissions don't restrict.
fn is_root(bench: &Bench) -> bool {
    File::open(bench.store().join("spaces")).is_ok()
}

/// The command, run as a user who is restricted by permissions.
#[cfg(unix)]
fn as_somebody(bench: &Bench, arguments: &[&str]) -> Command {
    use std::os::unix::process::CommandExt;
    if !is_root(bench) {
        return bench.command(arguments);
    }
    set_mode(bench.folder(), 0o755);
    let program = bench.folder().join("anamne");
    if !program.exists() {
        fs::copy(env!("CARGO_BIN_EXE_anamne"), &program).expect("a copy");
    }
    let like = bench.command(arguments);
    let mut command = Command::new(program);
    command.args(arguments).current_dir(bench.folder());
    command.env_clear();
    for (name, value) in like.get_envs() {
        command.envs(value.map(|value| (name, value)));
    }
    command.uid(NOBODY).gid(NOBODY);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[cfg(not(unix))]
fn as_somebody(bench: &Bench, arguments: &[&str]) -> Command {
    bench.command(arguments)
}

fn command(bench: &Bench, problem: &ErrorCase, arguments: &[&str]) -> Command {
    if problem.kind == "permission_denied" {
        as_somebody(bench, arguments)
    } else {
        bench.command(arguments)
    }
}

fn started(mut command: Command) -> Child {
    command.spawn().expect("the command starts")
}

fn ended(child: Child) -> RunOutput {
    child.wait_with_output().expect("the command ends").into()
}

/// The output of an MCP server once it answered the call or exited.
fn answered(mut child: Child) -> RunOutput {
    let input = child.stdin.take();
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut stdout = String::new();
    while !stdout.contains("\"id\":2") && output.read_line(&mut stdout).expect("a line") > 0 {}
    drop(input);
    output.read_to_string(&mut stdout).expect("the rest");
    let ran = ended(child);
    RunOutput { stdout, ..ran }
}

fn call(tool: &str, arguments: &Value) -> String {
    lines([
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments}}),
    ])
}

/// Checks the command line: kind and next step in JSON, and the same step as text.
#[track_caller]
fn check_command_line(problem: &ErrorCase, json: &RunOutput, plain: &RunOutput) {
    let kind = problem.kind;
    let error = json.error();
    assert_eq!(
        (json.code, &error["kind"]),
        (problem.code, &json!(kind)),
        "{error}"
    );
    let hint = error["hint"].as_str().unwrap_or_default();
    assert!(hint.contains(problem.next), "{kind}: {error}");
    // A missing store is detected before the engine is called.
    assert_eq!(
        error["next_step"].is_string(),
        kind != "not_found",
        "{error}"
    );
    assert_eq!(plain.code, problem.code, "{kind}: {}", plain.stderr);
    assert!(
        plain.stderr.contains(problem.next),
        "{kind}: {}",
        plain.stderr
    );
    let is_damage = kind == "damaged";
    assert_eq!(
        plain.stderr.contains("anamne repair"),
        is_damage,
        "{kind}: {}",
        plain.stderr
    );
    let is_absence = kind == "not_found";
    assert_eq!(
        plain.stderr.contains("no store in"),
        is_absence,
        "{kind}: {}",
        plain.stderr
    );
}

/// Checks the reply to an agent: kind and next step, as text and as structured content.
#[track_caller]
fn check_agent(problem: &ErrorCase, ran: &RunOutput) {
    let kind = problem.kind;
    let said = format!("{}{}", ran.stdout, ran.stderr);
    let replies = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let Some(reply) = replies.into_iter().find(|reply| reply["id"] == 2) else {
        // The server did not start; standard error says why.
        assert!(ran.stderr.contains(problem.next), "{kind}: {said}");
        return;
    };
    let result = &reply["result"];
    assert_eq!(result["isError"], true, "{kind}: {said}");
    assert_eq!(result["structuredContent"]["error"]["kind"], kind, "{said}");
    let text = result["content"][0]["text"].as_str().expect("text");
    assert!(text.starts_with(&kind.replace('_', " ")), "{text}");
    assert!(text.contains(problem.next), "{kind}: {text}");
}

#[test]
fn every_interface_distinguishes_the_five_errors() {
    let benches: Vec<_> = ERROR_CASES
        .iter()
        .map(|problem| {
            let bench = Bench::new();
            bench.remember(&["The ferry leaves at nine"]);
            let held = (problem.harm)(&bench);
            (problem, bench, held)
        })
        .collect();
    // In parallel, because the busy ones wait for their whole timeout.
    let started: Vec<_> = benches
        .iter()
        .map(|(problem, bench, held)| {
            let words: &[&str] = match problem.kind {
                "busy" => &["remember", "The ferry leaves at ten"],
                _ => &["recall", "when does the ferry leave?"],
            };
            let json = started(command(bench, problem, &[&["--json"], words].concat()));
            let plain = started(command(bench, problem, words));
            let (tool, arguments) = match problem.kind {
                "busy" => (
                    "memory_store",
                    json!({"content": "The ferry leaves at ten"}),
                ),
                // An agent's own space is created on first use.
                "not_found" => ("memory_search", json!({"query": "ferry", "space": "attic"})),
                _ => ("memory_search", json!({"query": "ferry"})),
            };
            // A server creates a missing store, which the other commands must not find; so it gets its own.
            let its_own = (problem.kind == "not_found").then(Bench::new);
            let at = its_own.as_ref().unwrap_or(bench);
            let mut agent = command(at, problem, &["mcp", "--structured", "--all-spaces"]);
            agent.stdin(Stdio::piped());
            let mut agent = self::started(agent);
            // A server that didn't start reads nothing.
            let input = agent.stdin.as_mut().expect("a pipe");
            let _ = input.write_all(call(tool, &arguments).as_bytes());
            (*problem, json, plain, agent, (held, its_own))
        })
        .collect();
    for (problem, json, plain, agent, _held) in started {
        check_command_line(problem, &ended(json), &ended(plain));
        let agent = answered(agent);
        if problem.kind == "not_found" {
            for stored in [
                "\"kind\":\"not_found\"",
                "next: list them with `anamne spaces`",
            ] {
                assert!(agent.stdout.contains(stored), "{}", agent.stdout);
            }
        } else {
            check_agent(problem, &agent);
        }
    }
    for (problem, bench, _) in &benches {
        if problem.kind == "permission_denied" {
            set_mode(&bench.store(), 0o700);
        }
    }
}

#[test]
fn a_space_that_cannot_be_repaired_now_is_not_called_lost() {
    for kind in ["busy", "newer_format"] {
        let problem = ERROR_CASES
            .iter()
            .find(|problem| problem.kind == kind)
            .expect("one of the five");
        let bench = Bench::new();
        bench.remember(&["The ferry leaves at nine"]);
        let held = (problem.harm)(&bench);
        let ran = bench.run(&["--json", "repair"]);
        drop(held);
        let report = ran.parsed();
        let space = &report["spaces"][0];
        assert_eq!((ran.code, &report["whole"]), (1, &json!(false)), "{report}");
        assert_eq!(space["not_repaired"]["kind"], kind, "{report}");
        assert_eq!(
            (&space["lost"], &space["findings"]),
            (&json!([]), &json!([])),
            "{report}"
        );
        let hint = space["not_repaired"]["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(problem.next), "{report}");
    }
}

/// Locks the database of the first space exclusively.
fn lock_database(bench: &Bench) -> Connection {
    let other = Connection::open(core(bench).join("memories/active.db")).expect("opened");
    other
        .execute_batch("PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE")
        .expect("locked");
    other
}

#[test]
fn a_database_that_another_process_locks_is_busy_for_every_command() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at nine"]);
    let held = lock_database(&bench);
    // In parallel, because each waits for the lock.
    let commands = ["recall", "verify", "doctor", "repair"].map(|name| {
        let question: &[&str] = if name == "recall" { &["ferry"] } else { &[] };
        let arguments = [&["--json", name], question].concat();
        (name, started(bench.command(&arguments)))
    });
    for (name, child) in commands {
        let ran = ended(child);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 1, "{name}: {said}");
        // The process that holds the lock, or one of these that waits for it.
        assert!(said.contains("another process"), "{name}: {said}");
        assert!(said.contains("try again"), "{name}: {said}");
        for wrong in ["anamne doctor", "anamne repair", "damaged-"] {
            assert!(!said.contains(wrong), "{name}: {said}");
        }
        if name == "repair" {
            let space = &ran.parsed()["spaces"][0];
            assert_eq!(space["not_repaired"]["kind"], "busy", "{space}");
            assert_eq!(
                [&space["repaired"], &space["lost"], &space["findings"]],
                [&json!([]); 3],
                "{space}"
            );
        }
    }
    drop(held);
    assert_eq!(bench.recall(&["ferry"]).len(), 1);
    assert_eq!(bench.json(&["repair"])["whole"], true);
}

#[test]
fn help_names_every_kind_of_error() {
    let help = Bench::new().run(&["--help"]).stdout;
    for kind in anamne::ErrorKind::ALL {
        assert!(help.contains(kind.as_str()), "{kind:?}");
    }
}
