//! Server-sent events.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anamne::{Options, Store};
use anamne_server::http::{Address, HttpSettings, Server};
use serde_json::Value;

use super::store;
use crate::common::raw::Raw;
use crate::common::served::Served;

const EVENTS: &str = "/v1/spaces/core/events";

/// A client that follows events.
fn follow(server: &Served, query: &str, headers: &str) -> Raw {
    let mut raw = Raw::open(server.address);
    raw.send(format!(
        "GET {EVENTS}{query} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"
    ));
    raw.until("retry: 1000");
    raw
}

/// The data of events in what was read.
fn data(text: &str) -> Vec<Value> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The number of the last event of the space.
fn last(server: &Served) -> u64 {
    let store = other_process(server);
    let log = anamne::LogQuery::default();
    let space = store.existing_space("core").expect("the space");
    space
        .log(&log)
        .expect("a log")
        .first()
        .map_or(0, |entry| entry.event.seq.0)
}

/// The store as another process opens it.
fn other_process(server: &Served) -> Store {
    let options = Options::new(server.store()).background(false);
    Store::open_with(options).expect("the store")
}

#[test]
fn events_arrive_as_they_happen_and_resume_where_they_ended() {
    let server = Served::start();
    let first = store(&server, "The ferry leaves at nine");
    let before = last(&server);
    let mut live = follow(&server, "", "");
    let second = store(&server, "The ferry leaves at ten");
    let seen = live.until(&second);
    let [event] = data(&seen).try_into().expect("one event");
    assert_eq!(event["kind"], "remembered");
    assert_eq!(event["memory"], second);
    assert_eq!(event["space"], "core");
    assert_eq!(event["seq"], before + 1);
    assert!(event["at"].is_string() && event["actor"]["kind"].is_string());
    assert!(event.get("content").is_none(), "{event}");
    assert!(seen.contains(&format!("id: {}\nevent: remembered\n", before + 1)));

    let store = other_process(&server);
    let space = store.existing_space("core").expect("the space");
    let third = space.remember("The ferry leaves at eleven").expect("told");
    live.until(&third.id.to_string());

    // All from the beginning, from a number, and from the last that was seen.
    let all = follow(&server, "?after=0", "").until(&third.id.to_string());
    assert!(all.contains(&first) && all.contains(&second));
    let some = follow(&server, &format!("?after={before}"), "").until(&third.id.to_string());
    assert!(!some.contains(&first) && some.contains(&second));
    let header = format!("Last-Event-ID: {}\r\n", before + 1);
    let rest = follow(&server, "?after=0", &header).until(&third.id.to_string());
    assert!(!rest.contains(&second), "{rest}");
}

#[test]
fn content_is_sent_only_if_asked_and_never_after_an_erasure() {
    let server = Served::start();
    let erased = store(&server, "The saffron ferry leaves at nine");
    let forgotten = store(&server, "The indigo ferry leaves at ten");
    let kept = store(
        &server,
        "The crimson ferry\r\n\r\nid: 999\ndata: leaves at eleven",
    );
    let seen = follow(&server, "?after=0&content=true", "").until(&kept);
    assert!(seen.contains("saffron") && seen.contains("indigo"));
    assert!(
        !seen.contains("\nid: 999"),
        "content can't be an event: {seen}"
    );
    let space = other_process(&server)
        .existing_space("core")
        .expect("the space");
    space
        .forget(forgotten.parse().expect("an id"))
        .expect("forgotten");
    let erasure = space.erase(erased.parse().expect("an id"));
    assert!(erasure.expect("erased").is_complete());
    let seen = follow(&server, "?after=0&content=true", "").until("erased");
    assert!(
        !seen.contains("saffron") && !seen.contains("indigo"),
        "{seen}"
    );
    assert!(seen.contains("crimson"));
    let plain = follow(&server, "?after=0", "").until("erased");
    assert!(!plain.contains("crimson"));
}

#[test]
fn what_can_not_be_followed_is_refused() {
    let server = Served::with(|settings| settings.limits.followers = 2);
    store(&server, "The ferry leaves at nine");
    server.get("/v1/spaces/nowhere/events").problem(404);
    server.get(&format!("{EVENTS}?since=1")).problem(422);
    server.get(&format!("{EVENTS}?after=x")).problem(422);
    let beyond = server.get(&format!("{EVENTS}?after=999")).problem(422);
    assert_eq!(beyond["field"], "after");
    let header = [("last-event-id", "x")];
    server.send("GET", EVENTS, &header, None).problem(422);
    let _held = [follow(&server, "", ""), follow(&server, "", "")];
    server.get(EVENTS).problem(503);
}

/// A request on a Unix socket, whose buffers are small; the answer is not read.
fn ask(path: &std::path::Path, target: &str, headers: &str) -> UnixStream {
    let mut stream = UnixStream::connect(path).expect("a connection");
    let head = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).expect("sent");
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_is_told_and_can_resume() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = || Options::new(folder.path().join("store")).background(false);
    let path = folder.path().join("s.sock");
    let mut settings = HttpSettings::default();
    settings.address = Address::Unix(path.clone());
    settings.limits.write_time = Duration::from_secs(6);
    let server = Server::bind(options(), &settings).await.expect("a server");
    // More than all buffers on the way hold: each time it is restored, the content is sent.
    let store = Store::open_with(options()).expect("the store");
    let space = store.space("core").expect("a space");
    let large = "The ferry leaves at nine and carries salt. ".repeat(1_000);
    let id = space.remember(large.as_str()).expect("told").id;
    for _ in 0..40 {
        space.forget(id).expect("forgotten");
        space.restore(id).expect("restored");
    }
    let head = 81;
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async { drop(ended.await) }));
    let following = move || {
        let close = "Connection: close\r\n";
        let mut slow = ask(&path, &format!("{EVENTS}?after=0&content=true"), close);
        for followers in [1, 0] {
            let wanted = format!("\nanamne_event_followers {followers}\n");
            let mut text = String::new();
            while !text.contains(&wanted) {
                std::thread::sleep(Duration::from_millis(50));
                text.clear();
                let mut metrics = ask(&path, "/metrics", close);
                metrics.read_to_string(&mut text).expect("metrics");
            }
        }
        let mut read = Vec::new();
        let _ = slow.read_to_end(&mut read);
        let read = String::from_utf8_lossy(&read);
        assert!(read.contains("event: end\ndata: {\"reason\":\"slow\"}"));
        let mut ids = read.lines().filter_map(|line| line.strip_prefix("id: "));
        let last: u64 = ids
            .next_back()
            .expect("some events")
            .parse()
            .expect("a number");
        assert!(last < head, "{last}");
        let mut resumed = ask(&path, EVENTS, &format!("Last-Event-ID: {last}\r\n"));
        let mut text = String::new();
        let wanted = format!("id: {}\n", last + 1);
        while !text.contains(&wanted) {
            let mut buffer = [0; 1_024];
            let count = resumed.read(&mut buffer).expect("events");
            assert!(count > 0, "{text}");
            text.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    };
    let followed = tokio::task::spawn_blocking(following).await;
    drop(end);
    running.await.expect("the end");
    followed.expect("a follower");
}

#[test]
fn streams_end_with_the_server() {
    let server = Served::start();
    store(&server, "The ferry leaves at nine");
    let mut live = follow(&server, "", "");
    let began = std::time::Instant::now();
    let _folder = server.end();
    assert!(began.elapsed() < Duration::from_secs(10));
    let rest = live.rest();
    assert!(
        rest.contains("event: end\ndata: {\"reason\":\"shutdown\"}\n\n"),
        "{rest}"
    );
}
