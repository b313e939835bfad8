//! What the hooks of an agent host ask of a space: a briefing, memories for a prompt, and to keep what was said.

use anamne_net::NetError;
use anamne_types::{Context, Draft, MemoryId, PromptRequest, Remembered};
use serde::{Deserialize, Serialize};

use crate::client::Method;
use crate::error::{ClientError, Problem};
use crate::path::Query;
use crate::space::RemoteSpace;

impl RemoteSpace {
    /// The briefing for the start of a session.
    pub fn briefing(&self, token_budget: usize) -> Result<Context, ClientError> {
        let query = Query::new().with("token_budget", token_budget);
        self.call_with(Method::Get, &["briefing"], &query, None::<&()>)
    }

    /// The memories that a prompt is likely about, if the space probably knows something of it.
    pub fn for_prompt(&self, request: &PromptRequest) -> Result<Option<Context>, ClientError> {
        let mut asked = PromptQuestion {
            prompt: &request.prompt,
            token_budget: request.token_budget,
            threshold: request.threshold,
            shown: &request.shown,
            zone: request.zone.as_deref(),
        };
        let ask = |asked: &PromptQuestion<'_>| -> Result<PromptBlock, ClientError> {
            self.call(Method::Post, &["prompt"], Some(asked))
        };
        let found = match ask(&asked) {
            Err(error) if asked.zone.is_some() && knows_no_zone(&error) => {
                asked.zone = None;
                ask(&asked)
            }
            found => found,
        };
        Ok(found?.context)
    }

    /// Stores what a session of a host said; the space is created if it is missing. The same drafts with the same key are
    /// stored once, however often they are sent within 24 hours.
    pub fn capture(
        &self,
        host: &str,
        key: &str,
        drafts: &[Draft],
    ) -> Result<Captured, ClientError> {
        let capture = Capture {
            host,
            memories: drafts,
        };
        self.client.call_with_headers(
            Method::Post,
            &self.parts(&["captures"]),
            &Query::new(),
            &[("idempotency-key", key)],
            Some(&capture),
        )
    }
}

/// Whether a server of an earlier version refused the field `zone` of a prompt, which it does not know.
fn knows_no_zone(error: &ClientError) -> bool {
    matches!(error, ClientError::Problem(problem) if problem.detail.contains("unknown field `zone`"))
}

impl ClientError {
    /// Whether the server took too long, rather than refusing the connection or the request.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Net(NetError::TimedOut { .. }))
    }
}

/// What came of captured drafts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Captured {
    /// Of each, in order.
    pub outcomes: Vec<CaptureOutcome>,
}

/// What came of one draft.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct CaptureOutcome {
    /// What is stored.
    #[serde(default)]
    pub remembered: Option<Remembered>,
    /// Why it is not. With a field, it is the draft; otherwise the space can't store anything now.
    #[serde(default)]
    pub problem: Option<Problem>,
}

#[derive(Serialize)]
struct PromptQuestion<'a> {
    prompt: &'a str,
    token_budget: usize,
    threshold: f32,
    shown: &'a [MemoryId],
    #[serde(skip_serializing_if = "Option::is_none")]
    zone: Option<&'a str>,
}

#[derive(Deserialize)]
struct PromptBlock {
    context: Option<Context>,
}

#[derive(Serialize)]
struct Capture<'a> {
    host: &'a str,
    memories: &'a [Draft],
}
