//! Events as they happen: server-sent events from the log of a space.

use std::fmt::Write;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use anamne::{Event, EventKind, InvalidValue, LogQuery, Memory, Seq, Space};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::{Path, Query};
use crate::http::{App, Caller, Problem};

/// Pause between two signs of life; the key of the follower is checked again with each.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Events that are read at a time, without and with content.
const PAGE: usize = 100;
const PAGE_WITH_CONTENT: usize = 8;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(follow))
}

/// What to follow.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Following {
    /// Begin after the event with this number; 0 begins with the first, and without it only new events are sent.
    after: Option<u64>,
    /// Add the present content of the memory, if it is not forgotten or erased.
    #[serde(default)]
    content: bool,
}

/// An event as a client of server-sent events reads it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what is written as text")]
struct SentEvent {
    /// The number of the event in the space's log.
    id: Option<String>,
    /// The kind of the event, or `end`.
    event: Option<String>,
    /// The event as JSON, or the reason of the end.
    data: Option<String>,
}

/// Follow the events of a space (server-sent events)
///
/// The id of an event is its number in the space's log, so a client resumes with `Last-Event-ID`. The type is the kind of
/// the event. Changes by other processes are sent too. A comment is sent every 15 seconds. The last event before the
/// server ends the stream has the type `end` and its reason: `shutdown`, `slow`, `key`, `gone` or `failed`.
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/events",
    tag = "events",
    operation_id = "follow_events",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("Last-Event-ID" = Option<u64>, Header, description = "Like `after`, and before it"),
        Following
    ),
    responses(
        (status = 200, description = "Events as JSON", content_type = "text/event-stream", body = SentEvent),
        (status = "default", body = Problem)
    )
)]
async fn follow(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(space): Path<String>,
    Query(following): Query<Following>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let place = app.operation.live.enter()?;
    let after = last_event_id(&headers)?.or(following.after);
    let (live, tenant) = (app.clone(), caller.principal.tenant.clone());
    let opened = caller.clone().with_space(space, move |space| {
        let head = live.operation.live.follow(tenant, space)?;
        let known = *head.borrow();
        let after = after.map_or(known, Seq);
        if after > known {
            let accepts = format!("at most {}, the last event of the space", known.0);
            return Err(InvalidValue::new("after", accepts, after.0).into());
        }
        Ok((space.name().to_owned(), head, after))
    });
    let (space, head, after) = opened.await?;
    let (sender, receiver) = mpsc::channel(1);
    let reason = Arc::new(OnceLock::new());
    app.operation.metrics.followers.inc();
    let follower = Follower {
        app,
        caller,
        authorization: headers.get(header::AUTHORIZATION).cloned(),
        checked: Instant::now(),
        space,
        content: following.content,
        head,
        after,
        sender,
        reason: reason.clone(),
        _place: place,
    };
    tokio::spawn(follower.run());
    let body = Body::new(Events { receiver, reason });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, body).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let given = headers.get("last-event-id").map(HeaderValue::as_bytes);
    match given.map(|given| std::str::from_utf8(given).map(str::trim)) {
        None | Some(Ok("")) => Ok(None),
        Some(Ok(number)) if number.parse::<u64>().is_ok() => Ok(number.parse().ok()),
        Some(_) => Err(Problem::refused(
            "the header Last-Event-ID must be the number of an event",
        )),
    }
}

/// An event as it is sent.
#[derive(Serialize)]
struct Sent<'a> {
    #[serde(flatten)]
    event: Event,
    space: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// One client that follows a space.
struct Follower {
    app: Arc<App>,
    caller: Caller,
    authorization: Option<HeaderValue>,
    checked: Instant,
    space: String,
    content: bool,
    head: watch::Receiver<Seq>,
    after: Seq,
    sender: mpsc::Sender<Bytes>,
    reason: Arc<OnceLock<&'static str>>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.app.operation.metrics.followers.dec();
    }
}

impl Follower {
    async fn run(mut self) {
        let ending = self.app.operation.ending();
        let reason = tokio::select! {
            () = ending => "shutdown",
            reason = self.send_all() => reason,
        };
        let _ = self.reason.set(reason);
    }

