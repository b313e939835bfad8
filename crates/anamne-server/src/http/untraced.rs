//! What stands in for `traces` in a build without the feature `opentelemetry`: nothing is recorded or sent.

use std::sync::Arc;
use std::time::Instant;

use axum::http::{HeaderMap, Method};
use prometheus_client::registry::Registry;

use super::recall_metrics::RecallMetrics;
use super::{HttpError, HttpSettings};

/// No traces.
pub(crate) struct Traces(());

impl Traces {
    #[expect(clippy::unnecessary_wraps, reason = "it can fail with the feature")]
    pub(super) fn start(_: &HttpSettings) -> Result<Self, HttpError> {
        Ok(Self(()))
    }

    pub(super) fn observing(&self, recalls: Arc<RecallMetrics>) -> Arc<RecallMetrics> {
        let Self(()) = self;
        recalls
    }

    pub(super) fn register(&self, _: &mut Registry) {
        let Self(()) = self;
    }

    pub(super) fn begin(
        &self,
        _: &Method,
        _: Option<&str>,
        _: &HeaderMap,
        _: Instant,
    ) -> RequestSpan {
        let Self(()) = self;
        RequestSpan(())
    }

    pub(super) fn end(&self) {
        let Self(()) = self;
    }
}

/// No span of a request.
pub(super) struct RequestSpan(());

impl RequestSpan {
    pub(super) fn trace(&self) -> RequestTrace {
        let Self(()) = self;
        RequestTrace(())
    }

    pub(super) fn addressed(&mut self, _: &HeaderMap) {
        let Self(()) = self;
    }

    pub(super) fn end(&mut self, _: &str, _: u16) {
        let Self(()) = self;
    }
}

/// No spans below that of a request.
#[derive(Clone, Default)]
pub(crate) struct RequestTrace(());

impl RequestTrace {
    pub(crate) fn waited(&self, _: Instant) {
        let Self(()) = self;
    }

    pub(crate) fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let Self(()) = self;
        work()
    }
}
