//! The context of a tool call: store, space, time zone and actor.

use std::sync::Arc;

use anamne::text::time::{TimeError, parse_range};
use anamne::{Actor, Clock, Error, InvalidValue, Space, Store};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::installed::Installed;

/// The context of one call.
pub(crate) struct CallContext {
    pub(crate) store: Store,
    pub(crate) space: String,
    /// Whether `core` is searched as well.
    pub(crate) core: bool,
    /// Whether replies have structured content.
    pub(crate) structured: bool,
    /// The server's session.
    pub(crate) session: Option<String>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) zone: TimeZone,
    pub(crate) actor: Actor,
    pub(crate) installed: Arc<Installed>,
}

/// The start or the end of a period.
#[derive(Clone, Copy)]
pub(crate) enum End {
    Start,
    /// The first moment after it.
    Close,
}

impl CallContext {
    /// The space to read or change: the named one, which must exist, or the server's own.
    pub(crate) fn space(&self, named: Option<&str>) -> Result<Space, Error> {
        let space = match named {
            Some(name) if name.trim() != self.space.trim() => self.store.existing_space(name)?,
            _ => self.store.space(&self.space)?,
        };
        space.acting_as(self.actor.clone())
    }

    /// The space to write to; created if missing.
    pub(crate) fn space_to_write(&self, named: Option<&str>) -> Result<Space, Error> {
        self.store
            .space(named.unwrap_or(&self.space))?
            .acting_as(self.actor.clone())
    }

    /// The current time by the store's clock.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Parses a time written by a person or a model.
    pub(crate) fn instant(
        &self,
        field: &str,
        written: Option<&str>,
        end: End,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, InvalidValue> {
        let Some(written) = written else {
            return Ok(None);
        };
        let range = parse_range(written, now, &self.zone)
            .map_err(|error| refused_time(field, written, &error))?;
        Ok(Some(match end {
            End::Start => range.start,
            End::Close => range.end,
        }))
    }

    /// Parses a future time; a bare duration such as `30d` counts from `now`.
    pub(crate) fn future_instant(
        &self,
        field: &str,
        written: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, InvalidValue> {
        let read = self.instant(field, written, End::Start, now)?;
        let (Some(written), Some(instant)) = (written, read) else {
            return Ok(None);
        };
        let from_now_on = || parse_range(&to_come(written), now, &self.zone);
        let instant = if instant > now {
            instant
        } else {
            from_now_on().map_or(instant, |range| range.start)
        };
        if instant > now {
            return Ok(Some(instant));
        }
        Err(InvalidValue::new(
            field,
            "in the future",
            format!("{written:?}"),
        ))
    }
}

/// `30d` and `30 days` as `in 30 d` and `in 30 days`.
fn to_come(written: &str) -> String {
    let written = written.trim();
    let digits = written
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(written.len());
    let (count, unit) = written.split_at(digits);
    format!("in {count} {}", unit.trim_start())
}

fn refused_time(field: &str, written: &str, error: &TimeError) -> InvalidValue {
    let accepts = match error {
        TimeError::Nonexistent { .. } => "a date or time that exists",
        TimeError::OutOfRange { .. } => "between the years -9999 and 9999",
        _ => {
            "a time such as 2026-03-01, 2026-03, \"2026-03-01 14:00\", RFC 3339, yesterday, \"last week\" or \"3 days ago\""
        }
    };
    InvalidValue::new(field, accepts, format!("{written:?}"))
}
