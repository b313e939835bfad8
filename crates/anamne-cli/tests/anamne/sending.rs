//! An import through a server: what it shows while it runs, and how it ends when the server does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::json;

use crate::bench::{Bench, RunOutput, lines};

/// The command with a server instead of a store.
fn against(bench: &Bench, address: &str, arguments: &[&str]) -> std::process::Command {
    let mut command = bench.command(arguments);
    command
        .env_remove("ANAMNE_STORE")
        .env("ANAMNE_SERVER", address);
    command
}

/// A server that answers its first request with this, whatever it is, and ends the connection without reading the body.
fn answering(answer: impl Fn(&mut TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("a client");
        let mut head = [0; 1 << 12];
        let _ = socket.read(&mut head);
        answer(&mut socket);
    });
    address
}

/// Lines of an import: more than a server reads before it tells of the first.
const LINES: u64 = 2_000;

#[test]
fn refused_lines_are_shown_before_the_import_ends() {
    let bench = Bench::new();
    let arguments = ["import", "-", "--skip-bad"];
    let mut command = against(&bench, &bench.server().address, &arguments);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let (tell, shown) = mpsc::channel();
    // Standard input ends once the refusal of the first line is shown.
    let feeding = std::thread::spawn(move || {
        stdin.write_all(b"{\"text\": \"\"}\n").expect("taken");
        for number in 0..LINES {
            let line = format!("{{\"text\": \"The buoy {number} blinks\"}}\n");
            stdin.write_all(line.as_bytes()).expect("taken");
        }
        shown.recv_timeout(Duration::from_mins(3)).is_ok()
    });
    let mut first = String::new();
    stderr.read_line(&mut first).expect("a line");
    let _ = tell.send(());
    assert!(first.starts_with("-:1: "), "{first}");
    assert!(
        feeding.join().expect("fed"),
        "shown after the last line only"
    );
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("the rest");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(4), "{rest}");
    // Shown once.
    assert!(!rest.contains("-:1: "), "{rest}");
    let told = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(told.contains("1 skipped"), "{told}");
    let counts = bench.json(&["stats"]);
    assert_eq!(counts["memories"], LINES, "{counts}");
}

#[test]
fn a_connection_that_breaks_says_how_far_the_server_was() {
    let bench = Bench::new();
    let outcome = |line: u64, known: bool| json!({ "line": line, "id": "0198c0de-0000-7000-8000-000000000000", "known": known });
    let outcomes = lines([outcome(1, false), outcome(2, true), outcome(3, false)]);
    let address = answering(move |socket| {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let length = outcomes.len();
        let answer = format!("{head}{length:x}\r\n{outcomes}\r\n");
        socket.write_all(answer.as_bytes()).expect("sent");
    });
    let many = (0..20_000).map(|number| json!({ "text": format!("The buoy {number} blinks") }));
    let file = bench.file("buoys.jsonl", lines(many));
    let arguments = ["--json", "import", file.to_str().expect("a name")];
    let output = against(&bench, &address, &arguments).output();
    let broken = RunOutput::from(output.expect("it starts"));
    assert_eq!(broken.code, 1, "{}", broken.stderr);
    let error = broken.error();
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("ended after line 3"), "{error}");
    assert_eq!(
        error["taken"],
        json!({ "imported": 2, "known": 1, "links": 0 })
    );
    assert!(
        error["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("again")),
        "{error}"
    );
}

#[test]
fn a_server_that_refuses_before_the_lines_end_is_heard() {
    let bench = Bench::new();
    let problem = json!({
        "type": "urn:anamne:problem:denied", "title": "Denied", "status": 403, "detail": "not with this key",
    });
    let problem = problem.to_string();
    let address = answering(move |socket| {
        let head = "HTTP/1.1 403 Forbidden\r\ncontent-type: application/problem+json";
        let answer = format!(
            "{head}\r\ncontent-length: {}\r\n\r\n{problem}",
            problem.len()
        );
        socket.write_all(answer.as_bytes()).expect("sent");
        // Until the client has read it; otherwise the lines in between could reset the connection.
        let mut rest = [0; 1 << 12];
        while socket.read(&mut rest).is_ok_and(|length| length > 0) {}
    });
    // Standard input stays open: the answer must not wait for its end.
    let arguments = ["--json", "import", "-"];
    let mut child = against(&bench, &address, &arguments)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all("{\"text\": \"The buoy blinks\"}\n".repeat(100).as_bytes())
        .expect("taken");
    let refused = RunOutput::from(child.wait_with_output().expect("it ends"));
    drop(stdin);
    let error = refused.error();
    assert_eq!(error["kind"], "denied", "{error}");
    assert_eq!(error["message"], "not with this key", "{error}");
}
