//! All thresholds of the queue.

use std::time::Duration;

/// Maximum lease. A lease that ends later was given by a clock that has since been set back, and counts as expired.
pub const MAX_LEASE: Duration = Duration::from_hours(1);

/// The queue's settings in this process. Processes may differ: each follows its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long a worker holds a task without renewing its lease; at most [`MAX_LEASE`]. The task of a killed
    /// worker runs again after this time.
    pub lease: Duration,
    /// Maximum attempts before a task becomes a dead letter.
    pub max_attempts: u32,
    /// Maximum delay before the second attempt; it doubles with every further one.
    pub first_delay: Duration,
    /// Upper bound of all delays.
    pub max_delay: Duration,
    /// Recalls and writes per minute from which on the load is high.
    pub busy_per_minute: u64,
    /// Minutes without recalls or writes after which the space is asleep.
    pub asleep_after_minutes: u32,
    /// Minimum interval between a process's flushes of its counts.
    pub flush_interval: Duration,
    /// Minimum interval between a running task's checks of load, pauses and lease, and between its progress writes.
    pub check_interval: Duration,
    /// Number of finished tasks kept for reports.
    pub finished_kept: u32,
    /// Number of dead letters kept, the latest ones.
    pub dead_kept: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease: Duration::from_mins(2),
            max_attempts: 8,
            first_delay: Duration::from_secs(10),
            max_delay: Duration::from_hours(1),
            busy_per_minute: 30,
            asleep_after_minutes: 5,
            flush_interval: Duration::from_secs(3),
            check_interval: Duration::from_millis(500),
            finished_kept: 200,
            dead_kept: 1_000,
        }
    }
}

impl Settings {
    pub(super) fn lease_microseconds(&self) -> i64 {
        microseconds(self.lease.min(MAX_LEASE))
    }
}

/// A duration in microseconds; excessive ones are clamped to about 146 000 years.
pub(super) fn microseconds(length: Duration) -> i64 {
    i64::try_from(length.as_micros()).map_or(i64::MAX / 2, |length| length.min(i64::MAX / 2))
}

/// The latest plausible stored time; a later one was written by a clock that has since been set back.
pub(super) fn latest(now: i64) -> i64 {
    now.saturating_add(microseconds(MAX_LEASE))
}
