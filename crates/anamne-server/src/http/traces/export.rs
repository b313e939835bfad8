//! Sends spans to the collector, on a thread of its own, as protobuf over HTTP (OTLP).
//!
//! Requests only push their spans to a bounded queue. A collector that is slow, closed or wrong costs spans, which are
//! counted, and nothing else.

use std::cell::Cell;
use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anamne_net::{Body, Client, Header, NetError, Opened, Request, Timeouts};
use opentelemetry::Context;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanProcessor};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use prost::Message;

use super::TraceSettings;

/// How long the end of a server may take for the spans that are left.
pub(super) const FLUSH: Duration = Duration::from_secs(5);

/// Most spans of a request to the collector.
const BATCH: usize = 512;

/// How often a batch is sent before it is dropped.
const ATTEMPTS: u32 = 4;

/// The first pause between attempts; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest pause that a collector may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Most bytes that are read of an answer.
const ANSWER: u64 = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabel {
    reason: &'static str,
}

/// Numbers of spans.
#[derive(Debug)]
pub(super) struct Counts {
    exported: Counter,
    all_dropped: Family<ReasonLabel, Counter>,
    /// There was no room in the queue.
    queue_full: Counter,
    /// The collector did not take the batch.
    not_sent: Counter,
    /// The collector took the batch and says that it rejected spans.
    rejected: Counter,
}

impl Counts {
    fn new() -> Self {
        let all_dropped = Family::<ReasonLabel, Counter>::default();
        let of = |reason| all_dropped.get_or_create(&ReasonLabel { reason }).clone();
        Self {
            exported: Counter::default(),
            queue_full: of("queue_full"),
            not_sent: of("not_sent"),
            rejected: of("rejected"),
            all_dropped,
        }
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "spans_exported",
            "Spans that the collector took",
            self.exported.clone(),
        );
        registry.register(
            "spans_dropped",
            "Spans that never reached the collector, or that it rejected",
            self.all_dropped.clone(),
        );
    }
}

/// Spans that ended and were not sent yet.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    most: usize,
    delay: Duration,
    pub(super) counts: Counts,
}

#[derive(Debug, Default)]
struct Waiting {
    spans: Vec<SpanData>,
    /// When the last span must have been sent; set when the server ends.
    end: Option<Instant>,
}

