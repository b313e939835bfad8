//! Measures costs, and whether they grow faster than their input.

#![allow(dead_code)] // each test uses a part

use std::time::{Duration, Instant};

/// Maximum growth of the cost for four times the text.
const MOST_GROWTH: f64 = 6.0;

/// Measurements below this are too short to judge growth.
const FLOOR: Duration = Duration::from_millis(8);

/// Factor for builds without optimisation. They take up to 15 times as long on a quiet machine, and the factor differs
/// between machines, so such a build is judged by growth, and this limit only catches extreme costs.
const SLOWER: u32 = if cfg!(debug_assertions) { 60 } else { 1 };

/// Number of measurements; the shortest counts.
const TRIES: u32 = 3;

/// Whether every size is measured: 64 KB, 256 KB and 1 MB of every kind of text. Slow without optimisation.
pub(crate) fn is_full() -> bool {
    std::env::var_os("ANAMNE_COST").is_some_and(|value| value == "full")
}

/// The sizes compared with texts four times as large.
pub(crate) fn sizes() -> &'static [usize] {
    if is_full() {
        &[1 << 16, 1 << 18]
    } else {
        &[1 << 14]
    }
}

/// The CPU time of this thread; elapsed time if the system doesn't provide it.
fn spent(since: Instant) -> Duration {
    // Yielding updates the thread's CPU time.
    std::thread::yield_now();
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .filter(|nanoseconds| *nanoseconds > 0)
        .map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// A measured cost, and its limit per megabyte of text in an optimised build.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) name: &'static str,
    pub(crate) took: Duration,
    pub(crate) most: Duration,
    /// Measurements below this are too short to judge growth.
    floor: Duration,
}

impl Cost {
    /// Measures the cost of `run` on this thread.
    pub(crate) fn of(name: &'static str, most: Duration, run: &mut dyn FnMut()) -> Self {
        let started = Instant::now();
        let before = spent(started);
        run();
        let took = spent(started).saturating_sub(before);
        Self {
            name,
            took,
            most,
            floor: FLOOR,
        }
    }

    /// Sets the floor, as of an optimised build, for costs that may grow freely up to it because only a part of a long
    /// text is processed.
    pub(crate) fn judged_from(self, floor: Duration) -> Self {
        let floor = floor * SLOWER;
        Self { floor, ..self }
    }

    fn is_dear(&self, bytes: usize) -> bool {
        self.took > self.limit(bytes)
    }

    fn limit(&self, bytes: usize) -> Duration {
        let megabytes = bytes as f64 / 1e6;
        (self.most * SLOWER).mul_f64(megabytes).max(FLOOR)
    }

    /// Whether this cost, for four times the text, is more than six times as high.
    fn is_steep(&self, before: &Self) -> bool {
        let before = before.took.max(self.floor / 4);
        self.took > self.floor && self.took > before.mul_f64(MOST_GROWTH)
    }
}

/// The violations of cost limits: `run` measures everything for a text of this many bytes, `small` and four times
/// `small`.
///
/// Measures once, and again if a limit is exceeded. Growth is a violation only if it continues at the next larger size:
/// a text processed differently from some size on has a single jump there.
pub(crate) fn faults(small: usize, run: &mut dyn FnMut(usize) -> Vec<Cost>) -> Vec<String> {
    let large = small * 4;
    let (mut high, mut low) = (run(large), Vec::new());
    for attempt in 0..TRIES {
        if attempt > 0 {
            least(&mut high, run(large));
        }
        if high.iter().any(|high| high.took > high.floor) {
            least(&mut low, run(small));
        }
        if dear(&high, large).is_empty() && steep(&low, &high).is_empty() {
            return Vec::new();
        }
    }
    let mut wrong = dear(&high, large);
    let steep = steep(&low, &high);
    if !steep.is_empty() {
        let higher = run(large * 4);
        wrong.extend(
            steep
                .into_iter()
                .filter(|place| higher[*place].is_steep(&high[*place])),
        );
    }
    let stored = wrong.into_iter().map(|place| {
        let high = &high[place];
        let before = low.get(place).map_or(Duration::ZERO, |low| low.took);
        let (name, took, most) = (high.name, high.took, high.limit(large));
        let (small, large) = (small >> 10, large >> 10);
        format!("{name}: {small} KB {before:?}, {large} KB {took:?} (at most {most:?})")
    });
    stored.collect()
}

/// The indexes of costs above their limits.
fn dear(costs: &[Cost], bytes: usize) -> Vec<usize> {
    (0..costs.len())
        .filter(|place| costs[*place].is_dear(bytes))
        .collect()
}

/// The indexes of costs that grow faster than the text.
fn steep(low: &[Cost], high: &[Cost]) -> Vec<usize> {
    (0..low.len())
        .filter(|place| high[*place].is_steep(&low[*place]))
        .collect()
}

/// Keeps the shorter of two measurements of each.
fn least(costs: &mut Vec<Cost>, again: Vec<Cost>) {
    if costs.is_empty() {
        *costs = again;
        return;
    }
    for (cost, again) in costs.iter_mut().zip(again) {
        cost.took = cost.took.min(again.took);
    }
}
