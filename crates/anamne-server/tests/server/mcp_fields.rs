//! Typed fields, metadata filters and use, in the tools.

use anamne::{Options, Store};
use anamne_server::mcp::Settings;
use serde_json::{Value, json};

use crate::common::{Raw, text};

async fn raw() -> Raw {
    Raw::initialized("2025-11-25").await
}

async fn told(raw: &mut Raw, arguments: Value) -> String {
    let stored = raw.done("memory_store", arguments).await;
    stored["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn typed_fields_are_stored_changed_and_shown() {
    let mut raw = raw().await;
    let fields = json!({ "goal": "lower latency", "steps": ["ported the router"], "salience": 7 });
    let episode = json!({ "content": "Moved the API", "kind": "episode", "fields": fields });
    let id = told(&mut raw, episode).await;
    let changed = json!({ "id": id, "fields": { "outcome": "half the latency", "goal": null } });
    let memory = raw.done("memory_update", changed).await["memory"].take();
    assert_eq!(
        (&memory["outcome"], &memory["goal"]),
        (&json!("half the latency"), &Value::Null)
    );
    assert_eq!(memory["steps"], json!(["ported the router"]));
    let shown = raw.call("memory_get", json!({ "id": id })).await;
    let text = text(&shown);
    assert!(
        text.contains("Fields:\n> ") && text.contains("> outcome: half the latency"),
        "{text}"
    );
    let first = told(
        &mut raw,
        json!({ "content": "One", "kind": "thought", "fields": { "chain": "cache", "number": 1 } }),
    )
    .await;
    let next =
        json!({ "content": "Two", "kind": "thought", "fields": { "follows": "m2", "number": 2 } });
    let second = told(&mut raw, next).await;
    let memory = raw.done("memory_get", json!({ "id": second })).await["memory"].take();
    assert_eq!(memory["follows"], json!(first));
    raw.finish().await;
}

#[tokio::test]
async fn fields_of_another_kind_are_refused_with_those_of_the_kind() {
    let mut raw = raw().await;
    let wrong = json!({ "content": "x", "kind": "skill", "fields": { "goal": "y" } });
    let said = raw.refused("memory_store", wrong).await;
    assert!(said.contains("name, trigger, steps, code"), "{said}");
    let wrong = json!({ "content": "x", "fields": { "follows": "m1" } });
    let said = raw.refused("memory_store", wrong).await;
    assert!(said.contains("kind message: role"), "{said}");
    let wrong = json!({ "content": "x", "kind": "episode", "fields": { "steps": "one" } });
    let said = raw.refused("memory_store", wrong).await;
    assert!(said.contains("a list of texts"), "{said}");
    let id = raw.store("A message").await;
    let said = raw
        .refused(
            "memory_update",
            json!({ "id": id, "fields": { "code": "x" } }),
        )
        .await;
    assert!(said.contains("kind message"), "{said}");
    raw.finish().await;
}

#[tokio::test]
async fn metadata_filters_reach_search_list_and_context() {
    let mut raw = raw().await;
    for (content, ticket) in [
        ("Fix the pump", json!(42)),
        ("Paint the pump", json!(43)),
        ("Sell the pump", json!("42")),
    ] {
        told(
            &mut raw,
            json!({ "content": content, "metadata": { "ticket": ticket } }),
        )
        .await;
    }
    let wanted = json!("ticket>=42; ticket!=43");
    let found = raw
        .done(
            "memory_search",
            json!({ "query": "the pump", "where": wanted }),
        )
        .await;
    let results = found["results"].as_array().expect("results");
    assert_eq!(results.len(), 1, "{found}");
    assert_eq!(results[0]["memory"]["content"], "Fix the pump");
    let listed = raw
        .done("memory_list", json!({ "where": "ticket=\"42\"" }))
        .await;
    assert_eq!(listed["memories"][0]["content"], "Sell the pump");
    let context = raw
        .call(
            "memory_context",
            json!({ "query": "the pump", "where": "ticket=43" }),
        )
        .await;
    let text = text(&context);
    assert!(
        text.contains("Paint the pump") && !text.contains("Fix"),
        "{text}"
    );
    let said = raw.refused("memory_list", json!({ "where": "=42" })).await;
    assert!(said.contains("where"), "{said}");
    raw.finish().await;
}

#[tokio::test]
async fn use_is_shown_before_the_reading_that_counts() {
    let mut raw = raw().await;
    let id = raw.store("Fix the pump").await;
    let first = raw.done("memory_get", json!({ "id": id })).await;
    assert_eq!(first["use"], Value::Null);
    let second = raw.call("memory_get", json!({ "id": id })).await;
    assert_eq!(second["structuredContent"]["use"]["count"], 1);
    assert!(
        text(&second).contains(", opened 1×, last "),
        "{}",
        text(&second)
    );
    raw.finish().await;
}

/// A server over a space whose links decay to a quarter at once.
async fn with_recompute(on: bool) -> Raw {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let store = Store::open_with(options.clone()).expect("a store");
    let space = store.space("core").expect("a space");
    let configured = space.configure(|config| {
        config.recompute.importance = on;
        config.recompute.links = on;
        config.recompute.link_half_life_days = 1e-10;
        config.recompute.link_floor = 0.25;
    });
    configured.expect("configured");
    drop((space, store));
    let mut raw = Raw::start_with(folder, options, Settings::default().structured(true));
    raw.initialize("2025-11-25").await;
    raw
}

#[tokio::test]
async fn current_importance_and_strength_stand_beside_what_was_told() {
    for (on, remark, now, strength, link) in [
        (
            true,
            "importance 8 (now 5.7), version 1",
            5.716,
            0.2,
            " (strength 0.80, now 0.20)",
        ),
        (false, "importance 8, version 1", 8.0, 0.8, ""),
    ] {
        let mut raw = with_recompute(on).await;
        let one = told(
            &mut raw,
            json!({ "content": "Fix the pump", "kind": "fact", "importance": 8 }),
        )
        .await;
        let two = told(&mut raw, json!({ "content": "Paint the pump" })).await;
        raw.done(
            "memory_link",
            json!({ "from": one, "to": two, "type": "requires", "weight": 0.8 }),
        )
        .await;
        let result = raw.call("memory_get", json!({ "id": one })).await;
        let (got, text) = (&result["structuredContent"], text(&result));
        assert_eq!(
            (&got["memory"]["importance"], &got["links"][0]["weight"]),
            (&json!(8), &json!(0.8))
        );
        let importance = got["current_importance"].as_f64().expect("an importance");
        assert!((importance - now).abs() < 0.001, "{got}");
        assert_eq!(got["links"][0]["strength"], json!(strength), "{got}");
        assert!(text.contains(remark), "{text}");
        assert!(
            text.contains(&format!("\n{one} requires {two}{link}")),
            "{text}"
        );
        raw.finish().await;
    }
}
