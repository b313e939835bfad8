//! What exists: methods, commands, tools, routes, events of hooks, tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anamne::Options;
use anamne_hosts::hook::HookEvent;
use anamne_server::mcp::{MemoryServer, Settings, ToolSet};
use clap::CommandFactory;
use serde_json::Value;

use super::crates;
use super::public_methods::public_methods;
use super::table::Door;
use crate::arguments::Cli;

/// What can be called through each interface.
pub(super) struct Known {
    methods: BTreeSet<String>,
    /// The options by the command's path.
    commands: BTreeMap<String, BTreeSet<String>>,
    tools: BTreeMap<String, KnownTool>,
    /// `resource NAME` for each kind of address, and `prompt NAME`.
    resources_and_prompts: BTreeSet<String>,
    /// The method and path of each route.
    routes: BTreeSet<String>,
    events: BTreeSet<String>,
}

#[derive(Default)]
struct KnownTool {
    arguments: BTreeSet<String>,
    /// The sets that offer it; empty if the default set does.
    sets: Vec<&'static str>,
}

impl Known {
    pub(super) fn read() -> Self {
        let mut commands = BTreeMap::new();
        for command in Cli::command().get_subcommands() {
            collect_commands(command, "", &mut commands);
        }
        let methods = ["Space", "Store"].into_iter().flat_map(|of| {
            let found = public_methods(&crates().join("anamne"), of);
            found.into_iter().map(move |name| format!("{of}::{name}"))
        });
        Self {
            methods: methods.collect(),
            commands,
            tools: tools(),
            resources_and_prompts: resources_and_prompts(),
            routes: routes(),
            events: HookEvent::ALL
                .iter()
                .map(|event| event.as_str().to_owned())
                .collect(),
        }
    }

    /// Everything that some row must name.
    pub(super) fn required(&self, door: Door) -> Vec<&str> {
        let names: Vec<&String> = match door {
            Door::Rust => self.methods.iter().collect(),
            Door::CommandLine => self.commands.keys().collect(),
            Door::Mcp => {
                let tools = self.tools.keys();
                tools.chain(&self.resources_and_prompts).collect()
            }
            Door::Rest => self.routes.iter().collect(),
            Door::Hooks => self.events.iter().collect(),
        };
        names.into_iter().map(String::as_str).collect()
    }

    /// Whether a call exists, with the option or argument after it.
    pub(super) fn has(&self, door: Door, call: &str) -> bool {
        let (name, detail) = split(door, call);
        match door {
            Door::Rust => self.methods.contains(call),
            Door::Rest => self.routes.contains(call),
            Door::Hooks => self.events.contains(call),
            Door::CommandLine => self
                .commands
                .get(name)
                .is_some_and(|options| detail.is_none_or(|option| options.contains(option))),
            Door::Mcp => {
                let has = |tool: &KnownTool| {
                    detail.is_none_or(|argument| tool.arguments.contains(argument))
                };
                self.resources_and_prompts.contains(call) || self.tools.get(name).is_some_and(has)
            }
        }
    }

    /// The sets that must be chosen for a tool.
    pub(super) fn sets(&self, call: &str) -> &[&'static str] {
        let (name, _) = split(Door::Mcp, call);
        self.tools.get(name).map_or(&[], |tool| &tool.sets)
    }
}

/// A call without and with its option or argument.
pub(super) fn split(door: Door, call: &str) -> (&str, Option<&str>) {
    match door {
        Door::CommandLine => match call.split_once(" --") {
            Some((name, _)) => (name, Some(&call[name.len() + 1..])),
            None => (call, None),
        },
        Door::Mcp => match call.split_once(' ') {
            Some((name, argument)) => (name, Some(argument)),
            None => (call, None),
        },
        Door::Rust | Door::Rest | Door::Hooks => (call, None),
    }
}

/// The command and its own commands that can be run.
fn collect_commands(
    command: &clap::Command,
    parent: &str,
    found: &mut BTreeMap<String, BTreeSet<String>>,
) {
    let path = format!("{parent} {}", command.get_name());
    let path = path.trim_start();
    if !command.is_subcommand_required_set() {
        let options = command.get_arguments().filter_map(clap::Arg::get_long);
        let options = options.map(|long| format!("--{long}"));
        found.insert(path.to_owned(), options.collect());
    }
    for inner in command.get_subcommands() {
        collect_commands(inner, path, found);
    }
}

