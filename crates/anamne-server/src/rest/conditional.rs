//! Versions of memories and states of spaces as entity tags, and the headers that ask for one.

use axum::http::header::{ETAG, IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

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
