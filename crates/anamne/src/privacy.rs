//! Private memories: they go to language models on this machine only.

use anamne_llm::Bridge;
pub use anamne_types::PRIVATE;
use anamne_types::{Assertion, Memory, MemoryId, is_marked_private, is_private_tag};

use crate::Error;
use crate::core::Inner;

impl Inner {
    /// Whether a memory may be sent to the model: it isn't private, or the model runs on this machine.
    pub(crate) fn may_send(&self, bridge: &Bridge, memory: &Memory) -> bool {
        bridge.config().is_on_this_machine() || !self.is_private(memory)
    }

    /// Whether all of these memories may be sent to the model. A missing one may not.
    pub(crate) fn may_send_all(&self, bridge: &Bridge, ids: &[MemoryId]) -> Result<bool, Error> {
        if bridge.config().is_on_this_machine() {
            return Ok(true);
        }
        let memories = self.source.get_each(ids)?;
        let may_send = memories.iter().all(|memory| !self.is_private(memory));
        Ok(may_send && memories.len() == ids.len())
    }

    /// Whether the space, a tag, the guard or a personal entity makes a memory private.
    pub(crate) fn is_private(&self, memory: &Memory) -> bool {
        self.source.config().guard.private
            || memory.tags.iter().any(|tag| is_private_tag(tag))
            || is_marked_private(&memory.metadata)
            || self.is_told_of_personal(memory)
    }

    /// Whether a person told this of a personal entity, as far as the graph is extracted. Also if it can't be read.
    pub(crate) fn is_told_of_personal(&self, memory: &Memory) -> bool {
        let Some(assertion) = Assertion::of(memory) else {
            return false;
        };
        if assertion.is_personal() {
            return true;
        }
        let graph = self.derived.knowledge.if_extracted();
        graph.is_some_and(|graph| graph.is_personal(&assertion.names()).unwrap_or(true))
    }
}
