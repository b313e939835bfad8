//! Why a request failed.

use anamne_net::{AddressError, NetError};
use anamne_types::NextStep;
use serde::Deserialize;

/// A problem that the server describes (RFC 9457).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Problem {
    /// The kind: a stable name that begins with `urn:anamne:problem:`.
    #[serde(rename = "type")]
    pub problem_type: String,
    /// The kind in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened.
    pub detail: String,
    /// The rejected field.
    pub field: Option<String>,
    /// What the field accepts.
    pub accepts: Option<String>,
    /// What a person may do about it.
    pub next_step: Option<NextStep>,
    /// Where an import stopped.
    pub stopped: Option<StoppedImport>,
    /// Seconds after which to try again.
    pub retry_after: Option<u32>,
}

/// The line that stopped an import, and what was imported before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct StoppedImport {
    /// The line's number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
    /// Whether its memory was stored, and one of its links was refused.
    #[serde(default)]
    pub stored: bool,
    /// New memories until then; they stay.
    pub imported: u64,
    /// Memories until then that existed already.
    pub known: u64,
    /// Links until then.
    pub links: u64,
}

impl Problem {
    /// Whether the route or its method is unknown, not what the request asked for.
    pub(crate) fn is_of_route(&self) -> bool {
        // The words of a server without a kind of its own for it.
        self.status == 405 || self.status == 404 && self.detail.starts_with("no such route")
    }

    /// The kind of the error: `refused`, `not_found`, `denied`, `busy` …; empty if the server named none.
    pub fn kind(&self) -> &str {
        let name = self.problem_type.strip_prefix("urn:anamne:problem:");
        name.unwrap_or_default()
    }
}

/// Errors of a client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server's address is refused.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The key has characters that no key has.
    #[error("the key is malformed")]
    Key,
    /// There is no answer. If the request was sent, it may have been done.
    #[error("no answer from the server: {0}")]
    Net(#[from] NetError),
    /// The server refused.
    #[error("{}", .0.detail)]
    Problem(Box<Problem>),
    /// The server has no such route, or no such method of it: it has another version.
    #[error("the server has no route {route}{}", server.as_ref().map(|version| format!(" in its version {version}")).unwrap_or_default())]
    MissingRoute {
        /// Method and path.
        route: String,
        /// The HTTP status.
        status: u16,
        /// The version of the server, if it says so.
        server: Option<String>,
    },
    /// The answer is none of this API: another program answers at this address, or another version.
    #[error("the server's answer can't be read (status {status}): {reason}")]
    Answer {
        /// The HTTP status.
        status: u16,
        /// What is wrong with it.
        reason: String,
    },
}

impl ClientError {
    /// What the server said, if it refused the request.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// Whether the server has no such route or method, whatever the request asked for.
    pub fn is_missing_route(&self) -> bool {
        matches!(self, Self::MissingRoute { .. })
    }

    /// The error of an answer that is not a success.
    pub(crate) fn of_answer(status: u16, body: &[u8]) -> Self {
        match serde_json::from_slice::<Problem>(body) {
            Ok(problem) if problem.status == status => Self::Problem(Box::new(problem)),
            _ => Self::Answer {
                status,
                reason: "it is no problem description".to_owned(),
            },
        }
    }
}
