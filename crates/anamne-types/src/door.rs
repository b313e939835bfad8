//! The doors through which the engine is used.

use crate::body::string_enum;

string_enum! {
    /// The door through which a store was opened.
    #[derive(Default)]
    Door as "door" {
        /// A Rust program.
        #[default]
        Rust = 1 "rust",
        /// The command line.
        Cli = 2 "cli",
        /// An agent's host, over the Model Context Protocol.
        Mcp = 3 "mcp",
        /// The hooks of an agent's host.
        Hook = 4 "hook",
        /// A server, over HTTP.
        Http = 5 "http",
    }
}
