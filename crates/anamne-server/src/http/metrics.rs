//! What `/metrics` reports, in the text format of Prometheus. All labels are bounded: routes are patterns, and nothing
//! names a tenant, a space or a caller.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64};
use std::time::Duration;

use anamne::ViewLag;
use axum::http::Method;
use prometheus_client::encoding::{EncodeLabelSet, prometheus_text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::backups::{BackupMetrics, Backups};
use super::process_metrics::ProcessMetrics;
use super::recall_metrics::RecallMetrics;
use super::traces::Traces;

/// Bounds of the buckets of durations, in seconds.
const SECONDS: [f64; 14] = [
    0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0,
];

/// Methods that have their own label.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ViewLabel {
    view: String,
}

type Seconds = Family<RequestLabels, Histogram, fn() -> Histogram>;

/// Counters and gauges of one server.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Seconds,
    response_bytes: Counter,
    /// Requests whose response has not ended.
    pub(crate) running: Gauge,
    pub(crate) connections: Gauge,
    pub(crate) refused_connections: Counter,
    pub(crate) failed_handshakes: Counter,
    pub(crate) followers: Gauge,
    pub(crate) pool_wait: Histogram,
    pub(crate) pool_work: Histogram,
    pool_running: Gauge,
    pool_waiting: Gauge,
    tenants: Gauge,
    behind: Family<ViewLabel, Gauge>,
    seconds_behind: Family<ViewLabel, Gauge<f64, AtomicU64>>,
}

/// What is looked up when the metrics are read.
pub(crate) struct Levels {
    pub(crate) pool_running: usize,
    pub(crate) pool_waiting: usize,
    pub(crate) tenants: usize,
    pub(crate) behind: BTreeMap<String, ViewLag>,
}

fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

impl Metrics {
    pub(crate) fn new(
        recalls: &RecallMetrics,
        traces: &Traces,
        backups: Option<&Arc<Backups>>,
    ) -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            requests: Seconds::new_with_constructor(seconds),
            response_bytes: Counter::default(),
            running: Gauge::default(),
            connections: Gauge::default(),
            refused_connections: Counter::default(),
            failed_handshakes: Counter::default(),
            followers: Gauge::default(),
            pool_wait: seconds(),
            pool_work: seconds(),
            pool_running: Gauge::default(),
            pool_waiting: Gauge::default(),
            tenants: Gauge::default(),
            behind: Family::default(),
            seconds_behind: Family::default(),
        };
        metrics.register(recalls, traces);
        if let Some(backups) = backups {
            let all = metrics.registry.sub_registry_with_prefix("anamne");
            all.register_collector(Box::new(BackupMetrics(backups.clone())));
        }
        metrics
    }

    fn register(&mut self, recalls: &RecallMetrics, traces: &Traces) {
        let all = self.registry.sub_registry_with_prefix("anamne");
        all.register(
            "http_request_seconds",
            "Time from a request's head to the end of its response",
            self.requests.clone(),
        );
        all.register(
            "http_response_bytes",
            "Bytes of response bodies",
            self.response_bytes.clone(),
        );
        all.register(
            "pool_wait_seconds",
            "Time that requests wait for a thread of the engine",
            self.pool_wait.clone(),
        );
        all.register(
            "pool_work_seconds",
            "Time that the engine works for a request",
            self.pool_work.clone(),
        );
        all.register(
            "view_events_behind",
            "Events that a view doesn't answer for yet, largest of the open spaces",
            self.behind.clone(),
        );
        all.register(
            "view_seconds_behind",
            "Age of the first event that a view doesn't answer for yet, largest of the open spaces",
            self.seconds_behind.clone(),
        );
        recalls.register(all);
        traces.register(all);
        let counts: [(&str, &str, &Counter); 2] = [
            (
                "refused_connections",
                "Connections closed at once because there were too many",
                &self.refused_connections,
            ),
            (
                "failed_handshakes",
                "Connections without a TLS session in time",
                &self.failed_handshakes,
            ),
        ];
        for (name, help, counter) in counts {
            all.register(name, help, counter.clone());
        }
        let gauges: [(&str, &str, &Gauge); 6] = [
            (
                "http_requests_running",
                "Requests whose response has not ended",
                &self.running,
            ),
            ("connections", "Open connections", &self.connections),
            (
                "event_followers",
                "Clients that follow events",
                &self.followers,
            ),
            (
                "pool_running",
                "Requests that run in the engine",
                &self.pool_running,
            ),
            (
                "pool_waiting",
                "Requests that wait for a thread of the engine",
                &self.pool_waiting,
            ),
            ("tenants_open", "Tenants whose store is open", &self.tenants),
        ];
        for (name, help, gauge) in gauges {
            all.register(name, help, gauge.clone());
        }
        let process = self.registry.sub_registry_with_prefix("process");
        process.register_collector(Box::new(ProcessMetrics));
    }

    /// Counts a request that ended.
    pub(crate) fn answered(
        &self,
        method: &Method,
        route: &str,
        status: u16,
        took: Duration,
        bytes: u64,
    ) {
        let labels = RequestLabels {
            method: label_of(method).unwrap_or("other"),
            route: route.to_owned(),
            status,
        };
        self.requests
            .get_or_create(&labels)
            .observe(took.as_secs_f64());
        self.response_bytes.inc_by(bytes);
    }

    /// The text for Prometheus.
    pub(crate) fn text(&self, levels: Levels) -> String {
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        self.pool_running.set(count(levels.pool_running));
        self.pool_waiting.set(count(levels.pool_waiting));
        self.tenants.set(count(levels.tenants));
        for (view, behind) in levels.behind {
            let label = ViewLabel { view };
            let seconds = self.seconds_behind.get_or_create(&label);
            seconds.set(behind.seconds);
            let events: &Gauge<i64, AtomicI64> = &self.behind.get_or_create(&label);
            events.set(i64::try_from(behind.events).unwrap_or(i64::MAX));
        }
        let mut text = String::new();
        // Writing to a string can't fail.
        let _ = prometheus_text::encode(&mut text, &self.registry);
        text
    }
}

/// The method, if it is a usual one.
pub(super) fn label_of(method: &Method) -> Option<&'static str> {
    let known = METHODS.iter().find(|known| **known == method.as_str());
    known.copied()
}
