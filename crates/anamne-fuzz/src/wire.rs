//! The MCP server: lines that a client sends.

use std::sync::OnceLock;

use anamne::Options;
use anamne_server::mcp::{MemoryServer, Settings, serve};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The first message of a client, so that the input reaches the tools.
const HANDSHAKE: &[u8] = br#"{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

/// Everything a client sends after its handshake, until end of input.
pub(crate) fn mcp(bytes: &[u8]) -> bool {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder"));
    let options = Options::new(folder.path()).background(false);
    let settings = Settings::default().erase(true).structured(true);
    let server = MemoryServer::open(options, "core", settings).expect("a server");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let replies = runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let serving = tokio::spawn(serve(server, read, write));
        let (mut read, mut write) = tokio::io::split(ours);
        let input = [HANDSHAKE, bytes, b"\n"].concat();
        let sending = tokio::spawn(async move {
            let _ = write.write_all(&input).await;
            let _ = write.shutdown().await;
        });
        let mut replies = Vec::new();
        let _ = read.read_to_end(&mut replies).await;
        sending.await.expect("sending does not panic");
        let _ = serving.await.expect("serving does not panic");
        replies
    });
    let mut results = 0;
    for line in String::from_utf8(replies)
        .expect("replies are UTF-8")
        .lines()
    {
        let reply: serde_json::Value = serde_json::from_str(line).expect("replies are JSON");
        assert_eq!(reply["jsonrpc"], "2.0", "{reply}");
        results += usize::from(reply["result"]["isError"] == false);
    }
    results > 0
}