/// A server with these settings on a store of its own.
fn server(settings: Settings) -> MemoryServer {
    let folder = tempfile::tempdir().expect("a folder");
    MemoryServer::open(Options::new(folder.path()), "core", settings).expect("a server")
}

/// The tools of every set.
fn tools() -> BTreeMap<String, KnownTool> {
    let mut found: BTreeMap<String, KnownTool> = BTreeMap::new();
    let usual = server(Settings::default());
    let is_usual = |name: &str| usual.tools().iter().any(|tool| tool.name == name);
    for set in [ToolSet::Essential].into_iter().chain(ToolSet::OPT_IN) {
        for tool in server(Settings::default().tools(set)).tools() {
            let schema = Value::Object(tool.input_schema.as_ref().clone());
            let properties = schema["properties"].as_object();
            let arguments = properties.into_iter().flat_map(|map| map.keys().cloned());
            let entry = found.entry(tool.name.to_string()).or_default();
            entry.arguments = arguments.collect();
            if !is_usual(&tool.name) {
                entry.sets.push(set.as_str());
            }
        }
    }
    found
}

/// `METHOD PATH` of everything that the description of the server's routes has.
fn routes() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, item) in anamne_server::rest::openapi().paths.paths {
        for (method, operation) in [
            ("GET", &item.get),
            ("POST", &item.post),
            ("PUT", &item.put),
            ("PATCH", &item.patch),
            ("DELETE", &item.delete),
        ] {
            if operation.is_some() {
                found.insert(format!("{method} {path}"));
            }
        }
    }
    found
}

fn resources_and_prompts() -> BTreeSet<String> {
    let server = server(Settings::default());
    let resources = server.resource_templates().into_iter();
    let resources = resources.map(|template| format!("resource {}", template.name));
    let prompts = server.prompts().into_iter();
    resources
        .chain(prompts.map(|prompt| format!("prompt {}", prompt.name)))
        .collect()
}

/// The text of a file of tests; `None` if there is none.
pub(super) fn test_file(door: Door, file: &str) -> Option<String> {
    fs::read_to_string(crates().join(door.tests()).join(file)).ok()
}

/// Whether a source has a test of this name.
pub(super) fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let starts = [format!("fn {name}("), format!("async fn {name}(")];
    lines.iter().enumerate().any(|(at, line)| {
        let is_named = starts.iter().any(|start| line.starts_with(start.as_str()));
        let before = lines[..at].iter().rev();
        let mut attributes =
            before.take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        is_named && attributes.any(|line| *line == "#[test]" || line.starts_with("#[tokio::test"))
    })
}

/// Whether a source of tests mentions a call.
pub(super) fn mentions(source: &str, door: Door, call: &str) -> bool {
    let (name, detail) = split(door, call);
    match door {
        Door::Rust => {
            let method = name.rsplit("::").next().unwrap_or(name);
            source.contains(&format!(".{method}(")) || source.contains(&format!("::{method}("))
        }
        Door::CommandLine => {
            let mut words = name.split(' ').chain(detail);
            words.all(|word| source.contains(&format!("\"{word}\"")) || is_spoken(source, word))
        }
        Door::Mcp => {
            let quoted = |word: &str| source.contains(&format!("\"{word}\""));
            match (name, detail) {
                ("resource", Some(kind)) => source.contains(&format!("/{kind}/")),
                ("prompt", Some(prompt)) => quoted(prompt),
                (tool, argument) => [tool].into_iter().chain(argument).all(quoted),
            }
        }
        Door::Rest => {
            let (method, path) = name.split_once(' ').unwrap_or(("", name));
            let calls = [
                format!(".{}(", method.to_lowercase()),
                format!("\"{method}\""),
            ];
            calls.iter().any(|call| source.contains(call.as_str()))
                && source.split('"').any(|text| is_path(text, path))
        }
        Door::Hooks => source.contains(&format!("\"{name}\"")),
    }
}

/// Whether a text is a path with something in the place of each `{part}`, with or without a query.
fn is_path(text: &str, path: &str) -> bool {
    let text = text.split('?').next().unwrap_or(text);
    let fits =
        |(part, given): (&str, &str)| part == given || (part.starts_with('{') && !given.is_empty());
    text.matches('/').count() == path.matches('/').count()
        && path.split('/').zip(text.split('/')).all(fits)
}

/// Whether a word is an option with its value, as in `"--since=yesterday"`.
fn is_spoken(source: &str, word: &str) -> bool {
    word.starts_with("--") && source.contains(&format!("\"{word}="))
}
