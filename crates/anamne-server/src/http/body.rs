//! JSON in requests and responses.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::limits::TooSlow;
use super::origin::percent_decoded;
use super::problem::Problem;

/// Largest body of a request that is read whole, in bytes.
pub(crate) const MOST_BYTES: usize = 8 << 20;

/// A JSON body: of a request, unknown fields are refused by the types; of a response, on one line.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

/// Reads a body of at most `most` bytes. A declared length is checked before anything is read.
pub(crate) async fn read_at_most(
    headers: &HeaderMap,
    body: Body,
    most: usize,
) -> Result<Bytes, Problem> {
    check_declared(headers, most)?;
    match Limited::new(body, most).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Problem::too_large(most)),
        Err(error) if TooSlow::caused(&*error) => Err(TooSlow::problem()),
        Err(_) => Err(Problem::unreadable("the body ended early")),
    }
}

/// Refuses a body whose declared length is more than `most` bytes.
pub(crate) fn check_declared(headers: &HeaderMap, most: usize) -> Result<(), Problem> {
    let declared = headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > most as u64) {
        return Err(Problem::too_large(most));
    }
    Ok(())
}

/// Refuses a body that is of none of these media types, or compressed.
pub(crate) fn check_media(headers: &HeaderMap, accepted: &[&str]) -> Result<(), Problem> {
    let unsupported = |detail: &str| {
        Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "The body has another form than the route accepts",
            detail,
        )
    };
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(unsupported("send the body without Content-Encoding"));
    }
    let media = media_of(headers);
    if accepted.iter().any(|one| media.eq_ignore_ascii_case(one)) {
        return Ok(());
    }
    let detail = format!("send Content-Type: {}", accepted.join(" or "));
    Err(unsupported(&detail))
}

/// The media type of a body, without parameters; empty if it has none.
pub(crate) fn media_of(headers: &HeaderMap) -> &str {
    let given = headers.get(header::CONTENT_TYPE);
    let media = given.and_then(|given| given.to_str().ok()).unwrap_or("");
    media.split(';').next().unwrap_or("").trim()
}

/// Parses JSON; the refusal names the unknown field or the wrong type. A list would be taken for the fields of an object in
/// their order, which no description promises.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        return Err(Problem::refused(
            "the body must be a JSON object, not a list",
        ));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let detail = format!(
            "the JSON of the body is invalid: {}",
            plain(&error.to_string())
        );
        match error.classify() {
            serde_json::error::Category::Data => Problem::refused(detail),
            _ => Problem::unreadable(detail),
        }
    })
}

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        check_media(&parts.headers, &["application/json"])?;
        let bytes = read_at_most(&parts.headers, body, MOST_BYTES).await?;
        parse(&bytes).map(Self)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        json_bytes(&self.0).map(json_response).into_response()
    }
}

/// A value as JSON on one line.
pub(crate) fn json_bytes(value: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(value).map_err(|_| Problem::unexpected())
}

/// The response whose body is this JSON.
pub(crate) fn json_response(bytes: Vec<u8>) -> Response {
    let mut response = bytes.into_response();
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// The query part of the URL; unknown and repeated names are refused.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        check_encoding(parts.uri.query().unwrap_or_default())?;
        let query = axum::extract::Query::<T>::try_from_uri(&parts.uri);
        query
            .map(|query| Self(query.0))
            .map_err(|error| invalid_query(&error.body_text()))
    }
}

/// The query part of a URL in which some names may be repeated.
#[derive(Debug)]
pub(crate) struct RepeatableQuery(Vec<Parameter>);

/// A parameter as it was sent, and what it says.
#[derive(Debug)]
struct Parameter {
    sent: String,
    name: String,
    value: String,
}

impl RepeatableQuery {
    /// Takes the values of a parameter that may be repeated, in order.
    pub(crate) fn take(&mut self, name: &str) -> Vec<String> {
        let taken = self.0.extract_if(.., |parameter| parameter.name == name);
        taken.map(|parameter| parameter.value).collect()
    }

    /// The other parameters; unknown and repeated names are refused.
    pub(crate) fn rest<T: DeserializeOwned>(self) -> Result<T, Problem> {
        let sent: Vec<_> = self.0.into_iter().map(|parameter| parameter.sent).collect();
        decoded(&sent.join("&"))
    }
}

impl<S: Sync> FromRequestParts<S> for RepeatableQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        check_encoding(query)?;
        let mut parameters = Vec::new();
        for sent in query.split('&') {
            let pairs: Vec<(String, String)> = decoded(sent)?;
            parameters.extend(pairs.into_iter().map(|(name, value)| Parameter {
                sent: sent.to_owned(),
                name,
                value,
            }));
        }
        Ok(Self(parameters))
    }
}

/// Refuses a query that isn't percent-encoded UTF-8: its parser would take other text for it.
fn check_encoding(query: &str) -> Result<(), Problem> {
    let is_escape = |digits: &[u8]| digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit);
    let mut escapes = query.as_bytes().split(|byte| *byte == b'%').skip(1);
    let is_escaped = escapes.all(|after| is_escape(&after[..after.len().min(2)]));
    if is_escaped && percent_decoded(query).is_ok() {
        return Ok(());
    }
    Err(Problem::unreadable(
        "the query of the address can't be read: send UTF-8, percent-encoded, with %25 for a percent sign",
    ))
}

fn invalid_query(reason: &str) -> Problem {
    let reason = plain(reason);
    let reason = reason.strip_prefix("Failed to deserialize query string: ");
    Problem::refused(format!(
        "the query of the address is invalid: {}",
        reason.unwrap_or("it can't be read")
    ))
}

/// A message of a parser without names of types, which say nothing to a client.
fn plain(message: &str) -> String {
    let mut plain = message.to_owned();
    for number in ["usize", "u64", "u32", "u16", "u8", "i64"] {
        for (of_parser, ours) in [
            ("expected {}", "expected a whole number of its range"),
            ("to a `{}`", "as a whole number of its range"),
        ] {
            plain = plain.replace(&of_parser.replace("{}", number), ours);
        }
    }
    plain = plain.replace(
        "number too large to fit in target type",
        "the number is too large",
    );
    if let Some((before, after)) = plain.split_once("expected struct ") {
        let after = after.trim_start_matches(|letter: char| letter.is_alphanumeric());
        plain = format!("{before}expected an object{after}");
    }
    plain
}

/// Decodes a query.
fn decoded<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let uri = format!("/?{query}").parse();
    let uri = uri.map_err(|_| Problem::unreadable("the query can't be read"))?;
    let query = axum::extract::Query::<T>::try_from_uri(&uri);
    query
        .map(|query| query.0)
        .map_err(|error| invalid_query(&error.body_text()))
}

/// Parts of the path, percent-decoded.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|path| Self(path.0))
            .map_err(|error| Problem::not_found(plain(&error.body_text())))
    }
}
