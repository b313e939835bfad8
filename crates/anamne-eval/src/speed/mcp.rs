//! `anamne mcp` as started by an editor: time to the first reply, memory, and the tokens of its tool list.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anamne::text::tokens::estimate_tokens;
use serde_json::{Value, json};

use super::figures::{Figure, Section, Unit};
use super::probe::anonymous_bytes;
use super::{binary, budgets};
use crate::failure::Failure;
use crate::latencies::Latencies;
use crate::store::temporary_folder;

/// Number of processes; times are medians.
const RUNS: usize = 10;

/// Maximum wait for a reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// Starts the server several times on its own store.
pub(crate) fn measure(parent: Option<&Path>) -> Result<Section, Failure> {
    let Some(program) = binary::path()? else {
        return Ok(Section::skipped("mcp", binary::NOT_BUILT));
    };
    let folder = temporary_folder(parent)?;
    let (mut replies, mut bare) = (Latencies::default(), Latencies::default());
    let mut anonymous = None;
    let mut tokens = 0;
    for _ in 0..RUNS {
        bare.time(|| start_and_end(&program))?;
        let (mut server, took) = Server::start(&program, folder.path())?;
        replies.note(took);
        tokens = server.tokens_of_tools()?;
        anonymous = anonymous_bytes(&server.child.id().to_string());
        server.end()?;
    }
    let mut figures = vec![
        Figure::ms("first_reply_ms", "exec to first reply, p50", replies.p50())
            .beside("bare_start_ms", "anamne --version", bare.p50())
            .promised(budgets::FIRST_REPLY),
        Figure::new(
            "tool_list_tokens",
            "tool list, estimated",
            tokens as f64,
            Unit::Tokens,
        )
        .promised(budgets::TOOL_LIST),
    ];
    figures.extend(anonymous.map(|bytes| {
        Figure::mb("idle_mb", "idle memory, empty store", bytes as f64)
            .promised(budgets::IDLE_MEMORY)
    }));
    Ok(Section::new("mcp", figures))
}

/// The cost of starting the program without work to do.
fn start_and_end(program: &PathBuf) -> Result<(), Failure> {
    let status = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err("`anamne --version` failed".into())
    }
}

/// A running server, ended on drop.
struct Server {
    child: Child,
    requests: ChildStdin,
    replies: Receiver<std::io::Result<String>>,
}

impl Server {
    /// Starts a server and waits for its first reply; also returns the milliseconds that this took.
    fn start(program: &PathBuf, folder: &Path) -> Result<(Self, f64), Failure> {
        let started = Instant::now();
        let mut child = Command::new(program)
            .arg("--store")
            .arg(folder.join("store"))
            .args(["--space", "core", "mcp"])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let no_pipe = "the server has no standard input or output";
        let requests = child.stdin.take().ok_or(no_pipe)?;
        let output = BufReader::new(child.stdout.take().ok_or(no_pipe)?);
        let (sender, replies) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut server = Self {
            child,
            requests,
            replies,
        };
        let client = json!({"name": "anamne-eval", "version": env!("CARGO_PKG_VERSION")});
        server.ask(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client,
            }}),
        )?;
        Ok((server, started.elapsed().as_secs_f64() * 1_000.0))
    }

    /// Number of tokens of the tool list.
    fn tokens_of_tools(&mut self) -> Result<usize, Failure> {
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let list = self.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))?;
        Ok(estimate_tokens(&list["result"].to_string()))
    }

    fn write(&mut self, message: &Value) -> Result<(), Failure> {
        writeln!(self.requests, "{message}")?;
        Ok(self.requests.flush()?)
    }

    fn ask(&mut self, message: &Value) -> Result<Value, Failure> {
        self.write(message)?;
        let line = self
            .replies
            .recv_timeout(REPLY_TIMEOUT)
            .map_err(|_| format!("the server does not reply to {message}"))??;
        let reply: Value = serde_json::from_str(&line)?;
        if reply["result"].is_null() {
            return Err(format!("the server refuses {message}: {line}").into());
        }
        Ok(reply)
    }

    /// Ends the server, like an editor that closes.
    fn end(mut self) -> Result<(), Failure> {
        self.child.kill()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill, but still to wait for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
