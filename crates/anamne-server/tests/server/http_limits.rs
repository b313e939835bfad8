//! Limits of the HTTP server, against clients that keep to no protocol.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use anamne::Clock;
use serde_json::json;

use crate::common::raw::{Raw, statuses};
use crate::common::served::Served;

const MEMORIES: &str = "/v1/spaces/core/memories";

/// A body that is larger than every limit.
const TOO_LARGE: usize = 9 << 20;

/// A server that soon closes idle connections.
fn brief() -> Served {
    Served::with(|settings| settings.limits.head_time = Duration::from_millis(700))
}

#[test]
fn heads_with_two_readings_are_refused_or_read_once() {
    let server = brief();
    let large = "a".repeat(200_000);
    let many = "X-A: 1\r\n".repeat(200);
    let check = |head: &str, expected: &[u16]| {
        let head = head.replace("HOST", "Host: localhost");
        let short = &head[..head.len().min(200)];
        assert_eq!(statuses(server.address, &head), expected, "{short}");
    };
    check("GET /healthz HTTP/1.1\r\nHOST\r\n\r\n", &[200]);
    check("GET /healthz HTTP/1.0\r\n\r\n", &[200]);
    check("GET /healthz HTTP/1.1\r\n\r\n", &[400]);
    check(
        "GET /healthz HTTP/1.1\r\nHOST\r\nHost: localhost\r\n\r\n",
        &[400],
    );
    check("GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", &[400]);
    check(
        "GET /healthz HTTP/1.1\r\nHost: me@localhost\r\n\r\n",
        &[400],
    );
    check(
        "GET http://evil.example/healthz HTTP/1.1\r\nHOST\r\n\r\n",
        &[421],
    );
    // Two lengths.
    check(
        "POST /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        &[400],
    );
    check(
        "POST /healthz HTTP/1.1\r\nHOST\r\nContent-Length: +3\r\n\r\nabc",
        &[400],
    );
    check(
        "POST /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 3, 3\r\n\r\nabc",
        &[400],
    );
    check(
        "POST /healthz HTTP/1.1\r\nHOST\r\nContent-Length: 99999999999999999999\r\n\r\n",
        &[400],
    );
    // Encodings that a proxy may read otherwise.
    for coding in ["identity", "chunked, identity", "xchunked", "\u{b}chunked"] {
        let head = format!(
            "POST /healthz HTTP/1.1\r\nHOST\r\nTransfer-Encoding: {coding}\r\n\r\n0\r\n\r\n"
        );
        check(&head, &[400]);
    }
    check(
        "POST /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        &[400],
    );
    check(
        "POST /healthz HTTP/1.1\r\nHOST\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        &[400],
    );
    // A folded line, and bytes that no header has.
    check(
        "GET /healthz HTTP/1.1\r\nHOST\r\nX-A: 1\r\n 2\r\n\r\n",
        &[400],
    );
    check(
        "GET /healthz HTTP/1.1\r\nHOST\r\nX-A: 1\x002\r\n\r\n",
        &[400],
    );
    check("GET /healthz HTTP/1.1\r\nHOST\r\nX-A: 1\r2\r\n\r\n", &[400]);
    // Closed without an answer: it is no HTTP/1.
    check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &[]);
    // Line ends without a carriage return, which RFC 9112 lets a server accept; the head still has one end.
    check("GET /healthz HTTP/1.1\nHost: localhost\n\n", &[200]);
    check("\u{16}\u{3}\u{1}\0nonsense\r\n\r\n", &[400]);
    // Too much.
    check(
        &format!("GET /healthz HTTP/1.1\r\nHOST\r\nX-A: {large}\r\n\r\n"),
        &[431],
    );
    check(
        &format!("GET /healthz HTTP/1.1\r\nHOST\r\n{many}\r\n"),
        &[431],
    );
}

