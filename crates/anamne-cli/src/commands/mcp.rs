//! `anamne mcp`.

use anamne::{Clock, MemoryId, SpaceName, SystemClock};
use anamne_client::{Client, McpRelay, Query};
use anamne_server::mcp::{OtherSpaces, ServeError, Settings, ToolSet, serve_stdio};

use crate::failure::Failure;
use crate::output::{Output, host_output};
use crate::place::Place;

/// Serve the memory to an agent (MCP over stdio)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Editors start this automatically, once per window. All of them and the command
line can use one store at the same time. Standard output carries only the
protocol.

--tools memory offers the eight tools that most agents need. Other sets add to
them, separated by commas: knowledge has entities, relations and contradictions;
maintenance has counts, verification, merges, background work, and checks of a
claim; experience has what worked before, outcomes, lessons and feedback; cache
has results of other tools; all has everything. Each has memory_help, which says
what is offered. read_only leaves out the tools that write.

Hosts that show resources can open a memory, an entity or a summary by its
address, such as anamne://space/core/memory/m12; as prompts there are
what_do_we_know and end_of_session.

The agent may read and write its project's space and read `core`, which holds
what is true everywhere. --spaces and --all-spaces add others; --no-core
removes `core`. Erasing permanently needs --allow-erase. memory_search
includes `core` unless a space was named. With session_first, it asks the
memories of the server's session first.

Examples:
  claude mcp add anamne -- anamne mcp
  claude mcp add anamne -- anamne mcp --tools knowledge,experience
  claude mcp add recipes -- anamne --space recipes mcp
  claude mcp add anamne -- anamne mcp --spaces recipes,garden --no-core

In other editors, use the command `anamne` with the argument `mcp`:
  {\"mcpServers\": {\"anamne\": {\"command\": \"anamne\", \"args\": [\"mcp\"]}}}")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of the command line"
)]
pub(crate) struct Mcp {
    /// The sets of tools to offer, comma-separated
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "memory",
        env = "ANAMNE_TOOLS",
        hide_env_values = true,
        value_name = "SETS"
    )]
    tools: Vec<Tools>,

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
    Maintenance,
    Experience,
    Cache,
    All,
}

impl From<Tools> for ToolSet {
    fn from(tools: Tools) -> Self {
        match tools {
            Tools::Memory => Self::Essential,
            Tools::ReadOnly => Self::ReadOnly,
            Tools::Knowledge => Self::Knowledge,
            Tools::Maintenance => Self::Maintenance,
            Tools::Experience => Self::Experience,
            Tools::Cache => Self::Cache,
            Tools::All => Self::All,
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

    /// Passes the host's messages to a server, which decides what the key may do.
    fn relay(self, client: &Client, space: &str) -> Result<(), Failure> {
        let sets: Vec<_> = self
            .tools
            .iter()
            .map(|set| ToolSet::from(*set).as_str())
            .collect();
        let query = Query::new()
            .with("tools", sets.join(","))
            .with("session", self.session())
            .maybe("structured", self.structured.then_some(true));
        let relay = McpRelay::new(client, space, &query);
        relay
            .run(std::io::stdin().lock(), host_output())
            .map_err(|error| Failure::failed(error.to_string()))
    }

    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        if let Some(client) = place.server() {
            return self.relay(client, place.space_name().as_str());
        }
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
            .tools(
                self.tools
                    .into_iter()
                    .map(ToolSet::from)
                    .collect::<Vec<_>>(),
            );
        serve_stdio(options, place.claim()?.as_str(), settings).map_err(|error| match error {
            ServeError::Engine(error) => error.into(),
            error => Failure::failed(format!("the server ended: {error}")),
        })
    }
}
