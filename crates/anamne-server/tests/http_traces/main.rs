//! Spans for a collector of OpenTelemetry: what is in them, what is not, and that no collector holds a request up.

#[path = "../server/common/served.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod served;

mod collector;
mod failing;
mod parents;
mod settings;
mod spans;

use std::ffi::OsString;

use anamne_server::http::{TraceSettings, TraceSettingsError};

use collector::Collector;
use served::Served;

const MEMORIES: &str = "/v1/spaces/core/memories";
const RECALL: &str = "/v1/spaces/core/recall";

/// A server that exports to the collector, with further variables.
fn traced(collector: &Collector, variables: &[(&str, &str)]) -> Served {
    let endpoint = collector.endpoint();
    let mut all = vec![("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    all.extend(variables);
    let traces = read(&all).expect("settings");
    assert!(traces.is_some());
    Served::with(|settings| settings.traces = traces)
}

/// The settings that these variables make.
fn read(variables: &[(&str, &str)]) -> Result<Option<TraceSettings>, TraceSettingsError> {
    TraceSettings::from_variables(|name| {
        let mut known = variables.iter().filter(|(known, _)| *known == name);
        known.next().map(|(_, value)| OsString::from(value))
    })
}

/// Stores a memory and asks for it; the recall has the id `recall-1`.
fn store_and_recall(server: &Served) {
    let memory = serde_json::json!({ "content": "The ferry leaves at nine" });
    let stored = server.post(MEMORIES, &memory);
    // The second time, it is there already.
    assert!([200, 201].contains(&stored.status), "{}", stored.text);
    let question = serde_json::json!({ "query": "when does the ferry leave?" });
    let id = [("x-request-id", "recall-1")];
    server.json("POST", RECALL, &id, &question).expect(200);
}

/// The value of a line of `/metrics`.
fn metric(server: &Served, name: &str) -> u64 {
    let text = server.get("/metrics").text;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let value = line.unwrap_or_else(|| panic!("no {name} in {text}"));
    value.trim().parse().expect("a number")
}
