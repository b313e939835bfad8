//! The table of names in other systems, in `docs/mcp.md`: each call is made and answers what the table says.

use std::collections::BTreeSet;

use anamne::Options;
use anamne_server::mcp::{MemoryServer, Settings, ToolSet};
use serde_json::{Value, json};

use crate::common::{Raw, text};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mcp.md");

/// Names that memory systems commonly offer.
const NAMES: [&str; 18] = [
    "search",
    "store",
    "update",
    "delete",
    "get_related",
    "stats",
    "validate",
    "build_context",
    "multi_hop",
    "get_reasoning_history",
    "search_with_experience",
    "record_reasoning",
    "graph",
    "consolidate",
    "think",
    "remember",
    "knowledge",
    "help",
];

struct Row {
    name: String,
    tool: String,
    arguments: Value,
    answer: String,
}

/// The rows of the table.
fn rows() -> Vec<Row> {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (_, table) = page.split_once("|---|---|---|---|\n").expect("the table");
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, tool, arguments, answer] = cells[..] else {
            panic!("not four cells: {line}");
        };
        let arguments = serde_json::from_str(arguments.trim_matches('`'));
        Row {
            name: name.to_owned(),
            tool: tool.trim_matches('`').to_owned(),
            arguments: arguments.unwrap_or_else(|error| panic!("{line}: {error}")),
            answer: answer.to_owned(),
        }
    };
    table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .map(row)
        .collect()
}

/// A server with every tool, on a store with the contents that the table asks for.
async fn server() -> Raw {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let settings = Settings::default().tools(ToolSet::All);
    let mut raw = Raw::start_with(folder, options, settings);
    raw.initialize("2025-11-25").await;
    for stored in [
        json!({ "content": "The flood barrier was surveyed by Zenobia Quarrel." }),
        json!({ "content": "Zenobia Quarrel prefers calls before noon." }),
        json!({ "content": "The staging server listens on port 8471", "kind": "fact" }),
        json!({ "content": "the staging server listens on port 8471.", "kind": "fact" }),
    ] {
        made(&mut raw, "memory_store", stored).await;
    }
    let link = json!({ "from": "m1", "to": "m2", "type": "requires" });
    made(&mut raw, "memory_link", link).await;
    let works_at = json!({ "action": "assert", "name": "Zenobia Quarrel", "relation": "works_at",
        "object": "Tarnwick Foundry" });
    made(&mut raw, "memory_knowledge", works_at).await;
    for outcome in [
        json!({ "action": "shell", "arguments": "apt install mold", "succeeded": true, "run": "r1" }),
        json!({ "action": "task", "goal": "publish the release", "succeeded": true, "run": "r1" }),
    ] {
        made(&mut raw, "memory_record_outcome", outcome).await;
    }
    let tides = json!({ "request": "tide table of Oslo", "content": "High water at six" });
    made(&mut raw, "memory_cache_store", tides).await;
    raw
}

async fn made(raw: &mut Raw, tool: &str, arguments: Value) -> String {
    let reply = raw.call(tool, arguments.clone()).await;
    assert_eq!(reply["isError"], false, "{tool} {arguments}: {reply}");
    text(&reply)
}

#[tokio::test]
async fn each_name_of_other_systems_has_a_call_that_does_the_same() {
    for row in rows() {
        let mut raw = server().await;
        let said = made(&mut raw, &row.tool, row.arguments).await;
        assert!(
            said.contains(&row.answer),
            "{}: {:?} is not in {said}",
            row.name,
            row.answer
        );
        raw.finish().await;
    }
}

#[test]
fn the_table_has_the_common_names_and_every_tool() {
    let rows = rows();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), rows.len(), "no name twice");
    for name in NAMES {
        assert!(names.contains(name), "{name}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings::default().tools(ToolSet::All);
    let server = MemoryServer::open(Options::new(folder.path()), "core", settings);
    let offered = server.expect("a server");
    let offered: BTreeSet<&str> = offered
        .tools()
        .iter()
        .map(|tool| tool.name.as_ref())
        .collect();
    let used: BTreeSet<&str> = rows.iter().map(|row| row.tool.as_str()).collect();
    assert_eq!(used, offered);
}

#[test]
fn the_page_lists_the_tools_of_each_set() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let folder = tempfile::tempdir().expect("a folder");
    for set in [ToolSet::Essential].into_iter().chain(ToolSet::OPT_IN) {
        let settings = Settings::default().tools(set);
        let server = MemoryServer::open(Options::new(folder.path()), "core", settings);
        let server = server.expect("a server");
        let names = server.tools().iter().map(|tool| format!("`{}`", tool.name));
        let own: Vec<String> = names
            .skip(if set == ToolSet::Essential { 0 } else { 8 })
            .collect();
        let own = own.iter().filter(|name| *name != "`memory_help`");
        let listed = own.cloned().collect::<Vec<_>>().join(", ");
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{}`", set.as_str())));
        let row = row.unwrap_or_else(|| panic!("no row of {}", set.as_str()));
        assert!(row.ends_with(&format!("| {listed} |")), "{row}: {listed}");
    }
}
