//! Every tool rejects numbers and citations that are too large.

use anamne::Options;
use anamne_server::mcp::{Settings, ToolSet};
use serde_json::{Value, json};

use crate::common::{Raw, text};

async fn raw() -> Raw {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let settings = Settings::default()
        .tools(ToolSet::Knowledge)
        .structured(true);
    let mut raw = Raw::start_with(folder, options, settings);
    raw.initialize("2025-11-25").await;
    raw
}

/// Arguments that a tool needs besides the tested property: `None` for a tool that this test doesn't know yet.
fn needs(tool: &str, property: &str) -> Option<Value> {
    Some(match (tool, property) {
        ("memory_search" | "memory_context", _) => json!({ "query": "harbour" }),
        ("memory_store", _) => json!({ "content": "The harbour is closed" }),
        ("memory_list", _) => json!({}),
        ("memory_get" | "memory_delete", _) => json!({ "id": "m1" }),
        ("memory_update", _) => json!({ "id": "m1", "content": "The harbour is open" }),
        ("memory_link", _) => json!({ "from": "m1", "to": "m2", "type": "related" }),
        ("memory_knowledge", "steps") => json!({ "action": "neighbours", "name": "Mara" }),
        ("memory_knowledge", "weight" | "confidence") => {
            json!({ "action": "assert", "name": "Mara", "relation": "knows", "object": "Ada" })
        }
        ("memory_knowledge", "id") => json!({ "action": "check" }),
        ("memory_knowledge", _) => json!({ "action": "list" }),
        _ => return None,
    })
}

fn is_number(schema: &Value) -> bool {
    let named = |sort: &Value| sort == "integer" || sort == "number";
    match &schema["type"] {
        Value::Array(sorts) => sorts.iter().any(named),
        sort => named(sort),
    }
}

/// Properties that take an id or a citation of a memory.
const IDS: [&str; 3] = ["id", "from", "to"];

#[tokio::test]
async fn every_tool_refuses_numbers_and_citations_that_are_too_large() {
    let mut raw = raw().await;
    raw.store("The harbour is open").await;
    raw.store("Mara works at the harbour").await;
    let listed = raw.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    let (mut numbers, mut ids) = (0, 0);
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        let properties = tool["inputSchema"]["properties"].as_object();
        for (property, schema) in properties.expect("properties") {
            let too_large = if is_number(schema) {
                numbers += 1;
                vec![
                    json!(i64::MAX),
                    json!(i64::MIN),
                    json!(u64::MAX),
                    json!(1e300),
                ]
            } else if IDS.contains(&property.as_str()) {
                ids += 1;
                vec![json!("m99999999999999"), json!("m4294967296"), json!("m+1")]
            } else {
                continue;
            };
            for value in too_large {
                let needed = needs(name, property);
                let mut arguments =
                    needed.unwrap_or_else(|| panic!("{name} is new: say what it needs"));
                arguments[property] = value.clone();
                let said = raw.refused(name, arguments).await;
                assert!(
                    said.contains(property.as_str()) || said.contains("must be"),
                    "{name} {property} = {value}: {said}"
                );
            }
        }
    }
    assert!(numbers >= 10 && ids >= 5, "{numbers} {ids}");
    let left = text(&raw.call("memory_list", json!({})).await);
    assert!(
        left.contains("Mara works") && left.contains("harbour is open"),
        "{left}"
    );
    assert!(!left.contains("closed"), "{left}");
    raw.finish().await;
}
