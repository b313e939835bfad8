//! Forgetting can be undone; erasing leaves nothing behind.

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
fn forgetting_says_how_to_restore_what_was_forgotten() {
    let bench = Bench::new();
    bench.remember(&["The lighthouse keeper is called Ines"]);
    bench.remember(&["The lighthouse has 81 steps", "--tag", "stairs"]);
    let ran = bench.run(&["forget", "m1"]);
    assert!(ran.stderr.contains("`anamne restore m1`"), "{}", ran.stderr);
    let ran = bench.run(&["forget", "--tag", "stairs", "--yes"]);
    assert!(ran.stderr.contains("`anamne restore ID`"), "{}", ran.stderr);
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
        json!({"forgotten": [], "erased": [id], "complete": true})
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

/// A store with two threads and a memory without thread.
fn talk() -> Bench {
    let bench = Bench::new();
    let lines = crate::bench::lines([
        json!({"id": "a", "thread": "standup", "position": 0, "author": "Ada", "text": "We deploy on Fridays"}),
        json!({"id": "b", "thread": "standup", "position": 1, "author": "Bo", "text": "Not this Friday"}),
        json!({"id": "c", "thread": "lunch", "position": 0, "author": "Ada", "text": "The soup is good today"}),
        json!({"id": "d", "text": "The lighthouse keeper is called Ines"}),
    ]);
    let file = bench.file("talk.jsonl", lines);
    bench.json(&["import", file.to_str().expect("UTF-8")]);
    bench
}

fn contents(bench: &Bench) -> Vec<String> {
    let listed = bench.json(&["list"]);
    let memories = listed["memories"].as_array().expect("memories");
    let mut contents: Vec<_> = memories
        .iter()
        .map(|memory| memory["content"].as_str().expect("content").to_owned())
        .collect();
    contents.sort();
    contents
}

#[test]
fn a_thread_is_previewed_forgotten_and_erased() {
    let bench = talk();
    let preview = bench.json(&["forget", "--thread", "standup"]);
    assert_eq!(
        (
            preview["preview"].as_array().map(Vec::len),
            &preview["hard"]
        ),
        (Some(2), &json!(false))
    );
    let ran = bench.run(&["forget", "--thread", "standup"]);
    assert_eq!(ran.code, 2, "there is no terminal");
    assert!(
        ran.stderr.contains("Not this Friday") && ran.stderr.contains("--yes"),
        "{}",
        ran.stderr
    );
    assert_eq!(contents(&bench).len(), 4);
    let forgotten = bench.json(&["forget", "--thread", "standup", "--yes"]);
    assert_eq!(forgotten["forgotten"].as_array().map(Vec::len), Some(2));
    assert_eq!(contents(&bench).len(), 2);
    // Memories forgotten before are erased with their thread.
    let erased = bench.json(&["forget", "--thread", "standup", "--hard", "--yes"]);
    assert_eq!(erased["erased"].as_array().map(Vec::len), Some(2));
    assert_eq!(bench.json(&["stats"])["forgotten"], 0);
    let nothing = bench.json(&["forget", "--thread", "standup", "--hard", "--yes"]);
    assert_eq!(
        nothing,
        json!({"forgotten": [], "erased": [], "complete": true})
    );
}

#[test]
fn filters_and_a_question_choose_what_goes() {
    let bench = talk();
    bench.json(&[
        "forget", "--author", "Ada", "--thread", "lunch", "--hard", "--yes",
    ]);
    let gone = bench.json(&[
        "forget",
        "--query",
        "who keeps the lighthouse?",
        "-k",
        "1",
        "--hard",
        "--yes",
    ]);
    assert_eq!(gone["erased"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        contents(&bench),
        ["Not this Friday", "We deploy on Fridays"]
    );
    let unsure = bench.json(&[
        "forget",
        "--query",
        "penguins",
        "--min-confidence",
        "0.99",
        "--yes",
    ]);
    assert_eq!(unsure, json!({"forgotten": [], "erased": []}));
}

#[test]
fn a_space_is_emptied_only_when_it_is_named() {
    let bench = talk();
    let ran = bench.run(&["forget", "--all", "--hard", "--yes"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--space core"), "{}", ran.stderr);
    let ran = bench.run(&["forget", "--space", "core", "--all", "--hard"]);
    assert_eq!(ran.code, 2, "there is no terminal");
    assert!(ran.stderr.contains("4 memories"), "{}", ran.stderr);
    assert_eq!(contents(&bench).len(), 4);
    bench.json(&["forget", "--space", "core", "--all", "--hard", "--yes"]);
    for phrase in ["lighthouse", "standup", "soup", "Ines"] {
        let held = files_under(&bench.store()).into_iter().any(|file| {
            let bytes = std::fs::read(&file).expect("a file");
            bytes
                .windows(phrase.len())
                .any(|window| window.eq_ignore_ascii_case(phrase.as_bytes()))
        });
        assert!(!held, "{phrase}");
    }
    assert_eq!(bench.json(&["doctor"])["healthy"], true);
}

#[test]
fn memories_are_named_or_chosen_but_not_both() {
    let bench = talk();
    for arguments in [
        &["forget"][..],
        &["forget", "a", "--thread", "standup"],
        &["forget", "a", "--all", "--space", "core"],
        &["forget", "a", "--query", "x"],
        &["forget", "--all", "--space", "core", "--thread", "standup"],
        &["forget", "--thread", "standup", "-k", "3"],
    ] {
        assert_eq!(bench.run(arguments).code, 2, "{arguments:?}");
    }
    assert_eq!(contents(&bench).len(), 4);
}
