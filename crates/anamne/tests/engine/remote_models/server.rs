//! A server on this machine that embeds texts in OpenAI's form, and does what a test tells it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// How requests are answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Manner {
    /// With a vector per text.
    Good,
    /// With vectors of this length.
    Length(usize),
    /// With a vector less than asked for.
    TooFew,
    /// With a value that is no number.
    NotANumber,
    /// With this status, so many times; then well.
    Status(u16, usize),
    /// Later.
    Slow(Duration),
    /// With more bytes than an answer may have.
    Huge,
    /// With status 400 if a text contains this word.
    Refuses(&'static str),
    /// Not at all, once it has seen this many texts.
    HoldsAfter(usize),
}

pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    manner: Mutex<Manner>,
    texts: Mutex<Vec<String>>,
    requests: AtomicUsize,
    failures: AtomicUsize,
    is_closed: AtomicBool,
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").expect("a port"))
    }

    fn on(listener: TcpListener) -> Self {
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            manner: Mutex::new(Manner::Good),
            texts: Mutex::default(),
            requests: AtomicUsize::new(0),
            failures: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
        });
        let known = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if known.is_closed.load(Ordering::SeqCst) {
                    break;
                }
                let shared = known.clone();
                let stream = stream.expect("a connection");
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub(crate) fn behaves(&self, manner: Manner) {
        self.shared.failures.store(0, Ordering::SeqCst);
        *self.shared.manner.lock().expect("no panic") = manner;
    }

    /// All texts that it was sent.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.shared.texts.lock().expect("no panic").clone()
    }

    pub(crate) fn has_seen(&self, word: &str) -> bool {
        self.texts().iter().any(|text| text.contains(word))
    }

    pub(crate) fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// Nobody listens any more; returns what listens again at the same address.
    pub(crate) fn close(&self) -> impl FnOnce() -> Self + use<> {
        self.shared.is_closed.store(true, Ordering::SeqCst);
        // The listener notices with its next connection.
        drop(TcpStream::connect(self.address));
        let address = self.address;
        move || {
            for _ in 0..200 {
                if let Ok(listener) = TcpListener::bind(address) {
                    return Self::on(listener);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            panic!("the port is free again")
        }
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) {
        let body = read_body(&stream);
        self.requests.fetch_add(1, Ordering::SeqCst);
        let manner = self.manner.lock().expect("no panic").clone();
        let texts: Vec<String> = serde_json::from_value(body["input"].clone()).expect("texts");
        let seen = {
            let mut seen = self.texts.lock().expect("no panic");
            seen.extend(texts.iter().cloned());
            seen.len()
        };
        let length = match manner {
            Manner::Length(length) => length,
            _ => body["dimensions"].as_u64().unwrap_or(32) as usize,
        };
        let mut data: Vec<Value> = texts
            .iter()
            .map(|text| json!(vector(text, length)))
            .collect();
        match manner {
            Manner::TooFew => drop(data.pop()),
            Manner::NotANumber => data[0][0] = Value::Null,
            Manner::Status(status, times)
                if self.failures.fetch_add(1, Ordering::SeqCst) < times =>
            {
                return answer(stream, status, "{\"error\": {\"message\": \"not now\"}}");
            }
            Manner::Slow(pause) => std::thread::sleep(pause),
            Manner::Huge => {
                return answer(
                    stream,
                    200,
                    &format!("{{\"data\": [{}]}}", "0.5,".repeat(8 << 20)),
                );
            }
            Manner::Refuses(word) if texts.iter().any(|text| text.contains(word)) => {
                return answer(
                    stream,
                    400,
                    "{\"error\": {\"message\": \"too many tokens\"}}",
                );
            }
            Manner::HoldsAfter(most) if seen > most => {
                std::thread::sleep(Duration::from_mins(1));
                return;
            }
            _ => {}
        }
        let entry = |(index, vector)| json!({"index": index, "embedding": vector});
        let data: Vec<Value> = data.into_iter().enumerate().map(entry).collect();
        let tokens: usize = texts.iter().map(|text| text.len() / 4 + 1).sum();
        let whole = json!({"data": data, "model": body["model"],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens}});
        answer(stream, 200, &whole.to_string());
    }
}

fn read_body(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) <= 2 {
            break;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the whole body");
    serde_json::from_slice(&body).expect("JSON")
}

fn answer(mut stream: TcpStream, status: u16, body: &str) {
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nretry-after: 1\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // In some tests the client is gone.
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body.as_bytes());
}

/// Texts with words in common have similar vectors. Not of unit length.
fn vector(text: &str, length: usize) -> Vec<f32> {
    let mut vector = vec![0.0_f32; length];
    for word in text.split_whitespace() {
        let mut state = u64::from(blake3::hash(word.to_lowercase().as_bytes()).as_bytes()[0]) + 1;
        for place in &mut vector {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            *place += (state >> 40) as f32 / 8_388_608.0 - 1.0;
        }
    }
    vector
}
