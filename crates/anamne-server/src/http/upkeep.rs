//! What a server does between requests: writes down what was used, follows changes of quotas, and works for closed
//! tenants. On a thread of its own, one piece of work at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::app::App;

/// Interval of looks at quotas and at tenants with background work.
const BETWEEN_LOOKS: Duration = Duration::from_secs(10);

/// Interval of writing down what was used.
const BETWEEN_NOTES: Duration = Duration::from_mins(1);

/// The running upkeep of a server.
pub(super) struct Upkeep {
    app: Arc<App>,
    ends: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Upkeep {
    pub(super) fn start(app: Arc<App>) -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let (its_app, its_end) = (app.clone(), ends.clone());
        let work = move || run(&its_app, &its_end);
        // Without a thread, everything is written down at the end.
        let thread = std::thread::Builder::new()
            .name("anamne-upkeep".to_owned())
            .spawn(work)
            .ok();
        Self { app, ends, thread }
    }

    /// Ends it, and writes down what is left.
    pub(super) async fn end(mut self) {
        let thread = self.thread.take();
        let app = self.app.clone();
        self.stop(thread.as_ref());
        let last = tokio::task::spawn_blocking(move || {
            if let Some(thread) = thread {
                let _ = thread.join();
            }
            // What can't be written down at the end is lost: the times of last uses, and counts.
            let _ = app.access.note_use();
            app.tenants.flush();
        });
        let _ = last.await;
    }

    fn stop(&self, thread: Option<&std::thread::JoinHandle<()>>) {
        self.ends.store(true, Ordering::Release);
        if let Some(thread) = thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Upkeep {
    fn drop(&mut self) {
        self.stop(self.thread.as_ref());
    }
}

fn run(app: &App, ends: &AtomicBool) {
    let go_on = || !ends.load(Ordering::Acquire);
    let mut noted = Instant::now();
    while go_on() {
        std::thread::park_timeout(BETWEEN_LOOKS);
        if noted.elapsed() >= BETWEEN_NOTES {
            // Kept after a failure, and written down the next time.
            let _ = app.access.note_use();
            noted = Instant::now();
        }
        let _ = app.tenants.apply_quotas();
        let _ = app.tenants.records().finish_erasures();
        // A tenant whose work fails has its turn again later; its own reports say what is wrong.
        while go_on() && app.tenants.work_for_one(&go_on).unwrap_or(false) {}
    }
}
