//! `anamne mcp`.

use anamne::SpaceName;
use anamne_server::mcp::{OtherSpaces, ServeError, Settings, ToolSet, serve_stdio};

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Serve the memory to an agent, by the Model Context Protocol over standard input and output
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An editor starts this by itself, one for each window; all of them and the
command line may use one store at the same time. Standard output carries the
protocol alone.

The eight tools of --tools memory are what most agents need; read_only leaves
out those that change something; knowledge adds memory_knowledge, which asks and
tells who and what the memories are about, and resolves contradictions.

The agent may read and write the space of its project and read `core`, which
holds what is true everywhere; --spaces and --all-spaces let it use others,
--no-core takes `core` away. It can't erase for ever unless --allow-erase is
given. memory_search asks `core` too, unless the space was named.

Examples:
  claude mcp add anamne -- anamne mcp
  claude mcp add anamne -- anamne mcp --tools knowledge
  claude mcp add recipes -- anamne --space recipes mcp
  claude mcp add anamne -- anamne mcp --spaces recipes,garden --no-core

Other editors take the command `anamne` with the argument `mcp`:
  {\"mcpServers\": {\"anamne\": {\"command\": \"anamne\", \"args\": [\"mcp\"]}}}")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of the command line"
)]
pub(crate) struct Mcp {
    /// The tools that are offered
    #[arg(
        long,
        value_enum,
        default_value = "memory",
        env = "ANAMNE_TOOLS",
        hide_env_values = true,
        value_name = "SET"
    )]
    tools: Tools,

    /// Reply in JSON too, for programs; a host hands that to its model in place of the text
    #[arg(long)]
    structured: bool,
    /// Other spaces that the agent may read and write, with commas between them
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
    /// Let the agent erase memories for ever
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
}

impl From<Tools> for ToolSet {
    fn from(tools: Tools) -> Self {
        match tools {
            Tools::Memory => Self::All,
            Tools::ReadOnly => Self::ReadOnly,
            Tools::Knowledge => Self::Knowledge,
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

    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        // It lives as long as its client, so views are looked after in the background.
        let options = place.options_with_model(output)?.background(true);
        let settings = Settings::default()
            .zone(output.dates.zone.clone())
            .core(!place.is_named())
            .structured(self.structured)
            .others(self.others())
            .read_core(!self.no_core)
            .erase(self.allow_erase)
            .tools(self.tools.into());
        serve_stdio(options, place.claim()?.as_str(), settings).map_err(|error| match error {
            ServeError::Engine(error) => error.into(),
            error => Failure::failed(format!("the server ended: {error}")),
        })
    }
}
