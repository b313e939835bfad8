//! The token cost of the tool list and the instructions, and their stability.

#![expect(
    clippy::print_stdout,
    reason = "the figure is for whoever runs the test with --nocapture"
)]

use anamne::Options;
use anamne::text::tokens::estimate_tokens;
use anamne_server::mcp::{MemoryServer, Settings, ToolSet};
use rmcp::model::ListToolsResult;
use serde_json::{Map, Value};

/// Maximum tokens of the whole list.
const BUDGET: usize = 2_500;

fn server() -> (tempfile::TempDir, MemoryServer) {
    let folder = tempfile::tempdir().expect("a folder");
    let server = MemoryServer::open(Options::new(folder.path()), "core", Settings::default());
    (folder, server.expect("a server"))
}

/// The value with sorted keys, independent of the map type of the `serde_json` build.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.into_iter().collect();
            entries.sort_by(|one, other| one.0.cmp(&other.0));
            let entries = entries.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        value => value,
    }
}

#[test]
fn the_tool_list_costs_a_host_no_more_than_its_budget() {
    let (_folder, server) = server();
    let list = ListToolsResult::with_all_items(server.tools().to_vec());
    let json = serde_json::to_string(&list).expect("JSON");
    let estimate = estimate_tokens(&json);
    let by_bytes = json.len() * 10 / 32;
    println!(
        "the list: {} bytes, {estimate} tokens as estimated, {by_bytes} by bytes",
        json.len()
    );
    for tool in server.tools() {
        let json = serde_json::to_string(tool).expect("JSON");
        println!(
            "{:16} {:5} bytes {:4} tokens",
            tool.name,
            json.len(),
            estimate_tokens(&json)
        );
    }
    assert!(server.tools().len() <= 8);
    assert!(estimate <= BUDGET, "{estimate} tokens");
    assert!(by_bytes <= BUDGET, "{by_bytes} tokens by bytes");
    let instructions = estimate_tokens(server.instructions());
    println!("the instructions: {instructions} tokens");
    assert!(instructions < 150, "{instructions} tokens");
}

/// Maximum tokens that an opt-in set adds to the list.
const OPT_IN_BUDGET: usize = 900;

/// The tokenizer `o200k_base` makes one token of 4.2 bytes of definitions. Our estimate counts JSON's punctuation
/// higher, so it is a bound for all sets but the one of experience, whose tools have the most arguments.
#[test]
fn every_opt_in_set_costs_no_more_than_its_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    for set in ToolSet::OPT_IN {
        let settings = Settings::default().tools(set);
        let server = MemoryServer::open(Options::new(folder.path()), "core", settings);
        let added = server.expect("a server").tools()[8..].to_vec();
        let json = serde_json::to_string(&added).expect("JSON");
        let (by_bytes, estimate) = (json.len() * 10 / 42, estimate_tokens(&json));
        let name = set.as_str();
        println!(
            "{name}: {} bytes, {by_bytes} tokens, {estimate} as estimated",
            json.len()
        );
        for tool in &added {
            let json = serde_json::to_string(tool).expect("JSON");
            println!("  {:30} {:4}", tool.name, estimate_tokens(&json));
        }
        assert!(by_bytes <= OPT_IN_BUDGET, "{name}: {by_bytes}");
        if set != ToolSet::Experience {
            assert!(estimate <= OPT_IN_BUDGET, "{name}: {estimate}");
        }
    }
}

#[test]
fn sets_are_combined_and_read_only_leaves_out_what_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = |sets: &[ToolSet]| -> Vec<String> {
        let settings = Settings::default().tools(sets);
        let server = MemoryServer::open(Options::new(folder.path()), "core", settings);
        let server = server.expect("a server");
        server
            .tools()
            .iter()
            .map(|tool| tool.name.to_string())
            .collect()
    };
    let two = names(&[ToolSet::Cache, ToolSet::Knowledge]);
    assert_eq!(two[..8], names(&[])[..]);
    let added = [
        "memory_knowledge",
        "memory_cache_lookup",
        "memory_cache_store",
        "memory_help",
    ];
    assert_eq!(two[8..], added);
    let all = names(&[ToolSet::All]);
    for set in ToolSet::OPT_IN {
        assert!(names(&[set]).iter().all(|name| all.contains(name)));
    }
    let unique: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(unique.len(), all.len(), "no tool twice: {all:?}");
    assert_eq!(names(&[ToolSet::All, ToolSet::Maintenance]), all);
    let reading = names(&[ToolSet::ReadOnly, ToolSet::Maintenance]);
    assert_eq!(
        reading,
        [
            "memory_search",
            "memory_context",
            "memory_list",
            "memory_get",
            "memory_stats",
            "memory_validate",
            "memory_tasks",
            "memory_check",
            "memory_help"
        ]
    );
}

#[test]
fn the_opt_in_tools_are_as_published() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings::default().tools(ToolSet::All);
    let server = MemoryServer::open(Options::new(folder.path()), "core", settings);
    let tools = serde_json::to_value(&server.expect("a server").tools()[8..]).expect("JSON");
    insta::assert_json_snapshot!(sorted(tools));
}

#[test]
fn the_tool_list_is_as_published() {
    let (_folder, server) = server();
    let tools = serde_json::to_value(server.tools()).expect("JSON");
    insta::assert_json_snapshot!(sorted(tools));
}

#[test]
fn every_tool_declares_its_effects() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings::default().tools(ToolSet::All);
    let server = MemoryServer::open(Options::new(folder.path()), "core", settings);
    for tool in server.expect("a server").tools() {
        let name = tool.name.as_ref();
        let looks = [
            "memory_search",
            "memory_context",
            "memory_list",
            "memory_get",
            "memory_stats",
            "memory_validate",
            "memory_tasks",
            "memory_check",
            "memory_get_reasoning_history",
            "memory_cache_lookup",
            "memory_help",
        ];
        let annotations = tool.annotations.as_ref().expect("annotations");
        assert!(tool.title.is_some(), "{name}");
        let wanted = [
            Some(looks.contains(&name)),
            Some(name == "memory_delete"),
            Some(true),
            Some(false),
        ];
        let said = [
            annotations.read_only_hint,
            annotations.destructive_hint,
            annotations.idempotent_hint,
            annotations.open_world_hint,
        ];
        assert_eq!(said, wanted, "{name}");
    }
}

#[test]
fn search_and_context_are_there_before_a_host_looks_for_tools() {
    let (_folder, server) = server();
    for tool in server.tools() {
        let meta = tool.meta.as_ref().map(|meta| &meta.0);
        let is_loaded = meta.and_then(|meta| meta.get("anthropic/alwaysLoad"));
        let wanted = ["memory_search", "memory_context"].contains(&tool.name.as_ref());
        assert_eq!(
            is_loaded,
            wanted.then_some(&Value::Bool(true)),
            "{}",
            tool.name
        );
    }
}
