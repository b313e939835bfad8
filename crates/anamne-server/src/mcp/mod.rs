//! The Model Context Protocol: eight tools over a stream of JSON lines, and a ninth for those who ask for it.
//!
//! Who does what: `Wire` turns lines into messages and answers nonsense itself; the SDK (`rmcp`)
//! keeps the lifecycle of each protocol revision; [`MemoryServer`] routes a call to its tool on a thread that
//! may block; a tool reads its arguments, asks the engine, and says the result as quoted text for models;
//! and once more as JSON for programs, where [`Settings::structured`] asks for it.
//!
//! | revision | lifecycle |
//! |---|---|
//! | 2024-11-05 … 2025-11-25 | `initialize`, then requests; the session remembers the client |
//! | 2026-07-28 | no handshake: `server/discover` if the client likes, and `_meta` with version, client and capabilities on each request |
//!
//! A client that names a revision that is not known is offered 2025-11-25.

mod arguments;
mod budget;
mod desk;
mod quote;
mod reply;
mod schema;
mod server;
mod tools;
mod wire;

use anamne::Options;
use jiff::tz::TimeZone;
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};

pub use server::MemoryServer;
pub use tools::ToolSet;
pub use wire::LONGEST_LINE;

/// Threads that may wait for the engine or for a standard stream at the same time.
const BLOCKING_THREADS: usize = 8;

/// What a server offers, and how it reads times.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The tools that are offered.
    pub tools: ToolSet,
    /// The zone in which words such as `yesterday` and dates without an offset are read.
    pub zone: TimeZone,
    /// Whether `core`, which holds what is true everywhere, is searched beside the server's own space.
    pub core: bool,
    /// Whether replies carry structured content beside their text. Hosts hand that to their model in place of the text,
    /// at up to three times the tokens, so it is for programs alone.
    pub structured: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tools: ToolSet::default(),
            zone: TimeZone::UTC,
            core: false,
            structured: false,
        }
    }
}

impl Settings {
    /// Sets which tools are offered.
    #[must_use]
    pub fn tools(mut self, tools: ToolSet) -> Self {
        self.tools = tools;
        self
    }

    /// Sets whether `core` is searched beside the server's own space.
    #[must_use]
    pub fn core(mut self, core: bool) -> Self {
        self.core = core;
        self
    }

    /// Sets whether replies carry structured content for programs.
    #[must_use]
    pub fn structured(mut self, structured: bool) -> Self {
        self.structured = structured;
        self
    }

    /// Sets the zone in which times are read.
    #[must_use]
    pub fn zone(mut self, zone: TimeZone) -> Self {
        self.zone = zone;
        self
    }
}

/// Why a server could not start or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The store could not be opened.
    #[error(transparent)]
    Engine(#[from] anamne::Error),
    /// The machine gave no thread or no event queue.
    #[error("can't start the protocol server: {0}")]
    Start(#[source] std::io::Error),
    /// The first messages could not be answered.
    #[error("the client did not stay for the first reply: {0}")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The protocol loop ended by a fault of its own.
    #[error("the protocol loop failed: {0}")]
    Loop(#[source] tokio::task::JoinError),
}

/// Serves one client over standard input and output until input ends.
///
/// Only protocol messages go to standard output, and nothing goes to standard error. The store's folder is made
/// if need be; the space is opened behind the first reply. Blocks the calling thread.
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
    // Calls in flight were drained; a thread that still reads a dead stream must not keep the process.
    runtime.shutdown_background();
    served
}

/// Serves one client over a pair of byte streams until `read` ends, inside a runtime of the caller.
pub async fn serve<R, W>(server: MemoryServer, read: R, write: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    server.open_ahead();
    let running = match server.serve(wire::Wire::new(read, write)).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => return Err(ServeError::Handshake(Box::new(error))),
    };
    match running.waiting().await {
        Err(error) | Ok(QuitReason::JoinError(error)) => Err(ServeError::Loop(error)),
        Ok(_) => Ok(()),
    }
}
