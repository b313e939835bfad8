//! The hooks of agent hosts: what they add, what they store, and that they never disturb.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anamne::text::tokens::estimate_tokens;
use serde_json::{Value, json};

use crate::bench::{Bench, RunOutput};

/// Runs a hook of Claude Code with this input.
pub(crate) fn hook(bench: &Bench, event: &str, input: &Value) -> RunOutput {
    let arguments = ["hook", event, "--host", "claude-code"];
    let ran = bench.run_with(&arguments, bench.stdin_of(&input.to_string()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr, "", "a hook says nothing to its host");
    ran
}

/// Runs the command in a folder, with the search path of this process, which has git.
pub(crate) fn run_in(bench: &Bench, folder: &Path, arguments: &[&str]) -> RunOutput {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = bench.command(arguments);
    let output = command.current_dir(folder).env("PATH", path).output();
    output.expect("the command starts").into()
}

/// The text that a hook adds to the conversation; empty if it adds none.
fn added(ran: &RunOutput) -> String {
    if ran.stdout.trim().is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let added = &answer["hookSpecificOutput"]["additionalContext"];
    added.as_str().unwrap_or_default().to_owned()
}

fn prompt(session: &str, text: &str) -> Value {
    json!({"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text})
}

fn start(session: &str, source: &str) -> Value {
    json!({"session_id": session, "hook_event_name": "SessionStart", "source": source})
}

/// The hook's budget of time leaves room in a build without optimisation; a busy machine may still exceed it. Then it is
/// asked again, as a person would.
fn added_in_time(bench: &Bench, event: &str, input: impl Fn(u32) -> Value) -> String {
    for attempt in 0..20 {
        let text = added(&hook(bench, event, &input(attempt)));
        if !text.is_empty() {
            return text;
        }
    }
    String::new()
}

/// A line of a transcript of Claude Code.
pub(crate) fn line(id: &str, parent: Option<&str>, role: &str, text: &str) -> String {
    json!({
        "type": role, "uuid": id, "parentUuid": parent, "sessionId": "s-transcript",
        "timestamp": "2026-03-02T09:12:37Z", "cwd": "/nowhere", "isSidechain": false,
        "message": {"role": role, "content": text},
    })
    .to_string()
        + "\n"
}

pub(crate) fn write(path: &Path, lines: &[String]) {
    std::fs::write(path, lines.concat()).expect("a transcript");
}

pub(crate) fn end(transcript: &Path) -> Value {
    json!({"session_id": "s-transcript", "transcript_path": transcript,
        "hook_event_name": "Stop", "stop_hook_active": false})
}

/// The contents of all memories of the space of sessions without a project, oldest first.
pub(crate) fn captured(bench: &Bench) -> Vec<String> {
    let ran = bench.run(&["--space", "unfiled", "list", "--limit", "500", "--json"]);
    let Ok(list) = serde_json::from_str::<Value>(&ran.stdout) else {
        return Vec::new();
    };
    let memories = list["memories"].as_array().cloned().unwrap_or_default();
    let mut contents: Vec<String> = memories
        .iter()
        .filter_map(|memory| memory["content"].as_str().map(str::to_owned))
        .collect();
    contents.reverse();
    contents
}

/// Runs the end of a turn until as much is captured: a slow machine leaves it to a process of its own.
pub(crate) fn capture_until(bench: &Bench, transcript: &Path, count: usize) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        hook(bench, "turn-end", &end(transcript));
        let contents = captured(bench);
        if contents.len() >= count || Instant::now() > deadline {
            return contents;
        }
    }
}

#[test]
fn a_prompt_gets_what_it_is_about_once_and_anything_else_gets_nothing() {
    let bench = Bench::new();
    let kept = ["remember", "The staging server listens on port 8471"];
    bench.run(&[&["--space", "unfiled"], &kept[..]].concat());
    let asked = |attempt: u32| {
        let text = format!(
            "{}which port does the staging server listen on?",
            " ".repeat(attempt as usize)
        );
        prompt("s1", &text)
    };
    let text = added_in_time(&bench, "prompt", asked);
    assert!(text.contains("8471") && text.contains("[m1]"), "{text}");
    assert!(text.starts_with("<anamne-memory"), "{text}");
    let again = prompt("s1", "on which port does the staging server listen now?");
    assert_eq!(added(&hook(&bench, "prompt", &again)), "", "shown once");
    for other in ["/clear", "", "thanks a lot!", "sing me a sea shanty"] {
        assert_eq!(
            added(&hook(&bench, "prompt", &prompt("s2", other))),
            "",
            "{other}"
        );
    }
}

#[test]
fn a_memory_that_changed_since_it_was_shown_is_shown_again() {
    let bench = Bench::new();
    let space = ["--space", "unfiled"];
    let told = "Deploys to production go out on Fridays at 16:00.";
    bench.run(&[&space[..], &["remember", told]].concat());
    let mut sessions = (0..20).map(|number| format!("s{number}"));
    let started = |session: &String| {
        !added(&hook(&bench, "session-start", &start(session, "startup"))).is_empty()
    };
    let session = sessions.find(started).expect("a session that was shown it");
    let asked = |attempt: u32| {
        let spaces = " ".repeat(attempt as usize);
        prompt(
            &session,
            &format!("{spaces}When do deploys to production go out?"),
        )
    };
    assert_eq!(added(&hook(&bench, "prompt", &asked(0))), "");
    let new = "Deploys to production go out on Mondays, after the review.";
    bench.run(&[&space[..], &["edit", "m1", "--content", new]].concat());
    let text = added_in_time(&bench, "prompt", |attempt| asked(attempt + 1));
    assert!(text.contains("on Mondays"), "{text}");
    assert_eq!(added(&hook(&bench, "prompt", &asked(40))), "", "shown once");
}

#[test]
fn a_session_starts_with_a_briefing_and_gets_it_again_after_a_compaction() {
    let bench = Bench::new();
    assert_eq!(
        added(&hook(&bench, "session-start", &start("s1", "startup"))),
        ""
    );
    assert!(!bench.store().exists(), "a hook creates no store");
    bench.run(&[
        "--space",
        "unfiled",
        "remember",
        "--category",
        "constraint",
        "We deploy on Fridays only",
    ]);
    let text = added_in_time(&bench, "session-start", |attempt| {
        start(&format!("s1-{attempt}"), "startup")
    });
    assert!(text.contains("Fridays"), "{text}");
    // The session that was shown it goes on.
    bench.run(&[
        "--space",
        "unfiled",
        "remember",
        "The release branch is called harbour",
    ]);
    let first = added_in_time(&bench, "session-start", |attempt| {
        start(&format!("s2-{attempt}"), "startup")
    });
    assert!(first.contains("harbour"), "{first}");
    let compacted = added_in_time(&bench, "session-start", |attempt| {
        start(&format!("s2-{attempt}"), "compact")
    });
    assert!(compacted.contains("harbour"), "{compacted}");
}

#[test]
fn what_was_said_is_captured_once_and_what_was_injected_never() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let path = bench.folder().join("t.jsonl");
    let injected = "<anamne-memory space=\"x\">\nan old memory\n</anamne-memory>";
    let mut lines = vec![
        line(
            "a1",
            None,
            "user",
            &format!("{injected}\nPlease use tabs here"),
        ),
        line("a2", Some("a1"), "assistant", "Tabs it is."),
    ];
    write(&path, &lines);
    let contents = capture_until(&bench, &path, 2);
    assert_eq!(contents, ["Please use tabs here", "Tabs it is."]);
    hook(&bench, "session-end", &end(&path));
    assert_eq!(captured(&bench).len(), 2, "captured once");
    lines.push(line("a3", Some("a2"), "user", "And four of them"));
    write(&path, &lines);
    let contents = capture_until(&bench, &path, 3);
    assert_eq!(
        contents.last().map(String::as_str),
        Some("And four of them")
    );
    let shown = bench.json(&["--space", "unfiled", "list"]);
    let trusts: Vec<f64> = shown["memories"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|memory| memory["trust"].as_f64())
        .collect();
    assert!(trusts.iter().all(|trust| *trust < 0.95), "{trusts:?}");
}

