//! What a person said is stored once, whether a transcript tells it or not.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::hooks::{capture_until, captured, end, hook, line, write};

const SAID: &str = "We decided that staging listens on port 8471.";

/// Runs a hook of a host with this input.
fn run(bench: &Bench, host: &str, event: &str, input: &Value) {
    let arguments = ["hook", event, "--host", host];
    let ran = bench.run_with(&arguments, bench.stdin_of(&input.to_string()));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{host}");
}

/// A turn of a host: the input of the prompt's hook, and that of the turn's end.
type Turn = (&'static str, fn(&str) -> Value, fn(&str) -> Value);

/// Runs turns, each in a session of its own, until one is stored: a slow machine may not have the time for a hook.
fn stored_by(bench: &Bench, (host, prompt, end): &Turn, count: usize) -> (String, Vec<String>) {
    let deadline = Instant::now() + Duration::from_mins(1);
    for attempt in 0.. {
        let session = format!("{host}-{attempt}");
        run(bench, host, "prompt", &prompt(&session));
        let attempt_ends = Instant::now() + Duration::from_secs(5);
        while Instant::now() < attempt_ends {
            run(bench, host, "turn-end", &end(&session));
            let contents = captured(bench);
            if contents.len() >= count || Instant::now() > deadline {
                return (session, contents);
            }
        }
    }
    unreachable!("the deadline ends the loop")
}

#[test]
fn without_a_transcript_the_words_of_the_person_are_stored_once() {
    let answered = "Port 8471 it is.";
    let turns: [(Turn, &[&str]); 4] = [
        (
            (
                "kiro",
                |session| json!({"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": SAID}),
                |session| json!({"session_id": session, "hook_event_name": "Stop"}),
            ),
            &[SAID],
        ),
        (
            (
                "goose",
                |session| json!({"session_id": session, "event": "UserPromptSubmit", "message": SAID}),
                |session| json!({"session_id": session, "event": "Stop", "last_assistant_message": "Port 8471 it is."}),
            ),
            &[SAID, answered],
        ),
        (
            (
                "codex",
                |session| json!({"session_id": session, "hook_event_name": "UserPromptSubmit", "transcript_path": null, "prompt": SAID}),
                |session| json!({"session_id": session, "hook_event_name": "Stop", "transcript_path": null, "last_assistant_message": "Port 8471 it is."}),
            ),
            &[SAID, answered],
        ),
        (
            (
                "cursor",
                |session| json!({"conversation_id": session, "hook_event_name": "beforeSubmitPrompt", "prompt": SAID}),
                |session| json!({"conversation_id": session, "hook_event_name": "stop", "status": "completed"}),
            ),
            &[SAID],
        ),
    ];
    for (turn, expected) in turns {
        let bench = Bench::new();
        bench.run(&["remember", "a store exists"]);
        let (session, contents) = stored_by(&bench, &turn, expected.len());
        assert_eq!(contents, expected, "{}", turn.0);
        run(&bench, turn.0, "turn-end", &(turn.2)(&session));
        assert_eq!(captured(&bench), expected, "{} once", turn.0);
        let shown = bench.json(&["--space", "unfiled", "list"]);
        let oldest = shown["memories"].as_array().and_then(|list| list.last());
        assert_eq!(oldest.map(|memory| &memory["role"]), Some(&json!("user")));
    }
}

#[test]
fn what_a_transcript_tells_is_stored_from_it_alone() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let path = bench.folder().join("t.jsonl");
    let asked = json!({"session_id": "s-transcript", "hook_event_name": "UserPromptSubmit",
        "transcript_path": path, "prompt": SAID});
    hook(&bench, "prompt", &asked);
    hook(
        &bench,
        "prompt",
        &json!({"session_id": "s-transcript", "prompt": "/compact"}),
    );
    write(
        &path,
        &[
            line("a1", None, "user", SAID),
            line("a2", Some("a1"), "assistant", "Noted."),
        ],
    );
    assert_eq!(capture_until(&bench, &path, 2), [SAID, "Noted."]);
    hook(&bench, "session-end", &end(&path));
    assert_eq!(captured(&bench), [SAID, "Noted."]);
}

#[test]
fn a_transcript_that_appears_after_the_turn_tells_nothing_twice() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let path = bench.folder().join("t.jsonl");
    let deadline = Instant::now() + Duration::from_mins(1);
    let mut attempt = 0;
    while captured(&bench).is_empty() && Instant::now() < deadline {
        // The same prompt within ten seconds is the same event.
        let asked = json!({"session_id": "s-transcript", "turn_id": attempt.to_string(),
            "transcript_path": path, "prompt": SAID});
        hook(&bench, "prompt", &asked);
        hook(&bench, "session-end", &end(&path));
        attempt += 1;
    }
    assert_eq!(captured(&bench), [SAID]);
    write(
        &path,
        &[
            line("a1", None, "user", SAID),
            line("a2", Some("a1"), "assistant", "Noted."),
        ],
    );
    let mut contents = capture_until(&bench, &path, 2);
    contents.sort();
    assert_eq!(contents, ["Noted.", SAID]);
}

#[test]
fn a_transcript_that_is_written_anew_is_read_from_its_start() {
    let bench = Bench::new();
    bench.run(&["remember", "a store exists"]);
    let path = bench.folder().join("t.jsonl");
    let start = [
        line("a1", None, "user", "Alpha is the name of the roof"),
        line("a2", Some("a1"), "assistant", "The roof it is"),
    ];
    let longer = line("b1", Some("a2"), "user", "Beta is the name of the gate");
    write(&path, &[&start[..], &[longer]].concat());
    assert_eq!(capture_until(&bench, &path, 3).len(), 3);
    let other = [
        line(
            "c1",
            Some("a2"),
            "user",
            "Gamma is the name of a wall which is quite long",
        ),
        line("c2", Some("c1"), "assistant", "The wall it is"),
        line("c3", Some("c2"), "user", "Delta is the name of the door"),
    ];
    write(&path, &[&start[..], &other].concat());
    let contents = capture_until(&bench, &path, 6);
    assert_eq!(
        contents[3..],
        [
            "Gamma is the name of a wall which is quite long",
            "The wall it is",
            "Delta is the name of the door"
        ]
    );
}
