//! Recall quality stays above a floor on the bundled conversation and, if `ANAMNE_QUALITY_DATA` names a folder of
//! conversation sets, on one of those.

use std::process::Command;

/// Runs the benchmark, which fails below `floor`.
#[track_caller]
fn check(floor: &str, data: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_anamne-eval"))
        .args(["recall", "--floor", floor])
        .args(data)
        .output()
        .expect("the benchmark starts");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
}

#[test]
fn the_bundled_conversation_stays_above_its_floor() {
    check("0.60", &[]);
}

#[test]
fn a_conversation_of_the_given_data_stays_above_its_floor() {
    let Some(folder) = std::env::var_os("ANAMNE_QUALITY_DATA") else {
        return;
    };
    let folder = folder.to_str().expect("a path in UTF-8");
    check(
        "0.70",
        &["--data", folder, "--set", "locomo", "--corpus", "conv-26"],
    );
}

/// The guard's scores on the development half of its labelled texts.
#[track_caller]
fn guard_scores(subject: &str) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_anamne-eval"))
        .args(["guard", subject, "--json"])
        .output()
        .expect("the benchmark starts");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    let scores: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    scores["scanners"]["anamne"].clone()
}

#[test]
fn the_guard_stays_above_its_floors() {
    let value = |scores: &serde_json::Value, name: &str| {
        let value = &scores[name];
        value["value"]
            .as_f64()
            .or(value.as_f64())
            .expect("a number")
    };
    let secrets = guard_scores("secrets");
    assert!(value(&secrets, "recall") >= 0.97, "{secrets}");
    assert!(value(&secrets, "alarms") <= 3.0, "{secrets}");
    let personal = guard_scores("personal");
    assert!(value(&personal, "recall") >= 0.9, "{personal}");
    assert!(value(&personal, "precision") >= 0.95, "{personal}");
}
