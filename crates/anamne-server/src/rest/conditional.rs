//! Versions of memories and states of spaces as entity tags, and the headers that ask for one.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{ETAG, IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr};

use anamne::{Memory, SpaceState};

use crate::http::Problem;
use crate::http::body::Json;

/// No memory has this version: it stands for a tag that no memory has.
const NO_VERSION: u32 = 0;

/// A memory, tagged with its version.
pub(super) fn tagged(memory: Memory) -> Response {
    let tag = tag(memory.version);
    let mut response = Json(memory).into_response();
    response.headers_mut().insert(ETAG, tag);
    response
}

/// A memory, or only its tag if the client has this version.
pub(super) fn tagged_unless_known(
    memory: Memory,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let Some(known) = text(headers, &IF_NONE_MATCH)? else {
        return Ok(tagged(memory));
    };
    let is_this = |one: &str| {
        let one = one.trim();
        let one = one.strip_prefix("W/").unwrap_or(one);
        one == "*" || version_of(one) == Some(memory.version)
    };
    if !known.split(',').any(is_this) {
        return Ok(tagged(memory));
    }
    let mut response = StatusCode::NOT_MODIFIED.into_response();
    response.headers_mut().insert(ETAG, tag(memory.version));
    Ok(response)
}

/// The version that `If-Match` asks for; `None` for any.
pub(super) fn expected(headers: &HeaderMap) -> Result<Option<u32>, Problem> {
    // A weak tag matches nothing.
    Ok(asked(headers)?.map(|tag| version_of(tag).unwrap_or(NO_VERSION)))
}

/// The one tag that `If-Match` asks for; `None` for any.
fn asked(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(asked) = text(headers, &IF_MATCH)? else {
        return Ok(None);
    };
    match asked.trim() {
        "*" => Ok(None),
        several if several.contains(',') => {
            Err(Problem::refused("If-Match accepts one tag of a version"))
        }
        one => Ok(Some(one)),
    }
}

/// A space, tagged with its state.
pub(super) fn tagged_space(space: impl serde::Serialize, state: SpaceState) -> Response {
    let mut response = Json(space).into_response();
    // Digits are allowed in a header.
    if let Ok(tag) = HeaderValue::try_from(format!("\"{state}\"")) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// What `If-Match` says of a space.
pub(super) enum ExpectedState {
    /// Any state.
    Any,
    /// The state of this tag.
    This(SpaceState),
    /// A tag that no space has.
    None,
}

/// The state of a space that `If-Match` asks for.
pub(super) fn expected_state(headers: &HeaderMap) -> Result<ExpectedState, Problem> {
    Ok(match asked(headers)? {
        None => ExpectedState::Any,
        Some(tag) => {
            let digits = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
            let state = digits.and_then(SpaceState::read);
            state.map_or(ExpectedState::None, ExpectedState::This)
        }
    })
}

/// Refuses `If-Match` where it would not be checked.
pub(super) fn expect_none(headers: &HeaderMap) -> Result<(), Problem> {
    if headers.contains_key(IF_MATCH) {
        let detail = "If-Match is for editing and forgetting one memory, and for deleting a space";
        return Err(Problem::refused(detail));
    }
    Ok(())
}

/// The operations that check `If-Match`: those whose description has the header.
pub(super) struct Checking(HashSet<(Method, String)>);

impl Checking {
    /// Of these described operations.
    pub(super) fn of(description: &OpenApi) -> Self {
        let mut checking = HashSet::new();
        for (path, item) in &description.paths.paths {
            let operations = [
                (Method::PUT, &item.put),
                (Method::POST, &item.post),
                (Method::PATCH, &item.patch),
                (Method::DELETE, &item.delete),
            ];
            for (method, operation) in operations {
                let parameters = operation.iter().filter_map(|one| one.parameters.as_ref());
                if parameters.flatten().any(is_if_match) {
                    checking.insert((method, path.clone()));
                }
            }
        }
        Self(checking)
    }

    /// Whether `If-Match` of this request is checked, or has nothing to prevent.
    fn includes(&self, request: &Request) -> bool {
        if request.method().is_safe() {
            return true;
        }
        let route = request.extensions().get::<MatchedPath>();
        // No route answers by itself.
        route.is_none_or(|route| {
            let operation = (request.method().clone(), route.as_str().to_owned());
            self.0.contains(&operation)
        })
    }
}

fn is_if_match(parameter: &RefOr<Parameter>) -> bool {
    let RefOr::T(parameter) = parameter else {
        return false;
    };
    parameter.parameter_in == ParameterIn::Header
        && parameter.name.eq_ignore_ascii_case(IF_MATCH.as_str())
}

/// Refuses `If-Match` for every operation that would not check it, before it changes anything.
pub(super) async fn refuse_unchecked(
    State(checking): State<Arc<Checking>>,
    request: Request,
    next: Next,
) -> Response {
    if !checking.includes(&request)
        && let Err(problem) = expect_none(request.headers())
    {
        return problem.into_response();
    }
    next.run(request).await
}

fn tag(version: u32) -> HeaderValue {
    HeaderValue::try_from(format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"0\""))
}

fn version_of(tag: &str) -> Option<u32> {
    let version = tag.strip_prefix('"')?.strip_suffix('"')?.parse().ok()?;
    (version != NO_VERSION).then_some(version)
}

/// The value of a header that may be there once.
pub(super) fn text<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let value = value.to_str().ok().filter(|_| values.next().is_none());
    value.map(Some).ok_or_else(|| {
        Problem::unreadable(format!(
            "{name} must be given once, in visible ASCII characters"
        ))
    })
}
