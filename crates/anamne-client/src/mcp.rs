//! The Model Context Protocol between a host's standard streams and a server.

use std::io::{BufRead, BufReader, Read, Write};

use anamne_net::{Body, Opened};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::client::Client;
use crate::error::ClientError;
use crate::path::{Query, path};

/// Longest message of a host or the server, in bytes.
const LONGEST: u64 = 16 << 20;

/// The code of JSON-RPC for a line that is no JSON.
const PARSE_ERROR: i64 = -32700;

/// The code of JSON-RPC for a failure that is not the request's.
const INTERNAL_ERROR: i64 = -32603;

/// Errors that end a relay.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RelayError {
    /// The host's streams failed.
    #[error("the host can't be read or written: {0}")]
    Host(#[from] std::io::Error),
}

/// Sends a host's messages to a server, one after the other, and the answers back.
///
/// Hosts of every revision are served: a request of 2026-07-28 stands for itself; an earlier host gets a session, which
/// is begun again if the server has ended it.
#[derive(Debug)]
pub struct McpRelay<'a> {
    client: &'a Client,
    /// The endpoint, with its query.
    path: String,
    session: Option<String>,
    /// The revision that `initialize` agreed on.
    revision: Option<String>,
    /// The host's `initialize`, to begin another session with.
    beginning: Option<Value>,
}

impl<'a> McpRelay<'a> {
    /// A relay to the tools of a space.
    pub fn new(client: &'a Client, space: &str, query: &Query) -> Self {
        Self {
            client,
            path: path(&["mcp", space]) + query.as_str(),
            session: None,
            revision: None,
            beginning: None,
        }
    }

    /// Relays lines until `input` ends. Each request is answered, if only with an error.
    pub fn run(
        mut self,
        mut input: impl BufRead,
        mut output: impl Write,
    ) -> Result<(), RelayError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
            if read == 0 {
                self.end();
                return Ok(());
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let answers = match serde_json::from_slice::<Value>(&line) {
                Ok(message) => self.relay(&message),
                Err(error) => {
                    let problem = failure(&Value::Null, PARSE_ERROR, &error.to_string());
                    skip_line(&line, &mut input)?;
                    vec![problem]
                }
            };
            for answer in answers {
                serde_json::to_writer(&mut output, &answer).map_err(std::io::Error::from)?;
                output.write_all(b"\n")?;
            }
            output.flush()?;
        }
    }

    /// The answers to one message.
    fn relay(&mut self, message: &Value) -> Vec<Value> {
        if message["method"] == "initialize" {
            self.beginning = Some(message.clone());
            (self.session, self.revision) = (None, None);
        }
        let sent = self.send(message).and_then(|(status, answers)| {
            if status == 404 && self.session.is_some() && self.begin_again()? {
                return self.send(message);
            }
            Ok((status, answers))
        });
        let id = &message["id"];
        match sent {
            Ok((_, answers)) if !answers.is_empty() || id.is_null() => answers,
            Ok((status, _)) => {
                let reason = format!("the server answered with status {status}");
                vec![failure(id, INTERNAL_ERROR, &reason)]
            }
            Err(_) if id.is_null() => Vec::new(),
            Err(error) => vec![failure(id, INTERNAL_ERROR, &error.to_string())],
        }
    }

    /// Sends a message; returns the status and the messages of the answer.
    fn send(&mut self, message: &Value) -> Result<(u16, Vec<Value>), ClientError> {
        let method = message["method"].as_str().unwrap_or_default();
        let modern = message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
        let subject = encoded(subject(message));
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        if let Some(revision) = modern.or(self.revision.as_deref()) {
            headers.push(("mcp-protocol-version", revision));
        }
        if modern.is_some() {
            headers.push(("mcp-method", method));
            if !subject.is_empty() {
                headers.push(("mcp-name", &subject));
            }
        } else if let Some(session) = &self.session {
            headers.push(("mcp-session-id", session));
        }
        let body = serde_json::to_vec(message).expect("JSON serialises");
        let opened =
            self.client
                .exchange("POST", &self.path, &headers, Body::Bytes(&body), None)?;
        let status = opened.status;
        let session = opened.header("mcp-session-id").map(str::to_owned);
        let answers = messages(opened)?;
        if method == "initialize" {
            self.session = session;
            let agreed = answers.iter().find_map(|answer| {
                let revision = answer["result"]["protocolVersion"].as_str();
                revision.map(str::to_owned)
            });
            self.revision = agreed;
        }
        Ok((status, answers))
    }

    /// Begins a session like the one that has ended; `false` if there was none.
    fn begin_again(&mut self) -> Result<bool, ClientError> {
        let Some(beginning) = self.beginning.clone() else {
            return Ok(false);
        };
        (self.session, self.revision) = (None, None);
        self.send(&beginning)?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(self.session.is_some())
    }

    /// Ends the session.
    fn end(self) {
        if let Some(session) = &self.session {
            let headers = [("mcp-session-id", session.as_str())];
            // The server ends it by itself otherwise.
            let _ = self
                .client
                .exchange("DELETE", &self.path, &headers, Body::Empty, None);
        }
    }
}

/// Reads the rest of a line that is longer than a message may be.
fn skip_line(line: &[u8], input: &mut impl BufRead) -> std::io::Result<()> {
    if !line.ends_with(b"\n") && line.len() as u64 == LONGEST {
        input.skip_until(b'\n')?;
    }
    Ok(())
}

/// What a request is about: the name of a tool or prompt, or the address of a resource.
fn subject(message: &Value) -> &str {
    let field = match message["method"].as_str() {
        Some("tools/call" | "prompts/get") => "name",
        Some("resources/read") => "uri",
        _ => return "",
    };
    message["params"][field].as_str().unwrap_or_default()
}

/// A header's value; what isn't plain text is encoded as the protocol says.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    if text.bytes().all(is_plain) && text.trim() == text {
        return text.to_owned();
    }
    format!("=?base64?{}?=", STANDARD.encode(text))
}

/// The messages of an answer: one of JSON, those of a stream of events, or none.
fn messages(opened: Opened) -> Result<Vec<Value>, ClientError> {
    let (status, media) = (opened.status, opened.header("content-type").unwrap_or(""));
    let is_stream = media.starts_with("text/event-stream");
    let is_json = media.starts_with("application/json");
    let mut found = Vec::new();
    if is_stream {
        let unreadable = |error: std::io::Error| ClientError::Answer {
            status,
            reason: error.to_string(),
        };
        let reader = BufReader::new(opened.into_reader().take(LONGEST));
        for line in reader.lines() {
            let line = line.map_err(unreadable)?;
            let data = line.strip_prefix("data:").map(str::trim);
            found.extend(data.and_then(|data| serde_json::from_str::<Value>(data).ok()));
        }
        return Ok(found);
    }
    let body = opened.read()?;
    if is_json {
        let message: Value =
            serde_json::from_slice(&body).map_err(|error| ClientError::Answer {
                status,
                reason: error.to_string(),
            })?;
        found.push(message);
    } else if status != 404 && !(200..300).contains(&status) {
        return Err(ClientError::of_answer(status, &body));
    }
    Ok(found)
}

fn failure(id: &Value, code: i64, reason: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": reason } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_carry_any_text() {
        assert_eq!(encoded("memory_store"), "memory_store");
        assert_eq!(encoded("grün"), "=?base64?Z3LDvG4=?=");
        assert_eq!(encoded(" a"), "=?base64?IGE=?=");
    }
}
