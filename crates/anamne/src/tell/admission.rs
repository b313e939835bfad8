//! What authority a memory may claim for itself when it is told.
//!
//! Metadata under a reserved name is believed by the engine, and trust and importance rank. So whoever tells a
//! memory may give it no more trust than it has itself, and reserved names are written by the engine alone.

use anamne_types::{
    Draft, Edit, InvalidValue, Memory, MemoryId, Metadata, check_unreserved, is_reserved_metadata,
};

use crate::Error;
use crate::space::Space;

/// The trust of what an import brings, where the import is not vouched for: less than a person's, more than an agent's.
pub(crate) const IMPORT_TRUST: f32 = 0.9;

impl Space {
    /// Refuses a draft that claims more than its teller may give.
    pub(crate) fn admit(&self, draft: &Draft) -> Result<(), InvalidValue> {
        check_unreserved(&draft.metadata)?;
        self.scope().check_trust(draft.trust)
    }

    /// Refuses a change that claims more than its teller may give.
    pub(crate) fn admit_edit(&self, edit: &Edit) -> Result<(), InvalidValue> {
        check_unreserved(&edit.metadata)?;
        self.scope().check_trust(edit.trust)
    }

    /// The spaces of this store that may be read: what one of them holds, an import need not prove.
    pub(crate) fn vouchers(&self) -> Result<Vec<Self>, Error> {
        let names = self.store.spaces()?.into_iter();
        Ok(names
            .filter_map(|name| self.store.existing_space(name.as_str()).ok())
            .collect())
    }

    /// Whether this space knows the memory in the very state that an import claims for it: then it comes from here.
    ///
    /// One look at an index where it is not here; it never reads the whole table, for an id that is missed only costs
    /// the import its claim.
    pub(crate) fn vouches_for(&self, id: MemoryId, draft: &Draft) -> Result<bool, Error> {
        if self.find_imported(&id.to_string())? != Some(id) {
            return Ok(false);
        }
        let states = self.history(id)?;
        let mut known = states.iter().filter_map(|state| state.memory.as_ref());
        Ok(known.any(|memory| is_backed(draft, memory)))
    }
}

/// Whether a memory has the content of a draft, and all the authority that the draft claims.
fn is_backed(draft: &Draft, memory: &Memory) -> bool {
    memory.content == draft.content
        && draft.trust.is_none_or(|trust| trust <= memory.trust)
        && draft
            .importance
            .is_none_or(|importance| importance <= memory.importance)
        && reserved(&draft.metadata).eq(reserved(&memory.metadata))
}

fn reserved(metadata: &Metadata) -> impl Iterator<Item = (&String, &serde_json::Value)> {
    metadata
        .iter()
        .filter(|(name, _)| is_reserved_metadata(name))
}

/// What a draft of an import claims beyond what anybody may claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    /// Trust above that of imports.
    pub(crate) trust: bool,
    /// Importance above the usual one.
    pub(crate) importance: bool,
    /// Assertions, feedback, and other metadata that only the engine writes.
    pub(crate) metadata: bool,
}

impl Claims {
    pub(crate) fn of(draft: &Draft) -> Self {
        Self {
            trust: draft.trust.is_some_and(|trust| trust > IMPORT_TRUST),
            importance: draft
                .importance
                .is_some_and(|importance| importance > Draft::USUAL_IMPORTANCE),
            metadata: draft.metadata.keys().any(|name| is_reserved_metadata(name)),
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// The draft as anybody may tell it: without reserved metadata, with trust of at most `highest`, and no more
/// importance than usual.
pub(crate) fn without_authority(draft: &mut Draft, highest: f32) {
    draft.metadata.retain(|name, _| !is_reserved_metadata(name));
    draft.trust = Some(draft.trust.map_or(highest, |trust| trust.min(highest)));
    draft.importance = draft
        .importance
        .map(|importance| importance.min(Draft::USUAL_IMPORTANCE));
}

/// The change that gives a memory, taken without it before, the authority that a draft claims; `None` where there is
/// nothing to give, or where the memory was changed since.
pub(crate) fn authority_for(memory: &Memory, draft: &Draft) -> Option<Edit> {
    let reserved: Metadata = draft
        .metadata
        .iter()
        .filter(|(name, value)| {
            is_reserved_metadata(name) && memory.metadata.get(*name) != Some(*value)
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let edit = Edit {
        trust: draft
            .trust
            .or(Some(1.0))
            .filter(|trust| *trust > memory.trust),
        importance: draft
            .importance
            .filter(|importance| *importance > memory.importance),
        metadata: reserved,
        ..Edit::default()
    };
    (memory.version == 1 && !edit.is_empty()).then_some(edit)
}
