//! A server that follows a script, one connection per request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// What the server does with one request.
pub(crate) enum Turn {
    /// Answers.
    Answer {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    },
    /// Never answers, and keeps the connection open.
    Hang,
    /// Closes the connection without an answer.
    Close,
    /// Announces more bytes than it sends.
    Truncated(Vec<u8>),
    /// Sends spaces as long as the client reads them, up to this many bytes.
    Endless(usize),
}

impl Turn {
    pub(crate) fn json(body: &Value) -> Self {
        Self::status(200, body)
    }

    pub(crate) fn status(status: u16, body: &Value) -> Self {
        Self::Answer {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_string().into_bytes(),
        }
    }

    pub(crate) fn text(status: u16, body: &str) -> Self {
        Self::Answer {
            status,
            headers: Vec::new(),
            body: body.as_bytes().to_vec(),
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The server; after the end of its script nothing listens.
pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub(crate) fn start(script: Vec<Turn>) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        if script.is_empty() {
            // A port that was free a moment ago may be used by the next test; port 1 is never assigned.
            let address = SocketAddr::from(([127, 0, 0, 1], 1));
            return Self { address, seen };
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Self {
            address,
            seen: seen.clone(),
        };
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            for turn in script {
                let (stream, _) = listener.accept().expect("a connection");
                let request = request_of(&stream);
                seen.lock().expect("no thread panics with it").push(request);
                kept.extend(play(stream, turn));
            }
            drop(listener);
            // Hanging connections stay open until the test ends.
            if !kept.is_empty() {
                std::thread::park();
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/api", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no thread panics with it").clone()
    }
}

fn request_of(stream: &TcpStream) -> Seen {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).expect("a request line");
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let mut seen = Seen {
        path,
        headers,
        body: Vec::new(),
    };
    let length = seen
        .header("content-length")
        .map_or(0, |length| length.parse().expect("a length"));
    seen.body.resize(length, 0);
    reader.read_exact(&mut seen.body).expect("the whole body");
    seen
}

/// Plays one turn; returns a connection that is to stay open.
fn play(mut stream: TcpStream, turn: Turn) -> Option<TcpStream> {
    // In some tests the client disconnects.
    match turn {
        Turn::Answer {
            status,
            headers,
            body,
        } => {
            let mut head = format!(
                "HTTP/1.1 {status} Said\r\nconnection: close\r\ncontent-length: {}\r\n",
                body.len()
            );
            for (name, value) in headers {
                head.extend([name, ": ", &value, "\r\n"]);
            }
            let _ = stream.write_all((head + "\r\n").as_bytes());
            let _ = stream.write_all(&body);
        }
        Turn::Hang => return Some(stream),
        Turn::Close => {}
        Turn::Truncated(body) => {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
                body.len() + 100
            );
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
        }
        Turn::Endless(bytes) => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\n\r\n");
            let _ = stream.write_all(head.as_bytes());
            let blanks = vec![b' '; 64 << 10];
            let mut left = bytes;
            while left > 0 && stream.write_all(&blanks[..left.min(blanks.len())]).is_ok() {
                left -= left.min(blanks.len());
            }
        }
    }
    None
}
