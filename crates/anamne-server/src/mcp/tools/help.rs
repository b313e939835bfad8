//! `memory_help`: what is installed, and examples that run. Offered with every opt-in set.

use std::fmt::Write;

use anamne::text::quote::quote_name;
use anamne::{HookActivity, Listing, Right, Space};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::sets::{enabled, offered};
use super::{Effect, MemoryTool, ToolSet};
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply};

/// Maximum number of spaces that are named.
const SPACES: usize = 20;

/// Maximum number of hooks that are named.
const HOOKS: usize = 12;

/// Days after which a hook that did not run is called silent.
const SILENT_DAYS: i64 = 7;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Help {}

impl MemoryTool for Help {
    const NAME: &'static str = "memory_help";
    const TITLE: &'static str = "Help";
    const DESCRIPTION: &'static str = "What is offered, what to do next, examples.";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let space = call.space(None)?;
        let scope = call.store.scope();
        let rights = Rights {
            write: scope.may_write(space.name()),
            erase: scope.allows(Right::Erase),
        };
        let memories = space.report()?.statistics.memories;
        let spaces: Vec<String> = call
            .store
            .spaces()?
            .iter()
            .map(ToString::to_string)
            .collect();
        let hooks = call.installed.hooks()?;
        let chosen = &call.installed.chosen;
        let examples = examples(&space, chosen, rights)?;
        let next = next(memories, &hooks, call);
        let text = [
            place(&space, memories, rights, &spaces),
            tools(chosen),
            ran(&hooks),
            format!("Next: {next}"),
            shown(&examples),
        ]
        .join("\n\n");
        Ok(Reply::new(call, text, || {
            json!({
                "version": env!("CARGO_PKG_VERSION"),
                "space": space.name(),
                "memories": memories,
                "spaces": spaces,
                "may_write": rights.write,
                "may_erase": rights.erase,
                "sets": sets(chosen),
                "hooks": hooks.iter().map(|hook| json!({
                    "host": hook.host,
                    "event": hook.event,
                    "last_at": hook.last_at,
                    "failures": hook.failures,
                })).collect::<Vec<_>>(),
                "next": next,
                "examples": examples.iter().map(|(tool, arguments)| json!({
                    "tool": tool,
                    "arguments": arguments,
                })).collect::<Vec<_>>(),
            })
        }))
    }
}

/// What the client may do in its space.
#[derive(Clone, Copy)]
struct Rights {
    write: bool,
    erase: bool,
}

fn place(space: &Space, memories: u64, rights: Rights, spaces: &[String]) -> String {
    let mut text = format!(
        "Anamne {}, space {}, {memories} memories. You may {}{}.",
        env!("CARGO_PKG_VERSION"),
        quote_name(space.name()),
        if rights.write {
            "read and write"
        } else {
            "read"
        },
        if rights.erase {
            ", and erase permanently"
        } else {
            ""
        },
    );
    let others = spaces.iter().filter(|name| *name != space.name());
    let others: Vec<String> = others.map(|name| quote_name(name)).collect();
    if !others.is_empty() {
        let more = if others.len() > SPACES { ", …" } else { "" };
        let named = others[..others.len().min(SPACES)].join(", ");
        let _ = write!(text, " Other spaces: {named}{more}.");
    }
    text
}

/// The sets with their tools, and whether they are offered.
fn tools(chosen: &[ToolSet]) -> String {
    let enabled = enabled(chosen);
    let mut text = "Tools:".to_owned();
    let mut missing = Vec::new();
    for set in [ToolSet::Essential].into_iter().chain(ToolSet::OPT_IN) {
        if enabled.contains(&set) {
            let names = offered_of(set, chosen).join(", ");
            let names = if names.is_empty() { "none" } else { &names };
            let _ = write!(text, "\n{}: {names}", set.as_str());
        } else {
            missing.push(set.as_str());
            let names = set.tool_names().join(", ");
            let _ = write!(text, "\n{} (not offered): {names}", set.as_str());
        }
    }
    if chosen.contains(&ToolSet::ReadOnly) {
        text.push_str("\nTools that write are left out.");
    }
    if !missing.is_empty() {
        let _ = write!(
            text,
            "\nA person can add sets: `anamne mcp --tools {}`.",
            missing.join(",")
        );
    }
    text
}

