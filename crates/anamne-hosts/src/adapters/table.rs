//! The table of hosts as it is written in `data/hosts.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::edit::Syntax;
use crate::hook::HookEvent;

static TABLE: LazyLock<Vec<Entry>> =
    LazyLock::new(|| parse(include_str!("../../data/hosts.toml")).expect("a test reads the table"));

/// All entries, by id. The first call reads the table.
pub(crate) fn entries() -> &'static [Entry] {
    &TABLE
}

fn parse(text: &str) -> Result<Vec<Entry>, toml::de::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Table {
        host: Vec<Entry>,
    }
    toml::from_str(text).map(|table: Table| table.host)
}

/// A host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The version that the entry was checked against.
    #[serde(default)]
    pub(crate) checked: String,
    /// The format of its transcripts by name.
    pub(crate) transcripts: Option<String>,
    /// After how many days it deletes one, unless told otherwise.
    pub(crate) transcript_days: Option<u32>,
    /// Files and folders of which each shows that the host is installed.
    pub(super) found: Vec<String>,
    pub(super) server: Server,
    pub(super) hooks: Option<Hooks>,
    pub(super) instructions: Option<Instructions>,
    /// Settings that keep the host from running hooks.
    #[serde(default)]
    pub(super) switches: Vec<Switch>,
    /// What a person must know of this host in any case.
    #[serde(default)]
    pub(super) by_hand: Vec<String>,
    /// What a person must do after a change.
    #[serde(default)]
    pub(super) after: Vec<String>,
    /// The same for a project.
    #[serde(default)]
    pub(super) after_project: Vec<String>,
}

/// Where and how the MCP server is entered.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Server {
    /// Whether the host took such a file, so that a missing one may be created.
    #[serde(default)]
    pub(super) checked: bool,
    #[serde(default, deserialize_with = "syntax")]
    pub(super) syntax: Json,
    #[serde(default)]
    pub(super) person: Vec<String>,
    #[serde(default)]
    pub(super) project: Vec<String>,
    /// The table of all servers.
    pub(super) at: Vec<String>,
    /// The key of the program.
    #[serde(default = "command_key")]
    pub(super) command: String,
    /// The key of the arguments; empty if they stand in one list with the program.
    #[serde(default = "arguments_key")]
    pub(super) arguments: String,
    /// What else an entry has.
    #[serde(default)]
    pub(super) fixed: Map<String, Value>,
    /// How a person switches an entry off.
    #[serde(default)]
    pub(super) off: Off,
}

/// A syntax with JSON as its default.
#[derive(Clone, Copy, Debug)]
pub(super) struct Json(pub(super) Syntax);

impl Default for Json {
    fn default() -> Self {
        Self(Syntax::Json)
    }
}

/// A key that switches an entry off if it has this value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Off {
    pub(super) key: String,
    pub(super) is: bool,
}

impl Default for Off {
    fn default() -> Self {
        Self {
            key: "disabled".to_owned(),
            is: true,
        }
    }
}

/// Where and how hooks are entered.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hooks {
    #[serde(default)]
    pub(super) checked: bool,
    pub(super) style: Style,
    #[serde(default)]
    pub(super) person: Vec<String>,
    #[serde(default)]
    pub(super) project: Vec<String>,
    /// The table of events, or the list of triggers.
    #[serde(default = "hooks_table")]
    pub(super) at: Vec<String>,
    /// How the command is written.
    #[serde(default)]
    pub(super) form: Form,
    /// What else a hook has.
    #[serde(default)]
    pub(super) fixed: Map<String, Value>,
    /// What else a new file has.
    #[serde(default)]
    pub(super) root: Map<String, Value>,
    #[serde(default = "timeout_key")]
    pub(super) timeout_key: String,
    #[serde(default)]
    pub(super) unit: Unit,
    /// In seconds.
    pub(super) timeout: Option<u64>,
    /// The timeout at the end of a session in seconds, if it is another one.
    pub(super) session_end_timeout: Option<u64>,
    /// Whether the host knows a hook by its position, so that others of a list must not move.
    #[serde(default)]
    pub(super) positions: bool,
    /// What a person must do besides.
    pub(super) note: Option<String>,
    /// For which host a plugin is.
    pub(super) plugin_of: Option<PluginOf>,
    /// The host's names of our events.
    events: BTreeMap<String, String>,
}

impl Hooks {
    /// The wired events with the host's names of them.
    pub(super) fn events(&self) -> impl Iterator<Item = (HookEvent, &str)> {
        HookEvent::ALL
            .into_iter()
            .filter_map(|event| Some((event, self.events.get(event.as_str())?.as_str())))
    }

    /// The timeout of an event in the host's unit.
    pub(super) fn timeout(&self, event: HookEvent) -> Option<u64> {
        let at_end = self
            .session_end_timeout
            .filter(|_| event == HookEvent::SessionEnd);
        let factor = match self.unit {
            Unit::Seconds => 1,
            Unit::Milliseconds => 1000,
        };
        at_end.or(self.timeout).map(|seconds| seconds * factor)
    }
}

/// The generation of a host that a plugin was seen working in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PluginOf {
    /// The host's program, which tells its version with `--version`.
    pub(super) program: String,
    /// Folders besides those of the search path.
    #[serde(default)]
    pub(super) folders: Vec<String>,
    /// The first number of the version.
    pub(super) major: String,
}

