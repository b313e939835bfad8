//! Errors as problem details (RFC 9457).

use std::borrow::Cow;

use anamne::text::echo::shorten_values;
use anamne::{Denied, Error, ErrorKind, InvalidValue, NextStep};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest detail, in characters.
const LONGEST_DETAIL: usize = 1_000;

/// The media type of problem details.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// What went wrong with a request, as `application/problem+json` (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A stable name of the kind of problem: `urn:anamne:problem:` and the kind of the error.
    #[serde(rename = "type")]
    pub problem_type: Cow<'static, str>,
    /// The kind in words.
    pub title: Cow<'static, str>,
    /// The HTTP status. Of what is `refused`, 400 says that the request can't be read, 422 that it can be read and isn't
    /// valid.
    pub status: u16,
    /// What happened this time.
    pub detail: String,
    /// The rejected field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What the field accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepts: Option<String>,
    /// What a person may do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextStep>,
    /// Where an import stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Box<StoppedImport>>,
    /// Seconds after which to try again; also in the header `Retry-After`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
    /// Why, for the log only.
    #[serde(skip)]
    pub(crate) cause: Option<String>,
}

/// The line that stopped an import, and what was imported before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StoppedImport {
    /// The line's number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
    /// Whether its memory was stored, and one of its links was refused. Links come last, so every line was stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
    /// New memories until then; they stay.
    pub imported: u64,
    /// Memories until then that existed already.
    pub known: u64,
    /// Links until then.
    pub links: u64,
}

impl StoppedImport {
    fn of(error: &Error) -> Option<Self> {
        let Error::BadLine {
            line,
            reason,
            stored,
            taken,
            ..
        } = error
        else {
            return None;
        };
        Some(Self {
            line: *line,
            reason: bounded(reason),
            stored: *stored,
            imported: taken.imported,
            known: taken.known,
            links: taken.links,
        })
    }
}

/// Why a request failed, for the log: an extension of its response.
#[derive(Clone)]
pub(crate) struct Cause(pub(crate) String);

impl Problem {
    /// A problem of the kind `name`, which is a stable identifier.
    pub(crate) fn new(
        status: StatusCode,
        name: &str,
        title: &'static str,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            problem_type: format!("urn:anamne:problem:{name}").into(),
            title: title.into(),
            status: status.as_u16(),
            detail: bounded(&detail.into()),
            field: None,
            accepts: None,
            next_step: None,
            stopped: None,
            retry_after: None,
            cause: None,
        }
    }

    /// A request that can't be read: its syntax is broken, it ends early, or it can be read in two ways.
    pub(crate) fn unreadable(detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "refused",
            "The request can't be read",
            detail,
        )
    }

    /// A request that can be read and is not valid: an unknown or missing field, another type, a value out of range.
    pub(crate) fn refused(detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "refused",
            "The request is invalid",
            detail,
        )
    }

    /// Nothing there, or nothing that this caller may know of.
    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "Not found", detail)
    }

    /// No space of this name for this caller.
    fn no_space(name: &str) -> Self {
        Self {
            next_step: Some(NextStep::ListSpaces),
            ..Self::not_found(format!("no space {name:?}"))
        }
    }

    /// No key, or none that is valid.
    pub(crate) fn unauthenticated() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthenticated",
            "A valid key is required",
            "send a valid key: Authorization: Bearer KEY",
        )
    }

    /// The key's tenant is suspended.
    pub(crate) fn suspended() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "suspended",
            "The tenant is suspended",
            "the administrator of the server has suspended this tenant",
        )
    }

    /// The key does not administer the server.
    pub(crate) fn not_an_admin() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "denied",
            "Access denied",
            "only a key of an administrator of the server may do this",
        )
    }

    /// More requests than the key or its tenant may send.
    pub(crate) fn too_many(seconds: u32) -> Self {
        Self {
            retry_after: Some(seconds),
            ..Self::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many",
                "Too many requests",
                format!("the rate is used up; try again in {seconds} s"),
            )
        }
    }

    /// More work than the server accepts at a time.
    pub(crate) fn overloaded() -> Self {
        Self {
            retry_after: Some(1),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "overloaded",
                "Too many requests are waiting",
                "try again in a second",
            )
        }
    }

    /// A body of more than `most` bytes.
    pub(crate) fn too_large(most: usize) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            "The body is too large",
            format!("a body may have at most {most} bytes"),
        )
    }

    /// A panic, which the log has.
    pub(crate) fn unexpected() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "failed",
            "The request failed",
            "the request failed unexpectedly; other requests go on",
        )
    }
}

