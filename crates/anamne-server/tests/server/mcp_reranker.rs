//! A space with a reranker from a folder, asked through MCP.

#[path = "../../../anamne-embed/tests/support/sample_cross_encoder.rs"]
mod sample;

use std::fs;

use anamne::{ModelImport, Options, Store};
use serde_json::{Value, json};

use sample::Sample;

use crate::common::{Raw, text};

fn contents(found: &Value) -> Vec<String> {
    let results = found["results"].as_array().expect("results").iter();
    results
        .map(|hit| {
            hit["memory"]["content"]
                .as_str()
                .expect("a text")
                .to_owned()
        })
        .collect()
}

#[tokio::test]
async fn a_chosen_reranker_orders_a_search_and_a_missing_one_is_said() {
    let mut raw = Raw::initialized("2025-11-25").await;
    raw.store("The ferry leaves the harbour at seven").await;
    raw.store("Storms keep the ferry in the harbour").await;
    raw.store("The harbour master keeps a log of every ferry")
        .await;
    raw.store("The ferry is blue").await;
    let asked = json!({ "query": "when does the ferry leave the harbour?" });
    let usual = contents(&raw.done("memory_search", asked.clone()).await);
    assert!(usual[0].contains("leaves"), "{usual:?}");

    // As a person does beside a running server.
    let root = raw.folder.path().to_owned();
    let judge = root.join("beside/judge");
    Sample::liking("storms").write(&judge);
    let store = Store::open_with(Options::new(&root).background(false)).expect("a store");
    store
        .import_model(&judge, &ModelImport::default())
        .expect("imported");
    let space = store.space("core").expect("a space");
    let chosen = space.configure(|config| config.recall.reranker = Some("judge".to_owned()));
    chosen.expect("chosen");
    // An open space reads its settings again before a write.
    raw.store("Lunch is at noon").await;
    let found = raw.done("memory_search", asked.clone()).await;
    assert!(contents(&found)[0].contains("Storms"), "{found}");
    assert_eq!(found["degraded"], json!([]));

    fs::remove_dir_all(root.join("models")).expect("removed");
    let result = raw.call("memory_search", asked).await;
    let found = &result["structuredContent"];
    assert_eq!(found["degraded"], json!(["reranker"]));
    assert!(contents(found)[0].contains("leaves"), "{found}");
    let text = text(&result);
    assert!(
        text.contains("Incomplete for now, without: reranker."),
        "{text}"
    );
    raw.finish().await;
}
