//! Edits of memories whose records changed since they were imported.

use anamne_store::StoreError;
use anamne_types::{Draft, Edit, Memory, MemoryId, NextStep, is_reserved_metadata};

use super::BadLine;
use super::earlier::Earlier;
use super::intake::{ImportWriter, RecordPosition, of_one_memory};
use crate::Error;
use crate::write::admission::IMPORT_TRUST;

/// What came of a record whose memory is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// The memory says the same.
    Same,
    /// It was edited.
    Edited,
    /// What it says otherwise was changed in the store since an import said the same as the record, or by a newer record.
    Newer,
}

impl ImportWriter<'_> {
    /// Edits a memory so that it says what its record says.
    ///
    /// An import that isn't trusted can't edit a memory with more trust than its own. Of two records with the same id
    /// that say different things the second is refused. O(versions of the memory).
    pub(super) fn update(
        &mut self,
        place: &RecordPosition,
        id: MemoryId,
        draft: &Draft,
    ) -> Result<Result<Compared, BadLine>, Error> {
        let is_first = self.compared.insert(id);
        let compared = self.space.read(id).and_then(|memory| {
            let mut edit = edit_towards(&memory, draft);
            if edit.is_empty() {
                return Ok(Ok(Compared::Same));
            }
            if !is_first {
                let twice = "another record of this import has the same id and says something else";
                return Ok(Err(place.bad(twice)));
            }
            Earlier::of(self.space, id)?.keep_newer(&mut edit);
            if edit.is_empty() {
                return Ok(Ok(Compared::Newer));
            }
            if !self.options.trusted && memory.trust > IMPORT_TRUST {
                let citation = memory.citation();
                return Ok(Err(place.bad(format!(
                    "{citation} says something else and has more trust than an import; use --trusted to edit it"
                ))));
            }
            let edited = self.space.edit_imported(id, memory.version, &edit);
            edited.map(|_| Ok(Compared::Edited))
        });
        compared.or_else(|error| Ok(Err(place.failed(&of_one_memory(error)?))))
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
        confidence: draft
            .confidence
            .filter(|value| (value - memory.confidence).abs() > f32::EPSILON),
        add_tags: draft.tags.iter().filter(is_missing).cloned().collect(),
        metadata: (draft.metadata.iter().filter(is_other))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        occurred_at: given(draft.occurred_at, Some(memory.occurred_at)),
        expires_at: given(draft.expires_at, memory.expires_at),
        ..Edit::default()
    }
}
