//! A collector on this machine that keeps what it gets, and answers as a test wants.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// What a collector does with a request.
pub(crate) enum Answer {
    /// A status, header lines, and a body.
    Status(u16, String, Vec<u8>),
    /// These bytes instead of HTTP.
    Bytes(Vec<u8>),
    /// Nothing, until the collector is dropped.
    Hang,
    /// The beginning of an answer, and then a byte now and then without end.
    Drip,
}

impl Answer {
    pub(crate) fn taken() -> Self {
        Self::Status(200, String::new(), Vec::new())
    }

    pub(crate) fn rejected(spans: i64) -> Self {
        let partial_success = Some(ExportTracePartialSuccess {
            rejected_spans: spans,
            error_message: "no reason".to_owned(),
        });
        let answer = ExportTraceServiceResponse { partial_success };
        Self::Status(200, String::new(), answer.encode_to_vec())
    }
}

type Answers = dyn Fn(usize) -> Answer + Send + Sync;

/// A request to a collector.
#[derive(Clone)]
pub(crate) struct Received {
    /// Its first line and headers.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct Collector {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    /// Connections that wait for an answer.
    held: Arc<Mutex<Vec<TcpStream>>>,
}

impl Collector {
    /// A collector that takes everything.
    pub(crate) fn start() -> Self {
        Self::that(|_| Answer::taken())
    }

    /// A collector that answers so to the request with this number, from 0 on.
    pub(crate) fn that(answers: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let collector = Self {
            address: listener.local_addr().expect("an address"),
            received: Arc::default(),
            held: Arc::default(),
        };
        let (received, held) = (collector.received.clone(), collector.held.clone());
        let answers: Arc<Answers> = Arc::new(answers);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (received, held) = (received.clone(), held.clone());
                let answers = answers.clone();
                std::thread::spawn(move || serve(&stream, &received, &held, &*answers));
            }
        });
        collector
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("requests").clone()
    }

    /// All spans so far. A server has exported everything when it has ended.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let requests = self.requests().into_iter();
        let resources = requests.flat_map(|request| request.resource_spans);
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }

    pub(crate) fn requests(&self) -> Vec<ExportTraceServiceRequest> {
        let received = self.received();
        let decoded = received
            .iter()
            .map(|request| ExportTraceServiceRequest::decode(&*request.body));
        decoded.map(|request| request.expect("protobuf")).collect()
    }

    /// The span of the request with this id.
    #[track_caller]
    pub(crate) fn request(&self, id: &str) -> Span {
        let spans = self.spans();
        let mut found = spans
            .iter()
            .filter(|span| attribute(span, "anamne.request.id") == id);
        let span = found.next().unwrap_or_else(|| panic!("no {id}: {spans:?}"));
        assert!(found.next().is_none(), "two of {id}");
        span.clone()
    }

    /// The spans right below another one, in the order of their beginning.
    pub(crate) fn below(&self, parent: &Span) -> Vec<Span> {
        let is_below = |span: &Span| span.parent_span_id == parent.span_id;
        let mut below: Vec<_> = self.spans().into_iter().filter(is_below).collect();
        below.sort_by_key(|span| span.start_time_unix_nano);
        below
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        for stream in self.held.lock().expect("connections").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// The value of an attribute as text; empty if it is missing.
pub(crate) fn attribute(span: &Span, name: &str) -> String {
    let mut found = span.attributes.iter().filter(|pair| pair.key == name);
    found.next().map(text_of).unwrap_or_default()
}

pub(crate) fn text_of(pair: &KeyValue) -> String {
    match pair.value.as_ref().and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Answers the requests of a connection.
fn serve(
    stream: &TcpStream,
    received: &Mutex<Vec<Received>>,
    held: &Mutex<Vec<TcpStream>>,
    answers: &Answers,
) {
    let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
    while let Some(request) = next_request(&mut reader) {
        let number = {
            let mut received = received.lock().expect("requests");
            received.push(request);
            received.len() - 1
        };
        if answer(stream, answers(number), held).is_err() {
            return;
        }
    }
}

fn next_request(reader: &mut impl BufRead) -> Option<Received> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.to_ascii_lowercase();
    let length = length.split_once("content-length: ").expect("a length").1;
    let length = length.lines().next().expect("a line").trim();
    let mut body = vec![0; length.parse().expect("a number")];
    reader.read_exact(&mut body).ok()?;
    Some(Received { head, body })
}

fn answer(
    mut stream: &TcpStream,
    answer: Answer,
    held: &Mutex<Vec<TcpStream>>,
) -> std::io::Result<()> {
    match answer {
        Answer::Status(status, headers, body) => {
            let head = format!(
                "HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{headers}\r\n",
                body.len()
            );
            stream.write_all(&[head.as_bytes(), &body].concat())
        }
        Answer::Bytes(bytes) => {
            stream.write_all(&bytes)?;
            stream.shutdown(Shutdown::Both)
        }
        Answer::Hang => {
            held.lock().expect("connections").push(stream.try_clone()?);
            Ok(())
        }
        Answer::Drip => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            loop {
                stream.write_all(b"1\r\nx\r\n")?;
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
    }
}
