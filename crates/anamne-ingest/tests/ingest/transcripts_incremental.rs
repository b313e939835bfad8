//! A transcript that is read while it grows gives the same turns as one that is read at the end.

#![allow(
    clippy::needless_pass_by_value,
    reason = "values are written where they are used"
)]

use anamne_ingest::transcripts::{Position, TranscriptFormat};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{Disk, read_in_cuts, text_of};

/// What happens in a conversation.
#[derive(Clone, Debug)]
enum Step {
    Person(String),
    Agent(String),
    /// Calls that run at the same time: whether each works, whether the results come in reverse, and whether they come
    /// at all.
    Calls(Vec<bool>, bool, bool),
    Notice,
}

fn step() -> impl Strategy<Value = Step> {
    let words = "[a-zé ]{0,12}";
    prop_oneof![
        words.prop_map(Step::Person),
        words.prop_map(Step::Agent),
        (
            prop::collection::vec(any::<bool>(), 1..4),
            any::<bool>(),
            prop::bool::weighted(0.8)
        )
            .prop_map(|(works, reverse, ends)| Step::Calls(works, reverse, ends)),
        Just(Step::Notice),
    ]
}

fn results(works: &[bool], reverse: bool) -> Vec<(usize, bool)> {
    let mut results: Vec<(usize, bool)> = works.iter().copied().enumerate().collect();
    if reverse {
        results.reverse();
    }
    results
}

#[derive(Default)]
struct Claude {
    lines: Vec<Value>,
    last: Option<String>,
}

impl Claude {
    fn add(&mut self, kind: &str, parent: Option<String>, message: &Value) -> String {
        let uuid = format!("u{}", self.lines.len());
        self.lines.push(json!({
            "type": kind, "uuid": uuid, "parentUuid": parent, "message": message, "cwd": "/code/app",
        }));
        self.last = Some(uuid.clone());
        uuid
    }

    fn step(&mut self, step: &Step) {
        let message = format!("m{}", self.lines.len());
        let last = self.last.clone();
        match step {
            Step::Person(text) => drop(self.add("user", last, &json!({"content": text}))),
            Step::Agent(text) => {
                let content = json!({"id": message, "content": [{"type": "text", "text": text}]});
                self.add("assistant", last, &content);
            }
            Step::Notice => drop(self.add("progress", last, &json!(null))),
            Step::Calls(works, reverse, ends) => self.calls(&message, works, *reverse, *ends),
        }
    }

    fn calls(&mut self, message: &str, works: &[bool], reverse: bool, ends: bool) {
        let mut callers = Vec::new();
        for number in 0..works.len() {
            let id = format!("{message}-{number}");
            let block =
                json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": id}});
            let content = json!({"id": message, "content": [block]});
            callers.push(self.add("assistant", self.last.clone(), &content));
        }
        for (number, works) in results(works, reverse).into_iter().filter(|_| ends) {
            let block = json!({"type": "tool_result", "tool_use_id": format!("{message}-{number}"),
                "is_error": !works, "content": "text"});
            self.add(
                "user",
                Some(callers[number].clone()),
                &json!({"content": [block]}),
            );
        }
    }
}

fn claude(steps: &[Step]) -> String {
    let mut claude = Claude::default();
    for step in steps {
        claude.step(step);
    }
    text_of(&claude.lines)
}

fn codex(steps: &[Step]) -> String {
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-08-01T10:00:00Z", "type": kind, "payload": payload});
    let mut lines = vec![line(
        "session_meta",
        json!({"id": "s1", "cwd": "/code/app"}),
    )];
    for step in steps {
        let id = format!("i{}", lines.len());
        let item = |kind: &str, text: &str| {
            let content = json!([{"type": "text", "text": text}]);
            line(
                "event_msg",
                json!({"type": "item_completed", "turn_id": "t", "item":
                {"type": kind, "id": id, "content": content}}),
            )
        };
        match step {
            Step::Person(text) => lines.push(item("UserMessage", text)),
            Step::Agent(text) => lines.push(item("AgentMessage", text)),
            Step::Notice => lines.push(line("event_msg", json!({"type": "token_count"}))),
            Step::Calls(works, reverse, ends) => {
                for number in 0..works.len() {
                    lines.push(line(
                        "response_item",
                        json!({"type": "function_call", "name": "exec_command",
                        "call_id": format!("{id}-{number}"), "arguments": "{\"cmd\":\"ls\"}"}),
                    ));
                }
                for (number, works) in results(works, *reverse).into_iter().filter(|_| *ends) {
                    lines.push(line("response_item", json!({"type": "function_call_output",
                        "call_id": format!("{id}-{number}"), "output": format!("Exit code: {}", u8::from(!works))})));
                }
            }
        }
    }
    text_of(&lines)
}

