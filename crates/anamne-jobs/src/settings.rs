//! Every threshold of the queue, in one place.

use std::time::Duration;

/// The longest lease that is given. A lease that ends later than this was given by a clock that has been set back
/// since, and counts as run out.
pub const LONGEST_LEASE: Duration = Duration::from_hours(1);

/// How the queue of this process decides. Processes may differ in this: each keeps to its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long a worker holds a task without renewing its lease; at most [`LONGEST_LEASE`]. A task whose worker was
    /// killed runs again after this.
    pub lease: Duration,
    /// How often a task is begun, at most, before it becomes a dead letter.
    pub most_attempts: u32,
    /// The longest pause before the second attempt; it doubles with every further one.
    pub first_pause: Duration,
    /// No pause is longer than this.
    pub longest_pause: Duration,
    /// From so many recalls and writes within one minute on, activity is high.
    pub busy_per_minute: u64,
    /// After so many minutes without any recall or write the space is asleep.
    pub asleep_after_minutes: u32,
    /// A process records what it counted at most once per interval.
    pub flush_every: Duration,
    /// Within a running task the activity, pauses and the lease are looked at at most once per interval; so is progress
    /// written.
    pub look_every: Duration,
    /// So many finished tasks are kept for people to look at.
    pub finished_kept: u32,
    /// So many dead letters are kept, the latest ones.
    pub dead_kept: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease: Duration::from_mins(2),
            most_attempts: 8,
            first_pause: Duration::from_secs(10),
            longest_pause: Duration::from_hours(1),
            busy_per_minute: 30,
            asleep_after_minutes: 5,
            flush_every: Duration::from_secs(3),
            look_every: Duration::from_millis(500),
            finished_kept: 200,
            dead_kept: 1_000,
        }
    }
}

impl Settings {
    pub(super) fn lease_microseconds(&self) -> i64 {
        microseconds(self.lease.min(LONGEST_LEASE))
    }
}

/// A length of time as the queue reckons with it; lengths beyond reason are cut to about 146 000 years.
pub(super) fn microseconds(length: Duration) -> i64 {
    i64::try_from(length.as_micros()).map_or(i64::MAX / 2, |length| length.min(i64::MAX / 2))
}

/// Up to this instant a time may lie ahead; what is later was noted by a clock that was set back since.
pub(super) fn latest(now: i64) -> i64 {
    now.saturating_add(microseconds(LONGEST_LEASE))
}
