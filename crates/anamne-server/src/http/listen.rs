//! Accepts connections, and ends without cutting off a request.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};

use super::{Address, HttpError};

/// How long a client may take to send the head of a request; an idle connection ends after it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How long requests that began may take after the server was asked to end.
const END_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    pub(super) async fn bind(address: &Address) -> Result<Self, HttpError> {
        let bound = match address {
            Address::Tcp(address) => TcpListener::bind(address).await.map(Self::Tcp),
            Address::Unix(path) => UnixListener::bind(path).map(Self::Unix),
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

    /// Serves connections until `end` is ready.
    pub(super) async fn serve(self, router: Router, end: impl Future<Output = ()>) {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT);
        let connections = GracefulShutdown::new();
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
            let service = TowerToHyperService::new(router.clone());
            let connection = http.serve_connection(TokioIo::new(stream), service);
            let connection = connections.watch(connection);
            // An error of a connection concerns its client, who has gone.
            tokio::spawn(async move { drop(connection.await) });
        }
        let _ = tokio::time::timeout(END_TIMEOUT, connections.shutdown()).await;
    }

    async fn accept(&self) -> std::io::Result<Box<dyn Stream>> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            Self::Unix(listener) => Ok(Box::new(listener.accept().await?.0)),
        }
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Ready when the process is asked to end.
pub(super) async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
