//! The token cost of replies, as text and as JSON, on the demo's conversation.

#![expect(
    clippy::print_stdout,
    reason = "the figures are for whoever runs the test with --nocapture"
)]

use anamne::text::tokens::estimate_tokens;
use anamne::{BadLines, Options, Store};
use anamne_server::mcp::Settings;
use serde_json::{Value, json};

use crate::common::{Raw, text};

/// Maximum tokens of a reply by default.
const BUDGET: usize = 2_000;

/// A server over the demo's conversation.
async fn server(structured: bool) -> Raw {
    let demo = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../anamne-cli/demo/conversation.jsonl"
    );
    let conversation = std::fs::read(demo).expect("the demo's conversation");
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let store = Store::open_with(options.clone()).expect("a store");
    let space = store.space("core").expect("a space");
    let imported = space.import(&conversation[..], BadLines::Stop, &mut |_| {});
    assert!(imported.expect("an import").imported > 50);
    drop((space, store));
    let mut raw = Raw::start_with(folder, options, Settings::default().structured(structured));
    raw.initialize("2025-11-25").await;
    raw
}

fn calls() -> [(&'static str, Value, Value); 4] {
    let question = "why did we choose the database?";
    [
        (
            "memory_search",
            json!({ "query": question }),
            json!({ "query": question, "token_budget": 1_000_000 }),
        ),
        (
            "memory_context",
            json!({ "query": question }),
            json!({ "query": question, "token_budget": 1_000_000 }),
        ),
        ("memory_list", json!({}), json!({})),
        ("memory_get", json!({ "id": "m1" }), json!({ "id": "m1" })),
    ]
}

#[tokio::test]
async fn a_reply_is_text_alone_and_its_json_keeps_to_the_same_budget() {
    let (mut for_models, mut for_programs) = (server(false).await, server(true).await);
    for (tool, usual, whole) in calls() {
        let reply = for_models.call(tool, usual.clone()).await;
        assert!(reply.get("structuredContent").is_none(), "{tool}: {reply}");
        let as_text = estimate_tokens(&text(&reply));
        let json = for_programs.done(tool, usual).await;
        let as_json = estimate_tokens(&json.to_string());
        let whole = for_programs.done(tool, whole).await;
        let unbounded = estimate_tokens(&whole.to_string());
        println!(
            "{tool}: text {as_text}, JSON {as_json}, JSON without a budget {unbounded} tokens"
        );
        assert!(
            as_text <= BUDGET && as_json <= BUDGET,
            "{tool}: {as_text}, {as_json}"
        );
    }
    for_models.finish().await;
    for_programs.finish().await;
}

#[tokio::test]
async fn a_block_and_the_count_of_what_did_not_fit_keep_to_the_budget() {
    let mut for_models = server(false).await;
    for budget in [80, 200, 700, 2_000] {
        let arguments =
            json!({ "query": "why did we choose the database?", "token_budget": budget });
        let reply = for_models.call("memory_context", arguments).await;
        let text = text(&reply);
        assert!(
            text.contains("more did not fit") || text.starts_with("The budget is too small"),
            "{text}"
        );
        assert!(estimate_tokens(&text) <= budget, "{budget}: {text}");
    }
    for_models.finish().await;
}

#[tokio::test]
async fn the_smallest_budget_is_accepted_as_text_and_as_json() {
    for structured in [false, true] {
        let mut client = server(structured).await;
        let arguments = json!({ "query": "why did we choose the database?", "token_budget": 50 });
        let reply = client.call("memory_context", arguments).await;
        assert_ne!(reply["isError"], json!(true), "{reply}");
        let said = text(&reply);
        assert!(
            said.contains("[m") || said.starts_with("The budget is too small: none of "),
            "{said}"
        );
        client.finish().await;
    }
}
