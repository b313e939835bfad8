//! A client that writes the protocol by hand, over an in-process stream.

pub(crate) mod raw;
pub(crate) mod served;

use anamne::Options;
use anamne_server::mcp::{MemoryServer, OtherSpaces, ServeError, Settings, serve};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

pub(crate) const LATEST: &str = "2026-07-28";

/// A server on a new store, and a client that sends it raw lines.
pub(crate) struct Raw {
    pub(crate) folder: TempDir,
    write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<Result<(), ServeError>>,
    next_id: i64,
}

impl Raw {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options::new(folder.path()).background(false);
        // With structured content, so that tests can read ids and fields; models only get the text.
        let settings = Settings::default()
            .others(OtherSpaces::All)
            .erase(true)
            .structured(true);
        Self::start_with(folder, options, settings)
    }

    pub(crate) fn start_with(folder: TempDir, options: Options, settings: Settings) -> Self {
        Self::start_for("core", folder, options, settings)
    }

    pub(crate) fn start_for(
        space: &str,
        folder: TempDir,
        options: Options,
        settings: Settings,
    ) -> Self {
        let server = MemoryServer::open(options, space, settings).expect("a server");
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let serving = tokio::spawn(serve(server, read, write));
        let (read, write) = tokio::io::split(ours);
        Self {
            folder,
            write,
            lines: BufReader::new(read).lines(),
            serving,
            next_id: 0,
        }
    }

    /// A server after the handshake in `revision`.
    pub(crate) async fn initialized(revision: &str) -> Self {
        let mut raw = Self::start();
        raw.initialize(revision).await;
        raw
    }

    pub(crate) async fn initialize(&mut self, revision: &str) -> Value {
        self.initialize_as("hand-written", revision).await
    }

    pub(crate) async fn initialize_as(&mut self, name: &str, revision: &str) -> Value {
        let client = json!({ "name": name, "version": "1" });
        let params =
            json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });
        let reply = self.request("initialize", params).await;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        reply
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.expect("the server reads");
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes()).await;
    }

    /// The next line, which must be a message of JSON-RPC 2.0.
    pub(crate) async fn receive(&mut self) -> Value {
        let line = self.lines.next_line().await.expect("a stream of UTF-8");
        let message: Value = serde_json::from_str(&line.expect("a line")).expect("a line of JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Sends a request and returns the next message, which must carry its id.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message).await;
        let reply = self.receive().await;
        assert_eq!(reply["id"], id, "{reply}");
        reply
    }

    /// Calls a tool and returns its result.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut reply = self.request("tools/call", params).await;
        assert!(reply.get("error").is_none(), "{reply}");
        reply["result"].take()
    }

    /// Calls a tool that must succeed, and returns its structured result.
    pub(crate) async fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].take()
    }

    /// Calls a tool that must fail, and returns what it says.
    pub(crate) async fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        text(&result)
    }

    /// Stores a text and returns its id.
    pub(crate) async fn store(&mut self, content: &str) -> String {
        let stored = self
            .done("memory_store", json!({ "content": content }))
            .await;
        stored["id"].as_str().expect("an id").to_owned()
    }

    /// Closes the stream to the server and waits for it to end; returns the remaining lines.
    pub(crate) async fn finish(mut self) -> Vec<Value> {
        self.write.shutdown().await.expect("the stream closes");
        let mut rest = Vec::new();
        while let Ok(Some(line)) = self.lines.next_line().await {
            rest.push(serde_json::from_str(&line).expect("a line of JSON"));
        }
        let served = self.serving.await.expect("the server does not panic");
        served.expect("the server ends well");
        rest
    }
}

/// The text of a tool's result.
pub(crate) fn text(result: &Value) -> String {
    result["content"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned()
}

/// The `_meta` that each request of 2026-07-28 carries.
pub(crate) fn meta(revision: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientInfo": { "name": "stateless", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
