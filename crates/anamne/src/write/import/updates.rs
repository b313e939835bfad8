//! Edits of memories whose records changed since they were imported.

use anamne_store::StoreError;
use anamne_types::{Draft, Edit, Memory, MemoryId, NextStep, is_reserved_metadata};

use super::BadLine;
use super::intake::{ImportWriter, RecordPosition, of_one_memory};
use crate::Error;
use crate::write::admission::IMPORT_TRUST;

impl ImportWriter<'_> {
    /// Edits a memory so that it says what its record says; `false` if it does so already.
    ///
    /// An import that isn't trusted can't edit a memory with more trust than its own.
    pub(super) fn update(
        &self,
        place: &RecordPosition,
        id: MemoryId,
        draft: &Draft,
    ) -> Result<Result<bool, BadLine>, Error> {
        let edited = self.space.get(id).and_then(|memory| {
            let edit = edit_towards(&memory, draft);
            if edit.is_empty() {
                return Ok(Ok(false));
            }
            if !self.options.trusted && memory.trust > IMPORT_TRUST {
                let citation = memory.citation();
                return Ok(Err(place.bad(format!(
                    "{citation} says something else and has more trust than an import; use --trusted to edit it"
                ))));
            }
            self.space.edit(id, &edit).map(|_| Ok(true))
        });
        edited.or_else(|error| Ok(Err(place.failed(&of_one_memory(error)?))))
    }

    /// A record that was refused because its id belongs to a memory with other content.
    pub(super) fn refused(place: &RecordPosition, error: &StoreError) -> BadLine {
        let next_step = match error {
            StoreError::Conflict { .. } => Some(NextStep::ImportUpdates),
            _ => error.next_step(),
        };
        BadLine {
            next_step,
            ..place.failed(error)
        }
    }
}

/// What a memory lacks of a record. Its tags and metadata that the record doesn't name stay.
fn edit_towards(memory: &Memory, draft: &Draft) -> Edit {
    let is_missing = |tag: &&String| !memory.tags.contains(tag);
    let is_other = |(name, value): &(&String, &serde_json::Value)| {
        !is_reserved_metadata(name) && memory.metadata.get(*name) != Some(*value)
    };
    let given = |value: Option<jiff::Timestamp>, known| value.filter(|_| value != known);
    Edit {
        content: (memory.content != draft.content).then(|| draft.content.clone()),
        body: (memory.body != draft.body).then(|| draft.body.clone()),
        importance: draft.importance.filter(|&value| value != memory.importance),
        confidence: draft.confidence.filter(|&value| value != memory.confidence),
        add_tags: draft.tags.iter().filter(is_missing).cloned().collect(),
        metadata: (draft.metadata.iter().filter(is_other))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        occurred_at: given(draft.occurred_at, Some(memory.occurred_at)),
        expires_at: given(draft.expires_at, memory.expires_at),
        ..Edit::default()
    }
}
