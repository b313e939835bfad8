//! The log of a server: one line for each request, and what its operator must know.
//!
//! Lines have only fields that are named here or where they are written: never content, query parts, headers or keys.

use std::fmt::{Debug, Write};

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

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
pub struct LogLine {
    at: String,
    level: &'static str,
    message: String,
    fields: Vec<(&'static str, Value)>,
}

impl LogLine {
    /// The line as a JSON object: `at`, `level`, `message` and the fields of the message.
    pub fn into_json(self) -> Value {
        let beginning = [
            ("at", self.at.into()),
            ("level", self.level.into()),
            ("message", self.message.into()),
        ];
        let fields = beginning.into_iter().chain(self.fields);
        Value::Object(
            fields
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    /// The line as text: time, level, message, and fields as `name=value`.
    pub fn to_text(&self) -> String {
        let mut text = format!("{} {} {}", self.at, self.level, self.message);
        for (name, value) in &self.fields {
            // Writing to a string can't fail.
            let _ = match value.as_str() {
                Some(value) if value.contains([' ', '"', '\n']) => {
                    write!(text, " {name}={value:?}")
                }
                Some(value) => write!(text, " {name}={value}"),
                None => write!(text, " {name}={value}"),
            };
        }
        text
    }
}

/// Writes the log of this process with `write` from now on. `false` if the process has a log already.
pub fn start_log(level: LogLevel, write: impl Fn(LogLine) + Send + Sync + 'static) -> bool {
    let log = Log {
        most: level.filter(),
        write: Box::new(write),
    };
    tracing::subscriber::set_global_default(log).is_ok()
}

/// Logs panics of this process by their place in the source from now on, without their message, which may quote content.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(target: TARGET, place = place.unwrap_or_default(), "panic");
    }));
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
        let mut line = LogLine {
            at: format!("{:.3}", jiff::Timestamp::now()),
            level: name(*event.metadata().level()),
            message: String::new(),
            fields: Vec::new(),
        };
        event.record(&mut line);
        (self.write)(line);
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

fn name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        _ => "debug",
    }
}

impl Visit for LogLine {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.fields.push((field.name(), value.into()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.fields.push((field.name(), value.into()));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.fields.push((field.name(), value.into()));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.fields.push((field.name(), value.into()));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.push((field.name(), value.into()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.fields
                .push((field.name(), format!("{value:?}").into()));
        }
    }
}
