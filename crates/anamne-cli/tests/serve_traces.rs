//! `anamne serve` exports traces where its environment says, and nothing else decides it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

/// `anamne serve` on a free port with these variables, and no others.
fn serve(folder: &std::path::Path, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anamne"));
    command
        .env_clear()
        .env("HOME", folder)
        .envs(variables.iter().copied())
        .arg("--store")
        .arg(folder.join("store"))
        .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// A collector that takes one request, and its endpoint.
fn collector() -> (String, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    let taking = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a connection");
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line");
            match line.trim().to_ascii_lowercase().split_once(": ") {
                Some(("content-length", given)) => length = given.parse().expect("a number"),
                Some(_) => {}
                None if line.trim().is_empty() => break,
                None => assert_eq!(line.trim(), "POST /v1/traces HTTP/1.1"),
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        reader.into_inner().write_all(answer).expect("sent");
        body
    });
    (endpoint, taking)
}

/// The lines that a server writes, as they come.
fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (to, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            let _ = to.send(line);
        }
    });
    lines
}

#[test]
fn a_server_exports_to_the_endpoint_of_its_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    let (endpoint, taking) = collector();
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_SERVICE_NAME", "memory-of-tests"),
    ];
    let mut server = serve(folder.path(), &variables).spawn().expect("a server");
    let lines = lines(server.stderr.take().expect("a pipe"));
    let said = lines.recv().expect("a line");
    assert_eq!(said, format!("exporting traces to {endpoint}"));
    let said = lines.recv().expect("a line");
    let address = said
        .strip_prefix("listening at http://")
        .expect("an address");
    let mut stream = TcpStream::connect(address).expect("a connection");
    let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let asked = Command::new("kill").arg(server.id().to_string()).status();
    assert!(asked.expect("kill").success());
    assert!(server.wait().expect("an end").success());
    let body = taking.join().expect("a request");
    for word in ["GET /healthz", "memory-of-tests"] {
        let is_there = body.windows(word.len()).any(|part| part == word.as_bytes());
        assert!(is_there, "{word}");
    }
}

#[test]
fn a_variable_that_can_not_be_used_is_refused_before_the_server_listens() {
    let folder = tempfile::tempdir().expect("a folder");
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example"),
        ("OTEL_TRACES_SAMPLER", "sometimes"),
    ];
    let ran = serve(folder.path(), &variables).output().expect("a run");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(
        said.contains("OTEL_TRACES_SAMPLER is \"sometimes\""),
        "{said}"
    );
    assert!(!said.contains("listening"), "{said}");
}

#[test]
fn without_an_endpoint_a_server_says_nothing_of_traces() {
    let folder = tempfile::tempdir().expect("a folder");
    let variables = [
        ("OTEL_SERVICE_NAME", "memory"),
        ("OTEL_TRACES_SAMPLER", "sometimes"),
    ];
    let mut server = serve(folder.path(), &variables).spawn().expect("a server");
    let lines = lines(server.stderr.take().expect("a pipe"));
    let said = lines.recv().expect("a line");
    assert!(said.starts_with("listening at"), "{said}");
    server.kill().expect("an end");
    server.wait().expect("an end");
}
