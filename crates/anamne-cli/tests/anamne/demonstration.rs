//! The demo runs on an empty machine, fits on one screen, and can be repeated.

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
    // Far below the usual value: less means that recall is broken.
    assert!(
        first["found"]
            .as_u64()
            .is_some_and(|found| found >= asked / 2),
        "{first}"
    );

    let again = bench.run(&["demo"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    let says = |text: &str| assert!(again.stdout.contains(text), "{}", again.stdout);
    says("386 memories imported earlier");
    says("Connect your agents: ");
    // The answering sentence comes first, without the rest of its message.
    says("│ Public release of 1.0 on Friday 12 June.\n");
    let lines = again.stdout.lines();
    let own = |line: &&str| !line.contains(env!("CARGO_BIN_EXE_anamne"));
    let (mut rows, mut shown) = (0, lines.filter(own));
    assert!(
        shown.all(|line| {
            rows += 1;
            line.chars().count() <= 80
        }),
        "{}",
        again.stdout
    );
    assert!(rows <= 24, "more than one screen:\n{}", again.stdout);

    let all = bench.run(&["demo", "--all", "--thread"]).stdout;
    let headings = |text: &str| {
        text.lines()
            .filter(|line| line.contains("? ") || line.ends_with('?'))
            .count()
    };
    assert!(headings(&all) > headings(&again.stdout), "{all}");
    assert!(all.contains("Teo: the poster..."), "{all}");
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
