//! Checks for contradictions in a space in either place; [`Known`](super::Known) lists those of the graph.

use anamne::{ConsistencyReport, ConsistencyRequest};
use serde_json::json;

use super::Reached;
use crate::failure::Failure;

impl Reached {
    /// Compares memories with each other.
    pub(crate) fn check_consistency(
        &self,
        request: &ConsistencyRequest,
    ) -> Result<ConsistencyReport, Failure> {
        self.ask(
            |space| space.check_consistency(request),
            |space| {
                let asked = json!({
                    "memories": request.memories, "topic": request.topic, "limit": request.limit,
                });
                space.post(&["consistency"], &asked)
            },
        )
    }

    /// Compares a statement with what is stored.
    pub(crate) fn check_claim(
        &self,
        claim: &str,
        limit: usize,
    ) -> Result<ConsistencyReport, Failure> {
        self.ask(
            |space| space.check_claim(claim, limit),
            |space| space.post(&["claims"], &json!({ "claim": claim, "limit": limit })),
        )
    }
}
