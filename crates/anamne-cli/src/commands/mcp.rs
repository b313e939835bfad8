//! `anamne mcp`.

use anamne::{Clock, MemoryId, SpaceName, SystemClock};
use anamne_server::mcp::{OtherSpaces, ServeError, Settings, ToolSet, serve_stdio};

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Serve the memory to an agent (MCP over stdio)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Editors start this automatically, once per window. All of them and the command
line can use one store at the same time. Standard output carries only the
protocol.

--tools memory offers the eight tools that most agents need; read_only omits
those that write; knowledge adds memory_knowledge, for entities, relations and
contradictions; experience adds memory_search_with_experience,
memory_get_reasoning_history, memory_record_outcome, memory_record_reasoning
and memory_feedback; cache adds memory_cache_lookup and memory_cache_store, for
results of other tools.

The agent may read and write its project's space and read `core`, which holds
what is true everywhere. --spaces and --all-spaces add others; --no-core
removes `core`. Erasing permanently needs --allow-erase. memory_search
includes `core` unless a space was named. With session_first, it asks the
memories of the server's session first.

Examples:
  claude mcp add anamne -- anamne mcp
  claude mcp add anamne -- anamne mcp --tools knowledge
  claude mcp add recipes -- anamne --space recipes mcp
  claude mcp add anamne -- anamne mcp --spaces recipes,garden --no-core

In other editors, use the command `anamne` with the argument `mcp`:
  {\"mcpServers\": {\"anamne\": {\"command\": \"anamne\", \"args\": [\"mcp\"]}}}")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of the command line"
)]
pub(crate) struct Mcp {
    /// The tools to offer
    #[arg(
        long,
        value_enum,
        default_value = "memory",
        env = "ANAMNE_TOOLS",
        hide_env_values = true,
        value_name = "SET"
    )]
    tools: Tools,

    /// Add JSON to replies, for programs; hosts pass it to their model instead of the text
    #[arg(long)]
    structured: bool,
    /// Other spaces that the agent may read and write, comma-separated
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "all_spaces"
    )]
    spaces: Vec<SpaceName>,
    /// Let the agent read and write every space
    #[arg(long)]
    all_spaces: bool,
    /// Don't let the agent read `core`
    #[arg(long)]
    no_core: bool,
    /// The session that stored memories are recorded with [default: a new one]
    #[arg(
        long,
        env = "ANAMNE_SESSION",
        hide_env_values = true,
        value_name = "NAME"
    )]
    session: Option<String>,
    /// Let the agent erase memories permanently
    #[arg(long)]
    allow_erase: bool,
}

/// Sets of tools.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Tools {
    Memory,
    #[value(name = "read_only", alias = "read-only")]
    ReadOnly,
    Knowledge,
    Experience,
    Cache,
}

impl From<Tools> for ToolSet {
    fn from(tools: Tools) -> Self {
        match tools {
            Tools::Memory => Self::All,
            Tools::ReadOnly => Self::ReadOnly,
            Tools::Knowledge => Self::Knowledge,
            Tools::Experience => Self::Experience,
            Tools::Cache => Self::Cache,
        }
    }
}

impl Mcp {
    fn others(&self) -> OtherSpaces {
        if self.all_spaces {
            OtherSpaces::All
        } else if self.spaces.is_empty() {
            OtherSpaces::None
        } else {
            OtherSpaces::Listed(self.spaces.iter().map(ToString::to_string).collect())
        }
    }

    /// The session as given, else one of this server: hosts start a server for each window.
    fn session(&self) -> String {
        let given = self.session.clone().filter(|name| !name.is_empty());
        let born = SystemClock.now().as_millisecond().max(0) as u64;
        given.unwrap_or_else(|| format!("mcp {}", MemoryId::at(born)))
    }

    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        // The server is long-lived, so views are maintained in the background.
        let options = place.options_with_model(output)?.background(true);
        let settings = Settings::default()
            .zone(output.dates.zone.clone())
            .core(!place.is_named())
            .structured(self.structured)
            .others(self.others())
            .read_core(!self.no_core)
            .erase(self.allow_erase)
            .session(self.session())
            .tools(self.tools.into());
        serve_stdio(options, place.claim()?.as_str(), settings).map_err(|error| match error {
            ServeError::Engine(error) => error.into(),
            error => Failure::failed(format!("the server ended: {error}")),
        })
    }
}
