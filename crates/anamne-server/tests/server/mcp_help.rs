//! `memory_help`: what is offered, and examples that run.

use anamne::{HookRun, Options, Store};
use anamne_server::mcp::{OtherSpaces, Settings, ToolSet};
use serde_json::{Value, json};

use crate::common::{Raw, text};

async fn started(settings: Settings) -> Raw {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let mut raw = Raw::start_with(folder, options, settings);
    raw.initialize("2025-11-25").await;
    raw
}

/// The lines of the examples, as tools and arguments.
fn examples(said: &str) -> Vec<(String, Value)> {
    let (_, lines) = said.split_once("\nExamples:\n").expect("examples");
    let read = |line: &str| {
        let (tool, arguments) = line.split_once(' ').expect("a tool and its arguments");
        let arguments = serde_json::from_str(arguments).expect("JSON");
        (tool.to_owned(), arguments)
    };
    lines.lines().map(read).collect()
}

#[tokio::test]
async fn every_example_of_the_help_runs() {
    for set in [
        ToolSet::Knowledge,
        ToolSet::Maintenance,
        ToolSet::Experience,
        ToolSet::Cache,
        ToolSet::All,
    ] {
        let mut raw = started(Settings::default().tools(set)).await;
        // On an empty store, and on one with what the examples stored.
        for _ in 0..2 {
            let said = text(&raw.call("memory_help", json!({})).await);
            let examples = examples(&said);
            assert!(examples.len() >= 4, "{said}");
            for (tool, arguments) in examples {
                let reply = raw.call(&tool, arguments.clone()).await;
                assert_eq!(reply["isError"], false, "{tool} {arguments}: {reply}");
            }
        }
        raw.finish().await;
    }
}

#[tokio::test]
async fn the_help_gives_an_example_of_every_tool_that_changes_no_memory_of_others() {
    let mut raw = started(Settings::default().tools(ToolSet::All)).await;
    raw.call(
        "memory_store",
        json!({ "content": "The ferry leaves at nine" }),
    )
    .await;
    let listed = raw.request("tools/list", json!({})).await;
    let said = text(&raw.call("memory_help", json!({})).await);
    let shown: Vec<String> = examples(&said).into_iter().map(|(tool, _)| tool).collect();
    let without = [
        "memory_update",
        "memory_delete",
        "memory_link",
        "memory_feedback",
        "memory_cache_store",
        "memory_help",
    ];
    for tool in listed["result"]["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        let has_one = shown.iter().any(|tool| tool == name);
        assert_eq!(has_one, !without.contains(&name), "{name}");
    }
    raw.finish().await;
}

#[tokio::test]
async fn the_help_says_what_is_offered_and_what_may_be_done() {
    let settings = Settings::default()
        .tools([ToolSet::Knowledge, ToolSet::ReadOnly])
        .others(OtherSpaces::Listed(vec!["garden".to_owned()]))
        .structured(true);
    let mut raw = started(settings).await;
    let store = Store::open(raw.folder.path()).expect("a store");
    for name in ["garden", "payroll"] {
        drop(store.space(name).expect("a space"));
    }
    let help = raw.call("memory_help", json!({})).await;
    let said = text(&help);
    assert!(
        said.contains("You may read. Other spaces: garden."),
        "{said}"
    );
    assert!(said.contains("maintenance (not offered)"), "{said}");
    assert!(
        said.contains("anamne mcp --tools maintenance,experience,cache"),
        "{said}"
    );
    assert!(said.contains("Tools that write are left out"), "{said}");
    assert!(
        !said.contains("memory_store") && !said.contains("memory_update"),
        "{said}"
    );
    assert!(said.contains("Hooks: none ran"), "{said}");
    assert!(said.contains(env!("CARGO_PKG_VERSION")), "{said}");
    let folder = raw.folder.path().display().to_string();
    assert!(
        !help.to_string().contains(&folder),
        "no path of this machine: {said}"
    );
    let found = &help["structuredContent"];
    assert_eq!(
        (&found["may_write"], &found["may_erase"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(found["sets"][1]["set"], "knowledge");
    assert_eq!(found["sets"][1]["offered"], true);
    raw.finish().await;

    let mut raw = started(Settings::default().tools(ToolSet::Cache).erase(true)).await;
    let said = text(&raw.call("memory_help", json!({})).await);
    assert!(
        said.contains("You may read and write, and erase permanently."),
        "{said}"
    );
    assert!(
        raw.refused("memory_help", json!({ "topic": "x" }))
            .await
            .contains("topic")
    );
    raw.finish().await;
}

#[tokio::test]
async fn hooks_that_ran_are_named_without_what_they_saw() {
    let mut raw = started(Settings::default().tools(ToolSet::Cache)).await;
    let store = Store::open(raw.folder.path()).expect("a store");
    let log = store.hook_log().expect("the record");
    let run = HookRun {
        host: "claude-code",
        event: "prompt",
        ..HookRun::default()
    };
    log.note_run(&run, jiff::Timestamp::now()).expect("noted");
    let said = text(&raw.call("memory_help", json!({})).await);
    assert!(said.contains("\nprompt of claude-code: last on "), "{said}");
    raw.finish().await;
}

#[tokio::test]
async fn the_help_stays_within_the_usual_budget() {
    let mut raw = started(Settings::default().tools(ToolSet::All)).await;
    raw.call(
        "memory_store",
        json!({ "content": "The ferry leaves at nine" }),
    )
    .await;
    let said = text(&raw.call("memory_help", json!({})).await);
    let tokens = anamne::text::tokens::estimate_tokens(&said);
    assert!(tokens <= 2_000, "{tokens} tokens:\n{said}");
    raw.finish().await;
}
