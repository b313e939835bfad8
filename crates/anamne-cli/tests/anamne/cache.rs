//! The cache of tool results on the command line.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn a_result_is_stored_found_listed_and_removed() {
    let bench = Bench::new();
    bench.remember(&["The pilot boat leaves at six"]);
    let lookup = |text: &str| bench.run(&["cache", "lookup", "--tool", "web", text]);
    assert_eq!(lookup("tokio 1.40 release date").code, 3);
    let stored = [
        "cache",
        "store",
        "--tool",
        "web",
        "--took-ms",
        "800",
        "tokio 1.40 release date",
    ];
    let ran = bench.feed(&stored, b"The quellfruit shipped in August 2024\n");
    assert_eq!(
        (ran.code, ran.stdout.trim()),
        (0, "Cached as result 1."),
        "{}",
        ran.stderr
    );
    let found = lookup("release date of tokio 1.40");
    assert_eq!(found.stdout.trim(), "The quellfruit shipped in August 2024");
    assert!(found.stderr.contains("in other words"), "{}", found.stderr);
    assert_eq!(lookup("tokio 1.41 release date").code, 3);
    let savings = bench.json(&["cache", "savings"]);
    assert_eq!(
        (&savings["semantic_hits"], &savings["saved_ms"]),
        (&json!(1), &json!(800))
    );
    let listed = bench.json(&["cache", "list", "--matching", "quellfruit"]);
    assert_eq!(listed["results"][0]["request"]["tool"], "web");
    assert_eq!(
        bench.json(&["cache", "invalidate", "--tool", "web"]),
        json!({"removed": 1})
    );
    assert_eq!(lookup("tokio 1.40 release date").code, 3);
    assert_eq!(bench.run(&["cache", "invalidate"]).code, 2);
}

#[test]
fn recall_shows_cached_results_only_when_asked_and_marks_them() {
    let bench = Bench::new();
    bench.remember(&["The pilot boat leaves at six"]);
    bench.feed(
        &["cache", "store", "quellfruit"],
        b"The quellfruit boat leaves at nine",
    );
    let usual = bench.run(&["recall", "quellfruit boat"]).stdout;
    assert!(!usual.contains("nine"), "{usual}");
    let more = bench
        .run(&["recall", "quellfruit boat", "--with-tool-results"])
        .stdout;
    let (memories, cached) = more.split_once("written by others").expect("marked");
    assert!(
        memories.contains("pilot boat") && cached.contains("nine"),
        "{more}"
    );
    let answer = bench.json(&["recall", "quellfruit boat", "--with-tool-results"]);
    assert_eq!(answer["tool_results"].as_array().map(Vec::len), Some(1));
    assert!(
        bench
            .json(&["recall", "quellfruit boat"])
            .get("tool_results")
            .is_none()
    );
}

#[test]
fn a_request_in_vain_is_remembered_and_a_result_can_expire() {
    let bench = Bench::new();
    let dead = [
        "cache",
        "store",
        "--kind",
        "url",
        "--status",
        "dead",
        "https://a.example/x",
    ];
    assert_eq!(bench.feed(&dead, b"").code, 0);
    let found = bench.json(&[
        "cache",
        "lookup",
        "--kind",
        "url",
        "https://a.example/x#top",
    ]);
    assert_eq!(found["outcome"], "negative");
    assert_eq!(
        bench.json(&["cache", "freshness", "1d"]),
        json!({"fresh_for_seconds": 86_400})
    );
}

#[test]
fn a_lookup_says_where_an_address_moved() {
    let bench = Bench::new();
    let moved = [
        "cache",
        "store",
        "--kind",
        "url",
        "--status",
        "redirected",
        "--moved-to",
        "https://b.example/",
        "https://a.example/",
    ];
    assert_eq!(bench.feed(&moved, b"").code, 0);
    let found = bench.run(&["cache", "lookup", "--kind", "url", "https://a.example/"]);
    assert_eq!((found.code, found.stdout.as_str()), (0, ""));
    assert!(
        found.stderr.contains("redirected to https://b.example/"),
        "{}",
        found.stderr
    );
}

#[test]
fn a_result_that_was_used_in_a_memory_says_so() {
    let bench = Bench::new();
    let memory = bench.remember(&["The pilot boat leaves at six"]);
    bench.feed(&["cache", "store", "pilot boat"], b"It leaves at six");
    let ran = bench.run(&["cache", "used", "1", &memory]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let listed = bench.json(&["cache", "list"]);
    assert_eq!(listed["results"][0]["used_in"], json!([memory]), "{listed}");
    assert_eq!(bench.run(&["cache", "used", "1", "m99"]).code, 3);
    let unknown = bench.run(&["cache", "used", "99", &memory]);
    assert_eq!(unknown.code, 3, "{}", unknown.stdout);
}

#[test]
fn nothing_is_not_stored_as_a_result_that_was_found() {
    let bench = Bench::new();
    let empty = bench.feed(&["cache", "store", "pilot boat"], b"\n");
    assert_eq!(empty.code, 2, "{}", empty.stderr);
    assert!(empty.stderr.contains("status is empty"), "{}", empty.stderr);
    let in_vain = ["cache", "store", "pilot boat", "--status", "empty"];
    assert_eq!(bench.feed(&in_vain, b"").code, 0);
}
