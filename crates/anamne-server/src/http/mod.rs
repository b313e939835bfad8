//! The HTTP server: listening, requests, responses and errors. What the routes do is in [`crate::rest`].

mod app;
mod backups;
pub(crate) mod body;
pub(crate) mod health;
mod limits;
mod listen;
mod live;
mod logging;
mod metrics;
mod operation;
mod origin;
mod pool;
mod problem;
mod process_metrics;
mod recall_metrics;
mod request;
mod resource;
pub(crate) mod streaming;
mod tls;
#[cfg(feature = "opentelemetry")]
mod traces;
#[cfg(not(feature = "opentelemetry"))]
#[path = "untraced.rs"]
mod traces;
mod unix_socket;
mod upkeep;

use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use anamne::{BackupSchedule, Door, Options};
use tokio_util::sync::CancellationToken;

pub(crate) use app::{App, Caller};
pub(crate) use backups::BackupReport;
pub use limits::HttpLimits;
pub use logging::{LogLevel, LogLine, log_panics, start_log};
pub(crate) use problem::MEDIA_TYPE;
pub use problem::Problem;
pub(crate) use request::Sender;
pub use tls::TlsFiles;
pub(crate) use traces::RequestTrace;
#[cfg(feature = "opentelemetry")]
pub use traces::{TraceSettings, TraceSettingsError};

use self::backups::Backups;
use self::metrics::Metrics;
use self::operation::Operation;
use self::origin::Allowed;
use self::recall_metrics::RecallMetrics;
use self::traces::Traces;
use crate::access::{Access, Issuer};
pub use crate::access::{IssuerError, IssuerSettings};
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

/// Processors per thread of the runtime. Such a thread reads and writes requests, a small part of the work; with as
/// many as processors, they take the engine's place each time one wakes another.
const CORES_PER_WORKER: usize = 4;

/// Imports and exports at a time; more are answered with 503.
const STREAMS: usize = 4;

/// Settings of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpSettings {
    /// Where it listens.
    pub address: Address,
    /// Maximum number of threads on which the engine runs, beside those that store.
    pub threads: usize,
    /// Maximum number of threads that store memories. They share commits, and mostly wait for the disk.
    pub storing_threads: usize,
    /// Maximum number of requests that wait for a thread; more are answered with 503.
    pub waiting: usize,
    /// Maximum number of open tenants beside `default`; idle ones are closed to open others.
    pub open_tenants: usize,
    /// Options of the tenants' stores; by default without models.
    pub tenant_options: Option<TenantOptions>,
    /// Names under which the server may be addressed, beside its address and `localhost`.
    pub hosts: Vec<String>,
    /// Origins whose pages may send requests, such as `https://notes.example.org`.
    pub origins: Vec<String>,
    /// Limits of time, size and number.
    pub limits: HttpLimits,
    /// The certificate, for TLS.
    pub tls: Option<TlsFiles>,
    /// Whose access tokens count beside keys.
    pub issuer: Option<IssuerSettings>,
    /// When backups of the whole server are made; never by default.
    pub backups: Option<BackupSchedule>,
    /// Where spans of requests go; nowhere by default.
    #[cfg(feature = "opentelemetry")]
    pub traces: Option<TraceSettings>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            address: Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 7331))),
            threads: std::thread::available_parallelism().map_or(4, |cores| cores.get() * 4),
            storing_threads: 64,
            waiting: 1_024,
            open_tenants: 64,
            tenant_options: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            limits: HttpLimits::default(),
            tls: None,
            issuer: None,
            backups: None,
            #[cfg(feature = "opentelemetry")]
            traces: None,
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
    /// A file of the certificate can't be used.
    #[error("can't use {path} for TLS: {reason}")]
    Tls {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The keys of the issuer of access tokens can't be had.
    #[error(transparent)]
    Issuer(#[from] IssuerError),
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
    tls: Option<Arc<tls::Tls>>,
}

impl Server {
    /// Opens the store and listens.
    pub async fn bind(options: Options, settings: &HttpSettings) -> Result<Self, HttpError> {
        let recalls = Arc::new(RecallMetrics::new());
        let traces = Traces::start(settings)?;
        let tenants = Tenants::open(
            Options {
                observer: Some(traces.observing(recalls.clone())),
                ..options.door(Door::Http)
            },
            settings.tenant_options.clone(),
            settings.open_tenants,
        )?;
        let exposed = match &settings.address {
            Address::Tcp(address) if !address.ip().is_loopback() => Some(*address),
            _ => None,
        };
        let issuer = match settings.issuer.clone() {
            None => None,
            Some(issuer) => {
                tenants.records().create()?;
                let started = tokio::task::spawn_blocking(move || Issuer::start(issuer)).await;
                Some(started.map_err(|error| HttpError::Start(std::io::Error::other(error)))??)
            }
        };
        if let Some(address) = exposed
            && issuer.is_none()
            && !tenants.records().has_valid_keys()?
        {
            return Err(HttpError::Unprotected(address));
        }
        let tls = settings.tls.clone().map(tls::Tls::open).transpose()?;
        let listener = listen::Listener::bind(&settings.address).await?;
        let address = listener.local_address();
        let is_local = address.is_none_or(|address| address.ip().is_loopback());
        let allowed = Allowed::new(address, &settings.hosts, &settings.origins);
        let limits = settings.limits.clone();
        let backups = scheduled_backups(&tenants, settings)?;
        let metrics = Metrics::new(&recalls, &traces, backups.as_ref());
        let operation = Operation::new(allowed, limits, is_local, metrics, traces);
        let app = App {
            access: Access::open(tenants.records().clone(), exposed.is_some(), issuer),
            tenants,
            pool: pool::Pool::new(settings.threads, settings.waiting, &operation.metrics),
            storing: pool::Pool::new(
                settings.storing_threads,
                settings.waiting,
                &operation.metrics,
            ),
            streams: pool::Pool::new(STREAMS, 0, &operation.metrics),
            backups,
            operation,
        };
        Ok(Self {
            listener,
            app: Arc::new(app),
            tls: tls.map(Arc::new),
        })
    }

    /// The TCP address at which it listens; `None` for a Unix socket.
    pub fn local_address(&self) -> Option<SocketAddr> {
        self.listener.local_address()
    }

    /// Reads the files of the certificate again when it is called; `None` without TLS. The server also does so within
    /// five seconds of a change. Files that don't fit leave the former certificate in use.
    pub fn tls_reloader(&self) -> Option<impl Fn() + Send + 'static> {
        let tls = self.tls.clone()?;
        Some(move || tls.reload())
    }

    /// Answers requests until `end` is ready; then finishes those that began.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let upkeep = upkeep::Upkeep::start(self.app.clone());
        self.start_backups();
        let ending = CancellationToken::new();
        let mcp = mcp::http::routes(self.app.clone(), ending.clone());
        let router = rest::router(self.app.clone())
            .merge(mcp)
            .merge(resource::routes().with_state(self.app.clone()));
        let router = request::guarded(router, &self.app);
        let end = async {
            end.await;
            ending.cancel();
        };
        let follow = async {
            match &self.tls {
                Some(tls) => tls.follow().await,
                None => std::future::pending().await,
            }
        };
        let serve = self
            .listener
            .serve(&self.app, router, self.tls.clone(), end);
        tokio::select! {
            () = serve => {}
            () = follow => {}
        }
        if let Some(backups) = &self.app.backups {
            backups.end();
        }
        upkeep.end().await;
        let app = self.app;
        let flush = tokio::task::spawn_blocking(move || {
            app.tenants.flush();
            app.operation.traces.end();
        });
        // A panic while writing query logs is logged by place.
        drop(flush.await);
    }
}