    /// Sends events until that is not possible any more; then says why.
    async fn send_all(&mut self) -> &'static str {
        if let Err(reason) = self.send("retry: 1000\n\n".into()).await {
            return reason;
        }
        loop {
            if let Err(reason) = self.send_more().await {
                return reason;
            }
        }
    }

    async fn send_more(&mut self) -> Result<(), &'static str> {
        self.check_key()?;
        if self.send_page().await? {
            return Ok(());
        }
        self.wait().await
    }

    /// A key may be revoked or expire meanwhile.
    fn check_key(&mut self) -> Result<(), &'static str> {
        if self.checked.elapsed() < HEARTBEAT {
            return Ok(());
        }
        self.checked = Instant::now();
        let given = self.authorization.as_ref();
        let given = given.map(|given| given.to_str().unwrap_or_default());
        self.app.access.identify(given).map_err(|_| "key")?;
        Ok(())
    }

    /// Sends the next events. Whether there may be more.
    async fn send_page(&mut self) -> Result<bool, &'static str> {
        let limit = if self.content {
            PAGE_WITH_CONTENT
        } else {
            PAGE
        };
        let (after, content) = (self.after, self.content);
        self.head.borrow_and_update();
        let read = self
            .caller
            .clone()
            .with_space(self.space.clone(), move |space| {
                let query = LogQuery {
                    after: Some(after),
                    oldest_first: true,
                    limit,
                    ..LogQuery::default()
                };
                let events = space.log(&query)?.into_iter().map(|entry| entry.event);
                let read = |event: Event| {
                    let content = content.then(|| content_of(space, &event)).flatten();
                    (event, content)
                };
                Ok(events.map(read).collect::<Vec<_>>())
            });
        let events = match read.await {
            Ok(events) => events,
            // Busy: it is tried again after the next heartbeat.
            Err(problem) if problem.retry_after.is_some() => return Ok(false),
            Err(problem) if problem.status == 404 => return Err("gone"),
            Err(_) => return Err("failed"),
        };
        let Some((last, _)) = events.last() else {
            return Ok(false);
        };
        self.after = last.seq;
        let is_full = events.len() == limit;
        let text = self.text(events).ok_or("failed")?;
        self.send(text).await?;
        Ok(is_full)
    }

    fn text(&self, events: Vec<(Event, Option<String>)>) -> Option<Bytes> {
        let mut text = String::new();
        for (event, content) in events {
            let (seq, kind) = (event.seq.0, event.kind);
            let sent = Sent {
                event,
                space: &self.space,
                content,
            };
            // One line: JSON has no line breaks.
            let json = serde_json::to_string(&sent).ok()?;
            write!(text, "id: {seq}\nevent: {kind}\ndata: {json}\n\n").ok()?;
        }
        Some(text.into())
    }

    /// Waits for new events, and sends signs of life meanwhile.
    async fn wait(&mut self) -> Result<(), &'static str> {
        match timeout(HEARTBEAT, self.head.changed()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err("gone"),
            Err(_) => self.send(":\n\n".into()).await,
        }
    }

    /// Waits until the client has room, but not for long.
    async fn send(&self, text: Bytes) -> Result<(), &'static str> {
        // Before the connection is cut, so that a client that reads again learns why.
        let time = self.app.operation.limits.write_time / 2;
        match timeout(time, self.sender.send(text)).await {
            Ok(Ok(())) => Ok(()),
            // The client has gone.
            Ok(Err(_)) => Err("gone"),
            Err(_) => Err("slow"),
        }
    }
}

/// The present content of a memory that an event stored, edited, judged or restored; `None` if it is forgotten or erased.
fn content_of(space: &Space, event: &Event) -> Option<String> {
    let has_content = matches!(
        event.kind,
        EventKind::Remembered | EventKind::Edited | EventKind::Judged | EventKind::Restored
    );
    let memory: Memory = has_content
        .then(|| space.read(event.memory).ok())
        .flatten()?;
    memory.deleted_at.is_none().then_some(memory.content)
}

/// The body of a response with events; the last one says why it ends.
struct Events {
    receiver: mpsc::Receiver<Bytes>,
    reason: Arc<OnceLock<&'static str>>,
}

impl hyper::body::Body for Events {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(text) = ready!(self.receiver.poll_recv(context)) {
            return Poll::Ready(Some(Ok(Frame::data(text))));
        }
        let reason = std::mem::take(&mut self.reason);
        let end = reason
            .get()
            .map(|reason| format!("event: end\ndata: {{\"reason\":\"{reason}\"}}\n\n"));
        Poll::Ready(end.map(|end| Ok(Frame::data(end.into()))))
    }
}
