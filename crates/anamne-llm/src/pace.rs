//! Monotonic time and sleep; passed in, so that tests never wait.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::BridgeError;

/// Monotonic time, sleep, and random jitter.
pub trait Pace: Send + Sync {
    /// The time since a fixed moment.
    fn elapsed(&self) -> Duration;

    /// Returns after `pause`.
    fn sleep(&self, pause: Duration);

    /// A random number from 0 up to 1, so that callers that failed together don't retry together.
    fn jitter(&self) -> f64;
}

/// The system's monotonic clock.
#[derive(Debug)]
pub struct SystemPace {
    start: Instant,
    chance: RandomState,
    drawn: AtomicU64,
}

impl SystemPace {
    /// A clock that starts now.
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            chance: RandomState::new(),
            drawn: AtomicU64::new(0),
        }
    }
}

impl Default for SystemPace {
    fn default() -> Self {
        Self::new()
    }
}

impl Pace for SystemPace {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, pause: Duration) {
        std::thread::sleep(pause);
    }

    fn jitter(&self) -> f64 {
        let drawn = self
            .chance
            .hash_one(self.drawn.fetch_add(1, Ordering::Relaxed));
        (drawn >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Maximum time until a sleeping call notices its cancellation.
const SLICE: Duration = Duration::from_millis(100);

/// Sleeps; fails as soon as the call is cancelled.
pub(crate) fn wait(
    pace: &dyn Pace,
    pause: Duration,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), BridgeError> {
    let mut left = pause;
    while !left.is_zero() {
        if cancelled() {
            return Err(BridgeError::Cancelled);
        }
        let slice = left.min(SLICE);
        pace.sleep(slice);
        left -= slice;
    }
    Ok(())
}
