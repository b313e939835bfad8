//! A server on this machine with OpenAI's files, batches and embeddings, which does what a test tells it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

/// What happens to the start of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Start {
    /// It is answered.
    Good,
    /// It arrives, and the answer is lost.
    Lost,
    /// Nothing arrives.
    Missed,
    /// It arrives, and the server is silent.
    Silent,
    /// With this status.
    Refused(u16),
}

/// How a batch ends.
pub(crate) enum End {
    /// Every text is answered.
    Completed,
    /// Texts with this word have an error.
    Without(&'static str),
    /// It expires, with answers to the texts with this word.
    Expired(&'static str),
    /// The files have these lines; `{}` in them stands for the number of a text that was sent.
    Lines(Vec<String>),
    /// The batch is no longer known.
    Gone,
}

/// The length of vectors.
const LENGTH: usize = 32;

#[derive(Clone)]
struct Batch {
    key: String,
    status: &'static str,
    input: String,
    output: Option<String>,
    errors: Option<String>,
}

struct State {
    start: Start,
    files: BTreeMap<String, (String, String)>,
    batches: BTreeMap<String, Batch>,
    made: usize,
    /// Every request: its method and path.
    requests: Vec<String>,
    /// The texts of batches that were started.
    batched: Vec<String>,
    /// The texts of ordinary requests.
    asked: Vec<String>,
    has_batches: bool,
}

#[derive(Clone)]
pub(crate) struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let server = Self {
            address: listener.local_addr().expect("an address"),
            state: Arc::new(Mutex::new(State {
                start: Start::Good,
                files: BTreeMap::new(),
                batches: BTreeMap::new(),
                made: 0,
                requests: Vec::new(),
                batched: Vec::new(),
                asked: Vec::new(),
                has_batches: true,
            })),
        };
        let known = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let server = known.clone();
                std::thread::spawn(move || server.serve(stream.expect("a connection")));
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    pub(crate) fn starts(&self, start: Start) {
        self.state().start = start;
    }

    pub(crate) fn has_no_batches(&self) {
        self.state().has_batches = false;
    }

    /// The texts of all batches that were started.
    pub(crate) fn batched(&self) -> Vec<String> {
        self.state().batched.clone()
    }

    /// The texts of ordinary requests.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.state().asked.clone()
    }

    /// The names of the files that are there.
    pub(crate) fn files(&self) -> Vec<String> {
        let state = self.state();
        state.files.values().map(|(name, _)| name.clone()).collect()
    }

    /// Whether a file that is there has this word.
    pub(crate) fn keeps(&self, word: &str) -> bool {
        let state = self.state();
        state.files.values().any(|(_, text)| text.contains(word))
    }

    pub(crate) fn count(&self, request: &str) -> usize {
        let state = self.state();
        let requests = state.requests.iter();
        requests.filter(|seen| seen.starts_with(request)).count()
    }

    /// Ends all batches that are worked on.
    pub(crate) fn end(&self, end: &End) {
        let mut state = self.state();
        let running = state.batches.clone().into_iter();
        for (id, batch) in running.filter(|(_, batch)| batch.status == "in_progress") {
            let texts = texts_of(&state.files[&batch.input].1);
            let (mut answers, mut errors) = (String::new(), String::new());
            for (number, text) in &texts {
                let fails = match end {
                    End::Without(word) => text.contains(word),
                    End::Expired(word) => !text.contains(word),
                    _ => false,
                };
                let (lines, line) = if fails {
                    (&mut errors, failure(number))
                } else {
                    (&mut answers, success(number, &vector(text)))
                };
                lines.push_str(&line);
                lines.push('\n');
            }
            if let End::Lines(lines) = end {
                let numbers = texts.iter().map(|(number, _)| number);
                let lines = lines.iter().zip(numbers.cycle());
                answers = lines
                    .map(|(line, number)| line.replace("{}", number) + "\n")
                    .collect();
            }
            let mut file = |text: String| {
                (!text.is_empty()).then(|| state.add_file("answers.jsonl".to_owned(), text))
            };
            let ended = Batch {
                status: match end {
                    End::Expired(_) => "expired",
                    _ => "completed",
                },
                output: file(answers),
                errors: file(errors),
                ..batch
            };
            if matches!(end, End::Gone) {
                state.batches.remove(&id);
            } else {
                state.batches.insert(id, ended);
            }
        }
    }

    fn serve(&self, stream: TcpStream) {
        let Some((method, path, body)) = read_request(&stream) else {
            return;
        };
        let (status, answer) = {
            let mut state = self.state();
            state.requests.push(format!("{method} {path}"));
            state.answer(&method, &path, &body)
        };
        match status {
            0 => {}
            1 => std::thread::sleep(Duration::from_mins(2)),
            _ => reply(stream, status, &answer),
        }
    }
}

impl State {
    fn add_file(&mut self, name: String, text: String) -> String {
        self.made += 1;
        let id = format!("file-{}", self.made);
        self.files.insert(id.clone(), (name, text));
        id
    }

