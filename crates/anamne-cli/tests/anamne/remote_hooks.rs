//! The hooks of a person who works against a server: its memory is recalled, what is captured arrives there once.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::{Bench, RunOutput, files_under};

/// The space of sessions without a project.
const SPACE: [&str; 2] = ["--space", "unfiled"];

/// No files.
const NOWHERE: [&Path; 0] = [];

/// How long something may take that goes on without a hook. A server that was killed while it stored a request takes it
/// again after a minute.
const PATIENCE: Duration = Duration::from_mins(3);

/// A machine whose hooks use a server.
struct Machine {
    bench: Bench,
    server: String,
    key: String,
}

impl Machine {
    fn with(server: &str) -> Self {
        Self {
            bench: Bench::new(),
            server: server.to_owned(),
            key: String::new(),
        }
    }

    fn run(&self, arguments: &[&str], input: &str) -> RunOutput {
        let mut command = self.bench.command(arguments);
        command
            .env("ANAMNE_SERVER", &self.server)
            .env("ANAMNE_KEY", &self.key)
            .stdin(self.bench.stdin_of(input));
        command.output().expect("the command starts").into()
    }

    /// Runs a hook of Claude Code; returns the text that it adds to the conversation.
    fn hook(&self, event: &str, input: &Value) -> String {
        let ran = self.run(
            &["hook", event, "--host", "claude-code"],
            &input.to_string(),
        );
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{event}");
        if ran.stdout.trim().is_empty() {
            return String::new();
        }
        let added = ran.parsed()["hookSpecificOutput"]["additionalContext"].take();
        added.as_str().unwrap_or_default().to_owned()
    }

    /// Asks in sessions of their own, until there is an answer: a busy machine may exceed the time of a hook.
    fn added(&self, event: &str, input: impl Fn(u32) -> Value) -> String {
        let texts = (0..20).map(|attempt| self.hook(event, &input(attempt)));
        let mut texts = texts.skip_while(String::is_empty);
        texts.next().unwrap_or_default()
    }

    fn transcript(&self, name: &str, messages: usize) -> PathBuf {
        let mut text = String::new();
        for number in 0..messages {
            let (role, before) = match number % 2 {
                0 => ("user", number.checked_sub(1)),
                _ => ("assistant", Some(number - 1)),
            };
            let line = json!({
                "type": role, "uuid": format!("{name}-{number}"),
                "parentUuid": before.map(|before| format!("{name}-{before}")),
                "sessionId": name, "timestamp": "2026-03-02T09:12:37Z", "cwd": "/nowhere",
                "isSidechain": false,
                "message": {"role": role, "content": format!("message {number} of {name}")},
            });
            text.push_str(&line.to_string());
            text.push('\n');
        }
        self.bench.file(&format!("{name}.jsonl"), text)
    }

    fn end_turn(&self, name: &str, transcript: &Path) {
        let input = json!({"session_id": name, "transcript_path": transcript,
            "hook_event_name": "Stop", "stop_hook_active": false});
        assert_eq!(self.hook("turn-end", &input), "");
    }

    /// What waits, as a person reads it; `problem` and memories of each space.
    fn waiting(&self) -> Vec<(u64, String)> {
        let status = self.run(&["setup", "--status", "--json"], "").parsed();
        let waiting = status["captures"]["waiting"].as_array().cloned();
        let of = |one: Value| {
            let problem = one["problem"].as_str().unwrap_or_default().to_owned();
            Some((one["memories"].as_u64()?, problem))
        };
        waiting
            .unwrap_or_default()
            .into_iter()
            .filter_map(of)
            .collect()
    }

