//! The Model Context Protocol over a stream of JSON lines or HTTP: eight tools, more on request, resources and prompts.
//!
//! `Wire` parses lines into messages and answers invalid ones itself; the SDK (`rmcp`) implements the lifecycle of each
//! protocol revision; [`MemoryServer`] runs a call's tool on a blocking thread; a tool parses its arguments, calls the
//! engine, and returns the result as quoted text for models, and also as JSON for programs if [`Settings::structured`]
//! is set.
//!
//! | revision | lifecycle |
//! |---|---|
//! | 2024-11-05 … 2025-11-25 | `initialize`, then requests; the session remembers the client |
//! | 2026-07-28 | no handshake: `server/discover` if the client likes, and `_meta` with version, client and capabilities on each request |
//!
//! A client with an unknown revision is offered 2025-11-25.

mod arguments;
mod budget;
mod call_context;
mod flow;
pub(crate) mod http;
mod installed;
mod next_step;
mod prompts;
mod quote;
mod reply;
mod resources;
mod schema;
mod server;
mod sessions;
mod tools;
mod turn;
mod wire;

use std::collections::BTreeSet;

use anamne::{Actor, InvalidValue, Options, Right, Scope, SpaceName, SpaceSet};
use jiff::tz::TimeZone;
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};

pub use server::MemoryServer;
pub use tools::ToolSet;
pub use wire::LONGEST_LINE;

/// Maximum threads that block on the engine or a standard stream at the same time.
const BLOCKING_THREADS: usize = 8;

/// The offered tools, the rights of the client, and the time zone.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, each set by its own name"
)]
#[derive(Clone, Debug)]
pub struct Settings {
    /// The chosen sets of tools.
    pub tools: Vec<ToolSet>,
    /// The time zone of words such as `yesterday` and of dates without an offset.
    pub zone: TimeZone,
    /// Whether `core`, which holds what is true in every project, is searched alongside the server's own space.
    pub core: bool,
    /// Whether replies have structured content in addition to text. Hosts pass it to their model instead of the text,
    /// at up to three times the tokens, so it is only for programs.
    pub structured: bool,
    /// The other spaces that the client may use.
    pub others: OtherSpaces,
    /// Whether the client may read `core` at all.
    pub read_core: bool,
    /// Whether the client may erase memories permanently.
    pub erase: bool,
    /// The session that memories are stored with, unless a call names another, and that narrow searches ask first.
    pub session: Option<String>,
}

/// The spaces that a client may use in addition to the server's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OtherSpaces {
    /// None.
    #[default]
    None,
    /// These, with read and write access.
    Listed(Vec<String>),
    /// All of them, with read and write access.
    All,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tools: ToolSet::default().into(),
            zone: TimeZone::UTC,
            core: false,
            structured: false,
            others: OtherSpaces::None,
            read_core: true,
            erase: false,
            session: None,
        }
    }
}

impl Settings {
    /// Sets the chosen sets of tools: one, or several.
    #[must_use]
    pub fn tools(mut self, tools: impl Into<Vec<ToolSet>>) -> Self {
        self.tools = tools.into();
        self
    }

    /// Sets whether `core` is searched alongside the server's own space.
    #[must_use]
    pub fn core(mut self, core: bool) -> Self {
        self.core = core;
        self
    }

    /// Sets whether replies have structured content for programs.
    #[must_use]
    pub fn structured(mut self, structured: bool) -> Self {
        self.structured = structured;
        self
    }

    /// Sets the session.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Sets the other spaces that the client may use.
    #[must_use]
    pub fn others(mut self, others: OtherSpaces) -> Self {
        self.others = others;
        self
    }

    /// Sets whether the client may read `core`; if not, it is not searched either.
    #[must_use]
    pub fn read_core(mut self, read_core: bool) -> Self {
        self.read_core = read_core;
        self
    }

    /// Sets whether the client may erase memories permanently.
    #[must_use]
    pub fn erase(mut self, erase: bool) -> Self {
        self.erase = erase;
        self
    }

    /// The scope of a client of a server for `space`. Fails if `core` is used but not readable.
    fn scope(&self, space: &SpaceName) -> Result<Scope, InvalidValue> {
        let core = SpaceName::core().to_string();
        let mut named = BTreeSet::from([space.to_string(), space.composed().to_string()]);
        if let OtherSpaces::Listed(others) = &self.others {
            named.extend(others.iter().cloned());
        }
        if !self.read_core && named.contains(&core) {
            let accepts = "a space other than core, which --no-core excludes";
            return Err(InvalidValue::new("space", accepts, core));
        }
        let used = match self.others {
            OtherSpaces::All if self.read_core => SpaceSet::All,
            OtherSpaces::All => SpaceSet::Except(BTreeSet::from([core.clone()])),
            _ => SpaceSet::Only(named),
        };
        let mut read = used.clone();
        if let (SpaceSet::Only(names), true) = (&mut read, self.read_core) {
            names.insert(core);
        }
        let mut scope = Scope::of(Actor::agent("agent")).reading(read);
        if !self.tools.contains(&ToolSet::ReadOnly) {
            scope = scope.writing(used);
        }
        if self.erase {
            scope = scope.allowing(Right::Erase);
        }
        Ok(scope)
    }

    /// Sets the time zone of times.
    #[must_use]
    pub fn zone(mut self, zone: TimeZone) -> Self {
        self.zone = zone;
        self
    }
}

/// Errors of starting or running a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The store can't be opened.
    #[error(transparent)]
    Engine(#[from] anamne::Error),
    /// The system provided no thread or event queue.
    #[error("can't start the MCP server: {0}")]
    Start(#[source] std::io::Error),
    /// The handshake failed.
    #[error("the client disconnected before the first reply: {0}")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The protocol loop failed.
    #[error("the MCP server failed: {0}")]
    Loop(#[source] tokio::task::JoinError),
}

/// Serves one client over standard input and output until input ends.
///
/// Only protocol messages are written to standard output, and nothing to standard error. The store's folder is created
/// if missing; the space is opened while the first reply is sent. Blocks the calling thread.
pub fn serve_stdio(
    options: Options,
    space: impl Into<String>,
    settings: Settings,
) -> Result<(), ServeError> {
    let server = MemoryServer::open(options, space, settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .map_err(ServeError::Start)?;
    let served = runtime.block_on(async {
        let (read, write) = rmcp::transport::stdio_pipes();
        serve(server, read, write).await
    });
    // Running calls have finished; a thread that still reads a dead stream must not keep the process alive.
    runtime.shutdown_background();
    served
}

/// Serves one client over a pair of byte streams until `read` ends, on the caller's runtime.
pub async fn serve<R, W>(server: MemoryServer, read: R, write: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    server.open_ahead();
    let served = server.clone();
    let running = match server.serve(wire::Wire::new(read, write)).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => return Err(ServeError::Handshake(Box::new(error))),
    };
    let ended = running.waiting().await;
    served.flush().await;
    match ended {
        Err(error) | Ok(QuitReason::JoinError(error)) => Err(ServeError::Loop(error)),
        Ok(_) => Ok(()),
    }
}
