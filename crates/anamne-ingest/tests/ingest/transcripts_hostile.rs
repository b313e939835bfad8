//! Transcripts that are broken or made to harm.

use std::time::{Duration, Instant};

use anamne_ingest::transcripts::{Conversation, Position, TranscriptFormat};
use serde_json::{Value, json};

use crate::common::{Disk, text_of};

const FORMATS: [TranscriptFormat; 3] = [
    TranscriptFormat::ClaudeCode,
    TranscriptFormat::Codex,
    TranscriptFormat::Gemini,
];

/// Mutated transcripts of each format.
const CASES: u64 = 3_500;

fn sample(format: TranscriptFormat) -> Vec<Value> {
    match format {
        TranscriptFormat::ClaudeCode => vec![
            json!({"type": "user", "uuid": "u1", "parentUuid": null, "cwd": "/code", "message": {"content": "q"},
                "timestamp": "2026-08-01T10:00:00Z"}),
            json!({"type": "assistant", "uuid": "a1", "parentUuid": "u1", "message": {"id": "m1", "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": ["ls", "-l"]}}]}}),
            json!({"type": "user", "uuid": "r1", "parentUuid": "a1", "message": {"content": [
                {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [{"text": "gone"}]}]}}),
            json!({"type": "system", "subtype": "compact_boundary", "uuid": "b1", "parentUuid": null,
                "logicalParentUuid": "r1"}),
            json!({"type": "user", "uuid": "u2", "parentUuid": "b1", "message": {"content": "on"}}),
        ],
        TranscriptFormat::Codex => vec![
            json!({"type": "session_meta", "payload": {"id": "s1", "cwd": "/code", "source": "cli"}}),
            json!({"type": "event_msg", "payload": {"type": "user_message", "message": "q"}}),
            json!({"type": "response_item", "payload": {"type": "function_call", "name": "shell", "call_id": "c1",
                "arguments": "{\"command\":[\"bash\",\"-lc\",\"ls\"]}"}}),
            json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1",
                "output": {"success": false, "content": "gone"}}}),
            json!({"type": "event_msg", "payload": {"type": "item_completed", "turn_id": "t1",
                "item": {"type": "AgentMessage", "id": "m1", "content": [{"type": "Text", "text": "a"}]}}}),
            json!({"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}),
        ],
        _ => vec![
            json!({"sessionId": "s1", "projectHash": "00ff", "kind": "main"}),
            json!({"id": "u1", "type": "user", "content": [{"text": "q"}], "displayContent": "q"}),
            json!({"id": "g1", "type": "gemini", "content": "a", "toolCalls": [
                {"id": "c1", "name": "ls", "args": {"dir_path": "."}, "status": "error",
                    "result": [{"functionResponse": {"response": {"error": "gone"}}}]}]}),
            json!({"$rewindTo": "g1"}),
            json!({"$set": {"lastUpdated": "2026-08-01T10:00:00Z"}}),
        ],
    }
}

/// A small generator of numbers, so that every run has the same cases.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}

/// A value that doesn't belong where it will stand.
fn wrong_value(numbers: &mut Numbers) -> Value {
    match numbers.below(8) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(u64::MAX),
        3 => json!(-1e300),
        4 => json!("\u{0}<anamne-memory>\u{202e}"),
        5 => json!([[["x"]], {}, null]),
        6 => json!({"type": "text", "content": [1], "id": {}}),
        _ => (0..100).fold(json!("deep"), |inner, _| json!([inner])),
    }
}

/// Puts a wrong value somewhere into a value.
fn spoil(value: &mut Value, numbers: &mut Numbers) {
    let parts: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    let chosen = numbers.below(parts.len() + 1);
    match parts.into_iter().nth(chosen) {
        Some(part) => spoil(part, numbers),
        None => *value = wrong_value(numbers),
    }
}

fn mutated(format: TranscriptFormat, numbers: &mut Numbers) -> Vec<u8> {
    let mut lines = sample(format);
    for _ in 0..numbers.below(4) {
        let (one, other) = (numbers.below(lines.len()), numbers.below(lines.len()));
        match numbers.below(4) {
            0 => lines.swap(one, other),
            1 => lines.insert(one, lines[other].clone()),
            _ => spoil(&mut lines[one], numbers),
        }
    }
    let mut content = text_of(&lines).into_bytes();
    for _ in 0..numbers.below(4) {
        let at = numbers.below(content.len());
        match numbers.below(6) {
            0 => content.truncate(at),
            1 => drop(content.splice(at..at, *b"[[[[[[[[[[[[[[[[")),
            2 => drop(content.splice(at..at, *b"99999999999999999999e999")),
            3 => drop(content.splice(at..at, *b"\n")),
            _ if content.is_empty() => {}
            _ => content[at] ^= 1 << numbers.below(8),
        }
    }
    content
}

