//! Turns become drafts of memories.

use anamne_types::{Body, Draft, Role};

use super::{Conversation, Speaker, TranscriptFormat, Turn};

/// Trust in what a person is recorded to have said: that of imports.
const PERSON_TRUST: f32 = 0.9;

/// Trust in what an agent said.
const AGENT_TRUST: f32 = 0.8;

/// Trust in the line of a tool.
const TOOL_TRUST: f32 = 0.6;

impl Conversation {
    /// The turns as messages of one thread, each with its external id. O(total text).
    pub fn drafts(&self, format: TranscriptFormat) -> Vec<Draft> {
        let thread = format!("{format} {}", self.session);
        self.turns
            .iter()
            .map(|turn| self.draft(format, &thread, turn))
            .collect()
    }

    fn draft(&self, format: TranscriptFormat, thread: &str, turn: &Turn) -> Draft {
        let (role, trust, author) = match turn.speaker {
            Speaker::Person => (Role::User, PERSON_TRUST, "user"),
            Speaker::Agent => {
                let name = turn.model.as_deref().unwrap_or(format.as_str());
                (Role::Assistant, AGENT_TRUST, name)
            }
            Speaker::Tool => (Role::Tool, TOOL_TRUST, format.as_str()),
        };
        let mut draft = Draft::new(turn.text.as_str())
            .body(Body::Message { role: Some(role) })
            .thread(thread)
            .author(author);
        draft.trust = Some(trust);
        draft.session = Some(self.session.clone());
        draft.external_id = Some(format.external_id(&turn.id));
        draft.occurred_at = turn.at;
        if let Some(branch) = &self.branch {
            draft
                .metadata
                .insert("branch".to_owned(), branch.as_str().into());
        }
        draft
    }
}
