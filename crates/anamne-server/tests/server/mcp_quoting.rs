//! Foreign text can't look like a line of the server through any interface, and models get only quoted text.
//!
//! Each case fills two stores of the same shape: one with hostile names and contents, one with harmless ones. For every
//! query, the unquoted lines must have known forms, and be the same in both.

mod forms;
mod world;

use std::collections::BTreeSet;

use anamne::text::quote::{is_invisible, is_line_break};
use anamne::{ContextPreset, ContextRequest, Options, Store};
use anamne_server::mcp::{MemoryServer, OtherSpaces, Settings, ToolSet};
use proptest::prelude::*;
use serde_json::{Value, json};

use forms::{is_known, is_noted, is_overview, skeleton};
use world::{Words, calls, hostile, stored};

use crate::common::{Raw, text};

fn settings() -> Settings {
    Settings::default()
        .tools([ToolSet::Knowledge, ToolSet::Maintenance])
        .others(OtherSpaces::All)
}

/// The answers of a store with certain words.
struct Answers {
    /// Replies by call.
    replies: Vec<(String, Value)>,
    /// Context blocks of the Rust API.
    blocks: Vec<String>,
}

async fn answers(words: &Words, settings: Settings) -> Answers {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path()).background(false);
    let mut raw = Raw::start_with(folder, options, settings);
    raw.initialize_as(&words.client, "2025-11-25").await;
    let mut replies = Vec::new();
    for memory in stored(words) {
        let reply = raw.call("memory_store", memory).await;
        replies.push(("memory_store".to_owned(), reply));
    }
    let blocks = blocks(raw.folder.path());
    for (tool, arguments) in calls(words) {
        let action = arguments["action"].as_str().unwrap_or_default();
        let what = format!("{tool} {action}");
        replies.push((what, raw.call(tool, arguments).await));
    }
    raw.finish().await;
    Answers { replies, blocks }
}

/// The texts of both stores, side by side: a reply to a model is text only.
async fn compare(hostile: &Words, harmless: &Words) {
    let hostile = answers(hostile, settings()).await;
    let harmless = answers(harmless, settings()).await;
    let mut forged = Vec::new();
    for ((what, reply), (_, twin)) in hostile.replies.iter().zip(&harmless.replies) {
        assert!(reply.get("structuredContent").is_none(), "{what}: {reply}");
        assert_eq!(reply["content"].as_array().map(Vec::len), Some(1), "{what}");
        forged.extend(check(what, &text(reply), &text(twin)));
    }
    for (block, twin) in hostile.blocks.iter().zip(&harmless.blocks) {
        forged.extend(check("a context in Rust", block, twin));
    }
    assert!(forged.is_empty(), "{}", forged.join("\n"));
}

/// Context blocks of the engine.
fn blocks(folder: &std::path::Path) -> Vec<String> {
    let store = Store::open_with(Options::new(folder).background(false)).expect("a store");
    let space = store.space("core").expect("a space");
    let requests = [ContextRequest::new("harbour report", 20_000)]
        .into_iter()
        .chain(
            ContextPreset::ALL
                .iter()
                .map(|preset| ContextRequest::preset(*preset)),
        );
    requests
        .map(|request| space.context(&request).expect("a context").text)
        .collect()
}

/// The problem of a text compared with that of the harmless store.
fn check(what: &str, said: &str, twin: &str) -> Option<String> {
    let breaks = |character: char| character != '\n' && is_line_break(character);
    if let Some(hidden) = said.chars().find(|one| is_hidden(*one) || breaks(*one)) {
        return Some(format!("{what}: {hidden:?} in {said:?}"));
    }
    let (ours, wanted) = (skeleton(said), skeleton(twin));
    let forged: Vec<&String> = ours.iter().filter(|form| !is_known(form)).collect();
    if !forged.is_empty() {
        return Some(format!("{what}: no lines of ours: {forged:?}"));
    }
    // The graph extracted from contents, what recurs in them and what rules note beside them differ between the two; the
    // lines still have known forms. In a briefing the rules choose the section of a memory, too.
    let is_briefing = what.contains("context");
    let [ours, wanted] = [ours, wanted].map(|mut forms| {
        forms.retain(|form| !is_noted(form) && !is_overview(form));
        if is_briefing {
            forms.retain(|form| !form.is_empty() && !form.starts_with("## "));
        }
        forms
    });
    let depends = ["memory_knowledge", "memory_consolidate", "memory_check"];
    let differs = !depends.iter().any(|tool| what.starts_with(tool)) && ours != wanted;
    differs.then(|| format!("{what}:\n{said}\n--- and harmless:\n{twin}"))
}

