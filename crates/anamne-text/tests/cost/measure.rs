//! What something costs, and whether that grows with its size or faster.

use std::time::{Duration, Instant};

/// Four times the text may cost so many times as much.
const MOST_GROWTH: f64 = 6.0;

/// Below it a measurement says nothing about growth.
const FLOOR: Duration = Duration::from_millis(8);

/// Measurements of which the shortest counts.
const TRIES: u32 = 3;

/// Whether every size is measured: 64 KB, 256 KB and 1 MB of every kind of text. Takes long in a build that is not optimised.
pub(crate) fn is_full() -> bool {
    std::env::var_os("ANAMNE_COST").is_some_and(|value| value == "full")
}

/// The sizes that are compared with texts four times as large.
pub(crate) fn sizes() -> &'static [usize] {
    if is_full() {
        &[1 << 16, 1 << 18]
    } else {
        &[1 << 14]
    }
}

/// What a limit for an optimised build comes to in this one.
pub(crate) fn limit(optimised: Duration) -> Duration {
    optimised * if cfg!(debug_assertions) { 12 } else { 1 }
}

/// The time that this thread has spent computing; where the system does not tell, the time that has passed.
fn spent(since: Instant) -> Duration {
    // The count is brought up to date when the thread gives way.
    std::thread::yield_now();
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .filter(|nanoseconds| *nanoseconds > 0)
        .map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// What it costs this thread to run something.
pub(crate) fn cost(run: &mut dyn FnMut()) -> Duration {
    let started = Instant::now();
    let before = spent(started);
    run();
    spent(started).saturating_sub(before)
}

/// What is wrong with the cost of something: `run` does it to a text of so many bytes, and says how long that took. Four times
/// `small` may not cost six times as much, nor more than `most` a megabyte.
///
/// Measured once, and again where it looks wrong. Growth is a fault where it goes on at the next larger size: a text that is
/// read in another way from some size on costs more from there, once.
pub(crate) fn fault(
    small: usize,
    most: Duration,
    run: &mut dyn FnMut(usize) -> Duration,
) -> Option<String> {
    let large = small * 4;
    let most = most.mul_f64(large as f64 / 1e6).max(FLOOR);
    let (mut high, mut low) = (Duration::MAX, Duration::MAX);
    for _ in 0..TRIES {
        high = high.min(run(large));
        if high > FLOOR {
            low = low.min(run(small));
        }
        if high <= most && !is_steep(low, high) {
            return None;
        }
    }
    if high <= most && !is_steep(high, run(large * 4)) {
        return None;
    }
    Some(format!(
        "{} KB: {low:?}, {} KB: {high:?} (at most {most:?})",
        small >> 10,
        large >> 10
    ))
}

fn is_steep(low: Duration, high: Duration) -> bool {
    high > FLOOR && high > low.mul_f64(MOST_GROWTH)
}
