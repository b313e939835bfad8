//! `anamne mcp`.

use anamne_server::mcp::{Settings, ToolSet, serve_stdio};

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Serve the memory to an agent, by the Model Context Protocol over standard input and output
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An editor starts this by itself, one for each window; all of them and the
command line may use one store at the same time. Standard output carries the
protocol alone.

The eight tools of --tools memory are what most agents need; read-only leaves
out those that change something; knowledge adds memory_knowledge, which asks and
tells who and what the memories are about, and resolves contradictions.

memory_search asks `core` too, which holds what is true everywhere, unless the
space was named.

Examples:
  claude mcp add anamne -- anamne mcp
  claude mcp add anamne -- anamne mcp --tools knowledge
  claude mcp add recipes -- anamne --space recipes mcp

Other editors take the command `anamne` with the argument `mcp`:
  {\"mcpServers\": {\"anamne\": {\"command\": \"anamne\", \"args\": [\"mcp\"]}}}")]
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
}

/// Sets of tools.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Tools {
    Memory,
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
    pub(crate) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        // It lives as long as its client, so views are looked after in the background.
        let options = place.options_with_model(output)?.background(true);
        let settings = Settings::default()
            .zone(output.dates.zone.clone())
            .core(!place.is_named())
            .tools(self.tools.into());
        serve_stdio(options, place.claim()?.as_str(), settings)
            .map_err(|error| Failure::failed(format!("the server ended: {error}")))
    }
}
