//! `anamne serve` as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command};

use serde_json::Value;

use crate::bench::Bench;

/// A served store, the address, and what the server still writes.
fn serve(bench: &Bench, arguments: &[&str]) -> (Child, String, BufReader<ChildStderr>) {
    let all = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
    started(&mut bench.command(&all))
}

fn started(command: &mut Command) -> (Child, String, BufReader<ChildStderr>) {
    let mut child = command.spawn().expect("the command starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("listening at http://");
    let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
    (child, address, lines)
}

fn store(address: &str, content: &str) -> String {
    let body = serde_json::json!({ "content": content }).to_string();
    send(address, "POST /v1/spaces/core/memories", &body)
}

/// The answer, with its head.
fn send(address: &str, route: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = format!(
        "{route} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([format!("-{name}"), child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
}

#[test]
fn a_signal_ends_the_server_and_what_was_acknowledged_is_there() {
    let bench = Bench::new();
    let (mut child, address, mut lines) = serve(&bench, &["--log-format", "json"]);
    let answer = store(&address, "The saffron ferry leaves at nine");
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    // Without a certificate, there is nothing to read again.
    signal(&child, "HUP");
    let answer = store(&address, "The saffron ferry leaves at ten");
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    signal(&child, "TERM");
    assert!(child.wait().expect("an end").success());
    let mut log = String::new();
    lines.read_to_string(&mut log).expect("the log");
    let log: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let requests = log.iter().filter(|line| line["message"] == "request");
    assert_eq!(requests.filter(|line| line["status"] == 201).count(), 2);
    assert!(!log.iter().any(|line| line.to_string().contains("saffron")));
    let found = bench.json(&["--space", "core", "list"]);
    let memories = found["memories"].as_array().map(Vec::len);
    assert_eq!(memories, Some(2), "{found}");
    assert!(TcpStream::connect(&address).is_err());
}

#[test]
fn a_second_signal_ends_a_server_that_waits() {
    let bench = Bench::new();
    let (mut child, address, _lines) = serve(&bench, &["--log", "off", "--end-time", "3600"]);
    store(&address, "The ferry leaves at nine");
    // A body that has not ended holds the end up.
    let mut stream = TcpStream::connect(&address).expect("a connection");
    let head = "POST /v1/spaces/core/memories HTTP/1.1\r\nHost: localhost\r\n\
                Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
    stream.write_all(head.as_bytes()).expect("sent");
    std::thread::sleep(std::time::Duration::from_millis(300));
    signal(&child, "TERM");
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    assert!(child.try_wait().expect("a state").is_none(), "it waits");
    signal(&child, "TERM");
    assert!(child.wait().expect("an end").success());
}

/// The server with a limit of the size of files, in blocks of 512 bytes, which writes meet like a full disk.
#[cfg(unix)]
fn serve_on_full_disk(bench: &Bench, blocks: u32) -> (Child, String, BufReader<ChildStderr>) {
    serve_after(bench, &format!("trap '' XFSZ; ulimit -f {blocks}"))
}

/// The server in the place of a shell that ran these commands.
#[cfg(unix)]
fn serve_after(bench: &Bench, commands: &str) -> (Child, String, BufReader<ChildStderr>) {
    let usual = bench.command(&["serve", "--listen", "127.0.0.1:0", "--log", "off"]);
    let mut limited = Command::new("sh");
    limited
        .arg("-c")
        .arg(format!("{commands}; exec \"$0\" \"$@\""))
        .arg(usual.get_program())
        .args(usual.get_args())
        .current_dir(bench.folder())
        .stderr(std::process::Stdio::piped());
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    started(&mut limited)
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_named_and_what_was_acknowledged_is_answered() {
    let bench = Bench::new();
    let (mut child, address, _log) = serve_on_full_disk(&bench, 2_048);
    assert!(send(&address, "GET /readyz", "").starts_with("HTTP/1.1 200"));
    let mut acknowledged = 0;
    let refused = loop {
        let answer = store(
            &address,
            &format!("Entry {acknowledged} {}", "word ".repeat(40_000)),
        );
        if !answer.starts_with("HTTP/1.1 201") {
            break answer;
        }
        acknowledged += 1;
        assert!(acknowledged < 50, "the limit is never met");
    };
    assert!(refused.starts_with("HTTP/1.1 507"), "{refused}");
    assert!(
        refused.contains("The disk of the server is full"),
        "{refused}"
    );
    let folder = bench.store().to_str().expect("UTF-8").to_owned();
    assert!(!refused.contains(&folder), "{refused}");
    for number in 1..=acknowledged {
        let route = format!("GET /v1/spaces/core/memories/m{number}");
        assert!(
            send(&address, &route, "").starts_with("HTTP/1.1 200"),
            "{number}"
        );
    }
    signal(&child, "TERM");
    assert!(child.wait().expect("an end").success());
    let (mut child, address, _log) = serve_on_full_disk(&bench, 256);
    let not_ready = send(&address, "GET /readyz", "");
    assert!(not_ready.starts_with("HTTP/1.1 503"), "{not_ready}");
    let read = send(&address, "GET /v1/spaces/core/memories/m1", "");
    assert!(
        acknowledged == 0 || read.starts_with("HTTP/1.1 200"),
        "{read}"
    );
    signal(&child, "TERM");
    assert!(child.wait().expect("an end").success());
}

#[test]
fn settings_of_the_server_are_checked_before_it_listens() {
    let bench = Bench::new();
    let check = |arguments: &[&str], code: i32, said: &str| {
        let ran = bench.run(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    };
    check(&["--tls-cert", "cert.pem"], 2, "--tls-key");
    check(&["--connections", "0"], 2, "--connections");
    check(&["--end-time", "0"], 2, "--end-time");
    check(&["--log", "all"], 2, "--log");
    let missing = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    check(&missing, 1, "can't use cert.pem for TLS");
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_may_open_as_many_files_as_the_system_allows() {
    let bench = Bench::new();
    let (mut child, _, _lines) = serve_after(&bench, "ulimit -Sn 320; ulimit -Hn 640");
    let limits = format!("/proc/{}/limits", child.id());
    let limits = std::fs::read_to_string(limits).expect("limits");
    signal(&child, "TERM");
    assert!(child.wait().expect("an end").success());
    let files = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let files: Vec<&str> = files.expect("a line").split_whitespace().collect();
    assert_eq!(files[3..5], ["640", "640"]);
}
