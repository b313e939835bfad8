//! Limits requests and tokens per minute.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::RateLimits;

const MINUTE: Duration = Duration::from_mins(1);

/// A sliding window of one minute over requests and tokens.
#[derive(Debug)]
pub(crate) struct RateLimit {
    limits: RateLimits,
    sent: Mutex<VecDeque<(Duration, u64)>>,
}

impl RateLimit {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            limits,
            sent: Mutex::default(),
        }
    }

    /// Records a request that is sent now, or returns how long it must wait. O(requests per minute).
    pub(crate) fn take(&self, now: Duration, tokens: u64) -> Result<(), Duration> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        while sent.front().is_some_and(|&(at, _)| at + MINUTE <= now) {
            sent.pop_front();
        }
        if let Some(free_at) = self.free_at(&sent, tokens) {
            return Err(free_at.saturating_sub(now));
        }
        if self.limits.requests_per_minute > 0 || self.limits.tokens_per_minute > 0 {
            sent.push_back((now, tokens));
        }
        Ok(())
    }

    /// When enough of the window has expired; `None` if there is room already.
    fn free_at(&self, sent: &VecDeque<(Duration, u64)>, tokens: u64) -> Option<Duration> {
        let most_requests = match self.limits.requests_per_minute {
            0 => usize::MAX,
            most => most as usize,
        };
        let most_tokens = match self.limits.tokens_per_minute {
            0 => u64::MAX,
            most => most,
        };
        let mut count = sent.len();
        let mut sum: u64 = sent
            .iter()
            .fold(0, |sum, &(_, tokens)| sum.saturating_add(tokens));
        let mut free_at = None;
        for &(at, spent) in sent {
            if count < most_requests && sum.saturating_add(tokens) <= most_tokens {
                break;
            }
            count -= 1;
            sum -= spent.min(sum);
            free_at = Some(at + MINUTE);
        }
        free_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn limit(requests_per_minute: u32, tokens_per_minute: u64) -> RateLimit {
        RateLimit::new(RateLimits {
            requests_per_minute,
            tokens_per_minute,
        })
    }

    #[test]
    fn requests_wait_until_one_is_a_minute_old() {
        let limit = limit(2, 0);
        assert_eq!(limit.take(seconds(0), 1), Ok(()));
        assert_eq!(limit.take(seconds(10), 1), Ok(()));
        assert_eq!(limit.take(seconds(20), 1), Err(seconds(40)));
        assert_eq!(limit.take(seconds(60), 1), Ok(()));
        assert_eq!(limit.take(seconds(60), 1), Err(seconds(10)));
    }

    #[test]
    fn tokens_wait_until_enough_are_a_minute_old() {
        let limit = limit(0, 100);
        assert_eq!(limit.take(seconds(0), 30), Ok(()));
        assert_eq!(limit.take(seconds(5), 30), Ok(()));
        assert_eq!(limit.take(seconds(6), 60), Err(seconds(54)));
        assert_eq!(limit.take(seconds(6), 100), Err(seconds(59)));
        assert_eq!(
            limit.take(seconds(6), 1_000),
            Err(seconds(59)),
            "alone, later"
        );
        assert_eq!(limit.take(seconds(65), 1_000), Ok(()));
        assert_eq!(limit.take(seconds(66), 1), Err(seconds(59)));
    }

    #[test]
    fn without_limits_nobody_waits() {
        let limit = limit(0, 0);
        assert!((0..1_000).all(|_| limit.take(seconds(0), u64::MAX).is_ok()));
    }
}
