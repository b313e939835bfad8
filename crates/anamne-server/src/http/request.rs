//! What happens to every request: its id, checks, limits, its line in the log and its place in the metrics.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CONNECTION, TRANSFER_ENCODING, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};

use super::app::App;
use super::limits::{PacedBody, bounded};
use super::origin::contains_key;
use super::problem::Cause;
use super::resource;
use super::traces::{RequestSpan, RequestTrace};

/// The header with a request's id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Longest accepted id, in bytes.
const LONGEST_ID: usize = 64;

/// The status in the log of a request whose client went before the response.
pub(super) const CLIENT_WENT: u16 = 499;

/// The route in the log of a request that no route serves.
const NO_ROUTE: &str = "none";

/// Who sent a request, once it is known, for the log; and its trace.
#[derive(Clone, Default)]
pub(crate) struct Sender {
    known: Arc<OnceLock<(String, Option<String>)>>,
    pub(crate) trace: RequestTrace,
}

impl Sender {
    /// Notes tenant and key id.
    pub(crate) fn note(&self, tenant: &str, key: Option<&str>) {
        let _ = self.known.set((tenant.to_owned(), key.map(str::to_owned)));
    }
}

/// The routes, with what happens to every request.
pub(super) fn guarded(routes: Router, app: &Arc<App>) -> Router {
    routes.layer(from_fn_with_state(app.clone(), handle))
}

/// Checks a request, answers it within the limits, and logs it.
async fn handle(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let mut record = Record::of(&app, &request);
    let id = record.id.clone();
    let limits = &app.operation.limits;
    // With Content-Length as well, which is not visible here, a proxy may see another end of the body: what follows must
    // not be read as a request.
    let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
    let mut response = if let Err(problem) = app.operation.allowed.check(&request) {
        problem.into_response()
    } else {
        record.span.addressed(request.headers());
        request.extensions_mut().insert(record.sender.clone());
        let request = request.map(|body| Body::new(PacedBody::new(body, limits)));
        bounded(limits.request_time, next.run(request))
            .await
            .unwrap_or_else(IntoResponse::into_response)
    };
    if is_chunked {
        response.headers_mut().insert(CONNECTION, CLOSE);
    }
    record.status = response.status().as_u16();
    if response.status() == StatusCode::UNAUTHORIZED
        && let Some(challenge) = app.access.issuer().and_then(resource::challenge)
    {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    record.cause = response.extensions_mut().remove();
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let nosniff = HeaderValue::from_static("nosniff");
    let name = axum::http::header::X_CONTENT_TYPE_OPTIONS;
    response.headers_mut().insert(name, nosniff);
    response.map(|inner| Body::new(RecordedBody { inner, record }))
}

/// A request's line in the log; written when it is dropped.
struct Record {
    app: Arc<App>,
    began: Instant,
    id: String,
    method: Method,
    route: String,
    sender: Sender,
    span: RequestSpan,
    status: u16,
    cause: Option<Cause>,
    bytes: u64,
}

impl Record {
    fn of(app: &Arc<App>, request: &Request) -> Self {
        app.operation.metrics.running.inc();
        let began = Instant::now();
        let (method, headers) = (request.method(), request.headers());
        let route = request.extensions().get::<MatchedPath>();
        let route = route.map(MatchedPath::as_str);
        let span = app.operation.traces.begin(method, route, headers, began);
        Self {
            app: app.clone(),
            began,
            id: id_of(headers),
            method: method.clone(),
            route: route.unwrap_or(NO_ROUTE).to_owned(),
            sender: Sender {
                trace: span.trace(),
                ..Sender::default()
            },
            span,
            status: CLIENT_WENT,
            cause: None,
            bytes: 0,
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // Before the request counts as ended, so that the end of the server exports it.
        self.span.end(&self.id, self.status);
        let took = self.began.elapsed();
        let metrics = &self.app.operation.metrics;
        metrics.running.dec();
        metrics.answered(&self.method, &self.route, self.status, took, self.bytes);
        let (tenant, key) = match self.sender.known.get() {
            Some((tenant, key)) => (Some(tenant.as_str()), key.as_deref()),
            None => (None, None),
        };
        // Without fraction beyond microseconds.
        let ms = took.as_micros() as f64 / 1_000.0;
        macro_rules! line {
            ($level:ident $(, $name:ident = $value:expr)*) => {
                tracing::$level!(
                    target: "anamne",
                    id = self.id,
                    method = self.method.as_str(),
                    route = self.route,
                    status = self.status,
                    ms,
                    bytes = self.bytes,
                    tenant,
                    key,
                    $($name = $value,)*
                    "request"
                )
            };
        }
        match &self.cause {
            _ if self.status < 500 => line!(info),
            Some(cause) => line!(error, cause = cause.0),
            // The quota of a tenant, which no operator has to look at; a full disk has a cause.
            None if self.status == 507 => line!(warn),
            None => line!(error),
        }
    }
}

/// The given id, if it can't confuse a reader of the log; else a new one.
fn id_of(headers: &HeaderMap) -> String {
    let is_sane = |id: &&str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(is_plain)
    };
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    match given.filter(is_sane) {
        Some(id) if !contains_key(id) => id.to_owned(),
        _ => uuid::Uuid::now_v7().simple().to_string(),
    }
}

/// A response body that is counted and logged at its end.
struct RecordedBody {
    inner: Body,
    record: Record,
}

impl hyper::body::Body for RecordedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            self.record.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
