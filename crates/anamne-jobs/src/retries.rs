//! The delay before a failed task is retried.

use super::settings::microseconds;
use super::{Settings, Task};

/// The delay after the failed attempt, in microseconds: between 0 and `first_delay` doubled with every attempt, at most
/// `max_delay`. Determined by the file, the task and the attempt.
///
/// The whole delay is drawn, not just a part of it, so that many tasks that failed together don't retry together ("full
/// jitter").
pub(super) fn retry_delay(task: &Task, settings: &Settings) -> i64 {
    let doublings = task.attempts.saturating_sub(1).min(40);
    let longest = microseconds(settings.first_delay)
        .saturating_mul(1 << doublings)
        .min(microseconds(settings.max_delay));
    let drawn = mixed(task.file.0 as u64 ^ mixed(task.id.0 ^ mixed(u64::from(task.attempts))));
    // The upper half of the product is uniform from 0 to `longest`.
    ((u128::from(drawn) * (longest as u128 + 1)) >> 64) as i64
}

/// SplitMix64's finaliser: every output bit depends on every input bit.
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
