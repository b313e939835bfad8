//! The wire protocol, written by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anamne::{Clock, Options};
use anamne_server::mcp::{LONGEST_LINE, Settings, ToolSet};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::common::{LATEST, Raw, meta, text};

#[tokio::test]
async fn each_revision_with_a_handshake_is_spoken_as_asked_and_others_fall_back() {
    for (asked, spoken) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("2999-01-01", "2025-11-25"),
    ] {
        let mut raw = Raw::start();
        let reply = raw.initialize(asked).await;
        let result = &reply["result"];
        assert_eq!(result["protocolVersion"], spoken, "{reply}");
        assert_eq!(result["serverInfo"]["name"], "anamne");
        assert!(result["capabilities"]["tools"].is_object(), "{reply}");
        let listed = raw.request("tools/list", Value::Null).await;
        let listed = &listed["result"];
        assert_eq!(listed["tools"].as_array().map(Vec::len), Some(8));
        assert!(listed.get("resultType").is_none() && listed.get("ttlMs").is_none());
        raw.finish().await;
    }
}

#[tokio::test]
async fn the_latest_revision_needs_no_handshake_but_its_metadata_on_each_request() {
    let mut raw = Raw::start();
    let found = raw
        .request("server/discover", json!({ "_meta": meta(LATEST) }))
        .await;
    let versions = found["result"]["supportedVersions"].as_array().cloned();
    let versions = versions.unwrap_or_else(|| panic!("{found}"));
    assert!(versions.contains(&json!(LATEST)) && versions.contains(&json!("2025-11-25")));
    assert!(found["result"]["instructions"].is_string(), "{found}");

    let listed = raw
        .request("tools/list", json!({ "_meta": meta(LATEST) }))
        .await;
    assert_eq!(listed["result"]["resultType"], "complete", "{listed}");
    assert_eq!(listed["result"]["cacheScope"], "public");
    assert!(listed["result"]["ttlMs"].as_u64() > Some(0));

    let arguments = json!({ "content": "The staging server listens on port 8471" });
    let call = json!({ "name": "memory_store", "arguments": arguments, "_meta": meta(LATEST) });
    let stored = raw.request("tools/call", call).await;
    assert_eq!(stored["result"]["structuredContent"]["duplicate"], false);
    assert_eq!(stored["result"]["resultType"], "complete", "{stored}");

    let get = json!({
        "name": "memory_get",
        "arguments": { "id": stored["result"]["structuredContent"]["id"] },
        "_meta": meta(LATEST),
    });
    let got = raw.request("tools/call", get).await;
    let first = &got["result"]["structuredContent"]["history"][0];
    assert_eq!(
        first["actor"],
        json!({ "kind": "agent", "name": "stateless" }),
        "{got}"
    );

    let bare = raw.request("tools/list", Value::Null).await;
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
    let ping = raw.request("ping", json!({ "_meta": meta(LATEST) })).await;
    assert_eq!(ping["error"]["code"], -32601, "{ping}");
    let unknown = raw
        .request("tools/list", json!({ "_meta": meta("2999-01-01") }))
        .await;
    assert!(
        unknown["error"]["data"]["supported"].is_array(),
        "{unknown}"
    );
    raw.finish().await;
}

/// Invalid lines, and the error code of each reply; `None` for no reply.
const NONSENSE: &[(&str, Option<i64>)] = &[
    ("", None),
    ("   \t ", None),
    ("hello", Some(-32700)),
    ("{\"jsonrpc\":\"2.0\",", Some(-32700)),
    ("\u{0}\u{1}", Some(-32700)),
    ("[]", Some(-32600)),
    (
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
        Some(-32600),
    ),
    ("42", Some(-32600)),
    ("\"ping\"", Some(-32600)),
    ("null", Some(-32600)),
    ("{}", Some(-32600)),
    ("{\"id\":7,\"method\":\"ping\"}", Some(-32600)),
    (
        "{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}",
        Some(-32600),
    ),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
        Some(-32600),
    ),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":{\"a\":1},\"method\":\"ping\"}",
        Some(-32600),
    ),
    ("{\"jsonrpc\":\"2.0\",\"id\":7}", Some(-32600)),
    ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":3}", Some(-32600)),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"no/such\"}",
        Some(-32601),
    ),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"}",
        Some(-32602),
    ),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":[1]}",
        Some(-32602),
    ),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":5}}",
        Some(-32602),
    ),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"memory_search\",\"arguments\":\"x\"}}",
        Some(-32602),
    ),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}",
        Some(-32602),
    ),
    ("{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}", None),
    (
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}",
        None,
    ),
    (
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":5}",
        None,
    ),
    ("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}", None),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":1,\"message\":\"m\"}}",
        None,
    ),
    ("{\"jsonrpc\":\"2.0\",\"result\":3,\"error\":4}", None),
];