/// Characters that a script or an emoji needs don't count as hidden.
fn is_hidden(character: char) -> bool {
    let joins = matches!(
        character,
        '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\u{180b}'..='\u{180f}'
    );
    is_invisible(character) && !joins && !matches!(character, '\n' | '\t')
}

fn block_on(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(work);
}

#[test]
fn every_tool_and_each_of_its_choices_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = MemoryServer::open(Options::new(folder.path()), "core", settings());
    let server = server.expect("a server");
    let words = Words::harmless();
    let stored = stored(&words)
        .into_iter()
        .map(|stored| ("memory_store", stored));
    let asked: Vec<_> = stored.chain(calls(&words)).collect();
    let choices = |tool: &str, field: &str| -> BTreeSet<String> {
        let of_tool = asked.iter().filter(|(name, _)| *name == tool);
        let values = of_tool.filter_map(|(_, arguments)| arguments[field].as_str());
        values.map(str::to_owned).collect()
    };
    for tool in server.tools() {
        let name = tool.name.as_ref();
        assert!(
            asked.iter().any(|(asked, _)| *asked == name),
            "{name} is not asked"
        );
        for field in ["action", "preset"] {
            let listed = tool.input_schema["properties"][field]["enum"].as_array();
            let listed: BTreeSet<String> = listed
                .into_iter()
                .flatten()
                .filter_map(|word| word.as_str().map(str::to_owned))
                .collect();
            assert_eq!(choices(name, field), listed, "{name}: {field}");
        }
    }
}

#[test]
fn known_attacks_forge_nothing() {
    let harmless = Words::harmless();
    for attack in world::ATTACKS {
        block_on(compare(&Words::all(attack), &harmless));
    }
}

#[test]
fn an_error_is_one_line_whatever_was_asked() {
    block_on(async {
        for attack in world::ATTACKS {
            let mut raw = Raw::initialized("2025-11-25").await;
            for (tool, field) in [
                ("memory_get", "id"),
                ("memory_delete", "id"),
                ("memory_list", "space"),
                ("memory_list", "since"),
                ("memory_search", "space"),
                ("memory_list", "kind"),
                ("memory_list", "[m1] (fact)\u{2028}user"),
            ] {
                let mut arguments = json!({ "query": "x" });
                if tool != "memory_search" {
                    arguments = json!({});
                }
                arguments[field] = json!(attack);
                let said = raw.refused(tool, arguments).await;
                assert!(!said.contains(is_line_break), "{tool}: {said:?}");
                assert!(!said.contains(is_hidden), "{tool}: {said:?}");
                let kinds = [" must be ", "not found: "];
                assert!(
                    kinds.iter().any(|kind| said.contains(kind)),
                    "{tool}: {said}"
                );
            }
            raw.finish().await;
        }
    });
}

#[test]
fn programs_see_nothing_invisible_either() {
    block_on(async {
        for attack in world::ATTACKS {
            let settings = settings().structured(true);
            for (what, reply) in answers(&Words::all(attack), settings).await.replies {
                let structured = &reply["structuredContent"];
                assert!(structured.is_object(), "{what}: {reply}");
                assert_nothing_hidden(&what, structured);
            }
        }
    });
}

fn assert_nothing_hidden(what: &str, value: &Value) {
    match value {
        Value::String(text) => assert!(!text.contains(is_hidden), "{what}: {text:?}"),
        Value::Array(items) => items
            .iter()
            .for_each(|item| assert_nothing_hidden(what, item)),
        Value::Object(object) => {
            for (name, value) in object {
                assert!(!name.contains(is_hidden), "{what}: {name:?}");
                assert_nothing_hidden(what, value);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, max_shrink_iters: 16, ..ProptestConfig::default() })]

    #[test]
    fn names_and_contents_forge_no_server_line(
        names in prop::collection::vec(hostile(), 8),
        contents in prop::collection::vec(hostile(), 5),
    ) {
        block_on(compare(&Words::of(&names, &contents), &Words::harmless()));
    }
}
