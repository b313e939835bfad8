//! Requests with a key that are sent again after a server was killed in the middle of them, and beside another server.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::bench::Bench;

const MEMORIES: &str = "/v1/spaces/core/memories";

const BATCH: &str = "/v1/spaces/core/memories/batch";

const TEXT: &str = "The saffron ferry leaves at nine";

/// A bench with a space in which only keys recognise what is stored again.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.json(&["--space", "core", "init"]);
    bench.json(&["--space", "core", "spaces", "set", "--duplicates", "none"]);
    bench
}

fn space(bench: &Bench) -> PathBuf {
    bench.store().join("spaces/core")
}

/// The status and the body of the answer to a request with the key `k1`; none if the server ended before.
fn send(address: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
    let address = address.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).expect("a connection");
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIdempotency-Key: k1\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, serde_json::from_str(body).expect("JSON")))
}

/// Opens the space in a server, which needs the lock for writing.
fn open_space(address: &str) {
    let answer = send(
        address,
        "/v1/spaces/core/recall",
        &json!({ "query": "ferry" }),
    );
    assert_eq!(answer.expect("an answer").0, 200);
}

type Sent = JoinHandle<Option<(u16, Value)>>;

/// Sends it while nobody can write to the space, and waits until the key is known.
fn send_and_wait(bench: &Bench, address: &str, path: &'static str, body: &Value) -> Sent {
    let (address, body) = (address.to_owned(), body.clone());
    let sent = std::thread::spawn(move || send(&address, path, &body));
    let file = space(bench).join("observed/requests.db");
    until(|| count(&file, "SELECT count(*) FROM requests WHERE answer IS NULL") == 1);
    sent
}

fn until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(8), "it never was");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The number that a database has for a query; 0 if it has no such table yet.
fn count(file: &PathBuf, sql: &str) -> i64 {
    let opened = Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY);
    opened
        .and_then(|file| file.query_row(sql, [], |row| row.get(0)))
        .unwrap_or(0)
}

fn stored(bench: &Bench) -> i64 {
    let file = space(bench).join("memories/active.db");
    count(&file, "SELECT count(*) FROM memories")
}

/// Takes the space's lock for writing, as a process that writes does.
fn no_writes(bench: &Bench) -> File {
    let lock = File::open(space(bench).join("write.lock")).expect("the lock");
    lock.lock().expect("locked");
    lock
}

fn batch() -> Value {
    json!({ "memories": [{ "content": TEXT }, { "content": "" }, { "content": TEXT }] })
}

fn statuses(answer: &Value) -> Vec<u64> {
    let outcomes = answer["outcomes"].as_array().expect("outcomes").iter();
    outcomes.filter_map(|one| one["status"].as_u64()).collect()
}

#[test]
fn a_request_that_a_killed_server_had_not_stored_is_done_at_once() {
    let bench = bench();
    let draft = json!({ "content": TEXT });
    let server = bench.serve("127.0.0.1:0");
    open_space(&server.address);
    let lock = no_writes(&bench);
    let sent = send_and_wait(&bench, &server.address, MEMORIES, &draft);
    drop(server);
    assert_eq!(sent.join().expect("sent"), None);
    drop(lock);
    assert_eq!(stored(&bench), 0);

    let server = bench.serve("127.0.0.1:0");
    let (status, told) = send(&server.address, MEMORIES, &draft).expect("an answer");
    assert_eq!(status, 201, "{told}");
    let again = send(&server.address, MEMORIES, &draft);
    assert_eq!(again, Some((201, told)));
    assert_eq!(stored(&bench), 1);
    let other = send(&server.address, MEMORIES, &json!({ "content": "another" }));
    assert_eq!(other.map(|(status, _)| status), Some(422));
}

/// Kills a server that has stored a request's memories, so that the space has `most`, and has not noted that it did.
fn kill_after_storing(bench: &Bench, path: &'static str, body: &Value, most: i64) {
    let server = bench.serve("127.0.0.1:0");
    open_space(&server.address);
    let lock = no_writes(bench);
    let sent = send_and_wait(bench, &server.address, path, body);
    let requests = Connection::open(space(bench).join("observed/requests.db")).expect("the file");
    requests.execute_batch("BEGIN IMMEDIATE").expect("locked");
    drop(lock);
    until(|| stored(bench) == most);
    // What it does after storing is done once it waits for the file of requests.
    std::thread::sleep(Duration::from_millis(500));
    drop(server);
    assert_eq!(sent.join().expect("sent"), None);
}

