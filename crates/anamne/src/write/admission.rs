//! The authority that a memory may claim when it is written.
//!
//! The engine trusts metadata under reserved names, and trust and importance affect ranking. So writers can't give a
//! memory more trust than they have, and only the engine writes reserved names.

use anamne_types::{
    Draft, Edit, GuardNote, InvalidValue, Memory, MemoryId, Metadata, check_unreserved,
    is_reserved_metadata,
};

use crate::Error;
use crate::space::Space;
use crate::write::quality::check_quality;

/// The trust of memories from an untrusted import: less than a person's, more than an agent's.
pub(crate) const IMPORT_TRUST: f32 = 0.9;

impl Space {
    /// Rejects a draft that the space doesn't accept, or that claims more than its writer may give.
    pub(crate) fn admit(&self, draft: &Draft) -> Result<(), InvalidValue> {
        let intake = &self.config().intake;
        intake.check_kind(draft.body.kind())?;
        check_quality(intake, draft)?;
        check_unreserved(&draft.metadata)?;
        self.scope().check_trust(draft.trust)
    }

    /// Rejects an edit that claims more than its writer may give.
    pub(crate) fn admit_edit(&self, edit: &Edit) -> Result<(), InvalidValue> {
        check_unreserved(&edit.metadata)?;
        self.scope().check_trust(edit.trust)
    }

    /// The readable spaces of this store: claims of an import about memories in them count as verified.
    pub(crate) fn verifying_spaces(&self) -> Result<Vec<Self>, Error> {
        let names = self.store.spaces()?.into_iter();
        Ok(names
            .filter_map(|name| self.store.existing_space(name.as_str()).ok())
            .collect())
    }

    /// Whether this space has or had the memory with the claimed content and authority, so that it was exported from
    /// here.
    ///
    /// One index lookup if it is missing; never a table scan, because a missed id only costs the import its claim.
    pub(crate) fn verifies_claims(&self, id: MemoryId, draft: &Draft) -> Result<bool, Error> {
        if self.find_imported(&id.to_string())? != Some(id) {
            return Ok(false);
        }
        let states = self.history(id)?;
        let mut known = states.iter().filter_map(|state| state.memory.as_ref());
        Ok(known.any(|memory| is_backed(draft, memory)))
    }
}

/// Whether a memory has a draft's content, and at least the authority that the draft claims.
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

/// Claims of an imported draft beyond the defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    /// Trust above that of imports.
    pub(crate) trust: bool,
    /// Importance above the default.
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
                .is_some_and(|importance| importance > Draft::DEFAULT_IMPORTANCE),
            // The guard's notes claim nothing; an import is checked anew.
            metadata: draft
                .metadata
                .keys()
                .any(|name| is_reserved_metadata(name) && name != GuardNote::KEY),
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Removes claims from a draft: reserved metadata, trust above `highest`, and importance above the default.
pub(crate) fn without_authority(draft: &mut Draft, highest: f32) {
    draft.metadata.retain(|name, _| !is_reserved_metadata(name));
    draft.trust = Some(draft.trust.map_or(highest, |trust| trust.min(highest)));
    draft.importance = draft
        .importance
        .map(|importance| importance.min(Draft::DEFAULT_IMPORTANCE));
}

/// The edit that gives a memory, imported without it before, the authority that a draft claims; `None` if nothing is
/// missing, or the memory was changed since.
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
