use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use super::*;

const FORMAT: TranscriptFormat = TranscriptFormat::Cursor;

const FILE: &str = ".cursor/projects/no-such-folder/agent-transcripts/c1/c1.jsonl";

fn said(role: &str, text: &str) -> String {
    let text = serde_json::json!(text);
    format!(r#"{{"role":"{role}","message":{{"content":[{{"type":"text","text":{text}}}]}}}}"#)
}

fn called(name: &str, input: &str) -> String {
    format!(
        r#"{{"role":"assistant","message":{{"content":[{{"type":"tool_use","name":"{name}","input":{input}}}]}}}}"#
    )
}

fn check(lines_of_file: &[String], expected: &[&str]) {
    let (_home, machine) = machine(&[(FILE, &(lines_of_file.join("\n") + "\n"))]);
    assert_eq!(lines(&only(FORMAT, &machine)), expected);
}

#[test]
fn what_was_said_and_called_is_read_in_order() {
    check(
        &[
            said("user", "<user_query>\nWhich port?\n</user_query>"),
            r#"{"role":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},{"type":"tool_use","name":"Shell","input":{"command":"ss -l"}}]}}"#.to_owned(),
            r#"{"role":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"secret output"}]}}"#.to_owned(),
            said("assistant", "8080."),
            r#"{"type":"turn_ended","status":"completed"}"#.to_owned(),
        ],
        &["P Which port?", "A I look.", "T Shell ss -l", "A 8080."],
    );
}

#[test]
fn what_the_host_and_hooks_added_is_no_turn() {
    check(
        &[
            said(
                "user",
                "<user_info>linux</user_info><attached_files>a <user_query>forged</user_query></attached_files>\n<user_query>Why <rules>x</rules>?</user_query>",
            ),
            said("user", "<timestamp>Monday</timestamp>Plain"),
            said("user", "<system_reminder>do</system_reminder>"),
            said(
                "user",
                "<user_query><anamne-memory>old</anamne-memory>New?</user_query>",
            ),
            called(
                "CallMcpTool",
                r#"{"server":"user-anamne","toolName":"memory_search"}"#,
            ),
            called("mcp_anamne_memory_search", r#"{"query":"x"}"#),
            called(
                "CallMcpTool",
                r#"{"server":"github","toolName":"issues","arguments":{"query":"secret"}}"#,
            ),
        ],
        &[
            "P Why <rules>x</rules>?",
            "P Plain",
            "P New?",
            "T github issues",
        ],
    );
}

#[test]
fn older_files_are_found_and_those_of_subagents_are_not() {
    let folder = ".cursor/projects/p/agent-transcripts";
    let text = said("user", "a") + "\n";
    let (_home, machine) = machine(&[
        (&format!("{folder}/one/one.jsonl"), &text),
        (&format!("{folder}/two.jsonl"), &text),
        (&format!("{folder}/one/subagents/child.jsonl"), &text),
        (&format!("{folder}/one/other.jsonl"), &text),
        (".cursor/projects/p/mcps/x.jsonl", &text),
    ]);
    let mut found: Vec<_> = sessions(FORMAT, &machine)
        .into_iter()
        .map(|file| file.session)
        .collect();
    found.sort();
    assert_eq!(found, ["one", "two"]);
}

#[test]
fn older_text_files_are_named_as_unread() {
    let (_home, machine) = machine(&[(".cursor/projects/p/agent-transcripts/a.txt", "user:\nx\n")]);
    let (files, errors) = find(FORMAT, &machine);
    assert!(files.is_empty());
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].to_string().contains("1 older transcripts"),
        "{}",
        errors[0]
    );
}

#[cfg(unix)]
#[test]
fn the_folder_is_that_which_the_name_of_its_project_means() {
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path().join("my.app");
    fs::create_dir(&folder).expect("a folder");
    let name: String = folder
        .to_str()
        .expect("a name")
        .trim_start_matches('/')
        .chars()
        .map(|next| {
            if next.is_ascii_alphanumeric() {
                next
            } else {
                '-'
            }
        })
        .collect();
    let path = format!(".cursor/projects/{name}/agent-transcripts/a/a.jsonl");
    let (_home, machine) = machine(&[(&path, &(said("user", "a") + "\n"))]);
    assert_eq!(only(FORMAT, &machine).folder, Some(folder.clone()));
    fs::create_dir(project.path().join("my-app")).expect("a folder");
    assert_eq!(only(FORMAT, &machine).folder, None);
}

#[test]
fn reading_in_pieces_is_reading_at_once() {
    let all: Vec<String> = (0..20)
        .map(|n| said(["user", "assistant"][n % 2], "again"))
        .collect();
    let (home, machine) = machine(&[(FILE, "")]);
    let mut parts = Conversation::default();
    let mut from = Position::default();
    for line in &all {
        // The first half of a line is no line yet.
        let (head, tail) = line.split_at(line.len() / 2);
        for piece in [head, &format!("{tail}\n")] {
            let mut file = OpenOptions::new()
                .append(true)
                .open(home.path().join(FILE))
                .expect("a file");
            file.write_all(piece.as_bytes()).expect("written");
            let found = read(&sessions(FORMAT, &machine)[0], from).expect("a conversation");
            from = found.reached.expect("a position");
            parts.turns.extend(found.turns);
        }
    }
    let whole = only(FORMAT, &machine);
    assert_eq!(whole.turns.len(), 20);
    assert_eq!(ids(&parts), ids(&whole));
    let mut distinct = ids(&whole);
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(
        distinct.len(),
        20,
        "the same words at two places are two turns"
    );
}

#[test]
fn what_was_said_has_the_time_of_the_file() {
    let content = said("user", "a") + "\n" + &said("assistant", "b");
    let (home, machine) = machine(&[(FILE, &content)]);
    let changed = SystemTime::UNIX_EPOCH + Duration::from_hours(488_698);
    let file = OpenOptions::new().append(true).open(home.path().join(FILE));
    file.expect("a file").set_modified(changed).expect("a time");
    let found = only(FORMAT, &machine);
    assert_eq!(lines(&found), ["P a", "A b"]);
    assert_eq!(times(&found), [Some(1_759_312_800_000); 2]);
    assert_eq!(found.undated, 2);
}

#[test]
fn lines_that_cannot_be_read_are_counted() {
    let lines_of_file = ["{\"role\":", "[1]", "{\"role\":\"user\"}", "", "null", "{}"];
    let content = lines_of_file.join("\n") + "\n" + &said("user", "a") + "\n";
    let (_home, machine) = machine(&[(FILE, &content)]);
    let found = only(FORMAT, &machine);
    assert_eq!(lines(&found), ["P a"]);
    assert_eq!((found.skipped.bad_count, found.skipped.other), (2, 3));
}
