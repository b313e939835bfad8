//! Time that passes, and waiting for it: passed in, so that tests never wait.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::BridgeError;

/// Time that only goes forward, sleep, and a little chance.
pub trait Pace: Send + Sync {
    /// The time since some fixed moment.
    fn elapsed(&self) -> Duration;

    /// Returns after `pause`.
    fn sleep(&self, pause: Duration);

    /// An uneven number from 0 up to 1, so that callers who failed together don't come back together.
    fn jitter(&self) -> f64;
}

/// The machine's own time.
#[derive(Debug)]
pub struct SystemPace {
    start: Instant,
    chance: RandomState,
    drawn: AtomicU64,
}

impl SystemPace {
    /// Time from now on.
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

/// How long a cancelled call may continue sleeping.
const SLICE: Duration = Duration::from_millis(100);

/// Sleeps, and looks now and then whether the call was taken back.
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