#[test]
fn a_request_that_a_killed_server_had_stored_gets_its_outcome_at_once() {
    let bench = bench();
    kill_after_storing(&bench, BATCH, &batch(), 2);
    let listed = bench.json(&["--space", "core", "list"]);
    let mut memories = listed["memories"].as_array().expect("memories").clone();
    memories.sort_by_key(|memory| memory["seq"].as_u64());
    let citation = |number: usize| format!("m{}", memories[number]["row"]);
    // What happens to a memory before the client asks again changes nothing.
    bench.json(&["--space", "core", "edit", &citation(0), "--importance", "9"]);
    bench.json(&["--space", "core", "forget", &citation(1), "--hard", "--yes"]);

    let server = bench.serve("127.0.0.1:0");
    let (status, told) = send(&server.address, BATCH, &batch()).expect("an answer");
    assert_eq!((status, statuses(&told)), (200, vec![201, 422, 201]));
    for (outcome, memory) in [(0, &memories[0]), (2, &memories[1])] {
        let remembered = &told["outcomes"][outcome]["remembered"];
        assert_eq!(remembered["id"], memory["id"], "{told}");
        assert_eq!(remembered["seq"], memory["seq"], "{told}");
    }
    assert_eq!(stored(&bench), 2);
    assert_eq!(send(&server.address, BATCH, &batch()), Some((200, told)));
    let digests = "SELECT count(*) FROM requests WHERE body IS NOT NULL OR salt IS NOT NULL";
    let file = space(&bench).join("observed/requests.db");
    assert_eq!(count(&file, digests), 0, "of an erased memory");
}

#[test]
fn a_capture_that_a_killed_server_had_stored_is_not_stored_again() {
    let bench = bench();
    let said = |role| json!({ "content": TEXT, "body": { "kind": "message", "role": role } });
    let capture = json!({ "host": "codex", "memories": [said("user"), said("assistant")] });
    let path = "/v1/spaces/core/captures";
    kill_after_storing(&bench, path, &capture, 2);
    let server = bench.serve("127.0.0.1:0");
    let (status, told) = send(&server.address, path, &capture).expect("an answer");
    assert_eq!((status, statuses(&told)), (200, vec![201, 201]));
    assert_eq!(stored(&bench), 2);
}

#[test]
fn a_rewording_that_a_killed_server_had_noticed_is_not_linked_again() {
    let bench = bench();
    bench.json(&[
        "--space",
        "core",
        "spaces",
        "set",
        "--duplicates",
        "semantic",
    ]);
    let known = bench.json(&[
        "--space",
        "core",
        "remember",
        "The saffron ferry always leaves the harbour at nine",
    ]);
    let draft = json!({ "content": "The saffron ferry always leaves the harbour at nine." });
    kill_after_storing(&bench, MEMORIES, &draft, 2);
    let events = |bench: &Bench| {
        let file = space(bench).join("memories/active.db");
        count(&file, "SELECT count(*) FROM events")
    };
    let before = events(&bench);
    assert!(before > 2, "it was linked");
    let server = bench.serve("127.0.0.1:0");
    let (status, told) = send(&server.address, MEMORIES, &draft).expect("an answer");
    assert_eq!((status, &told["id"]), (200, &known["id"]), "{told}");
    assert!(told["rewording"].is_string(), "{told}");
    assert_eq!(events(&bench), before);
}

#[test]
fn two_servers_that_get_a_request_at_once_store_it_once() {
    let bench = bench();
    let servers = [bench.serve("127.0.0.1:0"), bench.serve("127.0.0.1:0")];
    for server in &servers {
        open_space(&server.address);
    }
    let lock = no_writes(&bench);
    let sent = servers
        .each_ref()
        .map(|server| send_and_wait(&bench, &server.address, BATCH, &batch()));
    drop(lock);
    let [one, other] = sent.map(|sent| sent.join().expect("sent").expect("an answer"));
    assert_eq!(one, other);
    assert_eq!(statuses(&one.1), [201, 422, 201]);
    assert_eq!(stored(&bench), 2);
}