    /// The status and the body of an answer; status 0 for none, 1 for none for a long time.
    fn answer(&mut self, method: &str, path: &str, body: &str) -> (u16, String) {
        let path = path.strip_prefix("/v1").expect("the base path");
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let missing = || {
            (
                404,
                json!({"error": {"message": "no such thing"}}).to_string(),
            )
        };
        if !self.has_batches && parts != ["embeddings"] {
            return missing();
        }
        match (method, parts.as_slice()) {
            ("POST", ["embeddings"]) => self.embed(body),
            ("POST", ["files"]) => {
                let (name, text) = uploaded(body);
                let id = self.add_file(name, text);
                (200, json!({"id": id, "object": "file"}).to_string())
            }
            ("GET", ["files"]) => {
                let files = self.files.iter();
                let files = files.map(|(id, (name, _))| json!({"id": id, "filename": name}));
                (200, json!({"data": files.collect::<Vec<_>>()}).to_string())
            }
            ("GET", ["files", id, "content"]) => match self.files.get(*id) {
                Some((_, text)) => (200, text.clone()),
                None => missing(),
            },
            ("DELETE", ["files", id]) => match self.files.remove(*id) {
                Some(_) => (200, json!({"id": id, "deleted": true}).to_string()),
                None => missing(),
            },
            ("POST", ["batches"]) => self.start_batch(body),
            ("GET", ["batches"]) => {
                let batches = self.batches.iter().map(|(id, batch)| shown(id, batch));
                let batches: Vec<Value> = batches.collect();
                (200, json!({"data": batches, "has_more": false}).to_string())
            }
            ("GET", ["batches", id]) => match self.batches.get(*id) {
                Some(batch) => (200, shown(id, batch).to_string()),
                None => missing(),
            },
            ("POST", ["batches", id, "cancel"]) => match self.batches.get_mut(*id) {
                Some(batch) => {
                    batch.status = "cancelled";
                    (200, shown(id, batch).to_string())
                }
                None => missing(),
            },
            _ => missing(),
        }
    }

    fn start_batch(&mut self, body: &str) -> (u16, String) {
        let asked: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(asked["endpoint"], "/v1/embeddings");
        assert_eq!(asked["completion_window"], "24h");
        let start = self.start;
        match start {
            Start::Missed => return (0, String::new()),
            Start::Refused(status) => return (status, "{\"error\": {\"message\": \"no\"}}".into()),
            _ => {}
        }
        let input = asked["input_file_id"].as_str().expect("a file").to_owned();
        let texts = texts_of(&self.files[&input].1);
        self.batched.extend(texts.into_iter().map(|(_, text)| text));
        self.made += 1;
        let id = format!("batch_{}", self.made);
        let batch = Batch {
            key: asked["metadata"]["anamne"].as_str().expect("a key").into(),
            status: "in_progress",
            input,
            output: None,
            errors: None,
        };
        let answer = shown(&id, &batch).to_string();
        self.batches.insert(id, batch);
        match start {
            Start::Lost => (0, String::new()),
            Start::Silent => (1, String::new()),
            _ => (200, answer),
        }
    }

    fn embed(&mut self, body: &str) -> (u16, String) {
        let asked: Value = serde_json::from_str(body).expect("JSON");
        let texts: Vec<String> = serde_json::from_value(asked["input"].clone()).expect("texts");
        let entries = texts.iter().enumerate();
        let entries =
            entries.map(|(place, text)| json!({"index": place, "embedding": vector(text)}));
        let entries: Vec<Value> = entries.collect();
        let tokens = 10 * texts.len();
        self.asked.extend(texts);
        let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
        (
            200,
            json!({"data": entries, "model": "m", "usage": usage}).to_string(),
        )
    }
}

fn shown(id: &str, batch: &Batch) -> Value {
    json!({"id": id, "object": "batch", "status": batch.status, "input_file_id": batch.input,
        "output_file_id": batch.output, "error_file_id": batch.errors, "metadata": {"anamne": batch.key}})
}

/// A line of answers with a vector and ten tokens.
pub(crate) fn success(number: &str, vector: &[f32]) -> String {
    json!({"id": "x", "custom_id": number, "error": null, "response": {"status_code": 200, "body": {
        "data": [{"index": 0, "embedding": vector}], "usage": {"prompt_tokens": 10, "total_tokens": 10}}}})
    .to_string()
}

fn failure(number: &str) -> String {
    json!({"custom_id": number, "response": {"status_code": 400, "body": {
        "error": {"message": "too long"}}}, "error": null})
    .to_string()
}

/// Number and text of each line of a file.
fn texts_of(file: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(
            (&line["method"], &line["url"]),
            (&json!("POST"), &json!("/v1/embeddings"))
        );
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        (text(&line["custom_id"]), text(&line["body"]["input"]))
    };
    file.lines().map(line).collect()
}

/// Name and content of the file in a form.
fn uploaded(body: &str) -> (String, String) {
    assert!(body.contains("name=\"purpose\"\r\n\r\nbatch\r\n"), "{body}");
    let (_, rest) = body.split_once("filename=\"").expect("a file");
    let (name, rest) = rest.split_once('"').expect("a name");
    let (_, rest) = rest.split_once("\r\n\r\n").expect("its content");
    let (text, _) = rest.rsplit_once("\r\n--").expect("its end");
    (name.to_owned(), text.to_owned())
}

fn read_request(stream: &TcpStream) -> Option<(String, String, String)> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) <= 2 {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((method, path, String::from_utf8(body).ok()?))
}

fn reply(mut stream: TcpStream, status: u16, body: &str) {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    // In some tests the client is gone.
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body.as_bytes());
}

/// Texts with words in common have similar vectors.
pub(crate) fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01_f32; LENGTH];
    for word in text.split_whitespace() {
        let digest = blake3::hash(word.to_lowercase().as_bytes());
        for (place, byte) in vector.iter_mut().zip(digest.as_bytes()) {
            *place += f32::from(*byte) - 127.5;
        }
    }
    vector
}
