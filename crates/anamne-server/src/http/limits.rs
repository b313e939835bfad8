//! Limits of time and number: slow clients, long requests, many connections.

use std::io::IoSlice;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::problem::Problem;

/// File descriptors that are left for the store.
const FILES_LEFT: usize = 512;

/// Limits of a server. None of them needs to be changed for usual clients.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Maximum number of open connections; further ones are closed at once.
    pub connections: usize,
    /// How long a client may take to send the head of a request; an idle connection ends after it.
    pub head_time: Duration,
    /// Largest head of a request, in bytes.
    pub head_bytes: usize,
    /// How long, in all, the server waits for a body beyond what `body_rate` allows.
    pub body_time: Duration,
    /// The number of bytes that a body must have per second that the server waits for it.
    pub body_rate: u32,
    /// How long the server waits for a client to read a response, without any progress.
    pub write_time: Duration,
    /// How long a request may take until the response begins.
    pub request_time: Duration,
    /// How long requests that began may take after the server was asked to end.
    pub end_time: Duration,
    /// Maximum number of clients that follow events.
    pub followers: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections: 10_240.min(open_files().saturating_sub(FILES_LEFT).max(64)),
            head_time: Duration::from_secs(30),
            head_bytes: 64 << 10,
            body_time: Duration::from_secs(30),
            body_rate: 1_024,
            write_time: Duration::from_mins(1),
            request_time: Duration::from_mins(2),
            end_time: Duration::from_secs(30),
            followers: 1_024,
        }
    }
}

/// The number of files that this process may open.
fn open_files() -> usize {
    /// Where the system doesn't say.
    const UNKNOWN: usize = 1_024;
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    match line.and_then(|line| line.split_whitespace().next()) {
        Some("unlimited") => usize::MAX,
        Some(number) => number.parse().unwrap_or(UNKNOWN),
        None => UNKNOWN,
    }
}

/// Why a body ended before its end.
#[derive(Debug, thiserror::Error)]
#[error("the body arrives too slowly")]
pub(crate) struct TooSlow;

impl TooSlow {
    /// Whether this is among the causes of an error.
    pub(crate) fn caused(error: &(dyn std::error::Error + 'static)) -> bool {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if error.is::<Self>() {
                return true;
            }
            cause = error.source();
        }
        false
    }

    pub(crate) fn problem() -> Problem {
        Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "too_slow",
            "The body arrives too slowly",
            "the body stopped or arrives too slowly",
        )
    }
}

/// The body of a request, for which the server waits only so long.
///
/// What a handler leaves unread is read for a while, because a client that still sends can't read the response.
pub(crate) struct PacedBody {
    inner: Option<Body>,
    time: Duration,
    rate: u32,
    /// Time that the server waited in earlier waits.
    waited: Duration,
    received: u64,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl PacedBody {
    pub(crate) fn new(inner: Body, limits: &HttpLimits) -> Self {
        Self {
            inner: Some(inner),
            time: limits.body_time,
            rate: limits.body_rate.max(1),
            waited: Duration::ZERO,
            received: 0,
            waiting: None,
        }
    }

    /// How long the server waits from now.
    fn patience(&self) -> Duration {
        let earned = Duration::from_secs(self.received / u64::from(self.rate));
        (self.time + earned).saturating_sub(self.waited)
    }
}

impl hyper::body::Body for PacedBody {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        let Some(inner) = &mut this.inner else {
            return Poll::Ready(None);
        };
        let Poll::Ready(frame) = Pin::new(inner).poll_frame(context) else {
            let patience = this.patience();
            let (_, sleep) = this
                .waiting
                .get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(patience))));
            ready!(sleep.as_mut().poll(context));
            return Poll::Ready(Some(Err(TooSlow.into())));
        };
        if let Some((since, _)) = this.waiting.take() {
            this.waited += since.elapsed();
        }
        match frame {
            Some(Ok(frame)) => {
                this.received += frame.data_ref().map_or(0, |data| data.len() as u64);
                Poll::Ready(Some(Ok(frame)))
            }
            Some(Err(error)) => {
                this.inner = None;
                Poll::Ready(Some(Err(error.into())))
            }
            None => {
                this.inner = None;
                Poll::Ready(None)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.inner
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for PacedBody {
    fn drop(&mut self) {
        let unread = self.inner.take().filter(|body| !body.is_end_stream());
        // After a body that is too slow there is nothing to wait for.
        let slow = self.waiting.take().is_some();
        if let (Some(body), false, Ok(runtime)) =
            (unread, slow, tokio::runtime::Handle::try_current())
        {
            runtime.spawn(read_on(body));
        }
    }
}

/// Reads what a client still sends, up to a limit.
async fn read_on(mut body: Body) {
    const BYTES: usize = 64 << 20;
    const TIME: Duration = Duration::from_secs(5);
    let reading = async {
        let mut left = BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let read = frame.data_ref().map_or(0, Bytes::len);
            left = left.saturating_sub(read);
            if left == 0 {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(TIME, reading).await;
}

/// Waits for a response; a panic and a request that takes too long are problems.
pub(crate) async fn bounded<T>(
    time: Duration,
    work: impl Future<Output = T>,
) -> Result<T, Problem> {
    let mut work = std::pin::pin!(work);
    let caught = std::future::poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        match polled {
            Ok(polled) => polled.map(Ok),
            Err(_) => Poll::Ready(Err(Problem::unexpected())),
        }
    });
    tokio::time::timeout(time, caught)
        .await
        .unwrap_or_else(|_| Err(takes_too_long(time)))
}

fn takes_too_long(time: Duration) -> Problem {
    Problem {
        retry_after: Some(1),
        ..Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "takes_too_long",
            "The request takes too long",
            format!(
                "no response within {} s; a write may still happen",
                time.as_secs()
            ),
        )
    }
}

/// A connection whose client must read what it asked for.
pub(crate) struct ReadBy<S> {
    stream: S,
    time: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> ReadBy<S> {
    pub(crate) fn new(stream: S, time: Duration) -> Self {
        Self {
            stream,
            time,
            waiting: None,
        }
    }

    /// Turns a wait that is too long into an error.
    fn or_late<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<std::io::Result<T>>,
    ) -> Poll<std::io::Result<T>> {
        if polled.is_ready() {
            self.waiting = None;
            return polled;
        }
        let time = self.time;
        let sleep = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
        ready!(sleep.as_mut().poll(context));
        Poll::Ready(Err(std::io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReadBy<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReadBy<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.or_late(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.or_late(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.or_late(context, polled)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.or_late(context, polled)
    }
}