/// The shape of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Style {
    /// `{Event: [{hooks: [{command}]}]}`, as in Claude Code.
    Nested,
    /// `{Event: [{command}]}`.
    Flat,
    /// `[{trigger: Event, action: {command}}]`.
    Triggers,
    /// One executable file for each event.
    Scripts,
    /// A plugin, which is a program that the host loads.
    Plugin,
}

/// How a hook's command is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Form {
    /// One line for a shell.
    #[default]
    Line,
    /// A program and a list `args`.
    Arguments,
}

/// The unit of timeouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Unit {
    #[default]
    Seconds,
    Milliseconds,
}

/// The instruction files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instructions {
    #[serde(default)]
    pub(super) checked: bool,
    /// The file to create for a person, if it isn't the last one.
    pub(super) new: Option<String>,
    #[serde(default)]
    pub(super) person: Vec<String>,
    #[serde(default)]
    pub(super) project: Vec<String>,
}

/// A setting that keeps a host from running hooks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Switch {
    pub(super) files: Vec<String>,
    #[serde(default, deserialize_with = "syntax")]
    pub(super) syntax: Json,
    pub(super) at: Vec<String>,
    pub(super) is: bool,
    pub(super) says: String,
}

fn syntax<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Name {
        Json,
        Toml,
        Yaml,
    }
    Name::deserialize(deserializer).map(|name| {
        Json(match name {
            Name::Json => Syntax::Json,
            Name::Toml => Syntax::Toml,
            Name::Yaml => Syntax::Yaml,
        })
    })
}

fn command_key() -> String {
    "command".to_owned()
}

fn arguments_key() -> String {
    "args".to_owned()
}

fn timeout_key() -> String {
    "timeout".to_owned()
}

fn hooks_table() -> Vec<String> {
    vec!["hooks".to_owned()]
}

#[cfg(test)]
mod tests {
    use anamne_ingest::transcripts::TranscriptFormat;

    use super::*;

    fn check(entry: &Entry) -> Result<(), String> {
        if entry.found.is_empty() || entry.server.at.is_empty() {
            return Err("nothing shows that it is installed, or no table of servers".to_owned());
        }
        if entry.server.person.is_empty() && entry.server.project.is_empty() {
            return Err("no file for the server".to_owned());
        }
        let formats = TranscriptFormat::ALL.map(TranscriptFormat::as_str);
        if let Some(name) = entry.transcripts.as_deref()
            && !formats.contains(&name)
        {
            return Err(format!("unknown transcripts {name}"));
        }
        let hooks_checked = entry.hooks.as_ref().is_some_and(|hooks| hooks.checked);
        if (entry.server.checked || hooks_checked) == entry.checked.is_empty() {
            return Err("a version and checked parts belong together".to_owned());
        }
        check_tools(entry)?;
        entry.hooks.as_ref().map_or(Ok(()), check_hooks)
    }

    /// Each call of a tool is told once, and failures never without successes.
    fn check_tools(entry: &Entry) -> Result<(), String> {
        let has = |event: HookEvent| {
            let hooks = entry.hooks.as_ref();
            hooks.is_some_and(|hooks| hooks.events.contains_key(event.as_str()))
        };
        let transcripts_tell = !matches!(entry.transcripts.as_deref(), None | Some("cursor"));
        match (has(HookEvent::Tool), has(HookEvent::ToolFailed)) {
            (true, _) if transcripts_tell => Err("transcripts tell of tools already".to_owned()),
            (false, true) => Err("failures of tools without successes".to_owned()),
            _ => Ok(()),
        }
    }

    fn check_hooks(hooks: &Hooks) -> Result<(), String> {
        if let Some(name) = hooks
            .events
            .keys()
            .find(|name| HookEvent::named(name).is_none())
        {
            return Err(format!("unknown event {name}"));
        }
        for wanted in [HookEvent::Prompt, HookEvent::TurnEnd] {
            if !hooks.events.contains_key(wanted.as_str()) {
                return Err(format!("no {wanted}"));
            }
        }
        if (hooks.style == Style::Plugin) != hooks.plugin_of.is_some() {
            return Err("a plugin and its generation belong together".to_owned());
        }
        Ok(())
    }

    #[test]
    fn sixteen_hosts_stand_in_the_table_in_order_and_complete() {
        let entries = entries();
        assert_eq!(entries.len(), 16);
        assert!(entries.is_sorted_by(|one, next| one.id < next.id));
        for entry in entries {
            assert_eq!(check(entry), Ok(()), "{}", entry.id);
        }
    }

    #[test]
    fn an_unknown_key_in_the_table_is_an_error() {
        let text =
            "[[host]]\nid = 'x'\nname = 'X'\nfound = ['~']\nserver = {at = ['m']}\ntypo = 1\n";
        assert!(parse(text).unwrap_err().to_string().contains("typo"));
        assert!(parse(&text.replace("typo = 1\n", "")).is_ok());
    }

    #[test]
    fn timeouts_are_written_in_the_unit_of_the_host() {
        let timeout = |id: &str, event| {
            let entry = entries().iter().find(|entry| entry.id == id);
            entry?.hooks.as_ref()?.timeout(event)
        };
        assert_eq!(timeout("claude-code", HookEvent::Prompt), Some(10));
        assert_eq!(timeout("gemini", HookEvent::Prompt), Some(10_000));
        assert_eq!(timeout("codex", HookEvent::SessionEnd), Some(3));
        assert_eq!(timeout("antigravity", HookEvent::Prompt), None);
    }
}