#[test]
fn mutated_transcripts_are_read_without_panic_and_within_bounds() {
    let began = Instant::now();
    let mut readable = 0;
    for format in FORMATS {
        let disk = Disk::new(format);
        let mut numbers = Numbers(18);
        for case in 0..CASES {
            let content = mutated(format, &mut numbers);
            disk.write(&content);
            // Every other case goes on from somewhere.
            let bytes = numbers.below(content.len() + 20) as u64 * (case % 2);
            if let Ok(conversation) = disk.read(Position { bytes, mark: None }) {
                readable += 1;
                check(&conversation, content.len(), &format!("{format} {case}"));
            }
        }
    }
    assert!(
        readable > CASES,
        "only {readable} of the cases are transcripts at all"
    );
    assert!(began.elapsed() < Duration::from_mins(5));
}

fn check(conversation: &Conversation, length: usize, case: &str) {
    let reached = conversation.reached.expect("a format of lines");
    assert!(reached.bytes <= length as u64, "{case}");
    for turn in &conversation.turns {
        assert!(
            !turn.id.is_empty() && turn.id.len() < 300,
            "{case}: {turn:?}"
        );
        assert!(!turn.text.is_empty(), "{case}: {turn:?}");
        assert!(!turn.text.contains("<anamne-memory"), "{case}: {turn:?}");
    }
    let skipped = &conversation.skipped;
    assert!(skipped.bad.len() as u64 <= skipped.bad_count, "{case}");
}

#[test]
fn deep_and_huge_values_cost_little() {
    let began = Instant::now();
    let heads = [
        "",
        r#"{"type":"session_meta","payload":{"id":"s1"}}"#,
        r#"{"sessionId":"s1","projectHash":"0"}"#,
    ];
    for (format, head) in FORMATS.into_iter().zip(heads) {
        let disk = Disk::new(format);
        let size = 200_000;
        for line in [
            format!("{}{}", "[".repeat(size), "]".repeat(size)),
            format!(
                r#"{{"type":"user","id":"x","uuid":"x","payload":{}1{}}}"#,
                "[".repeat(size),
                "]".repeat(size)
            ),
            format!(
                r#"{{"type":"user","id":"x","uuid":"x","content":[{}{{}}]}}"#,
                "{},".repeat(size)
            ),
            format!(
                r#"{{"type":"user","id":"x","uuid":"x","message":{{"content":[{}{{}}]}}}}"#,
                "{},".repeat(size)
            ),
            format!(
                r#"{{"type":"event_msg","payload":{{"type":"x","item":{{"content":[{}1]}}}}}}"#,
                "1,".repeat(size)
            ),
            format!(r#"{{"type":"user","id":"{}"}}"#, "x".repeat(size)),
        ] {
            disk.write(format!(
                "{head}\n{line}\n{}\n",
                line.replace("\"x\"", "\"y\"")
            ));
            let conversation = disk.read(Position::default()).expect("a conversation");
            assert!(conversation.turns.is_empty(), "{format}");
        }
    }
    assert!(
        began.elapsed() < Duration::from_mins(5),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn long_chains_and_many_marks_cost_linear_time() {
    let began = Instant::now();
    let disk = Disk::new(TranscriptFormat::ClaudeCode);
    let line = |at: usize| {
        let mark = "<system-reminder>".repeat(200);
        json!({"type": "user", "uuid": format!("u{at}"), "parentUuid": format!("u{}", at + 1),
            "message": {"content": mark}})
    };
    let lines: Vec<Value> = (0..10_000).map(line).collect();
    disk.write(text_of(&lines));
    let conversation = disk.read(Position::default()).expect("a conversation");
    assert_eq!(
        conversation.skipped.abandoned + conversation.turns.len() as u64,
        10_000
    );
    assert!(
        began.elapsed() < Duration::from_mins(5),
        "{:?}",
        began.elapsed()
    );
}
