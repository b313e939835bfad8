//! Memories for a prompt that nobody meant as a question to the memory.

use anamne_types::{PromptContext, PromptRequest};

use super::recall::Asked;
use crate::Error;
use crate::space::Space;

impl Space {
    /// The memories for a prompt, if they are likely evidence: a block within a token budget, or nothing. A few
    /// microseconds more than [`Self::context`] with the same budget.
    ///
    /// The reranker of the space's settings is not used, because it takes too long.
    ///
    /// While the columns are unavailable nothing can be judged, and there is no block.
    ///
    /// # Errors
    ///
    /// If the prompt is blank, the threshold or the budget is out of range, or the source can't be read.
    pub fn for_prompt(&self, request: &PromptRequest) -> Result<PromptContext, Error> {
        self.ask(&request.recall(), Asked::Prompt, |recaller| {
            Ok(recaller.for_prompt(request)?)
        })
    }
}