#[test]
fn without_a_transcript_the_last_message_is_stored_and_never_again() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let path = bench.folder().join("t.jsonl");
    let said = "The retry limit is seven.";
    let mut told = end(&path);
    told["last_assistant_message"] = json!(said);
    let deadline = Instant::now() + Duration::from_mins(1);
    while captured(&bench).is_empty() && Instant::now() < deadline {
        hook(&bench, "turn-end", &told);
    }
    assert_eq!(captured(&bench), [said]);
    let asked = line("b1", None, "user", "What is the retry limit?");
    write(&path, &[asked, line("b2", Some("b1"), "assistant", said)]);
    assert_eq!(capture_until(&bench, &path, 2).len(), 2);
    hook(&bench, "session-end", &end(&path));
    assert_eq!(captured(&bench), ["What is the retry limit?", said]);
    let mut import = bench.command(&["--space", "unfiled", "import", "--from", "claude-code"]);
    let folder = bench.folder().join("claude");
    std::fs::create_dir_all(folder.join("projects/p")).expect("a folder");
    std::fs::copy(&path, folder.join("projects/p/s-transcript.jsonl")).expect("copied");
    let imported = import.env("CLAUDE_CONFIG_DIR", &folder).output();
    assert!(imported.expect("the command starts").status.success());
    assert_eq!(captured(&bench).len(), 2);
}

