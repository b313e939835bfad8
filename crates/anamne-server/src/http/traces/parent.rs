//! The caller's span, as W3C Trace Context says it: `traceparent` and `tracestate`.
//!
//! Headers come from anybody, so whatever is malformed or long is ignored: the request then begins a trace of its own.

use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName};
use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};

use crate::http::origin::contains_key;

const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACE_STATE: HeaderName = HeaderName::from_static("tracestate");

/// Length of a `traceparent` of version 00: `00-`, 32 digits, `-`, 16 digits, `-`, 2 digits.
const LENGTH: usize = 55;

/// Longest `traceparent` of later versions, and longest `tracestate`, in bytes. The standard asks for 512 of the latter.
const LONGEST: usize = 512;

/// The caller's span. `None` without a valid `traceparent`; without `tracestate` if only that one is unusable.
pub(super) fn of(headers: &HeaderMap) -> Option<SpanContext> {
    let mut given = headers.get_all(TRACE_PARENT).iter();
    let (Some(parent), None) = (given.next(), given.next()) else {
        return None;
    };
    let (trace, span, flags) = parse(parent.to_str().ok()?)?;
    let state = state_of(headers).unwrap_or_default();
    let context = SpanContext::new(trace, span, flags, true, state);
    context.is_valid().then_some(context)
}

fn parse(text: &str) -> Option<(TraceId, SpanId, TraceFlags)> {
    let (known, more) = text.split_at_checked(LENGTH)?;
    let mut parts = known.split('-');
    let mut digits = |count: usize| {
        let part = parts.next()?;
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (part.len() == count && part.bytes().all(is_hex)).then_some(part)
    };
    let (version, trace, span, flags) = (digits(2)?, digits(32)?, digits(16)?, digits(2)?);
    let fits = match version {
        "00" => more.is_empty(),
        "ff" => false,
        // Later versions may add fields.
        _ => text.len() <= LONGEST && (more.is_empty() || more.starts_with('-')),
    };
    let flags = u8::from_str_radix(flags, 16).ok()?;
    fits.then_some((
        TraceId::from_hex(trace).ok()?,
        SpanId::from_hex(span).ok()?,
        TraceFlags::new(flags) & TraceFlags::SAMPLED,
    ))
}

/// What other tracing systems passed along; it goes to the collector with the spans.
fn state_of(headers: &HeaderMap) -> Option<TraceState> {
    let mut all = String::new();
    for line in headers.get_all(TRACE_STATE) {
        let line = line.to_str().ok()?;
        if !all.is_empty() {
            all.push(',');
        }
        all.push_str(line);
        if all.len() > LONGEST {
            return None;
        }
    }
    if contains_key(&all) {
        return None;
    }
    TraceState::from_str(&all).ok()
}
