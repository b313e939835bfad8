//! What is in the spans.

use std::collections::BTreeMap;

use anamne::{NewKey, Options, Store, TenantQuota};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use serde_json::json;

use crate::collector::{Collector, attribute, text_of};
use crate::{MEMORIES, RECALL, store_and_recall, traced};

fn attributes(span: &Span) -> BTreeMap<String, String> {
    let pairs = span.attributes.iter();
    pairs
        .map(|pair| (pair.key.clone(), text_of(pair)))
        .collect()
}

fn names(spans: &[Span]) -> Vec<&str> {
    spans.iter().map(|span| span.name.as_str()).collect()
}

fn is_error(span: &Span) -> bool {
    let status = span.status.as_ref().map(|status| status.code);
    status == Some(StatusCode::Error as i32)
}

#[track_caller]
fn assert_within(span: &Span, parent: &Span) {
    assert_eq!(span.trace_id, parent.trace_id);
    assert_eq!(span.kind, SpanKind::Internal as i32);
    assert!(span.attributes.is_empty(), "{span:?}");
    let times = [
        parent.start_time_unix_nano,
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        parent.end_time_unix_nano,
    ];
    assert!(
        times.is_sorted(),
        "{} in {}: {times:?}",
        span.name,
        parent.name
    );
}

#[test]
fn a_recall_is_a_span_with_its_wait_its_work_and_its_stages() {
    let collector = Collector::start();
    let server = traced(&collector, &[]);
    store_and_recall(&server);
    let port = server.address.port().to_string();
    drop(server.end());

    let request = collector.request("recall-1");
    assert_eq!(request.name, "POST /v1/spaces/{space}/recall");
    assert_eq!(request.kind, SpanKind::Server as i32);
    assert!(request.parent_span_id.is_empty() && !is_error(&request));
    let expected = [
        ("anamne.request.id", "recall-1"),
        ("http.request.method", "POST"),
        ("http.response.status_code", "200"),
        ("http.route", "/v1/spaces/{space}/recall"),
        ("server.address", "127.0.0.1"),
        ("server.port", port.as_str()),
        ("url.scheme", "http"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(attributes(&request), BTreeMap::from(expected));

    let below = collector.below(&request);
    assert_eq!(names(&below), ["pool.wait", "engine.work"]);
    let stages = collector.below(&below[1]);
    assert_eq!(
        names(&stages),
        [
            "recall.catch_up",
            "recall.gather",
            "recall.filter",
            "recall.prepare",
            "recall.filter",
            "recall.search",
            "recall.rank",
            "recall.rank",
            "recall.judge",
            "recall.answer",
            "recall.answer",
        ]
    );
    for span in &below {
        assert_within(span, &request);
    }
    for stage in &stages {
        assert_within(stage, &below[1]);
        assert!(collector.below(stage).is_empty());
    }
}

#[test]
fn a_call_of_a_tool_and_an_export_have_their_work() {
    let collector = Collector::start();
    let server = traced(&collector, &[]);
    server
        .post(MEMORIES, &json!({ "content": "The ferry leaves at nine" }))
        .expect(201);
    let arguments = json!({ "query": "when does the ferry leave?" });
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "probe", "version": "1" },
    });
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "memory_search", "arguments": arguments, "_meta": meta },
    });
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "memory_search"),
        ("x-request-id", "call-1"),
    ];
    let found = server.json("POST", "/mcp", &headers, &call).expect(200);
    assert!(found.to_string().contains("nine"), "{found}");
    let id = [("x-request-id", "export-1")];
    let exported = server.send("GET", "/v1/spaces/core/export", &id, None);
    assert!(exported.text.contains("nine"), "{}", exported.text);
    drop(server.end());

    let request = collector.request("call-1");
    assert_eq!(request.name, "POST /mcp");
    let below = collector.below(&request);
    let work = below.iter().filter(|span| span.name == "engine.work");
    let stages: Vec<_> = work.flat_map(|span| collector.below(span)).collect();
    assert!(names(&stages).contains(&"recall.search"), "{below:?}");
    let export = collector.request("export-1");
    assert_eq!(
        names(&collector.below(&export)),
        ["pool.wait", "engine.work"]
    );
}

#[test]
fn a_failure_is_an_error_and_a_refusal_is_none() {
    let collector = Collector::start();
    let server = traced(&collector, &[]);
    store_and_recall(&server);
    let path = server.store().join("spaces/broken");
    std::fs::create_dir_all(&path).expect("a folder");
    std::fs::write(path.join("space.toml"), "nonsense = [").expect("a file");
    let send = |id: &str, method: &str, path: &str, more: &[(&str, &str)], status: u16| {
        let headers = [&[("x-request-id", id)], more].concat();
        let answer = server.send(method, path, &headers, None);
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
    };
    let memory = "/v1/spaces/broken/memories/m1";
    send("broken", "GET", memory, &[], 500);
    send("missing", "GET", "/v1/spaces/core/memories/m99", &[], 404);
    send("nowhere", "GET", "/nowhere/at/all", &[], 404);
    send("strange", "BREW", "/healthz", &[], 405);
    send(
        "misdirected",
        "GET",
        "/healthz",
        &[("host", "evil.example")],
        421,
    );
    drop(server.end());

    let of = |id: &str, name: &str, wanted: &[(&str, &str)]| {
        let span = collector.request(id);
        assert_eq!(span.name, name, "{id}");
        for (attribute_name, value) in wanted {
            assert_eq!(
                attribute(&span, attribute_name),
                *value,
                "{id}: {attribute_name}"
            );
        }
        is_error(&span)
    };
    let status = "http.response.status_code";
    let route = "/v1/spaces/{space}/memories/{id}";
    let name = format!("GET {route}");
    assert!(of(
        "broken",
        &name,
        &[(status, "500"), ("error.type", "500")]
    ));
    let refused = [(status, "404"), ("error.type", ""), ("http.route", route)];
    assert!(!of("missing", &name, &refused));
    assert!(!of(
        "nowhere",
        "GET",
        &[(status, "404"), ("http.route", "")]
    ));
    let strange = [(status, "405"), ("http.request.method", "_OTHER")];
    assert!(!of("strange", "HTTP /healthz", &strange));
    let misdirected = [(status, "421"), ("server.address", "")];
    assert!(!of("misdirected", "GET /healthz", &misdirected));
}

