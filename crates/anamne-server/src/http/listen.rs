//! Accepts connections, and ends without cutting off a request.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::app::App;
use super::limits::ReadBy;
use super::tls::Tls;
use super::unix_socket::Socket;
use super::{Address, HttpError};

/// Maximum number of headers of a request.
const MOST_HEADERS: usize = 100;

/// How long responses that were made may take to leave, after the last running request.
const LAST_BYTES: Duration = Duration::from_millis(500);

pub(super) enum Listener {
    Tcp(TcpListener),
    Unix(Socket),
}

impl Listener {
    pub(super) async fn bind(address: &Address) -> Result<Self, HttpError> {
        let bound = match address {
            Address::Tcp(address) => TcpListener::bind(address).await.map(Self::Tcp),
            Address::Unix(path) => Socket::bind(path).await.map(Self::Unix),
        };
        bound.map_err(|source| HttpError::Listen {
            at: match address {
                Address::Tcp(address) => address.to_string(),
                Address::Unix(path) => path.display().to_string(),
            },
            source,
        })
    }

    pub(super) fn local_address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            Self::Unix(_) => None,
        }
    }

    /// Serves connections until `end` is ready; then accepts no more, and waits for requests that began.
    pub(super) async fn serve(
        self,
        app: &Arc<App>,
        router: Router,
        tls: Option<Arc<Tls>>,
        end: impl Future<Output = ()>,
    ) {
        let connections = GracefulShutdown::new();
        let most = app.operation.limits.connections;
        let places = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
        let mut end = std::pin::pin!(end);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut end => break,
                accepted = self.accept() => accepted,
            };
            let Ok(stream) = accepted else {
                // Too many open files, for example: others may close meanwhile.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let Ok(place) = places.clone().try_acquire_owned() else {
                app.operation.metrics.refused_connections.inc();
                continue;
            };
            let connection = Connection::new(app.clone(), place, connections.watcher());
            tokio::spawn(connection.serve(stream, router.clone(), tls.clone()));
        }
        app.operation.begin_to_end();
        drop(self);
        let ended = async {
            tokio::select! {
                () = connections.shutdown() => {}
                // Connections without a request, which their clients may hold for long.
                () = idle(app) => {}
            }
        };
        let ended = tokio::time::timeout(app.operation.limits.end_time, ended).await;
        if ended.is_err() {
            let running = app.operation.metrics.running.get();
            tracing::warn!(target: "anamne", running, "requests were cut off");
        }
    }

    async fn accept(&self) -> std::io::Result<Box<dyn Stream>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            Self::Unix(socket) => Ok(Box::new(socket.listener.accept().await?.0)),
        }
    }
}

/// Ready when no request ran for a moment.
async fn idle(app: &App) {
    let mut quiet = Duration::ZERO;
    let look = Duration::from_millis(25);
    while quiet < LAST_BYTES {
        tokio::time::sleep(look).await;
        let is_quiet = app.operation.metrics.running.get() == 0;
        quiet = if is_quiet {
            quiet + look
        } else {
            Duration::ZERO
        };
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// One connection; counted until it is dropped.
struct Connection {
    app: Arc<App>,
    _place: OwnedSemaphorePermit,
    watcher: Option<Watcher>,
    open: Gauge,
}

impl Connection {
    fn new(app: Arc<App>, place: OwnedSemaphorePermit, watcher: Watcher) -> Self {
        let open = app.operation.metrics.connections.clone();
        open.inc();
        Self {
            app,
            _place: place,
            watcher: Some(watcher),
            open,
        }
    }

    async fn serve(mut self, stream: Box<dyn Stream>, router: Router, tls: Option<Arc<Tls>>) {
        let limits = &self.app.operation.limits;
        let stream = ReadBy::new(stream, limits.write_time);
        let stream: Box<dyn Stream> = match tls {
            None => Box::new(stream),
            Some(tls) => {
                let handshake = tls.acceptor().accept(stream);
                let Ok(Ok(stream)) = tokio::time::timeout(limits.head_time, handshake).await else {
                    self.app.operation.metrics.failed_handshakes.inc();
                    return;
                };
                Box::new(stream)
            }
        };
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(limits.head_time)
            .max_headers(MOST_HEADERS)
            .max_header_size(limits.head_bytes)
            .max_buf_size(limits.head_bytes.max(64 << 10));
        let service = TowerToHyperService::new(router);
        let connection = http.serve_connection(TokioIo::new(stream), service);
        if let Some(watcher) = self.watcher.take() {
            // An error of a connection concerns its client, who has gone.
            drop(watcher.watch(connection).await);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.open.dec();
    }
}

/// The signals of a process.
pub(super) struct Signals {
    pub(super) end: EndSignals,
    /// Asks to read the certificate again.
    pub(super) reload: Signal,
}

/// The signals that ask a process to end.
pub(super) struct EndSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            end: EndSignals {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
            },
            reload: signal(SignalKind::hangup())?,
        })
    }
}

impl EndSignals {
    /// Ready when the process is asked to end once more.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
