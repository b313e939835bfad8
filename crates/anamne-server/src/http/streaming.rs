//! Bodies of any length: written by a blocking thread while the client reads, and read while the client sends.
//!
//! Each direction has a bounded channel. A client that is slow slows the thread down; one that stands still for
//! [`STALL`], sends less than [`LEAST_RATE`], or goes away, ends it.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::Frame;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::app::Caller;
use super::limits::TooSlow;
use super::problem::Problem;

/// How long a client may take to send or to accept a piece.
const STALL: Duration = Duration::from_mins(1);

/// Bytes per second that a client must send on average, once it has had [`STALL`]. So a few clients that send a byte at a
/// time don't keep the others out for ever.
const LEAST_RATE: u64 = 128;

/// Bytes of a piece of a response.
const PIECE: usize = 64 << 10;

/// Pieces that wait in a channel.
const PIECES: usize = 4;

/// Bytes of a request that are there before the first ones are read, unless it is shorter: by them the reader tells the
/// format.
const HEAD: usize = 512;

/// A part of a response.
enum Part {
    Bytes(Bytes),
    /// The end, with trailers. A response without it was cut off.
    End(HeaderMap),
}

/// Why a response ends early. The connection is closed, so that the client does not take it for the whole.
#[derive(Debug, thiserror::Error)]
#[error("the response was cut off")]
struct CutOff;

/// Writes a response on a blocking thread.
pub(crate) struct ResponseWriter {
    buffer: Vec<u8>,
    to: mpsc::Sender<Part>,
    runtime: Handle,
}

impl ResponseWriter {
    fn send(&self, part: Part) -> io::Result<()> {
        let sent = self.runtime.block_on(timeout(STALL, self.to.send(part)));
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    fn end(mut self, trailers: HeaderMap) -> io::Result<()> {
        self.flush()?;
        self.send(Part::End(trailers))
    }
}

impl Write for ResponseWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let piece = std::mem::take(&mut self.buffer);
        self.send(Part::Bytes(piece.into()))
    }
}

/// The body of a response that is being written.
struct WrittenBody {
    first: Option<Part>,
    from: mpsc::Receiver<Part>,
    has_ended: bool,
}

impl HttpBody for WrittenBody {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let part = match self.first.take() {
            Some(part) => Some(part),
            None => match self.from.poll_recv(context) {
                Poll::Ready(part) => part,
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(Some(match part {
            Some(Part::Bytes(piece)) => Ok(Frame::data(piece)),
            Some(Part::End(trailers)) => {
                self.has_ended = true;
                Ok(Frame::trailers(trailers))
            }
            None => {
                self.has_ended = true;
                Err(CutOff)
            }
        }))
    }
}

/// A response of NDJSON that `work` writes on a blocking thread, with the trailers that it returns. A problem before the
/// first piece becomes the response; a later one cuts it off.
pub(crate) async fn written(
    caller: Caller,
    trailers: &'static str,
    work: impl FnOnce(&anamne::Store, &mut ResponseWriter) -> Result<HeaderMap, Problem>
    + Send
    + 'static,
) -> Result<Response, Problem> {
    let (to, mut from) = mpsc::channel(PIECES);
    let mut writer = ResponseWriter {
        buffer: Vec::new(),
        to,
        runtime: Handle::current(),
    };
    let working = tokio::spawn(caller.with_store_streaming(move |store| {
        let trailers = work(store, &mut writer)?;
        writer.end(trailers).map_err(|_| Problem::unexpected())
    }));
    let Some(first) = from.recv().await else {
        let ended = working.await.unwrap_or_else(|_| Err(Problem::unexpected()));
        return Err(ended.err().unwrap_or_else(Problem::unexpected));
    };
    let mut response = Response::new(Body::new(WrittenBody {
        first: Some(first),
        from,
        has_ended: false,
    }));
    let headers = response.headers_mut();
    let media = HeaderValue::from_static("application/x-ndjson");
    headers.insert(header::CONTENT_TYPE, media);
    if !trailers.is_empty() {
        headers.insert(header::TRAILER, HeaderValue::from_static(trailers));
    }
    Ok(response)
}

/// Reads a request's body on a blocking thread.
pub(crate) struct RequestReader {
    from: mpsc::Receiver<io::Result<Bytes>>,
    piece: Bytes,
    has_ended: bool,
    stop: Stop,
}

/// Ends a [`RequestReader`] from outside.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl RequestReader {
    /// Reads `body`, which is received meanwhile.
    pub(crate) fn of(body: Body) -> Self {
        let (to, from) = mpsc::channel(PIECES);
        tokio::spawn(receive(body, to));
        Self {
            from,
            piece: Bytes::new(),
            has_ended: false,
            stop: Stop::default(),
        }
    }

    /// Ends it: the next read fails.
    pub(crate) fn stopper(&self) -> Stop {
        self.stop.clone()
    }
}

impl Read for RequestReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.0.load(Ordering::Acquire) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        while self.piece.is_empty() && !self.has_ended {
            match self.from.blocking_recv() {
                Some(piece) => {
                    self.piece = piece?;
                    self.has_ended = self.piece.is_empty();
                }
                // The server ends.
                None => return Err(ended_early()),
            }
        }
        let length = self.piece.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.piece.split_to(length));
        Ok(length)
    }
}

fn ended_early() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the body ended early")
}

/// Passes on a body; an empty piece is its end. If it is cut off the reader gets an error, so that it takes no part of a
/// line for a line.
async fn receive(mut body: Body, to: mpsc::Sender<io::Result<Bytes>>) {
    let mut head = Vec::new();
    let (mut bytes, began) = (0, Instant::now());
    loop {
        let piece = match next_piece(&mut body).await {
            Ok(Some(piece)) => piece,
            Ok(None) => {
                for last in [head.into(), Bytes::new()] {
                    if to.send(Ok(last)).await.is_err() {
                        return;
                    }
                }
                return;
            }
            Err(cut) => {
                drop(to.send(Err(cut)).await);
                return;
            }
        };
        let is_head = bytes < HEAD as u64;
        bytes += piece.len() as u64;
        let took = began.elapsed();
        if took > STALL && bytes < LEAST_RATE * took.as_secs() {
            let slow = io::Error::new(io::ErrorKind::TimedOut, "the body came too slowly");
            drop(to.send(Err(slow)).await);
            return;
        }
        let piece = if is_head {
            head.extend_from_slice(&piece);
            if bytes < HEAD as u64 {
                continue;
            }
            std::mem::take(&mut head).into()
        } else {
            piece
        };
        if !piece.is_empty() && to.send(Ok(piece)).await.is_err() {
            return;
        }
    }
}

/// The next piece of a body; `None` at its end.
async fn next_piece(body: &mut Body) -> io::Result<Option<Bytes>> {
    loop {
        match timeout(STALL, body.frame()).await {
            Ok(None) => return Ok(None),
            Ok(Some(Ok(frame))) => {
                if let Ok(piece) = frame.into_data() {
                    return Ok(Some(piece));
                }
            }
            Ok(Some(Err(error))) if TooSlow::caused(&error) => return Err(stalled()),
            Ok(Some(Err(_))) => return Err(ended_early()),
            Err(_) => return Err(stalled()),
        }
    }
}

fn stalled() -> io::Error {
    io::Error::new(
        io::ErrorKind::TimedOut,
        "nothing of the body came for too long",
    )
}
