//! A space uses a reranker from a folder.

use std::fs;

use serde_json::json;

use crate::bench::Bench;
use crate::sample::Sample;

const QUERY: &str = "when does the ferry leave the harbour?";

/// A store with some memories, and the folder `judge` with a cross-encoder that likes the word "storms".
fn bench() -> Bench {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves the harbour at seven"]);
    bench.remember(&["The harbour master keeps a log of every ferry"]);
    bench.remember(&["Storms keep the ferry in the harbour"]);
    bench.remember(&["Lunch is at noon"]);
    Sample::liking("storms").write(&bench.folder().join("judge"));
    bench
}

#[test]
fn a_reranker_is_imported_chosen_explained_and_removed() {
    let bench = bench();
    let usual = bench.recall(&[QUERY]);
    assert!(usual[0].contains("leaves"), "{usual:?}");
    let imported = bench.json(&["model", "import", "judge"]);
    assert_eq!(imported["purpose"], "reranking");
    assert_eq!(imported.get("dimensions"), None);
    assert_eq!(bench.json(&["spaces", "set"])["reranker"], json!(null));
    assert_eq!(bench.recall(&[QUERY]), usual, "imported and not chosen");

    let set = bench.json(&["spaces", "set", "--reranker", "judge"]);
    assert_eq!(set["reranker"], "judge");
    assert!(
        bench
            .run(&["spaces", "set"])
            .stdout
            .contains("reranker      judge")
    );
    assert!(bench.recall(&[QUERY])[0].contains("Storms"));
    let explained = bench.run(&["recall", "--explain", QUERY]).stdout;
    assert!(explained.contains("reranker"), "{explained}");
    let answer = bench.json(&["recall", QUERY]);
    assert_eq!(answer["degraded"], json!([]));

    let listed = bench.json(&["model", "list"]);
    let judge = &listed["models"][1];
    assert_eq!(judge["purpose"], "reranking");
    assert_eq!(judge["spaces"].as_array().map(Vec::len), Some(1));
    assert!(
        bench
            .run(&["model", "list"])
            .stdout
            .contains("a reranker, an import")
    );
    assert_eq!(bench.json(&["model", "verify", "judge"])["sound"], true);
    assert!(
        bench
            .run(&["doctor"])
            .stdout
            .contains("the model judge scores")
    );
    let used = bench.run(&["model", "remove", "judge"]);
    assert_eq!(used.code, 2);
    assert!(used.stderr.contains("--reranker"), "{}", used.stderr);

    bench.json(&["spaces", "set", "--reranker", "none"]);
    assert_eq!(bench.recall(&[QUERY]), usual);
    assert_eq!(
        bench.json(&["model", "remove", "judge"])["files_removed"],
        3
    );
}

#[test]
fn a_missing_or_damaged_reranker_is_said_at_each_answer() {
    let bench = bench();
    let usual = bench.recall(&[QUERY]);
    bench.json(&["model", "import", "judge"]);
    bench.json(&["spaces", "set", "--reranker", "judge"]);
    let files = bench.store().join("models/files");
    for file in fs::read_dir(&files).expect("a folder") {
        let path = file.expect("a file").path();
        let mut bytes = fs::read(&path).expect("a file");
        bytes[0] ^= 1;
        fs::write(&path, bytes).expect("written");
    }
    assert_eq!(
        bench.json(&["recall", QUERY])["degraded"],
        json!(["reranker"])
    );
    assert_eq!(bench.recall(&[QUERY]), usual);
    let recalled = bench.run(&["recall", QUERY]);
    assert_eq!(recalled.code, 0);
    assert!(
        recalled.stderr.contains("without the reranker"),
        "{}",
        recalled.stderr
    );
    assert!(
        !recalled.stderr.contains("rebuilding"),
        "{}",
        recalled.stderr
    );
    let context = bench.json(&["context", QUERY]);
    assert_eq!(context["degraded"], json!(["reranker"]));
    let doctor = bench.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("digest"), "{}", doctor.stdout);
    assert_eq!(bench.run(&["model", "verify"]).code, 1);
    // Importing it again repairs it.
    bench.json(&["model", "import", "judge"]);
    assert_eq!(bench.json(&["recall", QUERY])["degraded"], json!([]));
    fs::remove_dir_all(bench.store().join("models")).expect("removed");
    assert_eq!(
        bench.json(&["recall", QUERY])["degraded"],
        json!(["reranker"])
    );
}

#[test]
fn what_is_no_reranker_is_refused() {
    let bench = bench();
    for name in ["judge", "builtin", "../judge"] {
        let refused = bench.run(&["spaces", "set", "--reranker", name]);
        assert_eq!(refused.code, 2, "{name}");
        assert!(
            refused.stderr.contains("unknown reranker"),
            "{}",
            refused.stderr
        );
    }
    fs::write(bench.folder().join("judge/model.onnx"), "no graph").expect("written");
    let refused = bench.run(&["model", "import", "judge"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("not an ONNX file"),
        "{}",
        refused.stderr
    );
    assert_eq!(bench.json(&["spaces", "set"])["reranker"], json!(null));
}
