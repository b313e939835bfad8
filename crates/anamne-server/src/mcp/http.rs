//! The Model Context Protocol over HTTP: `POST /mcp`, and for legacy sessions also GET and DELETE.
//!
//! The SDK implements the transport of each revision: 2026-07-28 without sessions, the earlier ones with them. Every
//! request brings its own key, and a call has the rights of the key of the request that makes it. The id of a session is
//! bound to the key that began it, so that a stolen id is of no use with another key, and to the URL, which says what
//! calls of the session do.
//!
//! | part of the URL | meaning |
//! |---|---|
//! | `/mcp/SPACE` | the space that calls use; `/mcp` is `core` |
//! | `?tools=knowledge,cache` | the sets of tools, as with `anamne mcp --tools` |
//! | `?structured=true` | replies have structured content |
//! | `?session=NAME` | the session that memories are recorded with |

use std::sync::Arc;

use anamne::{Right, SpaceName};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::any;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::server::MOST_CALLS;
use super::sessions::Sessions;
use super::{MemoryServer, Settings, ToolSet};
use crate::http::body::{MOST_BYTES, Path, Query};
use crate::http::{App, Caller, Problem};

/// The header with the id of a session.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Hexadecimal digits of a session's seal.
const SEAL_DIGITS: usize = 32;

/// What all requests share.
#[derive(Clone)]
struct HttpDoor {
    app: Arc<App>,
    sessions: Arc<Sessions>,
    /// Limits the calls of all clients.
    slots: Arc<Semaphore>,
    /// The key of the seals, which lasts as long as the sessions: until the server ends.
    secret: [u8; 32],
    ending: CancellationToken,
}

/// The query part of the URL.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Choices {
    /// Sets of tools, comma-separated.
    tools: Option<String>,
    structured: bool,
    session: Option<String>,
}

impl Choices {
    fn settings(self) -> Result<Settings, Problem> {
        let words = self.tools.as_deref().unwrap_or("memory");
        let tools: Result<Vec<ToolSet>, _> = words.split(',').map(str::parse).collect();
        Ok(Settings {
            session: self.session,
            ..Settings::default()
                .tools(tools?)
                .structured(self.structured)
                .core(true)
        })
    }
}

/// The routes. Sessions end when `ending` is cancelled.
pub(crate) fn routes(app: Arc<App>, ending: CancellationToken) -> Router {
    let door = HttpDoor {
        app,
        sessions: Arc::default(),
        slots: Arc::new(Semaphore::new(MOST_CALLS)),
        secret: secret(),
        ending,
    };
    Router::new()
        .route("/mcp", any(in_core))
        .route("/mcp/{space}", any(in_space))
        .with_state(door)
}

async fn in_core(
    State(door): State<HttpDoor>,
    Query(choices): Query<Choices>,
    request: Request,
) -> Result<Response, Problem> {
    door.answer(SpaceName::core(), choices, request).await
}

async fn in_space(
    State(door): State<HttpDoor>,
    Path(space): Path<String>,
    Query(choices): Query<Choices>,
    request: Request,
) -> Result<Response, Problem> {
    let space: SpaceName = space.parse().map_err(anamne::Error::from)?;
    door.answer(space, choices, request).await
}

impl HttpDoor {
    async fn answer(
        self,
        space: SpaceName,
        choices: Choices,
        request: Request,
    ) -> Result<Response, Problem> {
        let address = format!("{space:?} {choices:?}");
        let settings = choices.settings()?;
        let (mut parts, body) = request.into_parts();
        let caller = Caller::of(&mut parts, &self.app).await?;
        // A session keeps what its caller might do when it began, so it ends when that changes.
        let principal = &caller.principal;
        let owner = format!("{} {:?} {address}", principal.identity(), principal.scope);
        let given = parts.headers.remove(SESSION);
        let begins = given.is_none().then(|| principal.identity());
        if let Some(given) = given {
            let id = self.unsealed(&given, &owner)?;
            parts.headers.insert(SESSION, id);
        }
        let writer = caller.principal.writer();
        let slots = self.slots.clone();
        let server = caller
            .with_store(move |store| {
                if !store.scope().may_read(space.as_str()) {
                    return Err(Problem::not_found(format!("no space {:?}", space.as_str())));
                }
                let settings = settings.erase(store.scope().allows(Right::Erase));
                Ok(MemoryServer::over(
                    store.clone(),
                    &space,
                    settings,
                    writer,
                    slots,
                )?)
            })
            .await?;
        let config = StreamableHttpServerConfig::default()
            // The server checks both for every route.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_json_response(true)
            .with_max_request_body_bytes(MOST_BYTES)
            .with_cancellation_token(self.ending.child_token());
        let factory = move || Ok(server.clone());
        let service = StreamableHttpService::new(factory, self.sessions.open.clone(), config);
        let answer = service.handle(Request::from_parts(parts, body)).await;
        let mut answer = answer.map(Body::new);
        if let Some(id) = answer.headers_mut().remove(SESSION) {
            let sealed = self.sealed(&id, &owner);
            answer.headers_mut().insert(SESSION, sealed);
            if let (Some(caller), Ok(id)) = (begins, id.to_str()) {
                self.sessions.note(caller, id.into()).await;
            }
        }
        Ok(answer)
    }

    /// What binds a session to whoever began it, and to its URL.
    fn seal(&self, id: &[u8], owner: &str) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        hasher.update(&(owner.len() as u64).to_le_bytes());
        hasher.update(owner.as_bytes());
        hasher.update(id);
        hasher.finalize()
    }

    fn sealed(&self, id: &HeaderValue, owner: &str) -> HeaderValue {
        let seal = self.seal(id.as_bytes(), owner).to_hex();
        let id = id.to_str().unwrap_or_default();
        let sealed = HeaderValue::from_str(&format!("{id}.{}", &seal[..SEAL_DIGITS]));
        sealed.expect("an id and hexadecimal digits are a header's value")
    }

    /// The id inside of a sealed one. A session of another key or URL looks like one that has ended.
    fn unsealed(&self, given: &HeaderValue, owner: &str) -> Result<HeaderValue, Problem> {
        let inner = || {
            let (id, seal) = given.to_str().ok()?.rsplit_once('.')?;
            let expected = self.seal(id.as_bytes(), owner).to_hex();
            let is_same = same(seal.as_bytes(), &expected.as_bytes()[..SEAL_DIGITS]);
            is_same.then(|| HeaderValue::from_str(id).ok())?
        };
        inner().ok_or_else(|| {
            Problem::new(
                StatusCode::NOT_FOUND,
                "no_session",
                "The session has ended",
                "no such session; initialize again",
            )
        })
    }
}

/// Compares in a time that doesn't depend on where they differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    blake3::hash(one) == blake3::hash(other)
}

/// A random key.
fn secret() -> [u8; 32] {
    let mut secret = [0; 32];
    for half in secret.chunks_exact_mut(16) {
        half.copy_from_slice(uuid::Uuid::new_v4().as_bytes());
    }
    secret
}
