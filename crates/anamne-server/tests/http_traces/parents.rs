//! Whose traces requests belong to, and which are exported.

use crate::collector::{Collector, attribute};
use crate::traced;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A `traceparent` with these flags.
fn parent(flags: &str) -> String {
    format!("00-{TRACE}-{PARENT}-{flags}")
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("text");
        text
    })
}

#[test]
fn a_request_continues_the_trace_of_its_caller() {
    let collector = Collector::start();
    let server = traced(&collector, &[]);
    let check = |id: &str, given: &str, state: &[&str]| {
        let mut headers = vec![("x-request-id", id), ("traceparent", given)];
        headers.extend(state.iter().map(|state| ("tracestate", *state)));
        assert_eq!(server.send("GET", "/healthz", &headers, None).status, 200);
    };
    let sampled = parent("01");
    check("plain", &sampled, &[]);
    check(
        "stateful",
        &sampled,
        &["vendor=t61rcWkgMzE, 1a@other=00f067"],
    );
    check("lines", &sampled, &["one=1", "two=2"]);
    check("other-flags", &parent("ff"), &[]);
    check(
        "later",
        &format!("cc-{TRACE}-{PARENT}-01-what-comes-later"),
        &[],
    );
    // Only the state is ignored.
    check("no-state", &sampled, &["no list member", "one=1"]);
    let long = format!("vendor={}", "x".repeat(60_000));
    check("long-state", &sampled, &[&long]);
    let keyed = "vendor=anamne_0123456789abcdef_01";
    check("keyed-state", &sampled, &[keyed]);
    drop(server.end());
    let states = [
        ("plain", ""),
        ("stateful", "vendor=t61rcWkgMzE,1a@other=00f067"),
        ("lines", "one=1,two=2"),
        ("other-flags", ""),
        ("later", ""),
        ("no-state", ""),
        ("long-state", ""),
        ("keyed-state", ""),
    ];
    for (id, state) in states {
        let span = collector.request(id);
        assert_eq!(hex(&span.trace_id), TRACE, "{id}");
        assert_eq!(hex(&span.parent_span_id), PARENT, "{id}");
        assert_eq!(span.trace_state, state, "{id}");
        // Sampled, and the parent is known to be another process's.
        assert_eq!(span.flags, 0x301, "{id}");
    }
}

#[test]
fn a_malformed_parent_is_ignored() {
    let collector = Collector::start();
    let server = traced(&collector, &[]);
    let long = format!("cc-{TRACE}-{PARENT}-01-{}", "x".repeat(60_000));
    let malformed = [
        String::new(),
        "-".repeat(55),
        format!("00-{TRACE}-{PARENT}"),
        format!("00-{TRACE}-{PARENT}-1"),
        format!("00-{TRACE}-{PARENT}-01-"),
        format!("00-{TRACE}-{PARENT}-01-more"),
        format!("00-{TRACE}-{PARENT}-0g"),
        format!("00-{TRACE}-{PARENT}-+1"),
        format!("ff-{TRACE}-{PARENT}-01"),
        format!("0-{TRACE}-{PARENT}-001"),
        format!("cc-{TRACE}-{PARENT}-01x"),
        format!("00-{}-{PARENT}-01", TRACE.to_ascii_uppercase()),
        format!("00-{}-{PARENT}-01", "0".repeat(32)),
        format!("00-{TRACE}-{}-01", "0".repeat(16)),
        format!("00-{}-{PARENT}0-01", &TRACE[1..]),
        format!("00-+{}-{PARENT}-01", &TRACE[1..]),
        format!("00_{TRACE}_{PARENT}_01"),
        format!("00-é{}-{PARENT}-01", &TRACE[2..]),
        long,
    ];
    for (number, given) in malformed.iter().enumerate() {
        let id = format!("malformed-{number}");
        let headers = [
            ("x-request-id", id.as_str()),
            ("traceparent", given.as_str()),
        ];
        assert_eq!(server.send("GET", "/healthz", &headers, None).status, 200);
    }
    let (one, other) = (parent("01"), parent("01"));
    let twice = [
        ("x-request-id", "twice"),
        ("traceparent", one.as_str()),
        ("traceparent", other.as_str()),
    ];
    server.send("GET", "/healthz", &twice, None).expect(200);
    drop(server.end());
    let numbers = 0..malformed.len();
    let ids = numbers.map(|number| format!("malformed-{number}"));
    for id in ids.chain(["twice".to_owned()]) {
        let span = collector.request(&id);
        assert!(span.parent_span_id.is_empty(), "{id}: {span:?}");
        assert!(
            hex(&span.trace_id) != TRACE && span.trace_id.len() == 16,
            "{id}"
        );
    }
}

/// Which of three requests are exported: without a parent, with one that is sampled, and with one that is not.
#[track_caller]
fn check_sampler(variables: &[(&str, &str)], expected: &[&str]) {
    let collector = Collector::start();
    let server = traced(&collector, variables);
    server.send("GET", "/healthz", &[("x-request-id", "none")], None);
    for (id, flags) in [("sampled", "01"), ("unsampled", "00")] {
        let given = parent(flags);
        let headers = [("x-request-id", id), ("traceparent", given.as_str())];
        server.send("GET", "/healthz", &headers, None);
    }
    crate::store_and_recall(&server);
    drop(server.end());
    let spans = collector.spans();
    let ids = spans
        .iter()
        .map(|span| attribute(span, "anamne.request.id"));
    let known = ids.filter(|id| ["none", "sampled", "unsampled"].contains(&id.as_str()));
    let mut known: Vec<_> = known.collect();
    known.sort_unstable();
    assert_eq!(known, expected, "{variables:?}");
    let recalls = spans.iter().any(|span| span.name == "recall.search");
    assert_eq!(recalls, expected.contains(&"none"), "{variables:?}");
}

#[test]
fn samplers_choose_whole_traces() {
    let sampler = |name| ("OTEL_TRACES_SAMPLER", name);
    let ratio = |ratio| ("OTEL_TRACES_SAMPLER_ARG", ratio);
    let all = ["none", "sampled", "unsampled"];
    check_sampler(&[], &["none", "sampled"]);
    check_sampler(&[sampler("parentbased_always_on")], &["none", "sampled"]);
    check_sampler(&[sampler("parentbased_always_off")], &["sampled"]);
    check_sampler(
        &[sampler("parentbased_traceidratio"), ratio("0")],
        &["sampled"],
    );
    check_sampler(&[sampler("parentbased_traceidratio")], &["none", "sampled"]);
    check_sampler(&[sampler("always_on")], &all);
    check_sampler(&[sampler("always_off")], &[]);
    check_sampler(&[sampler("traceidratio"), ratio("1.0")], &all);
    check_sampler(&[sampler("traceidratio"), ratio("0.0")], &[]);
}