#[test]
fn status_says_that_there_is_no_transcript() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let path = bench.folder().join("none.jsonl");
    hook(&bench, "session-end", &end(&path));
    let shown = bench.run(&["status"]).stdout;
    assert!(shown.contains("failed (no transcript)"), "{shown}");
}

#[test]
fn a_secret_in_a_transcript_is_stored_nowhere() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let path = bench.folder().join("t.jsonl");
    let key = ["AK", "IA", "QYLPMN5H", "NM2NLPZA"].concat();
    write(
        &path,
        &[line("b1", None, "user", &format!("deploy with {key}"))],
    );
    let contents = capture_until(&bench, &path, 1);
    assert_eq!(contents, ["deploy with [secret:aws-access-key]"]);
}

#[test]
fn a_failed_tool_becomes_an_episode() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let input = |id: u32| {
        json!({"session_id": "s1", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
            "tool_use_id": format!("t{id}"), "tool_input": {"command": "cargo test"},
            "error": "exit code 101"})
    };
    let deadline = Instant::now() + Duration::from_mins(1);
    let mut attempt = 0;
    while captured(&bench).is_empty() && Instant::now() < deadline {
        hook(&bench, "tool-failed", &input(attempt));
        attempt += 1;
    }
    let contents = captured(&bench);
    assert!(
        contents[0].starts_with("Bash cargo test: failed"),
        "{contents:?}"
    );
}

#[test]
fn what_tools_did_is_learned_from_the_transcript() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let path = bench.folder().join("t.jsonl");
    let entry = |id: String, role: &str, block: Value| {
        json!({"type": role, "uuid": id, "sessionId": "s-transcript", "isSidechain": false,
            "timestamp": "2026-03-02T09:12:37Z", "message": {"role": role, "content": [block]}})
        .to_string()
            + "\n"
    };
    let call = |number: u32, command: &str, failed: bool| {
        let id = format!("t{number}");
        let used =
            json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        let content = if failed { "exit code 1" } else { "" };
        let result = json!({"type": "tool_result", "tool_use_id": id, "is_error": failed, "content": content});
        entry(format!("u{number}"), "assistant", used)
            + &entry(format!("r{number}"), "user", result)
    };
    let check = "test -f flag && echo fine";
    let calls = [
        call(1, check, true),
        call(2, "touch flag", false),
        call(3, check, false),
        call(4, check, false),
    ];
    // Each entry follows the one before.
    let mut before = Value::Null;
    let linked = calls.concat().lines().fold(String::new(), |linked, line| {
        let mut entry: Value = serde_json::from_str(line).expect("JSON");
        entry["parentUuid"] = std::mem::replace(&mut before, entry["uuid"].clone());
        linked + &entry.to_string() + "\n"
    });
    write(&path, &[linked]);
    let contents = capture_until(&bench, &path, 4);
    assert_eq!(contents.len(), 4, "{contents:?}");
    let ask = |more: &[&str]| {
        let ask = ["--space", "unfiled", "experience", "ask"];
        bench.json(&[&ask[..], more].concat())["advice"][0].clone()
    };
    let known = ask(&["--action", "Bash", "--object", check]);
    assert_eq!(
        (&known["successes"], &known["failures"]),
        (&json!(2), &json!(1))
    );
    let recovery = ask(&["--error", "exit code 1"]);
    assert_eq!(recovery["subject"], "Bash touch flag");
}

