//! The speed benchmark runs and prints the documented figures. No timing is asserted.

use std::process::Command;

use serde_json::Value;

#[test]
fn speed_prints_every_measurement_as_json() {
    let output = Command::new(env!("CARGO_BIN_EXE_anamne-eval"))
        .args(["speed", "--size", "500", "--queries", "20", "--json"])
        .args([
            "--only",
            "recall,remember,import,open,memory,disk,binary,mcp,tiers",
        ])
        .output()
        .expect("the benchmark starts");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON on stdout");
    let of_size = &json["500"];
    for (measurement, figure) in [
        ("recall", "p95_ms"),
        ("recall", "p95_ms/tantivy_p95_ms"),
        ("recall", "fts5_p95_ms"),
        ("recall", "sqlite_vec_p95_ms"),
        ("recall", "scan_bound_ms"),
        ("remember", "p50_ms/bare_p50_ms"),
        ("import", "records_per_s"),
        ("open", "first_answer_ms"),
        ("disk", "total_kib"),
        ("disk", "lexical_kib"),
        ("tiers", "hot_p95_ms/month_p95_ms"),
        ("tiers", "all_p95_ms"),
        ("tiers", "moved_per_s"),
    ] {
        let value = of_size[measurement][figure].as_f64();
        assert!(
            value.is_some_and(|value| value > 0.0),
            "{measurement}.{figure} is {value:?} in {json:#}"
        );
    }
    assert!(of_size["recall"]["p95_ms:met"].is_boolean());
    // Memory is measured on Linux only, and the server only if the binary is built; otherwise both say so.
    for section in [
        &of_size["memory"],
        &json["any"]["binary"],
        &json["any"]["mcp"],
    ] {
        assert!(
            section
                .as_object()
                .is_some_and(|section| !section.is_empty()),
            "{json:#}"
        );
    }
}

#[test]
fn a_measurement_that_does_not_exist_is_refused() {
    let status = Command::new(env!("CARGO_BIN_EXE_anamne-eval"))
        .args(["speed", "--only", "luck"])
        .output()
        .expect("the benchmark starts")
        .status;
    assert_eq!(status.code(), Some(2));
}
