//! Due times of background work in this process, safe against a clock that is set back.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// When one kind of work is next due. If the clock was set back since, it is due at once instead of waiting for years.
#[derive(Debug)]
pub(crate) struct Due {
    /// When it was postponed, microseconds since 1970.
    noted: AtomicI64,
    /// Until when.
    next: AtomicI64,
}

impl Due {
    /// Due at once.
    pub(crate) fn at_once() -> Self {
        Self {
            noted: AtomicI64::new(i64::MIN),
            next: AtomicI64::new(i64::MIN),
        }
    }

    /// Whether it is due.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        let now = now.as_microsecond();
        now >= self.next.load(Ordering::Relaxed) || now < self.noted.load(Ordering::Relaxed)
    }

    /// Postpones it until this many microseconds after `now`.
    pub(crate) fn put_off(&self, now: Timestamp, microseconds: i64) {
        let now = now.as_microsecond();
        self.noted.store(now, Ordering::Relaxed);
        self.next
            .store(now.saturating_add(microseconds), Ordering::Relaxed);
    }

    /// Makes it due at once.
    pub(crate) fn hasten(&self) {
        self.next.store(i64::MIN, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_put_off_by_a_clock_that_is_set_back_is_due_at_once() {
        let at = |second| Timestamp::from_second(second).expect("an instant");
        let due = Due::at_once();
        assert!(due.is_due(at(-1_000)) && due.is_due(at(0)));
        due.put_off(at(1_000), 60_000_000);
        assert!(!due.is_due(at(1_000)) && !due.is_due(at(1_059)));
        assert!(due.is_due(at(1_060)));
        assert!(due.is_due(at(999)), "the clock was set back");
        due.put_off(at(999), 60_000_000);
        assert!(!due.is_due(at(999)));
        due.hasten();
        assert!(due.is_due(at(999)));
    }
}
