//! `anamne mcp` serves agents; the protocol itself is tested in its own crate.

use serde_json::{Value, json};

use crate::bench::{Bench, lines};

#[test]
fn an_agent_stores_what_the_command_line_recalls() {
    let bench = Bench::new();
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "memory_store", "arguments": {"content": "The ferry leaves at nine"}}}),
    ];
    let input = lines(messages);
    let ran = bench.feed(&["mcp"], input.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let replies: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("standard output carries protocol alone"))
        .collect();
    let reply = |id: u64| {
        let found = replies.iter().find(|reply| reply["id"] == id);
        found.unwrap_or_else(|| panic!("no reply to {id}: {}", ran.stdout))
    };
    assert_eq!(reply(1)["result"]["protocolVersion"], "2025-11-25");
    let tools = reply(2)["result"]["tools"].as_array().map(Vec::len);
    assert_eq!(tools, Some(8));
    assert_ne!(reply(3)["result"]["isError"], true);
    assert_eq!(
        bench.recall(&["when does the ferry leave?"]),
        ["The ferry leaves at nine"]
    );
}

#[test]
fn json_is_for_programs_that_ask_for_it() {
    let bench = Bench::new();
    bench.remember(&["The ferry leaves at nine"]);
    let input = lines([
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "memory_search", "arguments": {"query": "when does the ferry leave?"}}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "memory_get", "arguments": {"id": "m99"}}}),
    ]);
    for (arguments, is_structured) in [(&["mcp"][..], false), (&["mcp", "--structured"], true)] {
        let ran = bench.feed(arguments, input.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        for line in ran.stdout.lines().skip(1) {
            let reply: Value = serde_json::from_str(line).expect("JSON");
            let result = &reply["result"];
            assert!(result["content"][0]["text"].is_string(), "{line}");
            assert_eq!(
                result.get("structuredContent").is_some(),
                is_structured,
                "{line}"
            );
        }
    }
}

#[test]
fn an_agent_is_offered_the_tools_that_were_asked_for() {
    let bench = Bench::new();
    let input = lines([
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ]);
    for (set, count, knows) in [
        ("memory", 8, false),
        ("read-only", 4, false),
        ("knowledge", 10, true),
        ("maintenance", 14, false),
        ("knowledge,cache", 12, true),
        ("all", 22, true),
        ("read_only,all", 11, false),
    ] {
        let ran = bench.feed(&["mcp", "--tools", set], input.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let listed: Value =
            serde_json::from_str(ran.stdout.lines().nth(1).expect("two replies")).expect("JSON");
        let tools = listed["result"]["tools"].as_array().expect("tools");
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str()).collect();
        assert_eq!(names.len(), count, "{set}");
        assert_eq!(names.contains(&Some("memory_knowledge")), knows, "{set}");
    }
}
