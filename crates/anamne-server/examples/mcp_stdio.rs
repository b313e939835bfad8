//! A minimal MCP server: `cargo run -p anamne-server --example mcp_stdio -- FOLDER [SPACE]`. With ANAMNE_STRUCTURED
//! set, replies also have structured content.

use std::process::ExitCode;

use anamne_server::mcp::{Settings, serve_stdio};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(folder) = arguments.next() else {
        return ExitCode::from(2);
    };
    let space = arguments.next().and_then(|name| name.into_string().ok());
    let options = anamne::Options::new(folder);
    let settings = Settings::default().structured(std::env::var_os("ANAMNE_STRUCTURED").is_some());
    match serve_stdio(options, space.as_deref().unwrap_or("core"), settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
