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

/// The source keeps microseconds; finer parts of an instant are cut off before it is told.
pub(crate) fn to_microseconds(instant: Timestamp) -> i64 {
    instant.as_microsecond()
}

/// The instant of a stored number of microseconds; numbers outside the calendar are clamped to its ends.
pub(crate) fn from_microseconds(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(if microseconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

/// Cuts `instant` to what the source keeps.
pub(crate) fn cut(instant: Timestamp) -> Timestamp {
    from_microseconds(to_microseconds(instant))
}
