//! A request whose body is sent by a thread of its own, while the response is read: for a server that answers as it reads.
//!
//! Each direction waits for the other side only, so a server that stops reading stops the sending thread, and a reader
//! that stops reading stops the server. HTTP/1.1, one connection for each request.

mod channel;
mod response;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::authorities::CertificateFault;
use crate::client::{Client, Header, NetError, USER_AGENT};
use channel::Channel;
use response::Response;

/// Bytes of a chunk at most.
const CHUNK: usize = 16 << 10;

/// A response that is read while the request is still being sent. Dropping it ends the connection, and the sending.
pub struct BothWays {
    response: Response<Incoming>,
    sending: Arc<Sending>,
}

impl fmt::Debug for BothWays {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BothWays")
            .field("status", &self.response.status)
            .field("sent", &self.sent())
            .finish_non_exhaustive()
    }
}

impl BothWays {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.response.status
    }

    /// Bytes of the body that were sent so far.
    pub fn sent(&self) -> u64 {
        self.sending.sent.load(Ordering::Acquire)
    }

    /// Why the body could not be read, if that ended the request.
    pub fn body_failure(&self) -> Option<io::Error> {
        self.sending.take_failure()
    }
}

impl Read for BothWays {
    /// An error of kind `UnexpectedEof` if the connection broke, `TimedOut` if nothing moved for the time of the client.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.response.read(buffer)
    }
}

impl Drop for BothWays {
    fn drop(&mut self) {
        self.sending.channel.close();
    }
}

/// What the two threads share.
struct Sending {
    channel: Channel,
    sent: AtomicU64,
    failure: Mutex<Option<io::Error>>,
}

impl Sending {
    fn take_failure(&self) -> Option<io::Error> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    /// Sends the body in chunks. If it can't be read, the connection ends: a body without an end is never taken for whole.
    fn send_body(&self, mut body: impl Read) {
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = match body.read(&mut chunk) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return self.channel.close();
                }
                Ok(length) => length,
            };
            let mut framed = format!("{length:x}\r\n").into_bytes();
            framed.extend_from_slice(&chunk[..length]);
            framed.extend_from_slice(b"\r\n");
            // What went wrong is for the reader to see: the server may have answered.
            if self.channel.send(&framed).is_err() || length == 0 {
                return;
            }
            self.sent.fetch_add(length as u64, Ordering::AcqRel);
        }
    }
}

/// What the server sends.
struct Incoming {
    sending: Arc<Sending>,
    sent_before: u64,
}

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.sending.channel.receive(buffer);
            let Err(error) = read else { return read };
            if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) {
                return Err(error);
            }
            // A server that takes what is sent is not silent.
            let sent = self.sending.sent.load(Ordering::Acquire);
            if sent == self.sent_before {
                return Err(ErrorKind::TimedOut.into());
            }
            self.sent_before = sent;
        }
    }
}

impl Client {
    /// Sends a request whose body is read by a thread of its own, and returns the response as soon as its head is there,
    /// which may be before the body is sent. The thread ends with the body, or with the response.
    pub fn open_both_ways(
        &self,
        method: &str,
        path: &str,
        headers: &[Header],
        body: impl Read + Send + 'static,
    ) -> Result<BothWays, NetError> {
        let head = self.head(method, path, headers)?;
        let connected = Channel::connect(self.authorities(), self.address(), self.timeouts());
        let channel = connected.map_err(|error| failed(&error, false))?;
        channel.send(&head).map_err(|error| failed(&error, false))?;
        let sending = Arc::new(Sending {
            channel,
            sent: AtomicU64::new(0),
            failure: Mutex::default(),
        });
        let sender = sending.clone();
        let started = std::thread::Builder::new()
            .name("anamne-send".to_owned())
            .spawn(move || sender.send_body(body));
        if let Err(error) = started {
            sending.channel.close();
            return Err(failed(&error, false));
        }
        let incoming = Incoming {
            sending: sending.clone(),
            sent_before: 0,
        };
        match Response::of(incoming) {
            Ok(response) => Ok(BothWays { response, sending }),
            Err(error) => {
                sending.channel.close();
                let reason = sending.take_failure().unwrap_or(error);
                Err(failed(&reason, true))
            }
        }
    }

    /// The head of a request with a body in chunks.
    fn head(&self, method: &str, path: &str, headers: &[Header]) -> Result<Vec<u8>, NetError> {
        let target = self.address().target(path);
        let is_fit =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_fit(method) || !is_fit(&target) {
            return Err(NetError::Connection {
                reason: "the method or path is malformed".to_owned(),
                sent: false,
            });
        }
        let host = self.address().authority();
        let mut head = format!(
            "{method} {target} HTTP/1.1\r\nhost: {host}\r\nuser-agent: {USER_AGENT}\r\n\
             transfer-encoding: chunked\r\nconnection: close\r\n"
        )
        .into_bytes();
        for header in headers {
            head.extend_from_slice(header.name.as_str().as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(header.value.as_bytes());
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"\r\n");
        Ok(head)
    }
}

/// An error of the connection.
fn failed(error: &io::Error, sent: bool) -> NetError {
    if let Some(fault) = CertificateFault::of(error) {
        return NetError::Certificate { fault };
    }
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => NetError::TimedOut {
            stage: "the connection".to_owned(),
            sent,
        },
        ErrorKind::UnexpectedEof => NetError::Connection {
            reason: "the connection broke".to_owned(),
            sent,
        },
        _ => NetError::Connection {
            reason: error.to_string(),
            sent,
        },
    }
}
