//! Backups of the whole server on a schedule, one at a time, on a thread of their own: requests never wait for them.
//!
//! Times are measured by a clock that nobody sets; only the age of a backup of an earlier process is a difference of times.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anamne::{BackupSchedule, BackupStatus, Error, Store};
use jiff::Timestamp;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest pause after a failure.
const RETRY: Duration = Duration::from_hours(1);

/// The schedule of a server, and how far it is.
pub(crate) struct Backups {
    store: Store,
    schedule: BackupSchedule,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    status: BackupStatus,
    is_running: bool,
    /// Whether the next backup is wanted before its time.
    is_asked: bool,
    is_ending: bool,
    next: Instant,
    /// When the last complete backup was noted, and its age then.
    last: Option<(Instant, Duration)>,
    failures: u64,
}

impl State {
    fn age(&self) -> Option<Duration> {
        self.last.map(|(noted, age)| age + noted.elapsed())
    }
}

/// The schedule of backups of the whole server, and what the last ones came to.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct BackupReport {
    #[serde(flatten)]
    status: BackupStatus,
    /// Whether one is being made now.
    running: bool,
    /// Age of the last complete one, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_seconds: Option<u64>,
    /// Seconds until the next one.
    next_in_seconds: u64,
}

impl Backups {
    /// Begins the schedule; [`Backups::start`] makes the backups.
    pub(super) fn begin(store: Store, schedule: BackupSchedule) -> Result<Self, Error> {
        let status = store.begin_server_backups(&schedule)?;
        let (now, present) = (Timestamp::now(), Instant::now());
        let age = status.last_at.map(|at| now.duration_since(at));
        let age = age.map(|age| Duration::try_from(age).unwrap_or_default());
        let state = State {
            next: present + status.due_in(now),
            last: age.map(|age| (present, age)),
            status,
            is_running: false,
            is_asked: false,
            is_ending: false,
            failures: 0,
        };
        Ok(Self {
            store,
            schedule,
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    /// Makes backups from now on, until [`Backups::end`]. One that is being made then is cut off by the end of the
    /// process, and continued by the next one.
    pub(super) fn start(self: &Arc<Self>) -> std::io::Result<()> {
        let of = self.clone();
        let thread = std::thread::Builder::new().name("anamne-backups".to_owned());
        thread
            .spawn(move || {
                while of.wait() {
                    of.make();
                }
            })
            .map(drop)
    }

    pub(super) fn end(&self) {
        self.lock().is_ending = true;
        self.changed.notify_all();
    }

    /// Has the next backup made now, or after the one that is being made.
    pub(crate) fn ask(&self) -> BackupReport {
        self.lock().is_asked = true;
        self.changed.notify_all();
        self.report()
    }

    pub(crate) fn report(&self) -> BackupReport {
        let state = self.lock();
        let next = state.next.saturating_duration_since(Instant::now());
        BackupReport {
            running: state.is_running,
            age_seconds: state.age().map(|age| age.as_secs()),
            next_in_seconds: if state.is_asked { 0 } else { next.as_secs() },
            status: state.status.clone(),
        }
    }

    /// Waits until a backup is due; `false` at the end.
    fn wait(&self) -> bool {
        let mut state = self.lock();
        loop {
            let left = state.next.saturating_duration_since(Instant::now());
            if state.is_ending {
                return false;
            }
            if state.is_asked || left.is_zero() {
                (state.is_asked, state.is_running) = (false, true);
                return true;
            }
            let waited = self.changed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn make(&self) {
        let began = Instant::now();
        let attempt = || self.store.back_up_server_as_scheduled(&self.schedule);
        let attempted = std::panic::catch_unwind(AssertUnwindSafe(attempt));
        let mut state = self.lock();
        state.is_running = false;
        match attempted {
            Ok(Ok(status)) => state.status = status,
            Ok(Err(error)) => state.status.failure = Some(error.to_string()),
            Err(_) => state.status.failure = Some("it ended unexpectedly".to_owned()),
        }
        let seconds = began.elapsed().as_secs_f64();
        let every = self.schedule.every;
        if let Some(cause) = state.status.failure.clone() {
            state.status.failed_at.get_or_insert_with(Timestamp::now);
            state.failures += 1;
            state.next = began + every.min(RETRY);
            let age = state
                .age()
                .map_or_else(|| "none".to_owned(), |age| format!("{} s", age.as_secs()));
            tracing::error!(target: "anamne", cause, seconds, age_of_last = age, "the backup failed");
        } else {
            state.last = Some((Instant::now(), Duration::ZERO));
            state.next = began + every;
            let (complete, changed) = (state.status.complete, state.status.changed);
            tracing::info!(target: "anamne", seconds, complete, changed, "backed up");
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What `/metrics` says of backups.
pub(super) struct BackupMetrics(pub(super) Arc<Backups>);

impl fmt::Debug for BackupMetrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BackupMetrics")
    }
}

impl Collector for BackupMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let state = self.0.lock();
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let mut levels = vec![
            (
                "backups_complete",
                "Complete backups of the server",
                count(state.status.complete),
            ),
            (
                "backup_failed",
                "Whether the last attempt of a backup failed",
                state.status.failure.is_some().into(),
            ),
            (
                "backup_running",
                "Whether a backup is being made",
                state.is_running.into(),
            ),
        ];
        // Without one, zero would be a figure.
        if let Some(age) = state.age() {
            let help = "Age of the last complete backup";
            levels.push(("backup_age_seconds", help, count(age.as_secs())));
        }
        let failures = state.failures;
        drop(state);
        for (name, help, level) in levels {
            let gauge = ConstGauge::new(level);
            let descriptor = encoder.encode_descriptor(name, help, None, gauge.metric_type())?;
            gauge.encode(descriptor)?;
        }
        let counter = ConstCounter::new(failures);
        let help = "Attempts of backups that failed";
        let descriptor =
            encoder.encode_descriptor("backup_failures", help, None, counter.metric_type())?;
        counter.encode(descriptor)
    }
}
