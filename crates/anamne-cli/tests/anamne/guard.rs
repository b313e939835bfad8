//! The guard on the command line.

use anamne::Options;
use serde_json::json;

use crate::bench::Bench;

/// A key in the published format of access keys.
fn key() -> String {
    ["AK", "IA", "QYLPMN5H", "NM2NLPZA"].concat()
}

/// Whether a file of the store contains the text.
fn stores(bench: &Bench, text: &str) -> bool {
    let mut folders = vec![bench.store()];
    let mut found = false;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).expect("a file");
                found |= bytes
                    .windows(text.len())
                    .any(|window| window == text.as_bytes());
            }
        }
    }
    found
}

#[test]
fn a_secret_is_redacted_on_its_way_in_and_the_person_is_told() {
    let bench = Bench::new();
    let text = format!("deploy with {} tonight", key());
    let ran = bench.run_with(&["remember", "-"], bench.stdin_of(&text));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("redacted: aws-access-key"),
        "{}",
        ran.stderr
    );
    let shown = bench.run(&["show", "m1"]);
    assert!(
        shown.stdout.contains("[secret:aws-access-key]")
            && shown.stdout.contains("guard       aws-access-key redact\n"),
        "{}",
        shown.stdout
    );
    let audit = bench.run(&["audit"]);
    assert!(
        audit.stdout.contains("guard: aws-access-key"),
        "{}",
        audit.stdout
    );
    let stats = bench.json(&["stats"]);
    assert_eq!(stats["guard"], json!({"aws-access-key": 1}), "{stats}");
    let doctor = bench.run(&["doctor"]);
    assert!(
        doctor.stdout.contains("guard: on; 1 redacted or marked"),
        "{}",
        doctor.stdout
    );
    assert!(!stores(&bench, &key()));
}

#[test]
fn an_import_reports_the_kind_and_the_line() {
    let bench = Bench::new();
    let lines = [
        json!({"text": "nothing here"}),
        json!({"text": format!("export AWS_ACCESS_KEY_ID={}", key())}),
    ];
    let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
    bench.file("chat.jsonl", lines.join("\n"));
    let report = bench.json(&["import", "chat.jsonl"]);
    assert_eq!(
        report["guard"]["kinds"],
        json!({"aws-access-key": 1}),
        "{report}"
    );
    let found = &report["guard"]["lines"][0];
    assert_eq!(
        (&found["file"], &found["line"]),
        (&json!("chat.jsonl"), &json!(2))
    );
    assert_eq!(found["action"], "redact");
    assert!(!stores(&bench, &key()));
    bench.file(
        "other.jsonl",
        json!({"text": format!("a fixture {}", key())}).to_string(),
    );
    let allowed = bench.run(&["guard", "allow", "--path", "other.jsonl"]);
    assert_eq!(allowed.code, 0, "{}", allowed.stderr);
    assert!(
        bench
            .json(&["import", "other.jsonl"])
            .get("guard")
            .is_none()
    );
    assert!(stores(&bench, &key()));
}

#[test]
fn the_policy_is_set_shown_and_followed() {
    let bench = Bench::new();
    bench.run(&["remember", "something"]);
    let shown = bench.json(&["guard", "set", "aws-access-key=refuse", "personal=redact"]);
    assert_eq!(shown["actions"]["aws-access-key"], "refuse", "{shown}");
    assert_eq!(shown["actions"]["email"], "redact");
    let text = format!("the key is {}", key());
    let refused = bench.run_with(&["remember", "-"], bench.stdin_of(&text));
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains("aws-access-key"),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains(&key()), "{}", refused.stderr);
    let back = bench.json(&[
        "guard",
        "set",
        "aws-access-key=default",
        "--private",
        "true",
    ]);
    assert_eq!(back["actions"]["aws-access-key"], "redact");
    assert_eq!(back["private"], true);
    let public = bench.json(&["guard", "set", "--private", "false"]);
    assert_eq!(public["private"], false, "the actions stay: {public}");
    assert_eq!(public["actions"], back["actions"]);
    let allowed = bench.json(&["guard", "allow", &key()]);
    assert_eq!(allowed["allow"], json!([key()]));
    let tested = bench.json(&["guard", "test", &text]);
    assert_eq!(
        (&tested["text"], &tested["findings"]),
        (&json!(text), &json!([]))
    );
    for wrong in ["unknown-kind=mark", "email=maybe", "email"] {
        let ran = bench.run(&["guard", "set", wrong]);
        assert_ne!(ran.code, 0, "{wrong}");
    }
    assert_ne!(bench.run(&["guard", "set"]).code, 0);
    assert_ne!(bench.run(&["guard", "allow", "*"]).code, 0);
}

#[test]
fn a_scan_finds_stored_secrets_and_redacts_them_on_request() {
    let bench = Bench::new();
    let text = format!("the old key was {}", key());
    let ran = bench.run_with(&["remember", "-", "--no-guard"], bench.stdin_of(&text));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(stores(&bench, &key()));
    let scan = bench.run(&["guard", "scan"]);
    assert!(
        scan.stdout.contains("m1  aws-access-key  content at 16"),
        "{}",
        scan.stdout
    );
    assert!(!scan.stdout.contains(&key()));
    assert_ne!(bench.run(&["guard", "scan", "--redact"]).code, 0);
    assert!(stores(&bench, &key()));
    let redacted = bench.json(&["guard", "scan", "--redact", "--yes"]);
    assert_eq!(redacted["redaction"]["complete"], true, "{redacted}");
    assert!(!stores(&bench, &key()));
    let found = bench.json(&["recall", "old key"]);
    let text = found["results"][0]["memory"]["content"]
        .as_str()
        .expect("a text")
        .to_owned();
    assert_eq!(text, "the old key was [secret:aws-access-key]");
    let store = anamne::Store::open_with(Options::new(bench.store()).background(false));
    let space = store.expect("a store").space("core").expect("a space");
    assert_eq!(
        space.check_up().expect("a check-up").problems,
        Vec::<String>::new()
    );
}
