//! `anamne mcp`.

use anamne_server::mcp::{Settings, serve_stdio};

use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;

/// Serve the memory to an agent, by the Model Context Protocol over standard input and output
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An editor starts this by itself, one for each window; all of them and the
command line may use one store at the same time. Standard output carries the
protocol alone.

Examples:
  claude mcp add anamne -- anamne mcp
  claude mcp add recipes -- anamne --space recipes mcp

Other editors take the command `anamne` with the argument `mcp`:
  {\"mcpServers\": {\"anamne\": {\"command\": \"anamne\", \"args\": [\"mcp\"]}}}")]
pub(crate) struct Mcp {}

impl Mcp {
    pub(crate) fn run(place: &Place, output: &mut Output) -> Result<(), Failure> {
        // It lives as long as its client, so views are looked after in the background.
        let options = place.options()?.background(true);
        let settings = Settings::default().zone(output.dates.zone.clone());
        serve_stdio(options, place.space_name().as_str(), settings)
            .map_err(|error| Failure::failed(format!("the server ended: {error}")))
    }
}
