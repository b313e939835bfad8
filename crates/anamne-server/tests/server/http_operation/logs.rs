//! The log: one line for each request, without what was sent.

use std::sync::{Mutex, OnceLock};

use anamne_server::http::{LogLevel, LogLine, start_log};
use serde_json::{Value, json};

use super::MEMORIES;
use crate::common::served::Served;

static LINES: Mutex<Vec<LogLine>> = Mutex::new(Vec::new());
static STARTED: OnceLock<bool> = OnceLock::new();

/// The lines so far.
fn lines() -> Vec<LogLine> {
    LINES.lock().expect("lines").clone()
}

/// The lines so far that a request with this id wrote.
fn lines_of(id: &str) -> Vec<Value> {
    let all = lines().into_iter().map(LogLine::into_json);
    all.filter(|line| line["id"] == id).collect()
}

fn start() -> Served {
    let write = |line| LINES.lock().expect("lines").push(line);
    assert!(STARTED.get_or_init(|| start_log(LogLevel::Info, write)));
    Served::start()
}

/// The line of a request, which is written after its response.
fn line_of(id: &str) -> Value {
    for _ in 0..500 {
        if let [line] = lines_of(id).as_slice() {
            return line.clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("no line of {id}");
}

#[test]
fn a_request_has_one_line_without_what_was_sent() {
    let server = start();
    let headers = [("x-request-id", "log-1"), ("x-note", "headerword")];
    let path = format!("{MEMORIES}?queryword=1");
    let content = json!({ "content": "contentword" });
    let stored = server.json("POST", &path, &headers, &content);
    let length = stored.text.len();
    stored.expect(201);
    let line = line_of("log-1");
    assert_eq!(line["message"], "request");
    assert_eq!(line["level"], "info");
    assert_eq!(line["method"], "POST");
    assert_eq!(line["route"], "/v1/spaces/{space}/memories");
    assert_eq!(line["status"], 201);
    assert_eq!(line["tenant"], "default");
    assert_eq!(line["bytes"], length);
    assert!(line["ms"].as_f64().expect("a duration") > 0.0);
    let names: Vec<_> = line.as_object().expect("an object").keys().collect();
    let mut known = vec![
        "at", "level", "message", "id", "method", "route", "status", "ms", "bytes", "tenant",
    ];
    known.sort_unstable();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, known);

    let refused = [
        ("log-2", "/v1/spaces/pathword/memories/m1"),
        ("log-3", "/pathword"),
        ("log-4", "/healthz?key=secretword"),
    ];
    for (id, path) in refused {
        server.send("GET", path, &[("x-request-id", id)], None);
        line_of(id);
    }
    let authorization = [
        ("authorization", "Bearer secretword"),
        ("x-request-id", "log-5"),
    ];
    server
        .send("GET", "/v1/spaces", &authorization, None)
        .problem(401);
    assert_eq!(line_of("log-5")["status"], 401);
    let all = format!("{:?}", lines());
    for word in [
        "contentword",
        "queryword",
        "headerword",
        "pathword",
        "secretword",
    ] {
        assert!(!all.contains(word), "{word} in {all}");
    }
}

#[test]
fn a_failure_is_logged_with_its_cause_and_answered_without() {
    let server = start();
    super::store(&server, "The ferry leaves at nine");
    // A file in place of the folder of a space.
    let path = server.store().join("spaces/broken");
    std::fs::create_dir_all(&path).expect("a folder");
    std::fs::write(path.join("space.toml"), "nonsense = [").expect("a file");
    let answered = server.send(
        "GET",
        "/v1/spaces/broken/memories/m1",
        &[("x-request-id", "log-6")],
        None,
    );
    let problem = answered.problem(500);
    let folder = server.store().display().to_string();
    assert!(!problem.to_string().contains(&folder), "{problem}");
    let line = line_of("log-6");
    assert_eq!(line["level"], "error");
    assert!(line["cause"].to_string().contains("space.toml"), "{line}");
}

#[test]
fn a_line_of_text_keeps_to_one_line() {
    let _server = start();
    tracing::info!(target: "anamne", note = "a\nb \"c\"", id = "log-7", "two words");
    let lines = lines();
    let mut texts = lines.iter().map(LogLine::to_text);
    let text = texts.find(|text| text.contains("log-7"));
    let text = text.expect("a line");
    assert!(
        text.ends_with("info two words note=\"a\\nb \\\"c\\\"\" id=log-7"),
        "{text}"
    );
}