impl Queue {
    pub(super) fn new(settings: &TraceSettings) -> Self {
        Self {
            waiting: Mutex::default(),
            changed: Condvar::new(),
            most: settings.queue,
            delay: settings.delay,
            counts: Counts::new(),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, span: SpanData) {
        let mut waiting = self.waiting();
        if waiting.spans.len() >= self.most {
            drop(waiting);
            self.counts.queue_full.inc();
            return;
        }
        waiting.spans.push(span);
        if waiting.spans.len() == BATCH {
            self.changed.notify_all();
        }
    }

    /// The next spans, once there are many or the oldest waited long; `None` at the end.
    fn next(&self) -> Option<Vec<SpanData>> {
        let goes_on = |waiting: &mut Waiting| waiting.end.is_none() && waiting.spans.len() < BATCH;
        let waited = self
            .changed
            .wait_timeout_while(self.waiting(), self.delay, goes_on);
        let (mut waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let count = waiting.spans.len().min(BATCH);
        let batch = waiting.spans.drain(..count).collect::<Vec<_>>();
        (waiting.end.is_none() || !batch.is_empty()).then_some(batch)
    }

    /// Waits before another attempt. `false` if the server ends: then there is no time for one.
    fn pause(&self, pause: Duration) -> bool {
        let goes_on = |waiting: &mut Waiting| waiting.end.is_none();
        let waited = self
            .changed
            .wait_timeout_while(self.waiting(), pause, goes_on);
        let (waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        waiting.end.is_none()
    }

    /// The time that is left for a request, if the server ends.
    fn left(&self) -> Option<Duration> {
        let end = self.waiting().end?;
        Some(end.saturating_duration_since(Instant::now()))
    }
}

/// Puts spans that ended into the queue.
#[derive(Debug)]
pub(super) struct Processor(pub(super) Arc<Queue>);

impl SpanProcessor for Processor {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if span.span_context.is_sampled() {
            self.0.push(span);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

/// The thread that exports.
pub(super) struct Exporter {
    pub(super) queue: Arc<Queue>,
    /// Disconnected when the thread has ended.
    ended: Mutex<Receiver<()>>,
}

impl Exporter {
    pub(super) fn start(settings: TraceSettings, queue: Arc<Queue>) -> std::io::Result<Self> {
        let (held, ended) = channel();
        let sending = Sending::new(settings, queue.clone());
        std::thread::Builder::new()
            .name("anamne-traces".to_owned())
            .spawn(move || sending.run(held))?;
        Ok(Self {
            queue,
            ended: Mutex::new(ended),
        })
    }

    /// Sends what is left, within [`FLUSH`]. A thread that waits for the collector longer is left behind.
    pub(super) fn end(&self) {
        self.ask_to_end();
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.recv_timeout(FLUSH) == Err(RecvTimeoutError::Timeout) {
            let spans = self.queue.waiting().spans.len();
            tracing::warn!(target: "anamne", spans, "the collector took too long; spans were dropped");
        }
    }

    fn ask_to_end(&self) {
        let mut waiting = self.queue.waiting();
        waiting.end.get_or_insert_with(|| Instant::now() + FLUSH);
        self.queue.changed.notify_all();
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        self.ask_to_end();
    }
}

/// What became of a batch.
enum Sent {
    /// The collector took it; the number of spans that it says it rejected.
    Taken { rejected: u64 },
    /// It makes no sense to send it again; the reason.
    Refused(String),
    /// It may be taken later; the reason, and the pause that the collector asks for.
    Later(String, Option<Duration>),
}

/// Sends batches to the collector.
struct Sending {
    client: Client,
    path: &'static str,
    headers: Vec<Header>,
    resource: ResourceAttributesWithSchema,
    timeout: Duration,
    queue: Arc<Queue>,
    /// Whether the last batch was dropped; the log says only when that changes.
    fails: Cell<bool>,
}

impl Sending {
    fn new(settings: TraceSettings, queue: Arc<Queue>) -> Self {
        let timeouts = Timeouts {
            connect: settings.timeout,
            read: settings.timeout,
        };
        let media = Header::new("content-type", "application/x-protobuf");
        Self {
            client: Client::new(settings.endpoint, timeouts),
            path: settings.path,
            headers: media.into_iter().chain(settings.headers).collect(),
            resource: (&settings.resource).into(),
            timeout: settings.timeout,
            queue,
            fails: Cell::new(false),
        }
    }

    /// Sends until the server ends; then drops `held`.
    fn run(self, held: Sender<()>) {
        while let Some(batch) = self.queue.next() {
            if !batch.is_empty() {
                self.send(batch);
            }
        }
        drop(held);
    }

    fn send(&self, batch: Vec<SpanData>) {
        let count = batch.len() as u64;
        let body = ExportTraceServiceRequest {
            resource_spans: group_spans_by_resource_and_scope(batch, &self.resource),
        };
        let counts = &self.queue.counts;
        match self.send_repeatedly(&body.encode_to_vec()) {
            Ok(rejected) => {
                let rejected = rejected.min(count);
                counts.exported.inc_by(count - rejected);
                counts.rejected.inc_by(rejected);
                if self.fails.replace(false) {
                    tracing::info!(target: "anamne", "the collector takes spans again");
                }
            }
            Err(reason) => {
                counts.not_sent.inc_by(count);
                if !self.fails.replace(true) {
                    tracing::warn!(target: "anamne", reason, "spans can't be exported");
                }
            }
        }
    }

    /// The number of spans that the collector rejected, or why it did not take the batch.
    fn send_repeatedly(&self, body: &[u8]) -> Result<u64, String> {
        let (mut attempt, mut pause) = (1, FIRST_PAUSE);
        loop {
            match self.post(body) {
                Sent::Taken { rejected } => return Ok(rejected),
                Sent::Refused(reason) => return Err(reason),
                Sent::Later(reason, asked) => {
                    let asked = asked.map_or(pause, |asked| asked.min(LONGEST_PAUSE));
                    if attempt == ATTEMPTS || !self.queue.pause(asked) {
                        return Err(reason);
                    }
                    attempt += 1;
                    pause *= 2;
                }
            }
        }
    }

    fn post(&self, body: &[u8]) -> Sent {
        let longest = match self.queue.left() {
            Some(Duration::ZERO) => return Sent::Refused("the server ends".to_owned()),
            Some(left) => left.min(self.timeout),
            None => self.timeout,
        };
        let request = Request {
            method: "POST",
            path: self.path,
            headers: &self.headers,
            body: Body::Bytes(body),
            longest: Some(longest),
        };
        match self.client.open(&request) {
            Ok(answer) => answered(answer),
            // What the collector has already may be slow to arrive there: it is not sent twice.
            Err(NetError::TimedOut { .. }) => Sent::Refused("no answer in time".to_owned()),
            // The error may quote the collector.
            Err(_) => Sent::Later("no connection, or no HTTP".to_owned(), None),
        }
    }
}

fn answered(answer: Opened) -> Sent {
    let status = answer.status;
    let reason = format!("status {status}");
    let asked = answer
        .header("retry-after")
        .and_then(|text| text.parse().ok());
    match status {
        200..=299 => Sent::Taken {
            rejected: rejected(answer),
        },
        429 | 502..=504 => Sent::Later(reason, asked.map(Duration::from_secs)),
        _ => Sent::Refused(reason),
    }
}

/// How many spans an answer says that the collector rejected; none if it is nothing of the protocol.
fn rejected(answer: Opened) -> u64 {
    let mut bytes = Vec::new();
    let read = answer.into_reader().take(ANSWER).read_to_end(&mut bytes);
    let decoded = read
        .ok()
        .and_then(|_| ExportTraceServiceResponse::decode(&*bytes).ok());
    let partial = decoded.and_then(|answer| answer.partial_success);
    partial.map_or(0, |partial| partial.rejected_spans.max(0) as u64)
}
