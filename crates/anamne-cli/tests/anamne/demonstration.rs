//! The demonstration runs on a machine that knows nothing, and runs again.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn the_demo_answers_its_questions_and_leaves_the_store() {
    let bench = Bench::new();
    let first = bench.json(&["demo"]);
    assert_eq!(
        (&first["imported"], &first["known"]),
        (&json!(386), &json!(0))
    );
    let asked = first["asked"].as_u64().expect("a number");
    assert!(asked >= 12, "{asked}");
    // The floor is far below what it reaches; falling under it means that recall is broken.
    assert!(
        first["found"]
            .as_u64()
            .is_some_and(|found| found >= asked / 2),
        "{first}"
    );

    let again = bench.run(&["demo"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(
        again.stdout.contains("386 memories were there already"),
        "{}",
        again.stdout
    );
    assert!(
        again.stdout.contains("claude mcp add anamne -- "),
        "{}",
        again.stdout
    );
    let commands = |line: &&str| {
        line.trim_start().starts_with("anamne") || line.contains(env!("CARGO_BIN_EXE_anamne"))
    };
    for line in again
        .stdout
        .lines()
        .filter(|line| !commands(line) && !line.starts_with("The store is"))
    {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(
        !bench
            .recall(&["--space", "demo", "honey yields"])
            .is_empty()
    );
}

#[test]
fn without_a_store_the_demo_keeps_apart_from_what_is_real() {
    let bench = Bench::new();
    let ran = bench
        .command(&["--json", "demo"])
        .env_remove("ANAMNE_STORE")
        .output()
        .expect("the command starts");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let answer: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let store = answer["store"].as_str().expect("a path");
    assert!(
        store.ends_with("anamne-demo")
            && store.starts_with(bench.folder().to_str().expect("UTF-8")),
        "{store}"
    );
}