#[test]
fn nothing_after_a_body_with_two_ends_is_read_as_a_request() {
    let server = brief();
    // With the length, the body is `0\r\n\r\nGET …`; with the encoding it is empty, and a request follows.
    let smuggled = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for order in [0, 1] {
        let mut headers = [
            format!("Content-Length: {}\r\n", smuggled.len() + 5),
            "Transfer-Encoding: chunked\r\n".to_owned(),
        ];
        headers.rotate_left(order);
        let head = format!(
            "POST {MEMORIES} HTTP/1.1\r\nHost: localhost\r\n{}",
            headers.concat()
        );
        let bytes = format!("{head}\r\n0\r\n\r\n{smuggled}");
        assert_eq!(statuses(server.address, bytes), [415], "order {order}");
    }
    // The body of a refused request is not read as the next one.
    let bytes = format!(
        "POST {MEMORIES} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{smuggled}",
        smuggled.len()
    );
    let after = format!("{bytes}GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(statuses(server.address, after), [415, 200]);
}

#[test]
fn requests_that_arrive_together_are_answered_in_order() {
    let server = brief();
    let one = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let bytes = [one("/healthz"), one("/v2"), one("/readyz")].concat();
    assert_eq!(statuses(server.address, bytes), [200, 404, 200]);
}

#[test]
fn a_body_that_is_too_large_is_refused_and_the_client_reads_why() {
    let server = Served::start();
    let body = vec![b' '; TOO_LARGE];
    let headers = [("content-type", "application/json")];
    for _ in 0..3 {
        let refused = server.send("POST", MEMORIES, &headers, Some(&body));
        assert!(
            refused.problem(413)["detail"]
                .to_string()
                .contains("8388608")
        );
    }
    // By its declared length alone.
    let mut raw = Raw::open(server.address);
    let head = "Host: localhost\r\nContent-Type: application/json\r\n";
    raw.send(format!(
        "POST {MEMORIES} HTTP/1.1\r\n{head}Content-Length: 99999999999\r\n\r\n"
    ));
    raw.until("urn:anamne:problem:too_large");
    // In chunks, of which none says how many there are.
    let mut raw = Raw::open(server.address);
    raw.send(format!(
        "POST {MEMORIES} HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n"
    ));
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x1_0000));
    for _ in 0..TOO_LARGE / 0x1_0000 {
        assert!(raw.send(&chunk), "the server reads on");
    }
    raw.until("urn:anamne:problem:too_large");
    server
        .post(MEMORIES, &json!({ "content": "Still here" }))
        .expect(201);
}

#[test]
fn compressed_bodies_are_refused() {
    let server = Served::start();
    for coding in ["gzip", "br", "zstd", "identity"] {
        let headers = [
            ("content-type", "application/json"),
            ("content-encoding", coding),
        ];
        let refused = server.send("POST", MEMORIES, &headers, Some(b"{}"));
        refused.problem(415);
    }
}