/// Begins the schedule of backups, or notes that there is none.
fn scheduled_backups(
    tenants: &Tenants,
    settings: &HttpSettings,
) -> Result<Option<Arc<Backups>>, anamne::Error> {
    let Some(schedule) = settings.backups.clone() else {
        tenants.records().end_server_backups()?;
        return Ok(None);
    };
    let begun = Backups::begin(tenants.own().clone(), schedule)?;
    Ok(Some(Arc::new(begun)))
}

impl Server {
    fn start_backups(&self) {
        let Some(backups) = &self.app.backups else {
            return;
        };
        if let Err(error) = backups.start() {
            let cause = error.to_string();
            tracing::error!(target: "anamne", cause, "no backups are made");
        }
    }

    /// Runs until the second signal, or until what began before the first has ended.
    async fn run_until_asked(self, signals: listen::Signals) {
        let listen::Signals {
            mut end,
            mut reload,
        } = signals;
        let tls = self.tls.clone();
        let reload = async move {
            while reload.recv().await.is_some() {
                if let Some(tls) = &tls {
                    tls.reload();
                }
            }
        };
        let (first, asked) = tokio::sync::oneshot::channel::<()>();
        let twice = async move {
            end.next().await;
            tracing::info!(target: "anamne", "asked to end");
            drop(first);
            end.next().await;
            tracing::warn!(target: "anamne", "asked to end at once");
        };
        let reload = tokio::spawn(reload);
        tokio::select! {
            () = self.run(async { drop(asked.await) }) => {}
            () = twice => {}
        }
        reload.abort();
    }
}

/// Serves until the process is asked to end (SIGTERM, SIGINT), and has finished what began; asked twice, it ends at
/// once. SIGHUP reads the certificate again. Blocks the calling thread. `ready` is called once, with the address.
pub fn serve(
    options: Options,
    settings: &HttpSettings,
    ready: impl FnOnce(Option<SocketAddr>),
) -> Result<(), HttpError> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads((cores / CORES_PER_WORKER).max(1))
        .max_blocking_threads(settings.threads + settings.storing_threads + 8)
        .build()
        .map_err(HttpError::Start)?;
    let served = runtime.block_on(async {
        let server = Server::bind(options, settings).await?;
        let signals = listen::Signals::listen().map_err(HttpError::Start)?;
        ready(server.local_address());
        server.run_until_asked(signals).await;
        Ok(())
    });
    // Work that was cut off may hold a thread for long; what it wrote is whole or not there.
    runtime.shutdown_background();
    served
}
