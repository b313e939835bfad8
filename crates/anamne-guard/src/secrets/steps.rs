//! Counts the bytes that scans read, so that tests can check that the work is linear.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts some work; free outside tests.
#[inline]
pub(super) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.with(|all| all.set(all.get() + steps));
    #[cfg(not(test))]
    let _ = steps;
}

/// The work since the last call.
#[cfg(test)]
pub(super) fn take() -> usize {
    STEPS.with(std::cell::Cell::take)
}