#[test]
fn slow_clients_are_cut_off() {
    let server = Served::with(|settings| {
        settings.limits.head_time = Duration::from_millis(300);
        settings.limits.body_time = Duration::from_millis(300);
    });
    // Half a head, a byte at a time.
    let mut raw = Raw::open(server.address);
    let began = Instant::now();
    for byte in "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
        .repeat(50)
        .bytes()
    {
        if !raw.send([byte]) || began.elapsed() > Duration::from_secs(2) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!raw.rest().contains(" 200 "));
    assert!(began.elapsed() < Duration::from_secs(10));
    // No byte at all.
    assert!(Raw::open(server.address).is_closed());
    // Lines that stop are not said to have ended.
    let mut raw = Raw::open(server.address);
    raw.send(
        "POST /v1/spaces/core/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: 100\r\nConnection: close\r\n\r\n{}",
    );
    let answered = raw.rest();
    assert!(
        answered.contains("nothing of the body came for too long"),
        "{answered}"
    );
    // Half a body; and one that comes a byte at a time.
    let head = format!(
        "POST {MEMORIES} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
    );
    let mut raw = Raw::open(server.address);
    raw.send(&head);
    raw.until("urn:anamne:problem:too_slow");
    let mut raw = Raw::open(server.address);
    raw.send(&head);
    let sender = raw.stream.try_clone().expect("a connection");
    let trickle = std::thread::spawn(move || {
        let mut sender = Raw::of(sender);
        for _ in 0..60 {
            sender.send(" ");
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    raw.until("HTTP/1.1 408");
    trickle.join().expect("a thread");
    server.get("/healthz").expect(200);
}

#[test]
fn a_client_that_reads_nothing_is_cut_off() {
    let server = Served::with(|settings| {
        settings.limits.write_time = Duration::from_millis(300);
    });
    let mut raw = Raw::open(server.address);
    let request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    raw.stream
        .set_write_timeout(Some(Duration::from_millis(100)))
        .expect("a timeout");
    // More than all buffers on the way hold.
    for _ in 0..20_000 {
        if !raw.send(request) {
            break;
        }
    }
    wait_for(&server, "anamne_connections 1");
}

#[test]
fn connections_beyond_the_limit_are_closed_at_once_and_counted() {
    let server = Served::with(|settings| settings.limits.connections = 4);
    let mut held: Vec<_> = (0..4).map(|_| held(server.address)).collect();
    assert!(Raw::open(server.address).is_closed());
    assert!(Raw::open(server.address).is_closed());
    // Asked on one of them, because another connection would be refused and counted as well.
    let mut asking = held.pop().expect("a connection");
    asking.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let metrics = asking.rest();
    let line = "anamne_refused_connections_total 2";
    assert!(metrics.lines().any(|found| found == line), "{metrics}");
}

/// A connection that was accepted.
fn held(address: std::net::SocketAddr) -> Raw {
    let mut raw = Raw::open(address);
    raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    raw.until("alive");
    raw
}

#[test]
fn many_idle_connections_leave_room_for_requests() {
    // Two files for each, because both ends are here, and other tests of this process need some too.
    let count = std::env::var("ANAMNE_IDLE_CONNECTIONS");
    let count = count.map_or(250, |count| count.parse().expect("a number"));
    let server = Served::with(|settings| settings.limits.connections = count + 8);
    let mut idle = Vec::new();
    for number in 0..count {
        let mut raw = Raw::open(server.address);
        if number % 2 == 0 {
            raw.send("POST /v1/spaces/core/memories HTTP/1.1\r\nHost: loc");
        }
        idle.push(raw);
    }
    let stored = server.post(MEMORIES, &json!({ "content": "Among many" }));
    stored.expect(201);
    wait_for(&server, &format!("anamne_connections {}", count + 1));
    drop(idle);
    wait_for(&server, "anamne_connections 1");
}

/// Waits until the metrics have a line.
#[track_caller]
fn wait_for(server: &Served, line: &str) {
    let began = Instant::now();
    let mut text = String::new();
    while began.elapsed() < Duration::from_secs(20) {
        // A refused connection is no answer.
        let mut raw = Raw::open(server.address);
        raw.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        text = raw.rest();
        if text.lines().any(|found| found == line) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("no line {line:?} in {text}");
}

const GOOD: u8 = 0;
const BROKEN: u8 = 1;
const HANGING: u8 = 2;

/// A clock that can fail and hang.
#[derive(Default)]
struct BadClock(AtomicU8);

impl Clock for BadClock {
    fn now(&self) -> jiff::Timestamp {
        assert_ne!(self.0.load(Ordering::SeqCst), BROKEN, "the clock broke");
        while self.0.load(Ordering::SeqCst) == HANGING {
            std::thread::sleep(Duration::from_millis(5));
        }
        jiff::Timestamp::now()
    }
}

#[test]
fn a_panic_or_a_hang_in_one_request_leaves_the_others_alone() {
    let clock = Arc::new(BadClock::default());
    let server = Served::with_options(
        |options| options.clock = clock.clone(),
        |settings| settings.limits.request_time = Duration::from_millis(1_500),
    );
    let store = |text: &str| server.post(MEMORIES, &json!({ "content": text }));
    store("Before").expect(201);
    clock.0.store(BROKEN, Ordering::SeqCst);
    let failed = store("Meanwhile").problem(500);
    assert_eq!(failed["type"], "urn:anamne:problem:failed");
    assert!(!failed.to_string().contains("clock"), "{failed}");
    clock.0.store(HANGING, Ordering::SeqCst);
    store("Slowly").problem(503);
    clock.0.store(GOOD, Ordering::SeqCst);
    server.get("/healthz").expect(200);
    let began = Instant::now();
    while store("After").status != 201 {
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}
