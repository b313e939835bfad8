//! Clocks, always supplied by the caller.

use jiff::Timestamp;

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// The system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The source stores microseconds; finer parts are truncated before writing.
pub(crate) fn to_microseconds(instant: Timestamp) -> i64 {
    instant.as_microsecond()
}

/// The timestamp of a stored number of microseconds, clamped to the supported range.
pub(crate) fn from_microseconds(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(if microseconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

/// Truncates `instant` to the stored precision.
pub(crate) fn cut(instant: Timestamp) -> Timestamp {
    from_microseconds(to_microseconds(instant))
}
