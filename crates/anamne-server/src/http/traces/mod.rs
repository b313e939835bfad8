//! Spans of requests for a collector of OpenTelemetry, if the operator set one.
//!
//! | span | parent |
//! |---|---|
//! | `POST /v1/spaces/{space}/recall`: method and route of a request | the caller's, by `traceparent` |
//! | `pool.wait`: waiting for a thread of the engine | the request's |
//! | `engine.work`: the engine works for the request | the request's |
//! | `recall.search`: a stage of a recall | `engine.work` |
//!
//! Spans carry names that stand in the source, numbers, the id of the request, and the checked name of the server. No
//! path, content, key, or name of a space, tenant or caller.

mod export;
mod parent;
mod settings;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anamne::{RecallCache, RecallObserver, RecallStage};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, header};
use opentelemetry::trace::{
    Span, SpanBuilder, SpanKind, Status, TraceContextExt, Tracer, TracerProvider,
};
use opentelemetry::{Context, InstrumentationScope, KeyValue};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider, SpanLimits};
use prometheus_client::registry::Registry;

pub use self::settings::{TraceSettings, TraceSettingsError};

use self::export::{Exporter, Queue};
use super::metrics::label_of;
use super::recall_metrics::RecallMetrics;
use super::request::CLIENT_WENT;
use super::{Address, HttpError, HttpSettings};

/// The traces of a server.
pub(crate) struct Traces(Option<Running>);

struct Running {
    tracer: SdkTracer,
    exporter: Exporter,
    scheme: &'static str,
    /// Whether the header Host was compared with the server's names: at a socket, a client may name any.
    checks_host: bool,
}

impl Traces {
    /// Starts the thread that exports spans, if there is an endpoint.
    pub(super) fn start(settings: &HttpSettings) -> Result<Self, HttpError> {
        let Some(traces) = settings.traces.clone() else {
            return Ok(Self(None));
        };
        let queue = Arc::new(Queue::new(&traces));
        // What is set here would otherwise come from the environment.
        let provider = SdkTracerProvider::builder()
            .with_sampler(traces.sampler.clone())
            .with_resource(traces.resource.clone())
            .with_span_limits(SpanLimits::default())
            .with_span_processor(export::Processor(queue.clone()))
            .build();
        let scope = InstrumentationScope::builder("anamne")
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        let tracer = provider.tracer_with_scope(scope);
        let exporter = Exporter::start(traces, queue).map_err(HttpError::Start)?;
        Ok(Self(Some(Running {
            tracer,
            exporter,
            scheme: if settings.tls.is_some() {
                "https"
            } else {
                "http"
            },
            checks_host: matches!(settings.address, Address::Tcp(_)),
        })))
    }

    /// Observes recalls for the metrics, and for the traces if there are any.
    pub(super) fn observing(&self, recalls: Arc<RecallMetrics>) -> Arc<dyn RecallObserver> {
        match self.0 {
            Some(_) => Arc::new(Observing(recalls)),
            None => recalls,
        }
    }

    /// Adds the numbers of exported and dropped spans.
    pub(super) fn register(&self, registry: &mut Registry) {
        if let Some(running) = &self.0 {
            running.exporter.queue.counts.register(registry);
        }
    }

    /// Begins the span of a request that arrived at `began`. Costs little if the trace is not sampled.
    pub(super) fn begin(
        &self,
        method: &Method,
        route: Option<&str>,
        headers: &HeaderMap,
        began: Instant,
    ) -> RequestSpan {
        let Some(running) = &self.0 else {
            return RequestSpan(None);
        };
        let mut parent = Context::new();
        if let Some(caller) = parent::of(headers) {
            parent = parent.with_remote_span_context(caller);
        }
        let clock = Clock::at(began);
        let known = label_of(method);
        let mut attributes = vec![
            KeyValue::new("http.request.method", known.unwrap_or("_OTHER")),
            KeyValue::new("url.scheme", running.scheme),
        ];
        let mut name = known.unwrap_or("HTTP").to_owned();
        if let Some(route) = route {
            name.push(' ');
            name.push_str(route);
            attributes.push(KeyValue::new("http.route", route.to_owned()));
        }
        let builder = SpanBuilder::from_name(name)
            .with_kind(SpanKind::Server)
            .with_start_time(clock.wall)
            .with_attributes(attributes);
        let span = running.tracer.build_with_context(builder, &parent);
        let is_recording = span.is_recording();
        RequestSpan(is_recording.then(|| Open {
            trace: Arc::new(Trace::below(&span, running.tracer.clone(), clock)),
            span,
            checks_host: running.checks_host,
        }))
    }

    /// Exports what is left, within [`export::FLUSH`]. Blocks.
    pub(super) fn end(&self) {
        if let Some(running) = &self.0 {
            running.exporter.end();
        }
    }
}

/// Turns the times of one trace into those of a calendar, so that they keep their order if the clock is set meanwhile.
#[derive(Clone, Copy)]
struct Clock {
    wall: SystemTime,
    began: Instant,
}

impl Clock {
    /// `began` is now, or a moment ago.
    fn at(began: Instant) -> Self {
        let now = SystemTime::now();
        Self {
            wall: now.checked_sub(began.elapsed()).unwrap_or(now),
            began,
        }
    }

