//! What memory adds to a prompt that did not ask for it.

use anamne_types::{Context, ContextRequest, MemoryId};

use crate::Error;
use crate::space::Space;

/// Minimum confidence of a memory that is added to a prompt. A wrong one costs the reader's attention in every turn.
pub const PROMPT_CONFIDENCE: f32 = 0.5;

/// The longest part of a prompt that is searched for, in bytes. Longer prompts contain pasted text, after what is asked
/// or before it.
const LONGEST_PROMPT: usize = 4_000;

impl Space {
    /// The memories that are likely evidence for a prompt, as a block of at most `budget` tokens (at least 50), without
    /// those in `shown`. Usually empty: a prompt need not be about anything that is remembered.
    ///
    /// Costs one recall.
    pub fn context_for_prompt(
        &self,
        prompt: &str,
        shown: &[MemoryId],
        budget: usize,
    ) -> Result<Context, Error> {
        let mut request = ContextRequest::new(searched_part(prompt), budget);
        request.recall.min_confidence = PROMPT_CONFIDENCE;
        self.context_of(&request, shown)
    }
}

/// The beginning and the end of a long prompt.
fn searched_part(prompt: &str) -> String {
    if prompt.len() <= LONGEST_PROMPT {
        return prompt.to_owned();
    }
    let half = LONGEST_PROMPT / 2;
    let (start, end) = (
        prompt.floor_char_boundary(half),
        prompt.ceil_char_boundary(prompt.len() - half),
    );
    format!("{}\n{}", &prompt[..start], &prompt[end..])
}
