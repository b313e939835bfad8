//! The guard in front of the tools.

use anamne::Options;
use anamne_server::mcp::Settings;
use serde_json::json;

use crate::common::{Raw, text};

/// A key in the published format of access keys.
fn key() -> String {
    ["AK", "IA", "QYLPMN5H", "NM2NLPZA"].concat()
}

#[tokio::test]
async fn store_and_update_say_what_was_redacted() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let mut raw = Raw::start_with(folder, options, Settings::default().structured(true));
    raw.initialize("2025-11-25").await;
    let content = format!("deploy with {}", key());
    let stored = raw
        .done("memory_store", json!({ "content": content }))
        .await;
    assert_eq!(stored["guard"][0]["kind"], "aws-access-key", "{stored}");
    let id = stored["id"].as_str().expect("an id").to_owned();
    let update = json!({ "id": id, "content": format!("now with {}", key()) });
    let answer = raw.call("memory_update", update).await;
    assert!(
        text(&answer).contains("Redacted: aws-access-key."),
        "{answer}"
    );
    let found = raw
        .call("memory_search", json!({ "query": "now with" }))
        .await;
    assert!(text(&found).contains("[secret:aws-access-key]"), "{found}");
    assert!(!found.to_string().contains(&key()));
}
