//! A collector that is slow, closed or wrong costs spans, and nothing else.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::collector::{Answer, Collector};
use crate::served::Served;
use crate::{MEMORIES, metric, store_and_recall, traced};

/// Spans are sent soon, and a collector that doesn't answer is given up soon.
const SOON: [(&str, &str); 2] = [
    ("OTEL_BSP_SCHEDULE_DELAY", "10"),
    ("OTEL_EXPORTER_OTLP_TIMEOUT", "200"),
];

const EXPORTED: &str = "anamne_spans_exported_total";

fn dropped(server: &Served, reason: &str) -> u64 {
    metric(
        server,
        &format!("anamne_spans_dropped_total{{reason=\"{reason}\"}}"),
    )
}

/// Waits until a number is as it must become.
#[track_caller]
fn until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_mins(1), "nothing happened");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Ends a server whose collector is of no use. How long the end may take is bounded, whatever the collector does.
#[track_caller]
fn end(server: Served) {
    let began = Instant::now();
    drop(server.end());
    let took = began.elapsed();
    assert!(took < Duration::from_secs(30), "{took:?}");
}

/// A server with this collector answers as ever, counts its spans as dropped, and ends.
#[track_caller]
fn check_useless(answers: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Collector {
    let collector = Collector::that(answers);
    let server = traced(&collector, &SOON);
    store_and_recall(&server);
    until(|| dropped(&server, "not_sent") > 0);
    store_and_recall(&server);
    assert_eq!(metric(&server, EXPORTED), 0);
    end(server);
    collector
}

#[test]
fn a_collector_that_says_nothing_is_given_up() {
    check_useless(|_| Answer::Hang);
}

#[test]
fn a_collector_that_never_ends_its_answer_is_given_up() {
    // The status says that the spans were taken; the rest is not waited for longer than the timeout.
    let collector = Collector::that(|_| Answer::Drip);
    let server = traced(&collector, &SOON);
    store_and_recall(&server);
    until(|| metric(&server, EXPORTED) > 0);
    end(server);
}

#[test]
fn a_collector_that_fails_or_speaks_nonsense_loses_its_spans() {
    let status = |status, headers: &str| Answer::Status(status, headers.to_owned(), vec![b'x'; 9]);
    check_useless(move |_| status(500, ""));
    check_useless(move |_| status(400, ""));
    check_useless(move |_| status(404, "Retry-After: 0\r\n"));
    check_useless(move |_| status(503, "Retry-After: 0\r\n"));
    let endless = format!("HTTP/1.1 200 OK\r\n{}", "X-More: y\r\n".repeat(100_000));
    let nonsense = [
        b"SSH-2.0-OpenSSH_9.9\r\n".to_vec(),
        Vec::new(),
        endless.into_bytes(),
    ];
    // They are tried again, with pauses.
    std::thread::scope(|scope| {
        for bytes in nonsense {
            scope.spawn(move || check_useless(move |_| Answer::Bytes(bytes.clone())));
        }
    });
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Collector::start();
    let to = format!("Location: {}/v1/traces\r\n", other.endpoint());
    let first = check_useless(move |_| Answer::Status(307, to.clone(), Vec::new()));
    assert!(!first.received().is_empty() && other.received().is_empty());
}

#[test]
fn a_closed_port_costs_nothing_but_spans() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()), SOON[0]];
    let traces = crate::read(&variables).expect("settings");
    let server = Served::with(|settings| settings.traces = traces);
    store_and_recall(&server);
    // While it is tried again.
    end(server);
}

#[test]
fn a_collector_that_hangs_for_long_does_not_hold_the_end_up() {
    let collector = Collector::that(|_| Answer::Hang);
    let variables = [("OTEL_EXPORTER_OTLP_TIMEOUT", "60000"), SOON[0]];
    let server = traced(&collector, &variables);
    store_and_recall(&server);
    until(|| !collector.received().is_empty());
    store_and_recall(&server);
    end(server);
}

#[test]
fn a_full_queue_drops_spans_and_counts_them() {
    let collector = Collector::that(|_| Answer::Hang);
    let variables = [
        ("OTEL_BSP_MAX_QUEUE_SIZE", "8"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "60000"),
        SOON[0],
    ];
    let server = traced(&collector, &variables);
    for number in 0..20 {
        let memory = json!({ "content": format!("Ferry {number} leaves at nine") });
        server.post(MEMORIES, &memory).expect(201);
    }
    until(|| !collector.received().is_empty());
    assert!(dropped(&server, "queue_full") > 0);
    assert_eq!(metric(&server, EXPORTED), 0);
    end(server);
}

#[test]
fn a_collector_that_is_busy_for_a_moment_gets_everything_once() {
    let busy = |number| match number {
        0 => Answer::Status(503, "Retry-After: 0\r\n".to_owned(), Vec::new()),
        1 => Answer::Status(429, "Retry-After: 0\r\n".to_owned(), Vec::new()),
        _ => Answer::taken(),
    };
    let collector = Collector::that(busy);
    let server = traced(&collector, &SOON[..1]);
    store_and_recall(&server);
    until(|| metric(&server, EXPORTED) > 0);
    assert_eq!(dropped(&server, "not_sent"), 0);
    drop(server.end());
    let received = collector.received();
    assert_eq!(received[0].body, received[1].body);
    assert_eq!(received[1].body, received[2].body);
    let mut spans = collector.spans();
    let all = spans.len();
    spans.sort_by(|one, other| one.span_id.cmp(&other.span_id));
    spans.dedup_by(|one, other| one.span_id == other.span_id);
    assert!(spans.len() < all, "the first ones were sent three times");
    assert!(spans.iter().any(|span| span.name == "recall.search"));
}

#[test]
fn rejected_spans_are_counted_and_a_lie_is_bounded() {
    let check = |rejected: i64, all_lost: bool| {
        let collector = Collector::that(move |_| Answer::rejected(rejected));
        let server = traced(&collector, &SOON[..1]);
        store_and_recall(&server);
        until(|| dropped(&server, "rejected") + metric(&server, EXPORTED) > 0);
        let (lost, taken) = (dropped(&server, "rejected"), metric(&server, EXPORTED));
        assert_eq!(lost > 0, all_lost, "{rejected}: {lost}");
        assert_eq!(taken == 0, all_lost, "{rejected}: {taken}");
        assert!(lost < 1_000, "{lost}");
        drop(server.end());
    };
    check(i64::MAX, true);
    check(i64::MIN, false);
    check(0, false);
}
