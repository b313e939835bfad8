//! Metrics and health.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{MEMORIES, store};
use crate::common::served::Served;

#[test]
fn metrics_count_by_route_and_not_by_what_was_sent() {
    let server = Served::start();
    store(&server, "The ferry leaves at nine");
    let question = json!({ "query": "when does the ferry leave?" });
    server.post("/v1/spaces/core/recall", &question).expect(200);
    for number in 0..20 {
        server.get(&format!("/v1/spaces/secret{number}/memories/m1"));
        server.get(&format!("/nowhere{number}"));
        server.send(&format!("METHOD{number}"), "/healthz", &[], None);
    }
    let text = server.get("/metrics");
    assert!(text.header("content-type").starts_with("text/plain"));
    let text = text.text;
    let line = |wanted: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(wanted));
        let value = line.unwrap_or_else(|| panic!("no {wanted} in {text}"));
        value.trim().parse::<f64>().expect("a number")
    };
    let route = |method: &str, route: &str, status: u16| {
        line(&format!(
            "anamne_http_request_seconds_count{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}"
        ))
    };
    assert!((route("POST", "/v1/spaces/{space}/recall", 200) - 1.0).abs() < 0.1);
    let read = "/v1/spaces/{space}/memories/{id}";
    assert!((route("GET", read, 404) - 20.0).abs() < 0.1);
    assert!((route("GET", "none", 404) - 20.0).abs() < 0.1);
    assert!((route("other", "/healthz", 405) - 20.0).abs() < 0.1);
    assert!((line("anamne_http_requests_running") - 1.0).abs() < 0.1);
    assert!((line("anamne_tenants_open") - 1.0).abs() < 0.1);
    assert!(line("anamne_pool_work_seconds_count") >= 2.0);
    assert!(line("anamne_view_events_behind{view=\"lexical\"}").abs() < 0.1);
    assert!(line("anamne_view_seconds_behind{view=\"lexical\"}").abs() < 0.1);
    if cfg!(target_os = "linux") {
        assert!(line("process_resident_memory_bytes") > 1e6);
        assert!(line("process_open_fds") > 3.0);
    }
    assert!(
        !text.contains("secret") && !text.contains("METHOD"),
        "{text}"
    );
}

#[test]
fn metrics_say_what_recalls_cost_by_stage_and_cache() {
    let server = Served::start();
    let value = |wanted: &str| {
        let text = server.get("/metrics").text;
        let line = text.lines().find_map(|line| line.strip_prefix(wanted));
        let value = line.unwrap_or_else(|| panic!("no {wanted} in {text}"));
        value.trim().parse::<f64>().expect("a number")
    };
    let count = |stage: &str| {
        value(&format!(
            "anamne_recall_stage_seconds_count{{stage=\"{stage}\"}}"
        )) as u64
    };
    let looks = |cache: &str, outcome: &str| {
        value(&format!(
            "anamne_recall_cache_lookups_total{{cache=\"{cache}\",outcome=\"{outcome}\"}}"
        )) as u64
    };
    store(&server, "The ferry leaves at nine");
    let ask = |more: serde_json::Value| {
        let mut question = json!({ "query": "when does the ferry leave?" });
        question
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        server.post("/v1/spaces/core/recall", &question).expect(200);
    };
    let before = [count("search"), looks("profile", "hit")];
    ask(json!({}));
    let usual = [
        "catch_up", "gather", "prepare", "filter", "search", "rank", "judge", "answer",
    ];
    for stage in usual {
        assert_eq!(count(stage), before[0] + 1, "{stage}");
    }
    for stage in ["expand", "reorder", "pack"] {
        assert_eq!(count(stage), 0, "{stage}");
    }
    ask(json!({}));
    assert_eq!(looks("profile", "hit"), before[1] + 1);
    let misses = looks("profile", "miss");
    store(&server, "The ferry leaves at ten");
    ask(json!({ "depth": "deep", "diversity": 0.5 }));
    assert_eq!(looks("profile", "miss"), misses + 1, "after a write");
    assert_eq!((count("expand"), count("reorder")), (1, 1));
    server
        .post(
            "/v1/spaces/core/context",
            &json!({ "recall": { "query": "when does the ferry leave?" }, "token_budget": 500 }),
        )
        .expect(200);
    assert_eq!(count("pack"), 1);
    assert_eq!(count("search"), before[0] + 4);
    let failed = server.post("/v1/spaces/core/recall", &json!({ "query": "" }));
    assert_eq!(failed.status, 422);
    assert_eq!(count("search"), before[0] + 4, "a refused recall");
    let seconds = value("anamne_recall_stage_seconds_sum{stage=\"search\"}");
    assert!(seconds > 0.0 && seconds < 60.0, "{seconds}");
    assert!(value("anamne_view_seconds_behind{view=\"knowledge\"}") >= 0.0);
}

/// The names in the metrics, without the parts of a histogram.
pub(crate) fn names() -> BTreeSet<String> {
    let backups = tempfile::tempdir().expect("a folder");
    let server = Served::with(|settings| {
        settings.backups = Some(anamne::BackupSchedule {
            folder: backups.path().to_owned(),
            every: Duration::from_hours(24),
            keep: 1,
        });
    });
    store(&server, "The ferry leaves at nine");
    let began = Instant::now();
    while !server
        .get("/metrics")
        .text
        .contains("anamne_backups_complete 1")
    {
        assert!(began.elapsed() < Duration::from_mins(1), "no backup");
        std::thread::sleep(Duration::from_millis(20));
    }
    let text = server.get("/metrics").text;
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types
        .flat_map(|line| {
            let (name, kind) = line.split_once(' ').expect("a type");
            match kind {
                "histogram" => ["_bucket", "_count", "_sum"]
                    .map(|part| format!("{name}{part}"))
                    .to_vec(),
                _ => vec![name.to_owned()],
            }
        })
        .collect()
}

#[test]
fn a_server_is_ready_while_its_store_can_be_written() {
    let server = Served::start();
    assert_eq!(server.get("/healthz").expect(200)["status"], "alive");
    assert_eq!(server.get("/readyz").expect(200)["status"], "ready");
    let aside = server.store().with_extension("aside");
    std::fs::rename(server.store(), &aside).expect("moved");
    // What was found is known for a second.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let problem = server.get("/readyz").problem(503);
    assert_eq!(problem["type"], "urn:anamne:problem:not_ready");
    let path = server.store().display().to_string();
    assert!(!problem.to_string().contains(&path), "{problem}");
    server.get("/healthz").expect(200);
    std::fs::rename(&aside, server.store()).expect("moved");
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    server.get("/readyz").expect(200);
    store(&server, "Still here");
}

#[test]
fn a_request_keeps_its_id_and_gets_one() {
    let server = Served::start();
    let with = |id: &str| {
        let answered = server.send("GET", MEMORIES, &[("x-request-id", id)], None);
        answered.header("x-request-id").to_owned()
    };
    assert_eq!(with("trace-7f.3_A"), "trace-7f.3_A");
    let long = "a".repeat(65);
    for insane in ["", "a b", "a\"b", "é", &long, "anamne_0123456789abcdef_01"] {
        let given = with(insane);
        assert!(given.len() == 32 && given != insane, "{given}");
    }
}