#[test]
fn nothing_that_goes_wrong_reaches_the_host() {
    let bench = Bench::new();
    let cases: [(&[&str], &str); 8] = [
        (&["hook", "prompt", "--host", "claude-code"], "not json"),
        (&["hook", "prompt", "--host", "claude-code"], ""),
        (&["hook", "prompt", "--host", "no-such-host"], "{}"),
        (&["hook", "prompt"], "{\"prompt\": 7}"),
        (&["hook", "bogus", "--host", "claude-code"], "{}"),
        (&["hook"], ""),
        (&["hook", "prompt", "--nonsense"], "{}"),
        (
            &["--space", "a/b", "hook", "prompt", "--host", "codex"],
            "{}",
        ),
    ];
    for (arguments, input) in cases {
        let ran = bench.run_with(arguments, bench.stdin_of(input));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        let is_empty = ran.stdout.is_empty() || ran.stdout.trim() == "{}";
        assert!(is_empty, "{arguments:?}: {}", ran.stdout);
    }
    // A damaged record and a damaged store.
    bench.run(&["remember", "something"]);
    std::fs::write(bench.store().join("hooks.db"), "noise").expect("written");
    hook(&bench, "prompt", &prompt("s1", "what did I say?"));
    std::fs::remove_dir_all(bench.store().join("spaces")).expect("removed");
    std::fs::write(bench.store().join("spaces"), "noise").expect("written");
    hook(&bench, "prompt", &prompt("s1", "what did I say?"));
    hook(&bench, "turn-end", &end(Path::new("/no/such/transcript")));
}

