//! Tests with the official SDK's client, in each lifecycle, over a stream and over the pipes of a process.

#![expect(
    clippy::print_stdout,
    reason = "the figure is for whoever runs the test with --nocapture"
)]

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use anamne::Options;
use anamne_server::mcp::{MemoryServer, Settings, serve};
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion,
};
use rmcp::service::{RoleClient, RunningService};
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

type Client = RunningService<RoleClient, ClientConfig>;

fn config(version: &ProtocolVersion) -> ClientConfig {
    let identity = Implementation::new("sdk-client", "1.0.0");
    let mut config = ClientConfig::new(ClientCapabilities::default(), identity);
    config.protocol_version = version.clone();
    config
}

fn lifecycles() -> Vec<(ProtocolVersion, ClientLifecycleMode)> {
    let discover = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    let auto = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    vec![
        (
            ProtocolVersion::V_2024_11_05,
            ClientLifecycleMode::Initialize,
        ),
        (
            ProtocolVersion::V_2025_06_18,
            ClientLifecycleMode::Initialize,
        ),
        (
            ProtocolVersion::V_2025_11_25,
            ClientLifecycleMode::Initialize,
        ),
        (ProtocolVersion::V_2026_07_28, discover),
        (ProtocolVersion::V_2026_07_28, auto),
    ]
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    let result = client.call_tool(request).await.expect("a result");
    assert_eq!(result.is_error, Some(false), "{result:?}");
    result.structured_content.expect("a structured result")
}

/// A round of list, store, search and get.
async fn check_round(client: &Client, version: &ProtocolVersion) {
    let peer = client.peer_info().expect("the server's identity");
    assert_eq!(&peer.protocol_version, version);
    assert!(
        peer.instructions
            .as_deref()
            .is_some_and(|text| text.contains("memory_search"))
    );
    let tools = client.list_all_tools().await.expect("tools");
    assert_eq!(tools.len(), 8);
    let written = json!({ "content": "The staging server listens on port 8471" });
    let stored = call(client, "memory_store", written).await;
    let asked = json!({ "query": "which port does the staging server use?" });
    let found = call(client, "memory_search", asked).await;
    assert_eq!(found["results"][0]["memory"]["id"], stored["id"]);
    let got = call(client, "memory_get", json!({ "id": stored["id"] })).await;
    let actor = &got["history"][0]["actor"];
    assert_eq!(actor, &json!({ "kind": "agent", "name": "sdk-client" }));
}

#[tokio::test]
async fn the_sdk_client_works_in_every_lifecycle() {
    for (version, lifecycle) in lifecycles() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options::new(folder.path()).background(false);
        let server = MemoryServer::open(options, "core", Settings::default().structured(true))
            .expect("a server");
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let serving = tokio::spawn(serve(server, read, write));
        let client = config(&version)
            .serve_with_lifecycle(ours, lifecycle)
            .await
            .expect("a client");
        check_round(&client, &version).await;
        client.cancel().await.expect("the client ends");
        serving
            .await
            .expect("no panic")
            .expect("the server ends well");
    }
}

/// The example program, which cargo builds beside the tests.
fn program() -> PathBuf {
    let mut path = std::env::current_exe().expect("this test's path");
    path.pop();
    path.pop();
    path.push("examples");
    path.push(format!("mcp_stdio{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{}: `cargo test -p anamne-server` builds it",
        path.display()
    );
    path
}

fn spawn(folder: &tempfile::TempDir) -> (Child, ChildStdin, ChildStdout) {
    let mut child = Command::new(program())
        .arg(folder.path())
        .env("ANAMNE_STRUCTURED", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the program starts");
    let input = child.stdin.take().expect("its input");
    let output = child.stdout.take().expect("its output");
    (child, input, output)
}

async fn check_end(mut child: Child) {
    let status = child.wait().await.expect("the program ends");
    assert!(status.success(), "{status}");
    let mut said = String::new();
    let mut errors = child.stderr.take().expect("its errors");
    errors.read_to_string(&mut said).await.expect("UTF-8");
    assert_eq!(said, "", "nothing is logged unasked");
}

#[tokio::test]
async fn the_sdk_client_works_over_the_pipes_of_a_process() {
    for (version, lifecycle) in lifecycles() {
        let folder = tempfile::tempdir().expect("a folder");
        let (child, input, output) = spawn(&folder);
        let client = config(&version)
            .serve_with_lifecycle((output, input), lifecycle)
            .await
            .expect("a client");
        check_round(&client, &version).await;
        client.cancel().await.expect("the client ends");
        check_end(child).await;
    }
}

#[tokio::test]
async fn a_process_answers_its_first_request_and_ends_with_its_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut fastest = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let (child, mut input, output) = spawn(&folder);
        let mut lines = BufReader::new(output).lines();
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "raw", "version": "1" },
        });
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        input
            .write_all(format!("nonsense\n{request}\n").as_bytes())
            .await
            .expect("it reads");
        let refused = lines.next_line().await.expect("UTF-8").expect("a line");
        assert!(refused.contains("-32700"), "{refused}");
        let reply = lines.next_line().await.expect("UTF-8").expect("a line");
        fastest = fastest.min(start.elapsed().as_secs_f64() * 1e3);
        let reply: Value = serde_json::from_str(&reply).expect("JSON");
        assert_eq!(reply["result"]["protocolVersion"], "2025-11-25", "{reply}");
        drop(input);
        assert_eq!(
            lines.next_line().await.expect("UTF-8"),
            None,
            "nothing else is said"
        );
        check_end(child).await;
    }
    println!("exec to first reply: {fastest:.1} ms at best of five, with this build");
}
