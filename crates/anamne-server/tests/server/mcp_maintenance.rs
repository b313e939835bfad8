//! The tools of maintenance: offered only on request, read only unless told, quoted.

use std::fs;

use anamne::Options;
use anamne_server::mcp::{Settings, ToolSet};
use serde_json::{Value, json};

use crate::common::{Raw, text};

async fn started(sets: &[ToolSet], structured: bool) -> Raw {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let settings = Settings::default().tools(sets).structured(structured);
    let mut raw = Raw::start_with(folder, options, settings);
    raw.initialize("2025-11-25").await;
    raw
}

async fn raw() -> Raw {
    started(&[ToolSet::Maintenance], true).await
}

#[tokio::test]
async fn a_space_is_counted_and_verified() {
    let mut raw = raw().await;
    raw.store("The ferry leaves at nine").await;
    raw.store("The harbour closes at dusk").await;
    let counted = raw.call("memory_stats", json!({})).await;
    assert_eq!(counted["structuredContent"]["memories"], 2);
    let shown = text(&counted);
    assert!(
        shown.contains("\nmemories: 2") && shown.contains("message 2"),
        "{shown}"
    );
    let folder = raw.folder.path().display().to_string();
    assert!(!shown.contains(&folder), "no path of this machine: {shown}");
    let sound = raw.call("memory_validate", json!({})).await;
    assert_eq!(sound["structuredContent"]["sound"], true, "{sound}");
    assert!(text(&sound).contains("is sound"), "{sound}");
    let journal = raw.folder.path().join("spaces/core/journal/000001.jsonl");
    let lines = fs::read_to_string(&journal).expect("the journal");
    fs::write(&journal, lines.replace("ferry", "f3rry")).expect("damaged");
    let damaged = raw.call("memory_validate", json!({})).await;
    assert_eq!(damaged["structuredContent"]["sound"], false, "{damaged}");
    let said = text(&damaged);
    assert!(
        said.contains("anamne repair") && !said.contains(&folder),
        "{said}"
    );
    let kept = fs::read_to_string(&journal).expect("the journal");
    assert!(kept.contains("f3rry"), "nothing is repaired");
    raw.finish().await;
}

#[tokio::test]
async fn merges_are_proposed_and_applied_when_told() {
    let mut raw = raw().await;
    let mut ids = Vec::new();
    for content in [
        "The staging server listens on port 8471",
        "the staging server listens on port 8471.",
    ] {
        let fact = json!({ "content": content, "kind": "fact" });
        ids.push(raw.done("memory_store", fact).await["id"].clone());
    }
    let proposed = raw.call("memory_consolidate", json!({})).await;
    let found = &proposed["structuredContent"];
    assert_eq!(
        (
            &found["applied"],
            found["proposals"].as_array().map(Vec::len)
        ),
        (&json!(false), Some(1))
    );
    let said = text(&proposed);
    assert!(
        said.contains("> m1 The staging") || said.contains("> m2 the staging"),
        "{said}"
    );
    let superseded = |got: &Value| got["memory"]["superseded_by"].clone();
    for id in &ids {
        let got = raw.done("memory_get", json!({ "id": id })).await;
        assert!(superseded(&got).is_null(), "only proposed");
    }
    let applied = raw
        .done("memory_consolidate", json!({ "apply": true }))
        .await;
    assert_eq!(applied["applied"], true);
    let (winner, loser) = (
        &applied["proposals"][0]["winner"],
        &applied["proposals"][0]["losers"][0],
    );
    let got = raw.done("memory_get", json!({ "id": loser })).await;
    assert_eq!(&superseded(&got), winner);
    let undo = json!({ "from": winner, "to": loser, "type": "supersedes", "remove": true });
    raw.done("memory_link", undo).await;
    let got = raw.done("memory_get", json!({ "id": loser })).await;
    assert!(superseded(&got).is_null(), "undone");
    let again = raw
        .done("memory_consolidate", json!({ "apply": true }))
        .await;
    assert_eq!(again["proposals"], json!([]), "undone for good");
    let insights = raw
        .call("memory_consolidate", json!({ "insights": true }))
        .await;
    assert!(
        text(&insights).starts_with("No recurring statements"),
        "{insights}"
    );
    let both = json!({ "apply": true, "insights": true });
    assert!(
        raw.refused("memory_consolidate", both)
            .await
            .contains("apply")
    );
    raw.finish().await;
}

#[tokio::test]
async fn background_work_is_shown() {
    let mut raw = raw().await;
    raw.store("The ferry leaves at nine").await;
    let work = raw.call("memory_tasks", json!({})).await;
    assert!(
        text(&work).starts_with("Background work of the space core"),
        "{work}"
    );
    assert!(work["structuredContent"]["chores"].is_array(), "{work}");
    assert_eq!(work["structuredContent"]["failed"], json!([]));
    raw.finish().await;
}

#[tokio::test]
async fn a_claim_is_checked_and_not_stored() {
    let mut raw = raw().await;
    let told = "The nightly backup takes 40 minutes.";
    raw.done(
        "memory_store",
        json!({ "content": told, "occurred_at": "2026-02-01" }),
    )
    .await;
    let claim = "The nightly backup now takes 25 minutes.";
    let checked = raw.call("memory_check", json!({ "claim": claim })).await;
    let found = &checked["structuredContent"]["contradictions"];
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{checked}");
    let said = text(&checked);
    assert!(said.contains("[claim]") && said.contains("[m1]"), "{said}");
    let agreeing = raw.call("memory_check", json!({ "claim": told })).await;
    assert!(text(&agreeing).contains("no contradictions"), "{agreeing}");
    let listed = raw.done("memory_list", json!({})).await;
    assert_eq!(
        listed["memories"].as_array().map(Vec::len),
        Some(1),
        "the claim is not stored"
    );
    let on = raw.done("memory_check", json!({ "topic": "backup" })).await;
    assert_eq!(on["checked"], 1);
    for (wrong, names) in [
        (json!({}), "memories"),
        (json!({ "claim": claim, "topic": "backup" }), "claim"),
        (json!({ "claim": claim, "limit": 0 }), "limit"),
        (json!({ "claim": " " }), "query"),
        (json!({ "ids": ["m99"] }), "m99"),
    ] {
        let said = raw.refused("memory_check", wrong.clone()).await;
        assert!(said.contains(names), "{wrong}: {said}");
    }
    raw.finish().await;
}

#[tokio::test]
async fn replies_to_a_model_are_text_and_who_only_reads_merges_nothing() {
    let mut raw = started(&[ToolSet::Maintenance, ToolSet::ReadOnly], false).await;
    for tool in ["memory_stats", "memory_validate", "memory_tasks"] {
        let reply = raw.call(tool, json!({})).await;
        assert!(reply.get("structuredContent").is_none(), "{tool}: {reply}");
        assert_eq!(reply["isError"], false, "{tool}: {reply}");
    }
    let params = json!({ "name": "memory_consolidate", "arguments": { "apply": true } });
    let refused = raw.request("tools/call", params).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    raw.finish().await;
}
