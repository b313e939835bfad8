//! A server started for one space is confined to it.

use anamne::{Options, Store};
use anamne_server::mcp::{MemoryServer, OtherSpaces, Settings, ToolSet};
use serde_json::{Value, json};

use crate::common::Raw;

/// A client of a server for `atlas`, in a store that also has `core`, `payroll` and `garden`.
async fn client(settings: Settings) -> Raw {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let store = Store::open_with(options.clone()).expect("a store");
    for (space, text) in [
        ("core", "The pilot boat is green"),
        ("payroll", "The pilot boat earns saffron nine"),
        ("garden", "The pilot boat grows basil"),
    ] {
        let space = store.space(space).expect("a space");
        space.remember(text).expect("told");
    }
    drop(store);
    let mut raw = Raw::start_for("atlas", folder, options, settings.structured(true));
    raw.initialize("2025-11-25").await;
    raw
}

/// A call of each tool in another space; must contain every tool that takes a space.
fn calls(space: &str) -> Vec<(&'static str, Value)> {
    let id = "m1";
    vec![
        (
            "memory_search",
            json!({ "query": "pilot boat", "space": space }),
        ),
        (
            "memory_context",
            json!({ "query": "pilot boat", "space": space }),
        ),
        ("memory_store", json!({ "content": "Paid", "space": space })),
        ("memory_list", json!({ "space": space })),
        ("memory_get", json!({ "id": id, "space": space })),
        (
            "memory_update",
            json!({ "id": id, "content": "Paid", "space": space }),
        ),
        ("memory_delete", json!({ "id": id, "space": space })),
        (
            "memory_link",
            json!({ "from": id, "to": "m2", "type": "related", "space": space }),
        ),
        (
            "memory_knowledge",
            json!({ "action": "list", "space": space }),
        ),
        ("memory_stats", json!({ "space": space })),
        ("memory_validate", json!({ "space": space })),
        (
            "memory_consolidate",
            json!({ "apply": true, "space": space }),
        ),
        ("memory_tasks", json!({ "space": space })),
        (
            "memory_check",
            json!({ "claim": "The pilot boat is red", "space": space }),
        ),
        (
            "memory_search_with_experience",
            json!({ "query": "pilot boat", "space": space }),
        ),
        (
            "memory_get_reasoning_history",
            json!({ "goal": "pilot boat", "space": space }),
        ),
        (
            "memory_record_reasoning",
            json!({ "title": "Boats", "content": "Count them", "space": space }),
        ),
        (
            "memory_record_outcome",
            json!({ "action": "shell", "succeeded": true, "space": space }),
        ),
        (
            "memory_feedback",
            json!({ "id": id, "verdict": "useful", "space": space }),
        ),
        (
            "memory_cache_lookup",
            json!({ "request": "pilot boat", "space": space }),
        ),
        (
            "memory_cache_store",
            json!({ "request": "pilot boat", "content": "x", "space": space }),
        ),
    ]
}

#[tokio::test]
async fn every_tool_is_shut_out_of_other_spaces() {
    let mut raw = client(Settings::default().tools(ToolSet::All)).await;
    let listed = raw.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    for space in ["payroll", "nowhere"] {
        let calls = calls(space);
        for tool in &tools {
            let name = tool["name"].as_str().expect("a name");
            if tool["inputSchema"]["properties"].get("space").is_none() {
                continue;
            }
            let arguments = calls.iter().find(|(tool, _)| *tool == name);
            let (_, arguments) = arguments.unwrap_or_else(|| panic!("no call of {name} here"));
            let said = raw.refused(name, arguments.clone()).await;
            assert!(
                said.contains("access denied") && said.contains(space),
                "{name}: {said}"
            );
            assert!(
                said.contains("--spaces"),
                "{name} says how a person allows it: {said}"
            );
        }
    }
    assert!(!raw.folder.path().join("spaces/nowhere").exists());
    raw.finish().await;
}

#[tokio::test]
async fn core_is_read_and_not_written() {
    let mut raw = client(Settings::default().core(true)).await;
    for query in [
        json!({ "query": "pilot boat" }),
        json!({ "query": "pilot boat", "space": "all" }),
        json!({ "query": "pilot boat", "space": "auto" }),
    ] {
        let found = raw.call("memory_search", query).await.to_string();
        assert!(found.contains("green"), "{found}");
        assert!(
            !found.contains("saffron") && !found.contains("basil"),
            "{found}"
        );
    }
    for (tool, arguments) in [
        ("memory_store", json!({ "content": "x", "space": "core" })),
        (
            "memory_update",
            json!({ "id": "m1", "content": "x", "space": "core" }),
        ),
        ("memory_delete", json!({ "id": "m1", "space": "core" })),
    ] {
        let said = raw.refused(tool, arguments).await;
        assert!(said.contains("may not write"), "{tool}: {said}");
    }
    raw.finish().await;
}

#[tokio::test]
async fn no_core_shuts_core_out_with_every_other_choice() {
    for others in [
        OtherSpaces::None,
        OtherSpaces::All,
        OtherSpaces::Listed(vec!["garden".into()]),
    ] {
        let settings = Settings::default()
            .core(true)
            .read_core(false)
            .others(others.clone());
        let mut raw = client(settings).await;
        let all = json!({ "query": "pilot boat", "space": "all" });
        let found = raw.call("memory_search", all).await.to_string();
        assert!(!found.contains("green"), "{others:?}: {found}");
        raw.refused("memory_list", json!({ "space": "core" })).await;
        raw.finish().await;
    }
    let options = Options::new(tempfile::tempdir().expect("a folder").path());
    let settings = Settings::default().read_core(false);
    assert!(MemoryServer::open(options, "core", settings).is_err());
}

#[tokio::test]
async fn listed_and_all_spaces_are_open_and_read_only_writes_nowhere() {
    let listed = Settings::default().others(OtherSpaces::Listed(vec!["garden".into()]));
    let mut raw = client(listed).await;
    raw.call(
        "memory_store",
        json!({ "content": "Thyme", "space": "garden" }),
    )
    .await;
    raw.refused("memory_list", json!({ "space": "payroll" }))
        .await;
    raw.finish().await;

    let all = Settings::default().others(OtherSpaces::All);
    let mut raw = client(all.clone()).await;
    let found = raw
        .call(
            "memory_search",
            json!({ "query": "pilot boat earns", "space": "payroll" }),
        )
        .await;
    assert!(found.to_string().contains("saffron"));
    raw.finish().await;

    // A read-only server can read its own space, even if it did not exist before.
    let mut raw = client(all.tools(ToolSet::ReadOnly)).await;
    let listed = raw.call("memory_list", json!({})).await;
    assert_eq!(listed["isError"], false, "{listed}");
    raw.finish().await;
}

#[tokio::test]
async fn an_agent_erases_for_ever_only_where_that_is_allowed() {
    for allowed in [false, true] {
        let mut raw = client(Settings::default().erase(allowed)).await;
        let id = raw.store("Burn after reading").await;
        let hard = json!({ "id": id, "hard": true });
        if allowed {
            let result = raw.call("memory_delete", hard).await;
            assert_eq!(result["isError"], false, "{result}");
        } else {
            let said = raw.refused("memory_delete", hard).await;
            assert!(said.contains("--allow-erase"), "{said}");
            raw.call("memory_get", json!({ "id": id })).await;
            let soft = raw.call("memory_delete", json!({ "id": id })).await;
            assert_eq!(soft["isError"], false, "{soft}");
        }
        raw.finish().await;
    }
}