const DISK_FULL: &str = "The disk of the server is full";

fn bounded(detail: &str) -> String {
    let detail = shorten_values(detail);
    match detail.char_indices().nth(LONGEST_DETAIL) {
        Some((end, _)) => format!("{}…", &detail[..end]),
        None => detail.into_owned(),
    }
}

impl From<InvalidValue> for Problem {
    fn from(refusal: InvalidValue) -> Self {
        Error::from(refusal).into()
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let (status, title) = match (&error, error.kind()) {
            // As if it did not exist: whether it does is not for this caller to know.
            (Error::Denied(Denied::Read(name)), _) => {
                return Self::no_space(name);
            }
            (Error::Store(anamne::StoreError::NoSpace(name)), _) => {
                return Self::no_space(name.as_str());
            }
            (Error::Store(anamne::StoreError::VersionDiffers { .. }), _) => (
                StatusCode::PRECONDITION_FAILED,
                "The memory has another version",
            ),
            (Error::Store(anamne::StoreError::SpaceChanged(_)), _) => {
                (StatusCode::PRECONDITION_FAILED, "The space was changed")
            }
            (Error::RequestKey(anamne::RequestKeyError::UnderWay), _) => (
                StatusCode::CONFLICT,
                "A request with this key is being worked on",
            ),
            // What it was reading or writing is the client's.
            (Error::Stream { .. }, _) => (StatusCode::BAD_REQUEST, "The transfer was cut off"),
            (
                Error::Store(
                    anamne::StoreError::QuotaExceeded { .. }
                    | anamne::StoreError::StoreQuotaExceeded { .. },
                ),
                _,
            ) => (StatusCode::INSUFFICIENT_STORAGE, "The quota is used up"),
            (Error::Store(anamne::StoreError::DiskFull { .. }), _) => {
                (StatusCode::INSUFFICIENT_STORAGE, DISK_FULL)
            }
            (_, ErrorKind::Refused) => (StatusCode::UNPROCESSABLE_ENTITY, "A value was refused"),
            (_, ErrorKind::Denied) => (StatusCode::FORBIDDEN, "Access denied"),
            (_, ErrorKind::NotFound) => (StatusCode::NOT_FOUND, "Not found"),
            (_, ErrorKind::Busy) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Another process uses a file of the store",
            ),
            (_, ErrorKind::Damaged) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "A file of the store is damaged",
            ),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "The request failed"),
        };
        // Messages about the machine name files; a remote caller must not learn where they are.
        let is_told = !status.is_server_error() || error.kind() == ErrorKind::Refused;
        let detail = if title == DISK_FULL {
            format!(
                "{title}; it may have been stored all the same, and can be sent again once there is space"
            )
        } else if !is_told {
            format!("{title}; the log of the server says more")
        } else {
            error.to_string()
        };
        let refusal = error.refusal();
        Self {
            field: refusal.map(|refusal| refusal.field().to_owned()),
            accepts: refusal.map(|refusal| refusal.accepts().to_owned()),
            next_step: error.next_step(),
            stopped: StoppedImport::of(&error).map(Box::new),
            retry_after: (error.kind() == ErrorKind::Busy).then_some(1),
            cause: (!is_told).then(|| error.to_string()),
            ..Self::new(status, error.kind().as_str(), title, detail)
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        let cause = self.cause.map(Cause);
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if let Some(cause) = cause {
            response.extensions_mut().insert(cause);
        }
        response
    }
}
