//! `anamne cache lookup`, `list` and `savings`.

use anamne::{Limits, Lookup, ToolRequest, ToolResult};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{DIM, Output, counted, paint, times};
use crate::reached::Reached;
use crate::wording::{at_most_characters, duration, named, one_line, size};

/// Characters of a content in a list.
const SHOWN: usize = 160;

pub(super) fn look_up(
    space: &Reached,
    request: &ToolRequest,
    output: &mut Output,
) -> Result<(), Failure> {
    let lookup = space.cached(request)?;
    if output.is_json() {
        output.json(&lookup)?;
    } else if let Some(found) = lookup.result().filter(|_| lookup.is_hit()) {
        output.note(describe(&lookup, found, output));
        for line in found.content.lines() {
            output.line(line)?;
        }
    }
    if lookup.is_hit() {
        return Ok(());
    }
    output.flush()?;
    let message = match &lookup {
        Lookup::Stale(found) => format!(
            "the cached result {} is from {}; fetch it again",
            found.number,
            output.dates.both(found.fetched_at)
        ),
        _ => "no cached result".to_owned(),
    };
    Err(Failure::not_found(message))
}

fn describe(lookup: &Lookup, found: &ToolResult, output: &Output) -> String {
    let fetched = output.dates.both(found.fetched_at);
    let number = found.number;
    match lookup {
        Lookup::Semantic(_) => format!(
            "result {number}, of the same request in other words, {}, fetched {fetched}",
            named(&found.request.text)
        ),
        Lookup::Negative(_) => {
            let status = found.status.name();
            format!("result {number}: in vain ({status}), asked {fetched}")
        }
        _ if !found.moved_to.is_empty() => {
            let address = at_most_characters(&one_line(&found.moved_to), SHOWN);
            format!("result {number}, redirected to {address}, fetched {fetched}")
        }
        _ => format!("result {number}, fetched {fetched}"),
    }
}

pub(super) fn list(
    space: &Reached,
    limit: usize,
    matching: Option<&str>,
    output: &mut Output,
) -> Result<(), Failure> {
    Limits::check_results(limit).map_err(anamne::Error::from)?;
    let results = match matching {
        Some(words) => space.search_tool_results(words, limit)?,
        None => space.cached_results(limit)?,
    };
    if output.is_json() {
        return output.json(&json!({ "results": results }));
    }
    if results.is_empty() {
        return output.line("No cached results.");
    }
    print_found(&results, output)
}

/// Prints results, each with its number, request, status and beginning.
pub(crate) fn print_found(results: &[ToolResult], output: &mut Output) -> Result<(), Failure> {
    for found in results {
        let tool = match found.request.tool.as_str() {
            "" => String::new(),
            tool => format!(" by {}", named(tool)),
        };
        output.line(format_args!(
            "result {}  {}  {}{tool}, {}, fetched {}, used {}",
            found.number,
            named(&found.request.text),
            found.request.kind.name(),
            found.status.name(),
            output.dates.both(found.fetched_at),
            times(found.hits)
        ))?;
        if !found.content.is_empty() {
            let start = at_most_characters(&one_line(&found.content), SHOWN);
            output.line(format_args!("    {}", paint(DIM, start)))?;
        }
    }
    Ok(())
}

pub(super) fn savings(space: &Reached, output: &mut Output) -> Result<(), Failure> {
    let savings = space.cache_savings()?;
    if output.is_json() {
        return output.json(&savings);
    }
    output.line(format_args!(
        "{} in {}",
        counted(savings.results, "result"),
        size(savings.bytes)
    ))?;
    output.line(format_args!(
        "saved {}: {} identical, {} in other words, {} in vain; {} without a fresh result",
        counted(savings.calls(), "call"),
        savings.exact_hits,
        savings.semantic_hits,
        savings.negative_hits,
        counted(savings.misses, "lookup")
    ))?;
    output.line(format_args!(
        "saved {} and ${:.2}",
        duration(savings.saved_ms as f64),
        savings.saved_cost as f64 / 1e6
    ))
}