#[test]
fn the_record_holds_no_content_and_status_shows_it() {
    let bench = Bench::new();
    bench.run(&[
        "--space",
        "unfiled",
        "remember",
        "The staging server listens on port 8471",
    ]);
    let asked = |attempt: u32| {
        prompt(
            "s-private-id",
            &format!(
                "{}which port does the staging server listen on?",
                " ".repeat(attempt as usize)
            ),
        )
    };
    added_in_time(&bench, "prompt", asked);
    for name in ["hooks.db", "hooks.db-wal"] {
        let bytes = std::fs::read(bench.store().join(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for private in ["8471", "staging", "s-private-id"] {
            assert!(!text.contains(private), "{name} has {private}");
        }
    }
    let status = bench.json(&["status"]);
    assert!(status["today"]["injected"].as_u64() >= Some(1), "{status}");
}

#[test]
fn git_tells_of_each_commit_and_the_hook_can_be_removed() {
    let bench = Bench::new();
    let project: PathBuf = bench.folder().join("project");
    std::fs::create_dir_all(&project).expect("a folder");
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        let run = std::process::Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(&project)
            .env("ANAMNE_STORE", bench.store())
            .env("HOME", bench.folder())
            .output();
        run.expect("git")
    };
    git(&["init", "-q", "-b", "main"]);
    let script = project.join(".git/hooks/post-commit");
    std::fs::create_dir_all(script.parent().expect("a folder")).expect("a folder");
    std::fs::write(&script, "#!/bin/sh\necho mine >> mine.txt\nexit 0\n").expect("written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&script, executable).expect("executable");
    }
    assert_eq!(run_in(&bench, &project, &["init"]).code, 0);
    for _ in 0..2 {
        let ran = run_in(&bench, &project, &["hook", "git", "--install"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let text = std::fs::read_to_string(&script).expect("the hook");
    assert_eq!(text.matches("hook git-commit").count(), 1, "{text}");
    std::fs::write(project.join("port.txt"), "8471").expect("written");
    git(&["add", "port.txt"]);
    let deadline = Instant::now() + Duration::from_mins(1);
    let mut list = String::new();
    while !list.contains("Move staging") && Instant::now() < deadline {
        git(&[
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "Move staging to port 8471",
        ]);
        list = run_in(&bench, &project, &["list", "--json"]).stdout;
    }
    assert!(
        list.contains("Move staging to port 8471") && list.contains("on main"),
        "{list}"
    );
    run_in(&bench, &project, &["hook", "git", "--remove"]);
    let text = std::fs::read_to_string(&script).expect("the hook");
    assert_eq!(text, "#!/bin/sh\necho mine >> mine.txt\nexit 0\n");
}

#[test]
fn the_words_that_every_session_pays_for_are_few() {
    let bench = Bench::new();
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let ran = bench.feed(&["mcp"], format!("{request}\n").as_bytes());
    let reply: Value =
        serde_json::from_str(ran.stdout.lines().next().unwrap_or_default()).expect("a reply");
    let instructions = reply["result"]["instructions"]
        .as_str()
        .expect("instructions");
    let block = include_str!("../../../anamne-hosts/data/instructions.md");
    let tokens = estimate_tokens(instructions) + estimate_tokens(block);
    assert!(tokens <= 400, "{tokens} tokens");
    let sentences = |text: &str| -> Vec<String> {
        let sentences = text.split(['.', ':', '\n']);
        sentences
            .map(|sentence| sentence.trim().to_lowercase())
            .filter(|sentence| sentence.len() > 12)
            .collect()
    };
    let repeated: Vec<_> = sentences(block)
        .into_iter()
        .filter(|sentence| sentences(instructions).contains(sentence))
        .collect();
    assert!(repeated.is_empty(), "{repeated:?}");
}

/// The command, killed after a time unless it has ended; its standard input is a file.
fn kill_after(bench: &Bench, arguments: &[&str], input: &str, microseconds: u64) {
    let mut child = bench
        .command(arguments)
        .stdin(bench.stdin_of(input))
        .spawn()
        .expect("the command starts");
    std::thread::sleep(Duration::from_micros(microseconds));
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn a_capture_and_an_import_killed_at_any_instant_lose_and_repeat_nothing() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let folder = bench.folder().join(".claude/projects/-nowhere");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("s-transcript.jsonl");
    let ids: Vec<String> = (0..40).map(|number| format!("c{number}")).collect();
    let mut lines = Vec::new();
    for (number, id) in ids.iter().enumerate() {
        let role = if number % 2 == 0 { "user" } else { "assistant" };
        let parent = number.checked_sub(1).map(|before| ids[before].as_str());
        lines.push(line(
            id,
            parent,
            role,
            &format!("message {number} of the session"),
        ));
        if number % 4 == 3 {
            write(&path, &lines);
            let delay = 2_000 + number as u64 * 4_000;
            let hook = ["hook", "turn-end", "--host", "claude-code"];
            kill_after(&bench, &hook, &end(&path).to_string(), delay);
            kill_after(&bench, &["import", "--from", "claude-code"], "", delay);
        }
    }
    let ran = bench.run(&["import", "--from", "claude-code"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // A hook that was killed may have left its work to another process.
    let mut contents = capture_until(&bench, &path, ids.len());
    contents.sort();
    let mut expected: Vec<String> = (0..40)
        .map(|number| format!("message {number} of the session"))
        .collect();
    expected.sort();
    assert_eq!(contents, expected);
    let again = bench.json(&["import", "--from", "claude-code"]);
    assert_eq!(
        (again["kept"].as_u64(), again["merged"].as_u64()),
        (Some(0), Some(40))
    );
    let verified = bench.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.stderr);
}

#[test]
fn a_set_up_killed_at_any_instant_leaves_whole_files_and_can_be_taken_back() {
    let bench = Bench::new();
    let host = bench.folder().join(".claude");
    std::fs::create_dir_all(&host).expect("a folder");
    let settings = host.join("settings.json");
    let before = "{\n  \"model\": \"mine\"\n}\n";
    std::fs::write(&settings, before).expect("written");
    let setup = ["setup", "--host", "claude-code", "--yes"];
    for delay in 0..12 {
        kill_after(&bench, &setup, "", 1_000 + delay * 3_000);
        for path in [&settings, &bench.folder().join(".claude.json")] {
            if let Ok(text) = std::fs::read_to_string(path) {
                serde_json::from_str::<Value>(&text).expect("a whole file");
            }
        }
    }
    assert_eq!(
        bench
            .run(&["setup", "--host", "claude-code", "--dry-run", "--remove"])
            .code,
        0
    );
    let ran = bench.run(&["setup", "--remove", "--host", "claude-code", "--yes"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        std::fs::read_to_string(&settings).expect("the settings"),
        before
    );
    assert!(
        !bench.folder().join(".claude.json").exists(),
        "what was not there is gone"
    );
}

#[test]
fn a_set_up_shows_its_changes_and_asks_before_it_makes_them() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.folder().join(".claude")).expect("a folder");
    let ran = bench.run(&["setup"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("--yes"), "{}", ran.stderr);
    let ran = bench.run(&["setup", "--dry-run"]);
    assert!(
        ran.stdout.contains("+++") && ran.stdout.contains("\"anamne\""),
        "{}",
        ran.stdout
    );
    assert!(!bench.folder().join(".claude.json").exists());
    let done = bench.json(&["setup", "--all", "--yes"]);
    let proofs = done["hosts"][0]["proofs"].as_array().expect("proofs");
    let stored = &proofs[0];
    assert_eq!(stored["ok"], true, "{done}");
    assert_eq!(proofs.len(), 7, "{done}");
    let status = bench.json(&["setup", "--status"]);
    assert_eq!(status["hosts"][0]["server"], "current", "{status}");
    let again = bench.json(&["setup", "--all", "--yes"]);
    assert_eq!(again["hosts"][0]["changed"], json!([]), "{again}");
    for (options, shows) in [(&["--yes"][..], false), (&["--yes", "--diff"][..], true)] {
        let removed = bench.run(&[&["setup", "--remove", "--all"], options].concat());
        assert_eq!(removed.code, 0, "{}", removed.stderr);
        assert_eq!(removed.stdout.contains("+++"), shows, "{}", removed.stdout);
        assert!(
            removed.stdout.contains(".claude.json"),
            "{}",
            removed.stdout
        );
        bench.json(&["setup", "--all", "--yes"]);
    }
    let unknown = bench.run(&["setup", "--host", "nothing", "--yes"]);
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
}

#[test]
fn what_a_set_up_left_to_the_person_is_named_once_with_its_own_exit_code() {
    let bench = Bench::new();
    let host = bench.folder().join(".claude");
    std::fs::create_dir_all(&host).expect("a folder");
    std::fs::write(host.join("settings.json"), "[]").expect("written");
    for options in [&["--yes"][..], &["--dry-run"], &["--yes", "--remove"]] {
        let ran = bench.run(&[&["setup", "--host", "claude-code"], options].concat());
        assert_eq!(ran.code, 4, "{options:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(
            ran.stdout.matches("left alone").count(),
            1,
            "{}",
            ran.stdout
        );
    }
    std::fs::create_dir_all(bench.folder().join(".cursor")).expect("a folder");
    let ran = bench.run(&["setup", "--host", "cursor", "--yes"]);
    assert!(ran.stdout.contains("by hand"), "{}", ran.stdout);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
}