async fn check_nonsense(raw: &mut Raw) {
    for (line, code) in NONSENSE {
        raw.send_bytes(format!("{line}\n").as_bytes()).await;
        if let Some(code) = code {
            let reply = raw.receive().await;
            assert_eq!(reply["error"]["code"], *code, "{line} -> {reply}");
            let id = if line.contains("\"id\":7") {
                json!(7)
            } else {
                Value::Null
            };
            assert_eq!(reply["id"], id, "{line} -> {reply}");
        }
        let ping = raw.request("ping", Value::Null).await;
        assert_eq!(ping["result"], json!({}), "after {line:?}");
    }
    raw.send_bytes(b"\xff\xfe\xfd\n").await;
    assert_eq!(raw.receive().await["error"]["code"], -32700);
}

#[tokio::test]
async fn nonsense_before_the_handshake_is_answered_and_the_server_goes_on() {
    let mut raw = Raw::start();
    check_nonsense(&mut raw).await;
    let reply = raw.initialize("2025-11-25").await;
    assert_eq!(reply["result"]["protocolVersion"], "2025-11-25");
    raw.store("still there").await;
    raw.finish().await;
}

#[tokio::test]
async fn nonsense_after_the_handshake_is_answered_and_the_server_goes_on() {
    let mut raw = Raw::initialized("2025-11-25").await;
    check_nonsense(&mut raw).await;
    raw.store("still there").await;
    raw.finish().await;
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_refused_and_skipped() {
    let mut raw = Raw::initialized("2025-11-25").await;
    let mut line = vec![b'x'; LONGEST_LINE + 1];
    line.push(b'\n');
    raw.send_bytes(&line).await;
    let reply = raw.receive().await;
    assert_eq!(reply["error"]["code"], -32600, "{reply}");
    raw.store("still there").await;
    raw.finish().await;
}

#[tokio::test]
async fn the_largest_content_passes_and_one_byte_more_is_refused() {
    let mut raw = Raw::initialized("2025-11-25").await;
    let largest = "\u{1}a".repeat(500_000);
    raw.store(&largest).await;
    let said = raw
        .refused("memory_store", json!({ "content": format!("{largest}b") }))
        .await;
    assert!(
        said.contains("content") && said.contains("1000000") && said.contains("1000001"),
        "{said}"
    );
    raw.finish().await;
}

#[tokio::test]
async fn unknown_tools_and_cursors_are_errors_of_the_protocol() {
    let mut raw = Raw::initialized("2025-11-25").await;
    let unknown = raw
        .request("tools/call", json!({ "name": "memory_drop" }))
        .await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(unknown["error"]["message"], "unknown tool: memory_drop");
    let cursor = raw.request("tools/list", json!({ "cursor": "abc" })).await;
    assert_eq!(cursor["error"]["code"], -32602, "{cursor}");
    raw.finish().await;
}

#[tokio::test]
async fn invalid_arguments_are_reported_as_the_revision_requires() {
    let call = || json!({ "name": "memory_search", "arguments": { "query": 7 } });
    let mut raw = Raw::initialized("2025-06-18").await;
    let reply = raw.request("tools/call", call()).await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
    assert_eq!(
        reply["error"]["message"],
        "query must be a string, but was 7"
    );
    raw.finish().await;

    let mut raw = Raw::initialized("2025-11-25").await;
    let reply = raw.request("tools/call", call()).await;
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    assert_eq!(text(&reply["result"]), "query must be a string, but was 7");
    let error = &reply["result"]["structuredContent"]["error"];
    assert_eq!(error["field"], "query");
    assert_eq!(error["kind"], "refused");
    raw.finish().await;
}

#[tokio::test]
async fn a_client_that_does_not_wait_finds_what_it_stored() {
    let mut raw = Raw::initialized("2025-11-25").await;
    for number in 0..20 {
        let content = format!("The budget of quarter {number} was signed by Weber{number}");
        let store = json!({ "name": "memory_store", "arguments": { "content": content } });
        let query = format!("who signed quarter {number}, Weber{number}?");
        let search = json!({ "name": "memory_search", "arguments": { "query": query } });
        raw.send(
            &json!({ "jsonrpc": "2.0", "id": "store", "method": "tools/call", "params": store }),
        )
        .await;
        raw.send(
            &json!({ "jsonrpc": "2.0", "id": "search", "method": "tools/call", "params": search }),
        )
        .await;
        // The search sees the stored memory; the order of the two replies is undefined.
        let (one, other) = (raw.receive().await, raw.receive().await);
        let found = if one["id"] == "search" { one } else { other };
        let best = &found["result"]["structuredContent"]["results"][0]["memory"]["content"];
        assert_eq!(best, &json!(content), "{found}");
    }
    raw.finish().await;
}

#[tokio::test]
async fn requests_in_flight_are_answered_before_the_end() {
    let mut raw = Raw::initialized("2025-11-25").await;
    let store = json!({ "name": "memory_store", "arguments": { "content": "last words" } });
    raw.send(&json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": store }))
        .await;
    let rest = raw.finish().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["result"]["structuredContent"]["duplicate"], false);
}

#[tokio::test]
async fn a_last_line_without_an_end_counts() {
    let mut raw = Raw::start();
    raw.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")
        .await;
    let rest = raw.finish().await;
    assert_eq!(rest, [json!({ "jsonrpc": "2.0", "id": 1, "result": {} })]);
}

#[tokio::test]
async fn a_silent_client_is_no_error() {
    assert!(Raw::start().finish().await.is_empty());
}

/// A clock that panics on demand.
#[derive(Debug, Default)]
struct PanickingClock(AtomicBool);

impl Clock for PanickingClock {
    fn now(&self) -> Timestamp {
        assert!(!self.0.load(Ordering::SeqCst), "the clock is broken");
        "2026-03-04T12:00:00Z".parse().expect("an instant")
    }
}

#[tokio::test]
async fn a_panic_ends_its_own_request_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(PanickingClock::default());
    let mut options = Options::new(folder.path()).background(false);
    options.clock = clock.clone();
    let mut raw = Raw::start_with(folder, options, Settings::default().structured(true));
    raw.initialize("2025-11-25").await;
    raw.store("before").await;
    clock.0.store(true, Ordering::SeqCst);
    let call = json!({ "name": "memory_store", "arguments": { "content": "meanwhile" } });
    let reply = raw.request("tools/call", call).await;
    assert_eq!(reply["error"]["code"], -32603, "{reply}");
    clock.0.store(false, Ordering::SeqCst);
    raw.store("after").await;
    let listed = raw.done("memory_list", json!({})).await;
    assert_eq!(
        listed["memories"].as_array().map(Vec::len),
        Some(2),
        "{listed}"
    );
    raw.finish().await;
}

