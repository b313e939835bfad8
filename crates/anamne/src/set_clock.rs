//! A clock that tests set.

use std::sync::Mutex;

use anamne_store::Clock;
use jiff::Timestamp;

pub(crate) struct SetClock(Mutex<Timestamp>);

impl SetClock {
    pub(crate) fn at(instant: Timestamp) -> Self {
        Self(Mutex::new(instant))
    }

    pub(crate) fn set(&self, instant: Timestamp) {
        *self.0.lock().expect("no panic before") = instant;
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("no panic before")
    }
}
