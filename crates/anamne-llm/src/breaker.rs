//! A circuit breaker for providers that fail repeatedly.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Opens after consecutive failures; after a pause it admits one probe request, and closes if that succeeds.
#[derive(Debug)]
pub(crate) struct Breaker {
    failures: u32,
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Closed { failures: u32 },
    Open { until: Duration },
    Probing,
}

/// Permission for one request. Dropping it without an outcome doesn't count as success or failure.
#[derive(Debug)]
pub(crate) struct Permit<'breaker> {
    breaker: &'breaker Breaker,
    probe: bool,
    decided: bool,
}

/// Maximum time that a provider's retry-after keeps the circuit open.
const MAX_OPEN_TIME: Duration = Duration::from_hours(1);

impl Breaker {
    pub(crate) fn new(failures: u32, pause: Duration) -> Self {
        Self {
            failures,
            pause,
            state: Mutex::new(State::Closed { failures: 0 }),
        }
    }

    /// Permission for a request, or the time until one may be given.
    pub(crate) fn enter(&self, now: Duration) -> Result<Permit<'_>, Duration> {
        let mut state = self.lock();
        let probe = match *state {
            State::Closed { .. } => false,
            State::Open { until } if now >= until => true,
            State::Open { until } => return Err(until.saturating_sub(now)),
            State::Probing => return Err(Duration::ZERO),
        };
        if probe {
            *state = State::Probing;
        }
        Ok(Permit {
            breaker: self,
            probe,
            decided: false,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Records that the provider answered.
    pub(crate) fn succeeded(mut self) {
        self.decided = true;
        let mut state = self.breaker.lock();
        // A late success from before the circuit opened says nothing about the later failures.
        if self.probe || matches!(*state, State::Closed { .. }) {
            *state = State::Closed { failures: 0 };
        }
    }

    /// Records a failure of the provider; `rest` is its retry-after, if that is longer than a retry waits.
    pub(crate) fn failed(mut self, now: Duration, rest: Option<Duration>) {
        self.decided = true;
        let mut state = self.breaker.lock();
        let count = match *state {
            State::Closed { failures } => failures + 1,
            State::Probing if self.probe => self.breaker.failures,
            State::Open { .. } | State::Probing => return,
        };
        let open_for = rest
            .map(|rest| rest.min(MAX_OPEN_TIME))
            .or_else(|| (count >= self.breaker.failures).then_some(self.breaker.pause));
        *state = match open_for {
            Some(pause) => State::Open { until: now + pause },
            None => State::Closed { failures: count },
        };
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.probe && !self.decided {
            // The next request may probe at once.
            *self.breaker.lock() = State::Open {
                until: Duration::ZERO,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn breaker() -> Breaker {
        Breaker::new(2, seconds(10))
    }

    fn fail(breaker: &Breaker, now: u64) {
        breaker
            .enter(seconds(now))
            .expect("leave")
            .failed(seconds(now), None);
    }

    #[test]
    fn it_opens_probes_and_closes() {
        let breaker = breaker();
        fail(&breaker, 0);
        fail(&breaker, 1);
        assert_eq!(breaker.enter(seconds(2)).map(drop), Err(seconds(9)));
        let probe = breaker.enter(seconds(11)).expect("a probe");
        assert!(breaker.enter(seconds(11)).is_err(), "one probe at a time");
        probe.failed(seconds(12), None);
        assert_eq!(breaker.enter(seconds(12)).map(drop), Err(seconds(10)));
        breaker.enter(seconds(22)).expect("a probe").succeeded();
        fail(&breaker, 23);
        assert!(breaker.enter(seconds(23)).is_ok(), "counting began anew");
    }

    #[test]
    fn a_success_between_failures_keeps_it_closed() {
        let breaker = breaker();
        for now in 0..10 {
            fail(&breaker, now);
            breaker.enter(seconds(now)).expect("leave").succeeded();
        }
    }

    #[test]
    fn a_probe_without_verdict_leaves_room_for_the_next() {
        let breaker = breaker();
        fail(&breaker, 0);
        fail(&breaker, 0);
        drop(breaker.enter(seconds(10)).expect("a probe"));
        assert!(breaker.enter(seconds(10)).is_ok());
    }

    #[test]
    fn a_retry_after_opens_the_circuit_at_once_but_not_forever() {
        let breaker = breaker();
        let leave = breaker.enter(seconds(0)).expect("leave");
        leave.failed(seconds(0), Some(seconds(1_000_000)));
        assert_eq!(breaker.enter(seconds(0)).map(drop), Err(MAX_OPEN_TIME));
    }

    #[test]
    fn late_verdicts_change_nothing() {
        let breaker = breaker();
        let late = breaker.enter(seconds(0)).expect("leave");
        fail(&breaker, 0);
        fail(&breaker, 0);
        late.succeeded();
        assert!(breaker.enter(seconds(1)).is_err());
    }
}
