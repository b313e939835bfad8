//! Import into a space of a server.

use std::fs::File;
use std::io::{Read, stdin};

use anamne_client::{Query, RemoteSpace};
use serde_json::Value;

use super::Import;
use crate::failure::Failure;
use crate::output::{Output, memories};
use crate::wording::{file_name, number};

/// The media type of lines of JSON.
const LINES: &str = "application/x-ndjson";

impl Import {
    /// Sends files of JSON lines; the server reports each.
    pub(super) fn send(&self, space: &RemoteSpace, output: &mut Output) -> Result<(), Failure> {
        if self.from.is_some() || self.into.is_some() || self.no_guard {
            return Err(Failure::refused(
                "server",
                "a server takes files of JSON lines, and guards them",
            )
            .hint("leave out --from, --into and --no-guard, or import where the server runs"));
        }
        let policy = if self.skip_bad { "skip" } else { "stop" };
        let query = Query::new()
            .with("bad_lines", policy)
            .maybe("trusted", self.trusted.then_some(true));
        let mut reports = Vec::new();
        for file in &self.files {
            let unreadable =
                |error| Failure::failed(format!("can't read {}: {error}", file_name(file)));
            let mut lines: Box<dyn Read> = if file == "-" {
                Box::new(stdin().lock())
            } else {
                Box::new(File::open(file).map_err(unreadable)?)
            };
            let told: Value = space.send(&["import"], &query, LINES, &mut lines)?;
            reports.push(told);
        }
        let total = |name: &str| -> u64 {
            let counts = reports.iter().map(|told| told["report"][name].as_u64());
            counts.map(Option::unwrap_or_default).sum()
        };
        let refused: u64 = reports
            .iter()
            .map(|told| told["refused"].as_u64().unwrap_or_default())
            .sum();
        if output.is_json() {
            output.json(&serde_json::json!({
                "lines": total("lines"), "imported": total("imported"), "known": total("known"),
                "links": total("links"), "refused": refused, "reports": reports,
            }))?;
        } else {
            output.line(format_args!(
                "imported {} into the space {}, {} already stored, {} refused",
                memories(total("imported")),
                space.name(),
                number(total("known")),
                number(refused)
            ))?;
        }
        if refused > 0 {
            return Err(Failure::Incomplete);
        }
        Ok(())
    }
}