    /// Runs hooks until something is so.
    fn until(&self, name: &str, transcript: &Path, mut is_so: impl FnMut() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(Instant::now() < deadline, "{:?}", self.waiting());
            self.end_turn(name, transcript);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The kinds of failures that the record of the hooks has.
    fn failures(&self) -> String {
        let status = self.run(&["status", "--json"], "");
        assert_eq!(status.code, 0, "{}", status.stderr);
        status.parsed()["hosts"].to_string()
    }

    /// The files that hold a text.
    fn files_with(&self, text: &str) -> Vec<PathBuf> {
        let holds = |path: &PathBuf| {
            let bytes = std::fs::read(path).unwrap_or_default();
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        };
        files_under(&self.bench.store())
            .into_iter()
            .filter(holds)
            .collect()
    }
}

/// The contents of the team's memory of sessions, oldest first, and their trust.
fn stored(team: &Bench) -> Vec<(String, f64)> {
    let ran = team.run(&[&SPACE[..], &["list", "--limit", "900", "--json"]].concat());
    let Ok(list) = serde_json::from_str::<Value>(&ran.stdout) else {
        return Vec::new();
    };
    let memories = list["memories"].as_array().cloned().unwrap_or_default();
    let of = |memory: Value| {
        let content = memory["content"].as_str()?.to_owned();
        Some((content, memory["trust"].as_f64()?))
    };
    memories.into_iter().rev().filter_map(of).collect()
}

fn expected(name: &str, messages: usize) -> Vec<String> {
    (0..messages)
        .map(|number| format!("message {number} of {name}"))
        .collect()
}

fn contents(stored: Vec<(String, f64)>) -> Vec<String> {
    stored.into_iter().map(|(content, _)| content).collect()
}

fn start(session: &str) -> Value {
    json!({"session_id": session, "hook_event_name": "SessionStart", "source": "startup"})
}

fn prompt(session: &str, attempt: u32) -> Value {
    let text = format!(
        "{}which port does the staging server listen on?",
        " ".repeat(attempt as usize)
    );
    json!({"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text})
}

#[test]
fn briefings_and_prompts_are_answered_from_the_server() {
    let team = Bench::new();
    let told = ["remember", "The staging server listens on port 8471"];
    team.run(&[&SPACE[..], &told].concat());
    team.run(&["remember", "The user wants metric units"]);
    let machine = Machine::with(&team.server().address);
    let briefing = machine.added("session-start", |attempt| start(&format!("s{attempt}")));
    assert!(briefing.starts_with("<anamne-memory"), "{briefing}");
    assert!(briefing.contains("8471"), "{briefing}");
    assert!(briefing.contains("space=\"core\"") && briefing.contains("metric units"));
    let found = machine.added("prompt", |attempt| prompt("p", attempt));
    assert!(found.contains("8471") && found.contains("[m1]"), "{found}");
    // Which memories a session was shown is known on this machine, and nothing else is.
    assert_eq!(machine.hook("prompt", &prompt("p", 30)), "", "shown once");
    assert_eq!(machine.files_with("8471"), NOWHERE);
    let elsewhere = json!({"session_id": "q", "hook_event_name": "UserPromptSubmit",
        "prompt": "sing me a sea shanty"});
    assert_eq!(machine.hook("prompt", &elsewhere), "");
}

#[test]
fn what_is_captured_arrives_attributed_and_leaves_nothing_on_the_machine() {
    let team = Bench::new();
    let machine = Machine::with(&team.server().address);
    let path = machine.transcript("one", 4);
    machine.until("one", &path, || stored(&team).len() == 4);
    let arrived = stored(&team);
    assert!(
        arrived.iter().all(|(_, trust)| *trust < 0.95),
        "{arrived:?}"
    );
    assert!(arrived[1].1 < 0.81, "an agent's words: {arrived:?}");
    assert_eq!(contents(arrived), expected("one", 4));
    machine.until("one", &path, || machine.files_with("message 1").is_empty());
    let failed = json!({"session_id": "one", "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "cargo test"},
        "error": "exit code 101"});
    machine.hook("tool-failed", &failed);
    machine.until("one", &path, || stored(&team).len() == 5);
    let (episode, trust) = stored(&team).pop().expect("an episode");
    assert!(episode.starts_with("Bash cargo test: failed"), "{episode}");
    assert!(trust < 0.61, "{trust}");
    let list = machine.bench.run(&[&SPACE[..], &["list"]].concat());
    assert_eq!(list.code, 3, "no space on this machine: {}", list.stdout);
}

#[test]
fn a_server_that_is_killed_and_comes_back_gets_everything_once_and_in_order() {
    let team = Bench::new();
    let mut server = Some(team.serve("127.0.0.1:0"));
    let address = server.as_ref().expect("a server").address.clone();
    let port = address.trim_start_matches("http://").to_owned();
    let machine = Machine::with(&address);
    let mut said = Vec::new();
    for round in 0..6 {
        let name = format!("session{round}");
        let path = machine.transcript(&name, 30);
        said.push((name.clone(), path.clone(), 30));
        if round % 2 == 0 {
            // Killed while something is sent, or before it is.
            machine.end_turn(&name, &path);
            std::thread::sleep(Duration::from_millis(20 * round));
            drop(server.take());
        }
        let late = format!("late{round}");
        let path = machine.transcript(&late, 2);
        machine.end_turn(&late, &path);
        said.push((late, path, 2));
        assert_eq!(machine.hook("prompt", &prompt(&name, 0)), "");
        if server.is_none() {
            server = Some(team.serve(&port));
        }
    }
    let mut all: Vec<String> = Vec::new();
    for (name, path, messages) in &said {
        all.extend(expected(name, *messages));
        // A busy machine may have left a capture to the next hook of its session.
        machine.until(name, path, || {
            let arrived = contents(stored(&team));
            expected(name, *messages)
                .iter()
                .all(|text| arrived.contains(text))
        });
    }
    let arrived = contents(stored(&team));
    let of = |name: &str| -> Vec<String> {
        let suffix = format!(" of {name}");
        let said = arrived.iter().filter(|text| text.ends_with(&suffix));
        said.cloned().collect()
    };
    for round in 0..6 {
        let name = format!("session{round}");
        assert_eq!(of(&name), expected(&name, 30), "in order");
    }
    let mut sorted = arrived.clone();
    sorted.sort();
    all.sort();
    assert_eq!(sorted, all, "nothing is lost, and nothing is there twice");
    assert_eq!(machine.waiting(), []);
}

#[test]
fn a_key_that_is_refused_keeps_what_is_captured_and_is_in_no_file() {
    let team = Bench::new();
    let create = ["keys", "create", "ada", "--all-spaces"];
    let key = team.run(&create).stdout.trim().to_owned();
    let mut machine = Machine::with(&team.server().address);
    let (begin, _) = key.rsplit_once('_').expect("a secret");
    machine.key = format!("{begin}_{}", "0".repeat(64));
    assert_eq!(machine.hook("session-start", &start("s")), "");
    assert_eq!(machine.hook("prompt", &prompt("s", 0)), "");
    let path = machine.transcript("one", 2);
    let refused = || machine.waiting() == [(2, "key_refused".to_owned())];
    machine.until("one", &path, refused);
    assert!(machine.failures().contains("key_refused"));
    let shown = machine.run(&["setup", "--status"], "");
    let said = [shown.stdout.as_str(), &shown.stderr].concat();
    assert!(
        said.contains("key refused") && said.contains("2 memories"),
        "{said}"
    );
    assert_eq!(stored(&team), []);
    let wrong = std::mem::replace(&mut machine.key, key);
    machine.until("one", &path, || stored(&team).len() == 2);
    for key in [&wrong, &machine.key] {
        let secret = key.rsplit('_').next().expect("a secret");
        assert_eq!(machine.files_with(secret), NOWHERE);
    }
}

#[test]
fn a_server_that_never_answers_keeps_nobody_waiting() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    // It accepts, and says nothing.
    std::thread::spawn(move || listener.incoming().collect::<Vec<_>>());
    let machine = Machine::with(&format!("http://{address}"));
    let path = machine.transcript("one", 2);
    let end = json!({"session_id": "one", "transcript_path": path, "hook_event_name": "Stop"});
    for (event, input) in [
        ("session-start", start("s")),
        ("prompt", prompt("s", 0)),
        ("turn-end", end.clone()),
        ("before-compaction", end.clone()),
        ("session-end", end),
    ] {
        let mut quickest = Duration::MAX;
        for attempt in 0..5 {
            let mut input = input.clone();
            if event == "prompt" {
                input = prompt("s", attempt);
            }
            let began = Instant::now();
            assert_eq!(machine.hook(event, &input), "", "{event}");
            quickest = quickest.min(began.elapsed());
        }
        // The process has to start, too, in a build without optimisation.
        assert!(
            quickest < Duration::from_millis(600),
            "{event}: {quickest:?}"
        );
    }
    assert!(
        machine.failures().contains("timeout"),
        "{}",
        machine.failures()
    );
    let waiting: u64 = machine.waiting().iter().map(|one| one.0).sum();
    assert_eq!(waiting, 2);
}

#[test]
fn nothing_of_a_private_project_leaves_the_machine() {
    let team = Bench::new();
    team.run(
        &[
            &SPACE[..],
            &["remember", "The staging server listens on port 8471"],
        ]
        .concat(),
    );
    let machine = Machine::with(&team.server().address);
    let here = &machine.bench;
    here.run(&[&SPACE[..], &["remember", "Our own note"]].concat());
    let set = here.run(
        &[
            &SPACE[..],
            &["guard", "set", "secret=redact", "--private", "true"],
        ]
        .concat(),
    );
    assert_eq!(set.code, 0, "{}", set.stderr);
    let path = machine.transcript("one", 2);
    let local = || {
        let list = here.run(&[&SPACE[..], &["list"]].concat());
        list.stdout.contains("message 1 of one")
    };
    machine.until("one", &path, local);
    assert_eq!(
        machine.hook("prompt", &prompt("p", 0)),
        "",
        "no question left it"
    );
    assert_eq!(machine.waiting(), []);
    assert_eq!(stored(&team).len(), 1);
}

#[test]
fn what_waits_passed_the_guard_and_can_be_erased() {
    let machine = Machine::with("http://127.0.0.1:9");
    let key = ["AK", "IA", "QYLPMN5H", "NM2NLPZA"].concat();
    let failed = |attempt: u32| {
        json!({"session_id": "one", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
            "tool_use_id": format!("t{attempt}"),
            "tool_input": {"command": format!("deploy {key}")}, "error": "exit code 101"})
    };
    // A busy machine may exceed the time of a hook.
    let calls = (0..20).take_while(|attempt| {
        machine.hook("tool-failed", &failed(*attempt));
        machine.waiting().is_empty()
    });
    assert!(calls.count() < 20, "no hook captured anything");
    let waiting: u64 = machine.waiting().iter().map(|one| one.0).sum();
    assert_eq!(machine.files_with(&key), NOWHERE);
    assert_eq!(machine.files_with("exit code 101").len(), 1);
    let ended = machine.run(&["login", "--end"], "");
    let noun = if waiting == 1 { "memory" } else { "memories" };
    let said = format!("{waiting} {noun}");
    assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    let erased = machine.run(&["hook", "unsent", "--remove"], "");
    assert_eq!(erased.code, 0, "{}", erased.stderr);
    assert_eq!(machine.waiting(), []);
    assert_eq!(machine.files_with("exit code 101"), NOWHERE);
}

#[test]
fn hooks_follow_a_login_and_its_end() {
    let team = Bench::new();
    let address = team.server().address.clone();
    let here = Bench::new();
    let run = |arguments: &[&str], input: &str| -> RunOutput {
        let mut command = here.command(arguments);
        command
            .env_remove("ANAMNE_STORE")
            .env_remove("ANAMNE_SERVER");
        let output = command.stdin(here.stdin_of(input)).output();
        output.expect("the command starts").into()
    };
    let told = |text: &str| {
        json!({"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": false,
            "last_assistant_message": text})
        .to_string()
    };
    let hook = ["hook", "turn-end", "--host", "claude-code"];
    run(&hook, &told("before any login"));
    assert!(
        !here.folder().join(".local").exists(),
        "a hook creates no store"
    );
    let logged_in = run(&["login", &address, "--no-key"], "");
    assert_eq!(logged_in.code, 0, "{}", logged_in.stderr);
    let status = run(&["status", "--json"], "");
    assert_eq!(status.code, 0, "{}", status.stderr);
    let status = status.parsed();
    assert_eq!(
        (&status["store"], &status["today"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(status["captures"]["server"], address.as_str());
    let shown = run(&["status"], "").stdout;
    assert!(
        shown.contains(&format!("hooks use the server {address}")),
        "{shown}"
    );
    let deadline = Instant::now() + PATIENCE;
    while stored(&team).is_empty() && Instant::now() < deadline {
        run(&hook, &told("after the login"));
    }
    assert_eq!(stored(&team)[0].0, "after the login");
    assert_eq!(run(&["login", "--end"], "").code, 0);
    let own = || run(&["--space", "unfiled", "list"], "").stdout;
    while !own().contains("after its end") && Instant::now() < deadline {
        run(&hook, &told("after its end"));
    }
    assert!(own().contains("after its end"));
    // On a busy machine what waited may arrive late: what counts is that nothing new went there.
    assert!(stored(&team).iter().all(|one| one.0 == "after the login"));
}
