//! Queries over several spaces.

use serde_json::Value;

use crate::bench::Bench;

/// A bench with a project, two other spaces, and `core`.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.remember(&["The user wants metric units in every answer"]);
    bench.json(&[
        "--space",
        "recipes",
        "remember",
        "Sourdough wants a day of rest",
    ]);
    bench.json(&[
        "--space",
        "garden",
        "remember",
        "Tomatoes are watered at six",
    ]);
    let project = bench.folder().join("river-watch");
    std::fs::create_dir_all(project.join(".git")).expect("folders");
    let stored = bench
        .command(&["--json", "remember", "Gauges are read every hour"])
        .current_dir(&project)
        .output();
    assert!(stored.expect("the command starts").status.success());
    bench
}

/// Space and content of each result of a recall in the project.
#[track_caller]
fn in_project(bench: &Bench, arguments: &[&str]) -> Vec<(Value, Value)> {
    let ran = bench
        .command(&[&["--json", "recall"], arguments].concat())
        .current_dir(bench.folder().join("river-watch"))
        .output()
        .expect("the command starts");
    let answer: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let results = answer["results"].as_array().expect("results").iter();
    results
        .map(|hit| (hit["space"].clone(), hit["memory"]["content"].clone()))
        .collect()
}

#[test]
fn core_is_asked_beside_a_project_and_not_beside_a_space_that_was_named() {
    let bench = bench();
    let units = "which units does the user want, metric?";
    let found = in_project(&bench, &[units]);
    assert_eq!(found[0].0, "core", "{found:?}");
    let alone = in_project(&bench, &[units, "--no-core"]);
    assert!(alone.iter().all(|(space, _)| space.is_null()), "{alone:?}");
    let named = bench.recall(&["--space", "recipes", units]);
    assert!(
        named.iter().all(|text| !text.contains("metric")),
        "{named:?}"
    );
    let with_core = bench.recall(&["--space", "recipes", units, "--core"]);
    assert!(with_core[0].contains("metric"), "{with_core:?}");
}

#[test]
fn spaces_are_named_all_or_found() {
    let bench = bench();
    let water = "when are the tomatoes watered?";
    for across in ["garden", "recipes,garden", "all", "auto"] {
        let answer = bench.json(&["recall", water, "--across", across]);
        let best = &answer["results"][0];
        assert_eq!(
            best["memory"]["content"], "Tomatoes are watered at six",
            "{across}"
        );
        let space = best["space"].as_str().unwrap_or("garden");
        assert_eq!(space, "garden", "{across}");
    }
    let shown = bench.run(&["recall", water, "--across", "recipes,garden"]);
    assert!(shown.stdout.contains("m1 in garden ·"), "{}", shown.stdout);
    let missing = bench.run(&["recall", water, "--across", "cellar"]);
    assert_eq!(missing.code, 3, "{}", missing.stderr);
}