    fn time(self, instant: Instant) -> SystemTime {
        let since = instant.saturating_duration_since(self.began);
        self.wall.checked_add(since).unwrap_or(self.wall)
    }
}

/// What is needed to begin spans below another one.
struct Trace {
    tracer: SdkTracer,
    parent: Context,
    clock: Clock,
}

impl Trace {
    fn below(span: &impl Span, tracer: SdkTracer, clock: Clock) -> Self {
        let parent = Context::new().with_remote_span_context(span.span_context().clone());
        Self {
            tracer,
            parent,
            clock,
        }
    }

    fn begin(&self, name: impl Into<std::borrow::Cow<'static, str>>, began: Instant) -> SdkSpan {
        let builder = SpanBuilder::from_name(name).with_start_time(self.clock.time(began));
        self.tracer.build_with_context(builder, &self.parent)
    }
}

type SdkSpan = <SdkTracer as Tracer>::Span;

/// The span of a request, until its response has ended; empty if it is not sampled.
pub(super) struct RequestSpan(Option<Open>);

struct Open {
    span: SdkSpan,
    trace: Arc<Trace>,
    checks_host: bool,
}

impl RequestSpan {
    /// For the spans below.
    pub(super) fn trace(&self) -> RequestTrace {
        RequestTrace(self.0.as_ref().map(|open| open.trace.clone()))
    }

    /// Notes the name under which the server was addressed, once it is known to be one of the server's.
    pub(super) fn addressed(&mut self, headers: &HeaderMap) {
        let Some(open) = self.0.as_mut().filter(|open| open.checks_host) else {
            return;
        };
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let Some(host) = host.and_then(|host| host.parse::<Authority>().ok()) else {
            return;
        };
        let name = host.host().to_ascii_lowercase();
        open.span
            .set_attribute(KeyValue::new("server.address", name));
        if let Some(port) = host.port_u16() {
            open.span
                .set_attribute(KeyValue::new("server.port", i64::from(port)));
        }
    }

    /// Ends it, with the id and status of its line in the log.
    pub(super) fn end(&mut self, id: &str, status: u16) {
        let Some(Open {
            mut span, trace, ..
        }) = self.0.take()
        else {
            return;
        };
        span.set_attribute(KeyValue::new("anamne.request.id", id.to_owned()));
        if status == CLIENT_WENT {
            span.set_attribute(KeyValue::new("error.type", "client_went"));
            span.set_status(Status::error(""));
        } else {
            span.set_attribute(KeyValue::new(
                "http.response.status_code",
                i64::from(status),
            ));
        }
        if (500..600).contains(&status) {
            span.set_attribute(KeyValue::new("error.type", status.to_string()));
            span.set_status(Status::error(""));
        }
        span.end_with_timestamp(trace.clock.time(Instant::now()));
    }
}

/// Begins spans below that of a request; does nothing if it is not sampled.
#[derive(Clone, Default)]
pub(crate) struct RequestTrace(Option<Arc<Trace>>);

impl RequestTrace {
    /// Notes that the request waited for a thread of the engine from `began` until now.
    pub(crate) fn waited(&self, began: Instant) {
        if let Some(trace) = &self.0 {
            let mut span = trace.begin("pool.wait", began);
            span.end_with_timestamp(trace.clock.time(Instant::now()));
        }
    }

    /// Does work of the engine on this thread, within a span. What a recall tells meanwhile becomes spans below.
    pub(crate) fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(trace) = &self.0 else {
            return work();
        };
        let _working = Working::begin(trace);
        work()
    }
}

thread_local! {
    /// The work of the engine on this thread.
    static WORK: RefCell<Option<Trace>> = const { RefCell::new(None) };
}

/// Work of the engine; ends when it is dropped, also by a panic.
struct Working {
    span: SdkSpan,
    clock: Clock,
    before: Option<Trace>,
}

impl Working {
    fn begin(trace: &Trace) -> Self {
        let span = trace.begin("engine.work", Instant::now());
        let work = Trace::below(&span, trace.tracer.clone(), trace.clock);
        Self {
            span,
            clock: trace.clock,
            before: WORK.replace(Some(work)),
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        WORK.set(self.before.take());
        if std::thread::panicking() {
            self.span
                .set_attribute(KeyValue::new("error.type", "panic"));
            self.span.set_status(Status::error(""));
        }
        self.span
            .end_with_timestamp(self.clock.time(Instant::now()));
    }
}

/// Makes spans of the stages of recalls, beside the metrics.
struct Observing(Arc<RecallMetrics>);

impl RecallObserver for Observing {
    fn stage(&self, stage: RecallStage, took: Duration) {
        self.0.stage(stage, took);
    }

    fn cache(&self, cache: RecallCache, hit: bool) {
        self.0.cache(cache, hit);
    }

    fn part(&self, stage: RecallStage, began: Instant, ended: Instant) {
        WORK.with_borrow(|work| {
            let Some(work) = work else {
                return;
            };
            let mut span = work.begin(format!("recall.{}", stage.as_str()), began);
            span.end_with_timestamp(work.clock.time(ended));
        });
    }
}
