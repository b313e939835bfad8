//! `memory_stats`: counts and sizes of a space. Offered only on request.

use std::fmt::Write;

use anamne::SpaceReport;
use anamne::text::quote::{on_one_line, quote_name};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, MemoryTool};
use crate::mcp::call_context::CallContext;
use crate::mcp::reply::{Failure, Reply, plain};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Stats {
    space: Option<String>,
}

impl MemoryTool for Stats {
    const NAME: &'static str = "memory_stats";
    const TITLE: &'static str = "Count memories";
    const DESCRIPTION: &'static str = "Counts and sizes of a space, and the state of its indexes.";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, call: &CallContext) -> Result<Reply, Failure> {
        let report = call.space(self.space.as_deref())?.report()?;
        Ok(Reply::new(call, describe(&report), || plain(&report)))
    }
}

fn describe(report: &SpaceReport) -> String {
    let counts = &report.statistics;
    let mut text = format!("The space {}:", quote_name(&report.space));
    let mut line = |label: &str, value: &str| {
        let _ = write!(text, "\n{label}: {value}");
    };
    let kinds: Vec<String> = counts
        .by_kind
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    line("memories", &counts.memories.to_string());
    if !kinds.is_empty() {
        line("kinds", &kinds.join(", "));
    }
    let mut gone = format!("{} deleted, {} erased", counts.forgotten, counts.erased);
    if counts.lost > 0 {
        let _ = write!(gone, ", {} lost", counts.lost);
    }
    line("gone", &gone);
    line("threads", &counts.threads.to_string());
    line("links", &counts.links.to_string());
    line("events", &counts.events.to_string());
    if let (Some(first), Some(last)) = (counts.first, counts.last) {
        let day = |time: jiff::Timestamp| time.strftime("%Y-%m-%d").to_string();
        line("time", &format!("{} to {}", day(first), day(last)));
    }
    line("model", &on_one_line(&report.embedding.answering));
    let tiers: Vec<String> = report
        .tiers
        .iter()
        .map(|tier| format!("{} {}", tier.tier, tier.memories))
        .collect();
    line("tiers", &tiers.join(", "));
    let bytes: u64 = report.views.iter().map(|view| view.bytes).sum();
    line(
        "bytes",
        &format!(
            "database {}, journal {}, indexes {bytes}",
            report.source_bytes, report.journal_bytes
        ),
    );
    let broken = report.views.iter().filter(|view| !view.problem.is_empty());
    for view in broken {
        line(
            "not used now",
            &on_one_line(&format!("{}, {}", view.name, view.problem)),
        );
    }
    text
}
