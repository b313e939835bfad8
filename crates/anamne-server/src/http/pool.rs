//! The threads on which the blocking engine runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use prometheus_client::metrics::histogram::Histogram;
use tokio::sync::{Semaphore, oneshot};

use super::metrics::Metrics;
use super::problem::Problem;
use super::traces::RequestTrace;

/// Work that keeps its result for whoever waits for it.
type BoxedWork = Box<dyn FnOnce(&RequestTrace) + Send>;

/// A bounded number of threads, and a bounded number of requests that wait for one.
pub(crate) struct Pool {
    threads: Arc<Semaphore>,
    /// Requests that run or wait.
    present: Arc<AtomicUsize>,
    most: usize,
    size: usize,
    wait: Histogram,
    work: Histogram,
}

/// A request's place, given back when it is dropped.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Pool {
    /// At most `threads` pieces of work at a time, and `waiting` more that wait. Both times are observed.
    pub(crate) fn new(threads: usize, waiting: usize, metrics: &Metrics) -> Self {
        Self {
            threads: Arc::new(Semaphore::new(threads)),
            present: Arc::default(),
            most: threads + waiting,
            size: threads,
            wait: metrics.pool_wait.clone(),
            work: metrics.pool_work.clone(),
        }
    }

    /// Requests that wait for a thread.
    pub(crate) fn waiting(&self) -> usize {
        let present = self.present.load(Ordering::Acquire);
        present.saturating_sub(self.running())
    }

    /// Requests that run.
    pub(crate) fn running(&self) -> usize {
        self.size.saturating_sub(self.threads.available_permits())
    }

    /// Runs work on a blocking thread, with spans of the wait and the work. Work that began ends, even if the request is dropped meanwhile.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        trace: RequestTrace,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (worked, result) = oneshot::channel();
        let work = move |trace: &RequestTrace| drop(worked.send(trace.work(work)));
        self.run_boxed(trace, Box::new(work)).await?;
        result.await.unwrap_or_else(|_| Err(Problem::unexpected()))
    }

    /// [`Self::run`] without its types, of which there are as many as routes: compiled once.
    async fn run_boxed(&self, trace: RequestTrace, work: BoxedWork) -> Result<(), Problem> {
        let place = self.enter()?;
        let began = Instant::now();
        let thread = self.threads.clone().acquire_owned().await;
        self.wait.observe(began.elapsed().as_secs_f64());
        trace.waited(began);
        let time = self.work.clone();
        let worked = tokio::task::spawn_blocking(move || {
            let _held = (place, thread);
            let began = Instant::now();
            work(&trace);
            time.observe(began.elapsed().as_secs_f64());
        });
        worked.await.map_err(|_| Problem::unexpected())
    }

    fn enter(&self) -> Result<Place, Problem> {
        let before = self.present.fetch_add(1, Ordering::AcqRel);
        let place = Place(self.present.clone());
        if before < self.most {
            Ok(place)
        } else {
            Err(Problem::overloaded())
        }
    }
}
