//! Converts lines to messages and back, such that no input of a peer can end the server.
//!
//! The SDK's own transport passes some invalid messages on to a lifecycle that then ends, and answers a request with
//! parameters of wrong types without its id. This one handles both.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientNotification, ClientRequest, CustomRequest,
    ErrorCode, ErrorData, GetMeta, InitializeRequestParams, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use super::flow::Flow;

/// Maximum bytes of a message; a longer one is rejected and skipped.
///
/// The largest content, with every byte escaped, fits twice.
pub const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// Methods defined by the protocol; any other method is unknown here.
const METHODS: [&str; 18] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// A line-based transport.
pub(crate) struct Wire<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether an overlong line is being skipped.
    skipping: bool,
    write: Arc<Mutex<W>>,
    flow: Arc<Flow>,
    /// A pending reply to an invalid message. Stored here because `receive` may be cancelled.
    answer: Option<Sending>,
    /// Whether a lifecycle has begun; before that the SDK ends on anything but a request.
    begun: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Wire<R, W> {
    pub(crate) fn new(read: R, write: W) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            skipping: false,
            write: Arc::new(Mutex::new(write)),
            flow: Arc::default(),
            answer: None,
            begun: false,
        }
    }

    /// Reads until `line` holds a whole line. Cancel-safe: the bytes read so far stay in `line`.
    async fn next_line(&mut self) -> Line {
        loop {
            let available = match self.read.fill_buf().await {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Line::End,
            };
            if available.is_empty() {
                return if self.line.is_empty() {
                    Line::End
                } else {
                    Line::Whole
                };
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            let too_long = !self.skipping && self.line.len() + taken > LONGEST_LINE;
            if !self.skipping && !too_long {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.read.consume(taken);
            if too_long {
                self.line = Vec::new();
                self.skipping = newline.is_none();
                return Line::TooLong;
            }
            match (newline, self.skipping) {
                (Some(_), true) => self.skipping = false,
                (Some(_), false) => return Line::Whole,
                (None, _) => {}
            }
        }
    }

    fn take_line(&mut self) -> Received {
        let received = self.in_flight(read_message(&self.line));
        self.line.clear();
        self.line.shrink_to(64 * 1024);
        received
    }

    /// Tracks requests in flight. A second one with the same id is rejected.
    fn in_flight(&self, received: Received) -> Received {
        let Received::Message(message) = &received else {
            return received;
        };
        if let Some(id) = cancelled(message) {
            // The SDK sends no answer to a cancelled request.
            self.flow.end(id);
        }
        let ClientJsonRpcMessage::Request(request) = message.as_ref() else {
            return received;
        };
        if self.flow.begin(&request.id, self.line.len()) {
            return received;
        }
        let message = format!("the id {} is in use by another request", request.id);
        let error = ErrorData::invalid_request(message, None);
        Received::Invalid(error, Some(request.id.clone()))
    }

    /// Whether the SDK accepts the message in the current state of the lifecycle.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let ClientJsonRpcMessage::Request(request) = message {
            self.begun |= begins_lifecycle(&request.request);
            return true;
        }
        self.begun
    }
}

/// The id of the request that a message cancels.
fn cancelled(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    let ClientJsonRpcMessage::Notification(notification) = message else {
        return None;
    };
    match &notification.notification {
        ClientNotification::CancelledNotification(cancelled) => {
            cancelled.params.request_id.as_ref()
        }
        _ => None,
    }
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// The result of parsing a line.
enum Received {
    Message(Box<ClientJsonRpcMessage>),
    /// Invalid; with the error reply.
    Invalid(ErrorData, Option<RequestId>),
    /// Invalid, but may not be replied to.
    Ignored,
}

impl<R, W> Transport<RoleServer> for Wire<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (write, flow) = (self.write.clone(), self.flow.clone());
        async move {
            let answered = match &message {
                ServerJsonRpcMessage::Response(response) => Some(response.id.clone()),
                ServerJsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            let sent = write_line(write, message).await;
            if let Some(id) = answered {
                flow.end(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(answer) = &mut self.answer {
                let sent = answer.as_mut().await;
                self.answer = None;
                sent.ok()?;
            }
            self.flow.wait_for_room().await;
            let received = match self.next_line().await {
                Line::Whole => self.take_line(),
                Line::TooLong => Received::Invalid(too_long(), None),
                Line::End => return None,
            };
            match received {
                Received::Message(message) if self.admits(&message) => return Some(*message),
                Received::Invalid(error, id) => {
                    let reply = ServerJsonRpcMessage::error(error, id);
                    self.answer = Some(Box::pin(write_line(self.write.clone(), reply)));
                }
                Received::Message(_) | Received::Ignored => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.flush().await
    }
}

async fn write_line<W: AsyncWrite + Unpin>(
    write: Arc<Mutex<W>>,
    message: ServerJsonRpcMessage,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&line).await?;
    write.flush().await
}

/// Whether this request begins the lifecycle in the SDK.
fn begins_lifecycle(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28)
                .is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

fn read_message(line: &[u8]) -> Received {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Received::Ignored;
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("the line is not JSON: {error}");
            return Received::Invalid(ErrorData::parse_error(message, None), None);
        }
    };
    match ClientJsonRpcMessage::deserialize(&value) {
        Ok(ClientJsonRpcMessage::Request(request)) => match &request.request {
            ClientRequest::CustomRequest(custom) => {
                Received::Invalid(not_served(custom), Some(request.id))
            }
            _ => Received::Message(Box::new(ClientJsonRpcMessage::Request(request))),
        },
        Ok(message) => Received::Message(Box::new(message)),
        Err(_) => invalid_message(&value),
    }
}

/// The result for a JSON value that is no message of the protocol.
fn invalid_message(value: &Value) -> Received {
    let refuse =
        |why: &str, id| Received::Invalid(ErrorData::invalid_request(why.to_owned(), None), id);
    let Value::Object(object) = value else {
        return refuse(
            if value.is_array() {
                "batches are not supported; send one message per line"
            } else {
                "a message is a JSON object"
            },
            None,
        );
    };
    let (method, id) = (object.contains_key("method"), object.get("id"));
    let is_reply = !method && (object.contains_key("result") || object.contains_key("error"));
    if is_reply || (method && id.is_none()) {
        return Received::Ignored;
    }
    let id = id.and_then(|id| RequestId::deserialize(id).ok());
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refuse("jsonrpc must be \"2.0\"", id);
    }
    if id.is_none() {
        return refuse("id must be a string or a whole number", id);
    }
    if object.get("method").is_some_and(Value::is_string) {
        let why = "params must be an object".to_owned();
        return Received::Invalid(ErrorData::invalid_params(why, None), id);
    }
    refuse("the message is neither a request nor a notification", id)
}

