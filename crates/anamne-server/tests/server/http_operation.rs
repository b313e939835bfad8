//! How the HTTP server is operated: who may address it, TLS, sockets, logs, metrics, events, and its end.

mod deployed;
mod ending;
mod events;
mod logs;
mod metrics;
mod origins;
mod sockets;
mod tls;

use crate::common::served::Served;

const MEMORIES: &str = "/v1/spaces/core/memories";

/// Stores a memory; its id.
#[track_caller]
fn store(server: &Served, content: &str) -> String {
    let stored = server.post(MEMORIES, &serde_json::json!({ "content": content }));
    let id = stored.expect(201)["id"].as_str().map(str::to_owned);
    id.expect("an id")
}
