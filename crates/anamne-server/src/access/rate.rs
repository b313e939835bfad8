//! Rates of keys and tenants, as token buckets in memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::http::Problem;

/// Maximum number of buckets before full ones are dropped.
const MOST_BUCKETS: usize = 20_000;

/// The buckets of this process, by name.
#[derive(Default)]
pub(super) struct Rates(Mutex<HashMap<String, Bucket>>);

#[derive(Clone, Copy)]
struct Bucket {
    tokens: f64,
    filled: Instant,
    most: f64,
    per_second: f64,
}

impl Bucket {
    fn full(requests: u32, seconds: u32, now: Instant) -> Self {
        Self {
            tokens: f64::from(requests),
            filled: now,
            most: f64::from(requests),
            per_second: f64::from(requests) / f64::from(seconds),
        }
    }

    fn fill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        self.tokens = (self.tokens + passed * self.per_second).min(self.most);
        self.filled = now;
    }
}

impl Rates {
    /// Takes one token of the bucket `name`, which holds `requests` and is filled in `seconds`; 429 if it is empty.
    pub(super) fn take(&self, name: &str, requests: u32, seconds: u32) -> Result<(), Problem> {
        self.take_at(name, requests, seconds, Instant::now())
    }

    fn take_at(
        &self,
        name: &str,
        requests: u32,
        seconds: u32,
        now: Instant,
    ) -> Result<(), Problem> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_BUCKETS && !buckets.contains_key(name) {
            buckets.retain(|_, bucket| {
                bucket.fill(now);
                bucket.tokens < bucket.most
            });
        }
        let wanted = Bucket::full(requests, seconds, now);
        if !buckets.contains_key(name) {
            buckets.insert(name.to_owned(), wanted);
        }
        let bucket = buckets.get_mut(name).expect("it was inserted");
        bucket.fill(now);
        // The rate of a tenant may be changed.
        bucket.most = wanted.most;
        bucket.per_second = wanted.per_second;
        bucket.tokens = bucket.tokens.min(wanted.most);
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        let wait = ((1.0 - bucket.tokens) / bucket.per_second).ceil();
        Err(Problem::too_many((wait as u32).max(1)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_is_emptied_and_fills_again() {
        let (rates, start) = (Rates::default(), Instant::now());
        let take = |name: &str, after_ms: u64| {
            rates.take_at(name, 2, 1, start + Duration::from_millis(after_ms))
        };
        assert!(take("a", 0).is_ok() && take("a", 0).is_ok());
        assert_eq!(take("a", 10).expect_err("empty").retry_after, Some(1));
        assert!(take("b", 10).is_ok(), "another bucket");
        assert!(take("a", 600).is_ok() && take("a", 600).is_err());
        // Never more than its size.
        assert!(take("a", 60_000).is_ok() && take("a", 60_000).is_ok());
        assert!(take("a", 60_000).is_err());
        // A clock that seems to go back adds nothing.
        assert!(take("a", 0).is_err());
        assert_eq!(
            rates
                .take_at("h", 1, 3_600, start)
                .and_then(|()| rates.take_at("h", 1, 3_600, start))
                .expect_err("empty")
                .retry_after,
            Some(3_600)
        );
    }
}
