//! A short torture run counts what it claims to count.

use std::process::Command;

use serde_json::Value;

#[test]
fn damaged_stores_lose_nothing_and_crash_nobody() {
    let output = Command::new(env!("CARGO_BIN_EXE_anamne-eval"))
        .args(["torture", "--writes", "0", "--kills", "0"])
        .args(["--damage", "8", "--json"])
        .output()
        .expect("the torture starts");
    let complaints = String::from_utf8_lossy(&output.stderr);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON on stdout");
    let verdicts = json["damages"]["verdicts"].as_object().expect("verdicts");
    let count = |verdict: &str| verdicts.get(verdict).and_then(Value::as_u64).unwrap_or(0);
    let all: u64 = verdicts.values().filter_map(Value::as_u64).sum();
    assert_eq!(all, 8, "{json:#}");
    // Damage positions depend on ids that are new in each run, so the damage may make an index hide a list entry; every
    // other kind of error is a failure.
    for never in ["wrong", "lost", "crashed"] {
        assert_eq!(count(never), 0, "{never}: {complaints}");
    }
    let kept = count("wrong_until_found") == 0;
    assert_eq!(json["kept"].as_bool(), Some(kept), "{json:#}");
    assert_eq!(output.status.success(), kept, "{complaints}");
}

#[test]
fn concurrent_and_killed_processes_lose_nothing() {
    let output = Command::new(env!("CARGO_BIN_EXE_anamne-eval"))
        .args(["torture", "--processes", "3", "--writes", "20"])
        .args(["--kills", "15", "--damage", "0", "--json"])
        .output()
        .expect("the torture starts");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON on stdout");
    let count = |torture: &str, figure: &str| json[torture][figure].as_u64();
    assert_eq!(count("crowd", "writes"), Some(60), "{json:#}");
    assert_eq!(count("crowd", "missed"), Some(0), "{json:#}");
    assert_eq!(count("kills", "killed"), Some(15), "{json:#}");
    assert_eq!(count("kills", "lost"), Some(0), "{json:#}");
    assert!(count("kills", "acknowledged") > Some(0), "{json:#}");
}