#[test]
fn nothing_that_was_sent_is_exported() {
    let collector = Collector::start();
    let server = traced(&collector, &[]);
    let records = Store::open_with(Options::new(server.store())).expect("a store");
    let records = records.server_records().expect("records");
    let wanted = NewKey {
        tenant: Some("tenantword".to_owned()),
        ..NewKey::named("keynameword")
    };
    let quota = TenantQuota::default();
    records
        .create_tenant("tenantword", &quota)
        .expect("a tenant");
    let key = records.create_key(&wanted).expect("a key").key;
    let authorization = format!("Bearer {key}");
    let state = format!("vendor=1,other={key}");
    let traced_parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let headers = [
        ("authorization", authorization.as_str()),
        ("user-agent", "agentword"),
        ("x-forwarded-for", "forwardedword"),
        ("x-request-id", key.as_str()),
        ("traceparent", traced_parent),
        ("tracestate", state.as_str()),
        ("baggage", "user=baggageword"),
    ];
    let send = |method: &str, path: &str, body: serde_json::Value| {
        server.json(method, path, &headers, &body).status
    };
    let memories = "/v1/spaces/spaceword/memories";
    let memory = json!({ "content": "contentword", "tags": ["tagword"], "thread": "threadword" });
    assert_eq!(send("POST", memories, memory), 201);
    let question = json!({ "query": "queryword contentword" });
    assert_eq!(send("POST", "/v1/spaces/spaceword/recall", question), 200);
    assert_eq!(send("GET", "/v1/spaces?secret=paramword", json!({})), 400);
    assert_eq!(send("GET", "/pathword/anything", json!({})), 404);
    let wrong = [("authorization", "Bearer wrongword")];
    assert_eq!(server.send("GET", "/v1/spaces", &wrong, None).status, 401);
    let host = [("host", "hostword.example")];
    assert_eq!(server.send("GET", "/healthz", &host, None).status, 421);
    drop(server.end());

    assert!(names(&collector.spans()).contains(&"recall.search"));
    let parts = key.split('_').filter(|part| *part != "anamne");
    let words = [
        "contentword",
        "tagword",
        "threadword",
        "queryword",
        "spaceword",
        "tenantword",
        "keynameword",
        "agentword",
        "forwardedword",
        "baggageword",
        "paramword",
        "pathword",
        "wrongword",
        "hostword",
    ];
    let folder = std::env::temp_dir().display().to_string();
    let words = words.into_iter().chain(parts).chain([folder.as_str()]);
    let received = collector.received();
    for word in words {
        for request in &received {
            let found = request
                .body
                .windows(word.len())
                .any(|part| part == word.as_bytes());
            assert!(!found, "{word} was exported");
            assert!(!request.head.contains(word), "{word} in {}", request.head);
        }
    }
}

#[test]
fn requests_to_the_collector_say_what_they_are_and_who_sends_them() {
    let collector = Collector::start();
    let variables = [
        (
            "OTEL_EXPORTER_OTLP_HEADERS",
            "X-Scope=a%20b, authorization=Basic%20Zm9v==",
        ),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "deployment.environment.name=test,service.name=other",
        ),
        ("OTEL_SERVICE_NAME", "memory-1"),
    ];
    let server = traced(&collector, &variables);
    server.post(RECALL, &json!({ "query": "anything" }));
    drop(server.end());
    let received = collector.received();
    let head = &received.first().expect("a request").head;
    assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
    for line in [
        "x-scope: a b",
        "authorization: Basic Zm9v==",
        "content-type: application/x-protobuf",
    ] {
        let mut lines = head.lines();
        assert!(
            lines.any(|known| known.eq_ignore_ascii_case(line)),
            "{line}: {head}"
        );
    }
    let request = collector.requests().remove(0);
    let resource = request.resource_spans[0]
        .resource
        .as_ref()
        .expect("a resource");
    let pairs = resource.attributes.iter();
    let known: BTreeMap<_, _> = pairs
        .map(|pair| (pair.key.as_str(), text_of(pair)))
        .collect();
    assert_eq!(known["service.name"], "memory-1");
    assert_eq!(known["service.version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(known["deployment.environment.name"], "test");
    assert_eq!(known["telemetry.sdk.language"], "rust");
    let scope = request.resource_spans[0].scope_spans[0].scope.as_ref();
    assert_eq!(scope.map(|scope| scope.name.as_str()), Some("anamne"));
}

#[test]
fn without_an_endpoint_nothing_is_there() {
    let server = crate::Served::start();
    let memory = json!({ "content": "The ferry leaves at nine" });
    server.post(MEMORIES, &memory).expect(201);
    let text = server.get("/metrics").text;
    assert!(!text.contains("anamne_spans"), "{text}");
}