fn gemini(steps: &[Step]) -> String {
    let mut lines = vec![json!({"sessionId": "s1", "projectHash": "00ff", "kind": "main"})];
    for step in steps {
        let id = format!("i{}", lines.len());
        match step {
            Step::Person(text) => lines.push(json!({"id": id, "type": "user", "content": text})),
            Step::Agent(text) => lines.push(json!({"id": id, "type": "gemini", "content": text})),
            Step::Notice => lines.push(json!({"$set": {"lastUpdated": "2026-08-01T10:00:00Z"}})),
            Step::Calls(works, _, ends) => {
                let call = |(number, works): (usize, &bool)| {
                    let status = if *works { "success" } else { "error" };
                    json!({"id": format!("c{number}"), "name": "ls", "status": if *ends { status } else { "executing" }})
                };
                let calls: Vec<Value> = works.iter().enumerate().map(call).collect();
                lines.push(json!({"id": id, "type": "gemini", "content": "I look."}));
                for count in 1..=calls.len() {
                    lines.push(json!({"id": id, "type": "gemini", "content": "I look.", "toolCalls": calls[..count]}));
                }
            }
        }
    }
    text_of(&lines)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_in_cuts_gives_the_same_turns_as_reading_at_once(
        steps in prop::collection::vec(step(), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let formats = [
            (TranscriptFormat::ClaudeCode, claude(&steps)),
            (TranscriptFormat::Codex, codex(&steps)),
            (TranscriptFormat::Gemini, gemini(&steps)),
        ];
        for (format, content) in formats {
            let cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(content.len() + 1)).collect();
            let whole = read_in_cuts(format, content.as_bytes(), &[]);
            let pieces = read_in_cuts(format, content.as_bytes(), &cuts);
            prop_assert_eq!(pieces, whole, "{} {:?}", format, cuts);
        }
    }
}

#[test]
fn reading_again_gives_the_same_ids_and_reading_on_gives_nothing() {
    let calls = Step::Calls(vec![true, false], true, true);
    let steps = [
        Step::Person("q".to_owned()),
        calls,
        Step::Agent("a".to_owned()),
    ];
    let formats = [
        (TranscriptFormat::ClaudeCode, claude(&steps)),
        (TranscriptFormat::Codex, codex(&steps)),
        (TranscriptFormat::Gemini, gemini(&steps)),
    ];
    for (format, content) in formats {
        let disk = Disk::new(format);
        disk.write(&content);
        let first = disk.read(Position::default()).expect("a conversation");
        let second = disk.read(Position::default()).expect("a conversation");
        assert_eq!(first, second, "{format}");
        assert!(first.turns.len() >= 4, "{format}: {first:?}");
        let mut ids = crate::common::ids(&first);
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), first.turns.len(), "{format}");
        let on = disk
            .read(first.reached.expect("a position"))
            .expect("a conversation");
        assert!(on.turns.is_empty(), "{format}");
    }
}

#[test]
fn a_last_line_that_lacks_only_its_line_break_is_read_and_read_again() {
    let steps = ["one", "two", "three"].map(|text| Step::Agent(text.to_owned()));
    let formats = [
        (TranscriptFormat::ClaudeCode, claude(&steps)),
        (TranscriptFormat::Codex, codex(&steps)),
        (TranscriptFormat::Gemini, gemini(&steps)),
    ];
    for (format, content) in formats {
        let disk = Disk::new(format);
        disk.write(content.trim_end());
        let first = disk.read(Position::default()).expect("a conversation");
        let said = crate::common::said(&first);
        assert_eq!(said, ["A one", "A two", "A three"], "{format}");
        assert_eq!((first.more, first.skipped.bad_count), (false, 0));
        disk.write(&content);
        let on = disk.read(first.reached.expect("a position"));
        let on = on.expect("a conversation");
        assert_eq!(crate::common::ids(&on), crate::common::ids(&first)[2..]);
        disk.write(&content.trim_end()[..content.len() - 4]);
        let torn = disk.read(Position::default()).expect("a conversation");
        assert_eq!(crate::common::said(&torn), ["A one", "A two"], "{format}");
        assert_eq!(torn.skipped.bad_count, 1, "{format}");
    }
}
