//! Memories for a prompt that nobody meant as a question to the memory.

use std::borrow::Cow;

use crate::{Context, ContextRequest, InvalidValue, MemoryId, Recall, TimeWords};

/// Bytes of each end of a long prompt that are read: what it is about stands at its beginning or its end, and between
/// them is what was pasted.
const END_BYTES: usize = 4_096;

/// Memories considered for a prompt.
const CONSIDERED: usize = 20;

/// A request for memories that are likely evidence for a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptRequest {
    /// What the person typed.
    pub prompt: String,
    /// Token budget of the block, at least 50.
    pub token_budget: usize,
    /// The relevance from which on there is a block, 0 to 1.
    pub threshold: f32,
    /// Memories that the session was already shown; the block leaves them out.
    pub shown: Vec<MemoryId>,
    /// The time zone of the days that the prompt names, as in [`Recall::zone`]; UTC by default.
    pub zone: Option<String>,
}

impl PromptRequest {
    /// The default token budget: about eight short passages.
    pub const TOKENS: usize = 400;

    /// The default threshold. On every set of conversations that it was fitted on, fewer than one in twenty prompts that
    /// the memory knows nothing of reach it, on others one in eleven at most (`anamne-eval prompts`, BENCHMARKS.md).
    pub const THRESHOLD: f32 = 0.68;

    /// The confidence below which a result doesn't fill what is left of a block (BENCHMARKS.md).
    pub const LEAST_CONFIDENCE: f32 = 0.01;

    /// A request with the default budget and threshold.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            token_budget: Self::TOKENS,
            threshold: Self::THRESHOLD,
            shown: Vec::new(),
            zone: None,
        }
    }

    /// The query for this prompt; of a long one both ends. Only a question asks for memories of the times that it names:
    /// "commit the changes of today" doesn't.
    pub fn recall(&self) -> Recall {
        let asks = self.prompt.contains(['?', '？', '؟']);
        Recall {
            min_confidence: Self::LEAST_CONFIDENCE,
            time_words: if asks {
                TimeWords::Prefer
            } else {
                TimeWords::Ignore
            },
            zone: self.zone.clone(),
            ..Recall::new(ends(&self.prompt)).limit(CONSIDERED)
        }
    }

    /// Checks the threshold and the budget, and that the prompt is more than white space.
    pub fn check(&self) -> Result<(), InvalidValue> {
        crate::limits::check_unit("threshold", self.threshold)?;
        let request = ContextRequest {
            recall: self.recall(),
            token_budget: self.token_budget,
            preset: None,
        };
        request.check()
    }
}

/// Both ends of a long text. O(1) for a long text.
fn ends(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * END_BYTES {
        return Cow::Borrowed(text);
    }
    let first = &text[..text.floor_char_boundary(END_BYTES)];
    let last = &text[text.ceil_char_boundary(text.len() - END_BYTES)..];
    Cow::Owned(format!("{first}\n{last}"))
}

/// The memories for a prompt, if they are likely evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptContext {
    /// The probability that the memory knows something of what the prompt is about, 0 to 1, if it does so for every
    /// other prompt. 0 while the indexes that judge it are unavailable.
    pub relevance: f32,
    /// The block; `None` below the threshold, also of what is left without the memories that were already shown.
    pub context: Option<Context>,
    /// Name and value of every input of the relevance.
    pub judged_by: Vec<(Cow<'static, str>, f32)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_prompts_are_read_at_both_ends() {
        let prompt = format!("first {} last", "é".repeat(100_000));
        let query = PromptRequest::new(prompt).recall().query;
        assert!(query.starts_with("first") && query.ends_with("last"));
        assert!(query.len() <= 2 * END_BYTES + 1, "{}", query.len());
        assert_eq!(PromptRequest::new("short").recall().query, "short");
    }

    #[test]
    fn days_of_a_prompt_are_in_its_zone() {
        let mut request = PromptRequest::new("what was yesterday?");
        request.zone = Some("+05:30".to_owned());
        assert_eq!(request.recall().zone, request.zone);
        request.zone = Some("Nowhere".to_owned());
        assert!(request.check().is_err());
    }

    #[test]
    fn blank_prompts_and_impossible_bounds_are_refused() {
        let request = PromptRequest::new("which port?");
        assert_eq!(request.check(), Ok(()));
        for refused in [
            PromptRequest::new(" \n"),
            PromptRequest {
                threshold: 1.5,
                ..request.clone()
            },
            PromptRequest {
                token_budget: 10,
                ..request
            },
        ] {
            assert!(refused.check().is_err(), "{refused:?}");
        }
    }
}
