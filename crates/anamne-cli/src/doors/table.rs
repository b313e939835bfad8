//! The table as it is written in `data/doors.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Where the table is, in the folder of all crates.
pub(super) const PLACE: &str = "anamne-cli/data/doors.toml";

/// The reason that hooks do not have what a row without `hooks` describes.
pub(super) const HOOKS_REASON: &str = "unasked";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// Why an interface lacks something, by word.
    pub(super) reasons: BTreeMap<String, String>,
    #[serde(rename = "topic")]
    pub(super) topics: Vec<Topic>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Topic {
    pub(super) name: String,
    #[serde(rename = "row")]
    pub(super) rows: Vec<Row>,
}

/// A capability and how to reach it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) does: String,
    rust: Option<Entry>,
    cli: Option<Entry>,
    mcp: Option<Entry>,
    rest: Option<Entry>,
    hooks: Option<Entry>,
}

/// What a row says of one interface: calls with their tests, or a reason that there are none.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    #[serde(default)]
    pub(super) calls: Vec<String>,
    /// `FILE::NAME`, in the folder of the interface's tests.
    #[serde(default)]
    pub(super) tests: Vec<String>,
    /// A word of [`Table::reasons`].
    pub(super) none: Option<String>,
}

/// An interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Door {
    Rust,
    CommandLine,
    Mcp,
    Rest,
    Hooks,
}

impl Door {
    pub(super) const ALL: [Self; 5] = [
        Self::Rust,
        Self::CommandLine,
        Self::Mcp,
        Self::Rest,
        Self::Hooks,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::CommandLine => "the command line",
            Self::Mcp => "MCP",
            Self::Rest => "REST",
            Self::Hooks => "hooks",
        }
    }

    /// Its name in the table.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::CommandLine => "cli",
            Self::Mcp => "mcp",
            Self::Rest => "rest",
            Self::Hooks => "hooks",
        }
    }

    /// Where its tests are, in the folder of all crates.
    pub(super) fn tests(self) -> &'static str {
        match self {
            Self::Rust => "anamne/tests/engine",
            Self::CommandLine | Self::Hooks => "anamne-cli/tests/anamne",
            Self::Mcp | Self::Rest => "anamne-server/tests/server",
        }
    }
}

impl Row {
    pub(super) fn entry(&self, door: Door) -> Option<&Entry> {
        match door {
            Door::Rust => self.rust.as_ref(),
            Door::CommandLine => self.cli.as_ref(),
            Door::Mcp => self.mcp.as_ref(),
            Door::Rest => self.rest.as_ref(),
            Door::Hooks => self.hooks.as_ref(),
        }
    }
}

impl Table {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.topics.iter().flat_map(|topic| &topic.rows)
    }
}
