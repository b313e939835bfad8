//! Damaged files: an answer or an error, within bounds, and never a panic.

use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::opencode::Database;
use super::*;

/// Numbers that look random and are the same at each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below.max(1)
    }
}

/// What a damage puts in place of something.
const ODD: [&str; 12] = [
    "null",
    "true",
    "[]",
    "{}",
    "-1",
    "1e999",
    "99999999999999999999",
    "\"\\ud800\"",
    "\"\"",
    "<read_file>",
    "\"\u{0}\"",
    "[[[[",
];

fn damage(content: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut content = content.to_vec();
    for _ in 0..=numbers.next(4) {
        let at = numbers.next(content.len());
        match numbers.next(6) {
            0 if !content.is_empty() => content[at] ^= 1 << numbers.next(8),
            1 => content.truncate(at),
            2 => drop(content.splice(at..at, ODD[numbers.next(ODD.len())].bytes())),
            3 => {
                // A value of another type.
                let end = content[at..]
                    .iter()
                    .position(|byte| b",}]\n".contains(byte));
                let odd = ODD[numbers.next(ODD.len())].bytes();
                drop(content.splice(at..at + end.unwrap_or(0), odd));
            }
            4 => {
                let copy = content[at..].iter().copied().take(200).collect::<Vec<_>>();
                let to = numbers.next(content.len());
                drop(content.splice(to..to, copy));
            }
            _ => {
                let deep = "[".repeat(numbers.next(20_000));
                drop(content.splice(at..at, deep.bytes()));
            }
        }
    }
    content
}

fn read_all(format: TranscriptFormat, machine: &Machine) {
    for file in find(format, machine).0 {
        if let Ok(found) = read(&file, Position::default()) {
            assert!(
                found
                    .turns
                    .iter()
                    .all(|turn| !turn.id.is_empty() && !turn.text.is_empty())
            );
        }
    }
}

fn check(format: TranscriptFormat, path: &str, content: &[u8], times: usize) {
    check_among(&[], format, path, content, times);
}

/// Reads a damaged file among others that are whole.
fn check_among(
    others: &[(&str, &str)],
    format: TranscriptFormat,
    path: &str,
    content: &[u8],
    times: usize,
) {
    let (home, machine) = machine(&[others, &[(path, "")]].concat());
    let path = home.path().join(path);
    let mut numbers = Numbers(7);
    let began = Instant::now();
    for _ in 0..times {
        fs::write(&path, damage(content, &mut numbers)).expect("a file");
        read_all(format, &machine);
    }
    assert!(
        began.elapsed() < Duration::from_mins(1),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn damaged_files_are_read_within_bounds() {
    let cursor = r#"{"role":"user","message":{"content":[{"type":"text","text":"<user_query>a</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"b"},{"type":"tool_use","name":"Shell","input":{"command":"ls","server":"x"}}]}}
"#;
    check(
        TranscriptFormat::Cursor,
        ".cursor/projects/p/agent-transcripts/a/a.jsonl",
        cursor.as_bytes(),
        1200,
    );
    let session = r#"{"sessionId":"s","messages":[{"id":"a","role":"user","ts":1,"content":[{"type":"text","text":"<user_input>a</user_input>"},{"type":"tool_result","tool_use_id":"t","content":[{"result":"x","success":false}]}]},{"id":"b","role":"assistant","modelInfo":{"id":"m"},"metadata":{"userRunSpan":0},"content":[{"type":"tool_use","id":"t","name":"ask_question","input":{"question":"q"}}]}]}"#;
    check(
        TranscriptFormat::Cline,
        ".cline/data/sessions/s/s.messages.json",
        session.as_bytes(),
        1200,
    );
    let task = r#"[{"role":"user","content":[{"type":"text","text":"<task>a</task>"},{"type":"text","text":"<environment_details>\n# Current Working Directory (/a) Files</environment_details>"}]},{"role":"assistant","content":"<read_file><path>a</path></read_file>"},{"role":"user","content":[{"type":"text","text":"[read_file for 'a'] Result:"},{"type":"text","text":"x"}]}]"#;
    check(
        TranscriptFormat::Cline,
        ".cline/data/tasks/1/api_conversation_history.json",
        task.as_bytes(),
        1200,
    );
}

#[test]
fn damaged_files_of_older_versions_are_read_within_bounds() {
    const STORAGE: &str = ".local/share/opencode/storage";
    let files = [
        (
            "session/p/s1.json",
            r#"{"id":"s1","directory":"/a","revert":{"messageID":"m9"},"time":{"updated":2}}"#,
        ),
        (
            "message/s1/m1.json",
            r#"{"id":"m1","role":"assistant","summary":false,"time":{"created":1000,"completed":2}}"#,
        ),
        (
            "part/m1/p1.json",
            r#"{"id":"p1","type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"ls"},"metadata":{"exit":0}}}"#,
        ),
    ];
    let files = files.map(|(path, content)| (format!("{STORAGE}/{path}"), content));
    for damaged in &files {
        let others: Vec<_> = files
            .iter()
            .filter(|file| *file != damaged)
            .map(|(path, content)| (path.as_str(), *content))
            .collect();
        check_among(
            &others,
            TranscriptFormat::OpenCode,
            &damaged.0,
            damaged.1.as_bytes(),
            300,
        );
    }
}

#[test]
fn a_damaged_database_is_read_within_bounds() {
    let database = Database::new();
    database.session("s1", None, 1);
    database.conversation("s1", "");
    let path = ".local/share/opencode/opencode.db";
    let content = fs::read(database.home.path().join(path)).expect("a file");
    check(TranscriptFormat::OpenCode, path, &content, 800);
}

#[test]
fn damaged_rows_are_read_within_bounds() {
    let database = Database::new();
    database.session("s1", None, 1);
    database.conversation("s1", "");
    let table = |name: &str| -> Vec<(String, String)> {
        let connection: &Connection = &database.connection;
        let mut rows = connection
            .prepare(&format!("SELECT id, data FROM {name}"))
            .expect("a query");
        let rows = rows
            .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("rows");
        rows.map(|row| row.expect("a row")).collect()
    };
    let (messages, parts) = (table("message"), table("part"));
    let mut numbers = Numbers(11);
    for _ in 0..300 {
        let (name, rows) = if numbers.next(3) == 0 {
            ("message", &messages)
        } else {
            ("part", &parts)
        };
        let (id, data) = &rows[numbers.next(rows.len())];
        let data = damage(data.as_bytes(), &mut numbers);
        let update = format!("UPDATE {name} SET data = ?1 WHERE id = ?2");
        database
            .connection
            .execute(&update, (data, id))
            .expect("written");
        read_all(TranscriptFormat::OpenCode, &database.machine);
    }
}

#[test]
fn long_files_cost_linear_time() {
    let time = |count: usize| {
        let block = "<write_to_file></write_to_file><feedback><task>[a] Result:";
        let message = serde_json::json!({"role": "assistant", "content": block.repeat(count)});
        let person = serde_json::json!({"role": "user", "content": block.repeat(count)});
        let content = serde_json::json!([message, person]).to_string();
        let (_home, machine) = machine(&[(
            ".cline/data/tasks/1/api_conversation_history.json",
            &content,
        )]);
        let began = Instant::now();
        read_all(TranscriptFormat::Cline, &machine);
        began.elapsed()
    };
    assert!(time(100_000) < Duration::from_secs(20));
}
