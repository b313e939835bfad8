//! Recall quality stays above a floor on the bundled conversation, with trees that have not seen it on one of our own and,
//! if `ANAMNE_QUALITY_DATA` names a folder of conversation sets, on one of those.

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

#[test]
fn conversations_in_other_scripts_stay_above_their_floors() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data/languages");
    check("0.48", &["--data", data, "--set", "russian"]);
    check("0.52", &["--data", data, "--set", "chinese"]);
}

/// Runs the normal report on a corpus of this crate, with further arguments.
fn report(arguments: &[&str]) -> std::process::Output {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data/recall");
    Command::new(env!("CARGO_BIN_EXE_anamne-eval"))
        .args(["report", "--json", "--data", data, "--set", "coding"])
        .args(arguments)
        .output()
        .expect("the benchmark starts")
}

#[test]
fn the_report_does_not_flatter() {
    let output = report(&[]);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let value = |ranker: &str, metric: &str| {
        let figure = &figures["coding"]["ALL"][ranker][metric];
        figure["value"].as_f64().expect("a figure")
    };
    let in_sample = value("shipped_in_sample", "mrr");
    for held_out in ["family_held_out", "conversation_held_out"] {
        // Trees that had seen the questions would be as good as the shipped ones.
        let flattery = in_sample - value(held_out, "mrr");
        assert!(flattery > 0.05, "{held_out}: {flattery:.3}");
        let gain = value(held_out, "recall@10") - value("weights", "recall@10");
        assert!(gain > 0.03, "{held_out}: {gain:.3}");
        assert!(value(held_out, "recall@10") >= 0.6, "{held_out}");
        assert!(value(held_out, "evidence in 1500") >= 0.7, "{held_out}");
    }
}

#[test]
fn the_report_names_the_trees_that_are_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = report(&["--forests", folder.path().to_str().expect("UTF-8")]);
    assert!(!output.status.success());
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(complaints.contains("without-fifth-0.txt"), "{complaints}");
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
    // Two of three texts are by authors who had not seen the detectors.
    assert!(value(&secrets, "recall") >= 0.86, "{secrets}");
    assert!(value(&secrets, "false_alarms") <= 0.004, "{secrets}");
    let personal = guard_scores("personal");
    assert!(value(&personal, "recall") >= 0.9, "{personal}");
    assert!(value(&personal, "precision") >= 0.95, "{personal}");
}
