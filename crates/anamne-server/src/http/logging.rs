//! The log of a server: one line for each request, and what its operator must know.
//!
//! Lines have only fields that are named here or where they are written: never content, query parts, headers or keys.

use std::fmt::{Debug, Write};

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The lines of this product; those of libraries could contain what their callers sent.
const TARGET: &str = "anamne";

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLevel {
    /// Failed requests.
    Error,
    /// And what may need attention.
    Warn,
    /// And every request.
    Info,
}

impl LogLevel {
    fn filter(self) -> LevelFilter {
        match self {
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
        }
    }
}

/// A line of the log.
#[derive(Clone, Debug)]
pub struct LogLine(Map<String, Value>);

impl LogLine {
    /// The line as a JSON object: `at`, `level`, `message` and the fields of the message.
    pub fn into_json(self) -> Value {
        Value::Object(self.0)
    }

    /// The line as text: time, level, message, and fields as `name=value`.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.0 {
            let value = match value {
                Value::String(value) => value.clone(),
                value => value.to_string(),
            };
            let separator = if text.is_empty() { "" } else { " " };
            let _ = match name.as_str() {
                "at" | "level" | "message" => write!(text, "{separator}{value}"),
                _ if value.contains([' ', '"', '\n']) => write!(text, " {name}={value:?}"),
                _ => write!(text, " {name}={value}"),
            };
        }
        text
    }
}

/// Writes the log of this process with `write` from now on. Panics are logged by place, without their message, which
/// may quote content. `false` if the process has a log already.
pub fn start_log(
    level: LogLevel,
    write: impl Fn(LogLine) + Send + Sync + 'static,
) -> bool {
    let log = Log {
        most: level.filter(),
        write: Box::new(write),
    };
    if tracing::subscriber::set_global_default(log).is_err() {
        return false;
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(target: TARGET, place = place.unwrap_or_default(), "panic");
    }));
    true
}

struct Log {
    most: LevelFilter,
    write: Box<dyn Fn(LogLine) + Send + Sync>,
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target() == TARGET && *metadata.level() <= self.most
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.most)
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(Map::new());
        event.record(&mut fields);
        let mut line = Map::new();
        let now = jiff::Timestamp::now();
        line.insert("at".to_owned(), format!("{now:.3}").into());
        let level = event.metadata().level().as_str().to_ascii_lowercase();
        line.insert("level".to_owned(), level.into());
        let message = fields.0.remove("message");
        line.insert("message".to_owned(), message.unwrap_or_default());
        line.extend(fields.0);
        (self.write)(LogLine(line));
    }

    // Spans are not used.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        self.0.insert(field.name().to_owned(), value.into());
    }
}