#[tokio::test]
async fn times_are_read_by_the_clock_and_in_the_zone_of_the_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = Options::new(folder.path()).background(false);
    options.clock = Arc::new(PanickingClock::default());
    let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
    let mut raw = Raw::start_with(
        folder,
        options,
        Settings::default().zone(zone).structured(true),
    );
    raw.initialize("2025-11-25").await;
    for (content, at) in [
        ("evening", "2026-03-02T21:59:59Z"),
        ("midnight", "2026-03-02T22:00:00Z"),
    ] {
        raw.done(
            "memory_store",
            json!({ "content": content, "occurred_at": at }),
        )
        .await;
    }
    let yesterday = json!({ "since": "yesterday", "until": "yesterday" });
    let listed = raw.done("memory_list", yesterday).await;
    assert_eq!(
        listed["memories"].as_array().map(Vec::len),
        Some(1),
        "{listed}"
    );
    assert_eq!(listed["memories"][0]["content"], "midnight");
    let yesterday = json!("2026-03-02T22:00:00Z");
    let asked = json!({ "query": "what was yesterday?" });
    for tool in ["memory_search", "memory_context"] {
        let found = raw.done(tool, asked.clone()).await;
        assert_eq!(found["times"][0]["since"], yesterday, "{tool}: {found}");
    }
    // What is shown can be given back: it is in the zone in which times are read.
    let listed = json!({ "name": "memory_list", "arguments": { "since": "yesterday", "until": "yesterday" } });
    let reply = raw.request("tools/call", listed).await.to_string();
    assert!(reply.contains("2026-03-03 00:00"), "{reply}");
    let called = json!({ "name": "memory_search", "arguments": asked });
    let reply = raw.request("tools/call", called).await.to_string();
    let said = "yesterday is 2026-03-03 00:00 to 2026-03-04 00:00.";
    assert!(reply.contains(said), "{reply}");
    let called = json!({ "name": "memory_context", "arguments": { "query": "midnight" } });
    let reply = raw.request("tools/call", called).await.to_string();
    assert!(reply.contains("2026-03-03"), "{reply}");
    let asked = json!({ "query": "what was not on Monday, midnight or evening?" });
    for tool in ["memory_search", "memory_context"] {
        let called = json!({ "name": tool, "arguments": asked });
        let reply = raw.request("tools/call", called).await.to_string();
        let said = "on Monday had no effect: it is unclear which time is meant.";
        assert!(reply.contains(said), "{tool}: {reply}");
    }
    let said = raw
        .refused("memory_list", json!({ "since": "soonish" }))
        .await;
    assert!(said.starts_with("since must be a time such as"), "{said}");
    assert!(said.contains("soonish"), "{said}");
    raw.finish().await;
}

#[tokio::test]
async fn a_read_only_server_offers_nothing_that_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let settings = Settings::default()
        .tools(ToolSet::ReadOnly)
        .structured(true);
    let mut raw = Raw::start_with(folder, options, settings);
    let started = raw.initialize("2025-11-25").await;
    let instructions = started["result"]["instructions"].as_str().expect("words");
    assert!(
        instructions.contains("memory_search") && !instructions.contains("memory_store"),
        "{instructions}"
    );
    let listed = raw.request("tools/list", Value::Null).await;
    let tools = listed["result"]["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), 4);
    assert!(
        tools
            .iter()
            .all(|tool| tool["annotations"]["readOnlyHint"] == true)
    );
    let store = json!({ "name": "memory_store", "arguments": { "content": "x" } });
    assert_eq!(
        raw.request("tools/call", store).await["error"]["code"],
        -32602
    );
    raw.finish().await;
}
