//! Forgetting takes back; erasing leaves nothing behind.

use serde_json::json;

use crate::bench::{Bench, files_under};

#[test]
fn a_forgotten_memory_is_not_recalled_until_it_is_restored() {
    let bench = Bench::new();
    let id = bench.remember(&["The lighthouse keeper is called Ines"]);
    assert_eq!(
        bench.json(&["forget", &id]),
        json!({"forgotten": [id], "erased": []})
    );
    assert!(bench.recall(&["lighthouse keeper"]).is_empty());
    assert_eq!(bench.json(&["list"])["memories"], json!([]));
    assert_eq!(
        bench.json(&["list", "--forgotten"])["memories"][0]["id"],
        id
    );

    let restored = bench.json(&["restore", &id[..13]]);
    assert_eq!(restored["memories"][0]["id"], id);
    assert_eq!(
        bench.recall(&["lighthouse keeper"]),
        ["The lighthouse keeper is called Ines"]
    );
}

#[test]
fn erasing_leaves_no_byte_of_the_content_in_any_file() {
    let bench = Bench::new();
    bench.remember(&["Something else that stays"]);
    let id = bench.remember(&["The passphrase is xylophone quartz", "--tag", "secret"]);
    bench.json(&[
        "edit",
        &id,
        "--content",
        "The passphrase is zeppelin marmalade",
    ]);
    bench.recall(&["passphrase"]);
    let holds = |phrase: &str| {
        files_under(&bench.store()).into_iter().any(|file| {
            let bytes = std::fs::read(&file).expect("a file");
            bytes
                .windows(phrase.len())
                .any(|window| window.eq_ignore_ascii_case(phrase.as_bytes()))
        })
    };
    assert!(holds("zeppelin"), "this test looks in the wrong place");

    assert_eq!(
        bench.json(&["forget", &id, "--hard", "--yes"]),
        json!({"forgotten": [], "erased": [id]})
    );
    for phrase in ["xylophone", "quartz", "zeppelin", "marmalade"] {
        assert!(!holds(phrase), "{phrase} is still there");
    }
    assert_eq!(bench.run(&["show", &id]).code, 3);
    assert_eq!(bench.json(&["doctor"])["healthy"], true);
    assert_eq!(
        bench.recall(&["something that stays"]),
        ["Something else that stays"]
    );
}

#[test]
fn without_a_person_to_ask_nothing_is_erased() {
    let bench = Bench::new();
    let id = bench.remember(&["Still there"]);
    let ran = bench.feed(&["forget", &id, "--hard"], b"yes\n");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("--yes"), "{}", ran.stderr);
    assert_eq!(bench.run(&["show", &id]).code, 0);
}

#[test]
fn one_unknown_id_among_several_keeps_all_of_them() {
    let bench = Bench::new();
    let id = bench.remember(&["Still there"]);
    let unknown = "0198c0de-7a11-7c3e-9d2f-6b1f0a5e4d21";
    assert_eq!(bench.run(&["forget", &id, unknown]).code, 3);
    assert_eq!(
        bench.json(&["list"])["memories"].as_array().map(Vec::len),
        Some(1)
    );
}
