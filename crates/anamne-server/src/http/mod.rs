//! The HTTP server: listening, requests, responses and errors. What the routes do is in [`crate::rest`].

mod app;
pub(crate) mod body;
mod listen;
mod pool;
mod problem;
pub(crate) mod streaming;
mod upkeep;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anamne::{Door, Options};
use tokio_util::sync::CancellationToken;

pub(crate) use app::{App, Caller};
pub use problem::Problem;

use crate::access::Access;
use crate::tenants::Tenants;
pub use crate::tenants::{MakeOptions, TenantOptions};
use crate::{mcp, rest};

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A Unix socket, readable and writable by its owner only.
    Unix(PathBuf),
}

/// Imports and exports at a time; more are answered with 503.
const STREAMS: usize = 4;

/// Settings of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpSettings {
    /// Where it listens.
    pub address: Address,
    /// Maximum number of threads on which the engine runs.
    pub threads: usize,
    /// Maximum number of requests that wait for a thread; more are answered with 503.
    pub waiting: usize,
    /// Maximum number of open tenants beside `default`; idle ones are closed to open others.
    pub open_tenants: usize,
    /// Options of the tenants' stores; by default without models.
    pub tenant_options: Option<TenantOptions>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            address: Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 7331))),
            threads: std::thread::available_parallelism().map_or(4, |cores| cores.get() * 4),
            waiting: 1_024,
            open_tenants: 64,
            tenant_options: None,
        }
    }
}

/// Errors of starting or running a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The store can't be opened.
    #[error(transparent)]
    Engine(#[from] anamne::Error),
    /// It can't listen at the address.
    #[error("can't listen at {at}: {source}")]
    Listen {
        /// The address.
        at: String,
        /// Why.
        source: std::io::Error,
    },
    /// The system provided no thread or event queue.
    #[error("can't start the server: {0}")]
    Start(#[source] std::io::Error),
    /// The address can be reached from other machines, and there is no key.
    #[error(
        "{0} can be reached from other machines, and there is no valid key; create one with `anamne keys create`"
    )]
    Unprotected(SocketAddr),
}

/// A server that listens, and does not answer yet.
pub struct Server {
    listener: listen::Listener,
    app: Arc<App>,
}

impl Server {
    /// Opens the store and listens.
    pub async fn bind(options: Options, settings: &HttpSettings) -> Result<Self, HttpError> {
        let tenants = Tenants::open(
            options.door(Door::Http),
            settings.tenant_options.clone(),
            settings.open_tenants,
        )?;
        let exposed = match &settings.address {
            Address::Tcp(address) if !address.ip().is_loopback() => Some(*address),
            _ => None,
        };
        if let Some(address) = exposed
            && !tenants.records().has_valid_keys()?
        {
            return Err(HttpError::Unprotected(address));
        }
        let app = App {
            access: Access::open(tenants.records().clone(), exposed.is_some()),
            tenants,
            pool: pool::Pool::new(settings.threads, settings.waiting),
            streams: pool::Pool::new(STREAMS, 0),
        };
        Ok(Self {
            listener: listen::Listener::bind(&settings.address).await?,
            app: Arc::new(app),
        })
    }

    /// The TCP address at which it listens; `None` for a Unix socket.
    pub fn local_address(&self) -> Option<SocketAddr> {
        self.listener.local_address()
    }

    /// Answers requests until `end` is ready; then finishes those that began.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let upkeep = upkeep::Upkeep::start(self.app.clone());
        let ending = CancellationToken::new();
        let mcp = mcp::http::routes(self.app.clone(), ending.clone());
        let router = rest::router(self.app).merge(mcp);
        let end = async {
            end.await;
            ending.cancel();
        };
        self.listener.serve(router, end).await;
        upkeep.end().await;
    }
}

/// Serves until the process is asked to end (SIGTERM, SIGINT). Blocks the calling thread. `ready` is called once, with
/// the address.
pub fn serve(
    options: Options,
    settings: &HttpSettings,
    ready: impl FnOnce(Option<SocketAddr>),
) -> Result<(), HttpError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(settings.threads + 8)
        .build()
        .map_err(HttpError::Start)?;
    runtime.block_on(async {
        let server = Server::bind(options, settings).await?;
        ready(server.local_address());
        server.run(listen::asked_to_end()).await;
        Ok(())
    })
}