/// The tools of a set that a client with these sets can call.
fn offered_of(set: ToolSet, chosen: &[ToolSet]) -> Vec<&'static str> {
    let offered: Vec<&str> = offered(chosen).iter().map(|entry| entry.name).collect();
    let mut names = set.tool_names();
    names.retain(|name| offered.contains(name));
    names
}

fn sets(chosen: &[ToolSet]) -> Value {
    let enabled = enabled(chosen);
    let sets = [ToolSet::Essential].into_iter().chain(ToolSet::OPT_IN);
    sets.map(|set| {
        json!({
            "set": set.as_str(),
            "offered": enabled.contains(&set),
            "tools": if enabled.contains(&set) { offered_of(set, chosen) } else { set.tool_names() },
        })
    })
    .collect()
}

fn ran(hooks: &[HookActivity]) -> String {
    if hooks.is_empty() {
        return "Hooks: none ran on this store.".to_owned();
    }
    let mut text = "Hooks:".to_owned();
    for hook in hooks.iter().take(HOOKS) {
        let _ = write!(
            text,
            "\n{} of {}: last on {}",
            quote_name(&hook.event),
            quote_name(&hook.host),
            hook.last_at.strftime("%Y-%m-%d %H:%M UTC")
        );
        if hook.failures > 0 {
            let _ = write!(text, ", {} of {} failed", hook.failures, hook.runs);
        }
    }
    text
}

/// What to do next.
fn next(memories: u64, hooks: &[HookActivity], call: &CallContext) -> &'static str {
    let age = |hook: &HookActivity| call.now().duration_since(hook.last_at).as_hours() / 24;
    let only_reads = call.installed.chosen.contains(&ToolSet::ReadOnly);
    if memories == 0 && only_reads {
        "nothing is stored yet; a person can store memories with `anamne remember`."
    } else if memories == 0 {
        "nothing is stored yet; store the first decision, preference or fix with memory_store."
    } else if hooks.is_empty() {
        "begin each session with memory_context and preset session_start; a person can let hooks do it with `anamne setup`."
    } else if hooks.iter().all(|hook| age(hook) > SILENT_DAYS) {
        "no hook ran for a week; a person can look with `anamne status`."
    } else if only_reads {
        "search before answering about the past."
    } else {
        "search before answering about the past; store what is decided."
    }
}

/// Calls of offered tools that succeed as they are.
fn examples(
    space: &Space,
    chosen: &[ToolSet],
    rights: Rights,
) -> Result<Vec<(&'static str, Value)>, Failure> {
    let (newest, _) = space.list_undamaged(&Listing {
        limit: 1,
        ..Listing::default()
    })?;
    let goal = "publish a release";
    let question = "when do we release?";
    let mut examples = vec![
        ("memory_context", json!({ "preset": "session_start" })),
        ("memory_search", json!({ "query": question, "limit": 5 })),
        ("memory_list", json!({ "since": "yesterday" })),
        ("memory_knowledge", json!({ "action": "list" })),
        ("memory_stats", json!({})),
        ("memory_validate", json!({})),
        ("memory_consolidate", json!({})),
        ("memory_tasks", json!({})),
        (
            "memory_check",
            json!({ "claim": "We never release on Fridays" }),
        ),
        ("memory_get_reasoning_history", json!({ "goal": goal })),
        (
            "memory_cache_lookup",
            json!({ "request": "release notes of SQLite", "tool": "web" }),
        ),
    ];
    if let Some(memory) = newest.first() {
        examples.insert(2, ("memory_get", json!({ "id": memory.citation() })));
    }
    if rights.write {
        let fact = json!({
            "content": "We release on Fridays, because support is staffed then",
            "category": "architecture_decision",
        });
        let outcome = json!({ "action": "shell", "arguments": "make release", "succeeded": true, "goal": goal });
        let lesson = json!({ "title": "Tag first", "content": "Tag before the build, because it reads the tag" });
        examples.extend([
            ("memory_store", fact),
            (
                "memory_search_with_experience",
                json!({ "query": question }),
            ),
            ("memory_record_outcome", outcome),
            ("memory_record_reasoning", lesson),
        ]);
    }
    let offered: Vec<&str> = offered(chosen).iter().map(|entry| entry.name).collect();
    examples.retain(|(tool, _)| offered.contains(tool));
    Ok(examples)
}

fn shown(examples: &[(&'static str, Value)]) -> String {
    let mut text = "Examples:".to_owned();
    for (tool, arguments) in examples {
        let _ = write!(text, "\n{tool} {arguments}");
    }
    text
}
