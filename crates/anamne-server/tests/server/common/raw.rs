//! Bytes on a connection, for what a client library would not send.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// How long a test waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Raw {
    pub(crate) stream: TcpStream,
    seen: Vec<u8>,
}

impl Raw {
    pub(crate) fn open(address: SocketAddr) -> Self {
        Self::of(TcpStream::connect(address).expect("a connection"))
    }

    pub(crate) fn of(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        Self {
            stream,
            seen: Vec::new(),
        }
    }

    /// Sends bytes; the server may have closed the connection.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// All bytes so far and until the server closes the connection.
    pub(crate) fn rest(&mut self) -> String {
        // A reset after the last bytes is an end as well.
        let _ = self.stream.read_to_end(&mut self.seen);
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// All bytes so far, once they contain `text`.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> String {
        let began = Instant::now();
        let mut buffer = [0; 4_096];
        loop {
            let seen = String::from_utf8_lossy(&self.seen).into_owned();
            if seen.contains(text) {
                return seen;
            }
            assert!(began.elapsed() < PATIENCE, "no {text:?} in {seen}");
            match self.stream.read(&mut buffer) {
                Ok(count) if count > 0 => self.seen.extend(&buffer[..count]),
                other => panic!("{other:?} before {text:?}: {seen}"),
            }
        }
    }

    /// Whether the server closed the connection without a byte.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0]), Ok(0)) || {
            let error = self.stream.read(&mut [0]).map(drop);
            error.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset)
        }
    }
}

/// Sends bytes on a new connection, and the statuses of all answers until the server closes it.
pub(crate) fn statuses(address: SocketAddr, bytes: impl AsRef<[u8]>) -> Vec<u16> {
    let mut raw = Raw::open(address);
    raw.send(bytes);
    let answered = raw.rest();
    answered
        .match_indices("HTTP/1.")
        .filter_map(|(at, _)| answered.get(at + 9..at + 12)?.parse().ok())
        .collect()
}