/// The error reply to a request with an unknown method or invalid parameters.
fn not_served(request: &CustomRequest) -> ErrorData {
    let method = request.method.as_str();
    if !METHODS.contains(&method) {
        return ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("unknown method {method:?}"),
            None,
        );
    }
    let reason = match method {
        "tools/call" => why_not::<CallToolRequestParams>(request),
        "initialize" => why_not::<InitializeRequestParams>(request),
        _ => None,
    };
    let reason = reason.unwrap_or_else(|| "they don't match this method's schema".to_owned());
    ErrorData::invalid_params(format!("the parameters of {method}: {reason}"), None)
}

fn why_not<T: DeserializeOwned>(request: &CustomRequest) -> Option<String> {
    match request.params_as::<T>() {
        Ok(Some(_)) => None,
        Ok(None) => Some("they are missing".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

fn too_long() -> ErrorData {
    let message =
        format!("a message may be at most {LONGEST_LINE} bytes long; this one was skipped");
    ErrorData::invalid_request(message, None)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use rmcp::model::ServerResult;

    use super::*;

    fn ping(id: usize) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")
    }

    /// The next message, if one is ready without waiting.
    async fn next<R, W>(wire: &mut Wire<R, W>) -> Option<ClientJsonRpcMessage>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        tokio::select! {
            biased;
            received = wire.receive() => received,
            () = std::future::ready(()) => None,
        }
    }

    fn id_of(message: &ClientJsonRpcMessage) -> Option<RequestId> {
        match message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_wait_for_replies_is_not_read_any_further() {
        let requests: String = (0..500).map(ping).collect();
        let mut wire = Wire::new(Cursor::new(requests), Vec::new());
        let mut read = Vec::new();
        while let Some(message) = next(&mut wire).await {
            read.push(id_of(&message).expect("a request"));
        }
        assert_eq!(read.len(), 64);
        // Each written reply makes room for one more request.
        for id in &read[..3] {
            let reply = ServerJsonRpcMessage::response(ServerResult::empty(()), id.clone());
            wire.send(reply).await.expect("written");
            assert!(next(&mut wire).await.is_some());
            assert!(next(&mut wire).await.is_none());
        }
    }

    #[tokio::test]
    async fn large_requests_are_bounded_by_their_bytes() {
        let large = |id: usize| {
            let padding = "x".repeat(LONGEST_LINE / 2);
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\",\"params\":{{\"_meta\":{{\"p\":\"{padding}\"}}}}}}\n"
            )
        };
        let requests: String = (0..9).map(large).collect();
        let mut wire = Wire::new(Cursor::new(requests), Vec::new());
        let mut read = 0;
        while next(&mut wire).await.is_some() {
            read += 1;
        }
        assert!((1..=5).contains(&read), "{read} of 8 MiB each");
    }

    #[tokio::test]
    async fn the_second_of_two_requests_with_one_id_gets_an_error() {
        let requests = [ping(7), ping(7), ping(8)].concat();
        let mut wire = Wire::new(Cursor::new(requests), Vec::new());
        let ids: Vec<_> = [next(&mut wire).await, next(&mut wire).await]
            .iter()
            .map(|message| message.as_ref().and_then(id_of))
            .collect();
        assert_eq!(ids, [7, 8].map(|id| Some(RequestId::Number(id))));
        let written = String::from_utf8(wire.write.lock().await.clone()).expect("UTF-8");
        assert!(
            written.contains("in use") && written.contains("\"id\":7"),
            "{written}"
        );
    }
}
