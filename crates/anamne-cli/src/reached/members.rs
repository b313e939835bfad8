//! Members of a space in either place.

use anamne::{AddedMember, MemberTerms, MemoryId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::ReachedStore;
use crate::failure::Failure;

impl ReachedStore {
    /// Makes memories of the space `from` members of the space `into`, which is created if missing.
    pub(crate) fn add_members(
        &self,
        from: &str,
        ids: &[MemoryId],
        into: &str,
        terms: &MemberTerms,
    ) -> Result<Vec<AddedMember>, Failure> {
        match self {
            Self::Here(store) => Ok(store.add_members(from, ids, into, terms)?),
            Self::There(client) => {
                #[derive(Deserialize)]
                struct Added {
                    members: Vec<AddedMember>,
                }
                let new = json!({
                    "from": from, "ids": ids, "relevance": terms.relevance, "tags": terms.tags,
                    "metadata": terms.metadata,
                });
                let added: Added = client.space(into).post(&["members"], &new)?;
                Ok(added.members)
            }
        }
    }

    /// Removes members from a space, all or none.
    pub(crate) fn remove_members(&self, from: &str, ids: &[MemoryId]) -> Result<(), Failure> {
        match self {
            Self::Here(store) => Ok(store.existing_space(from)?.remove_members(ids)?),
            Self::There(client) => {
                let route = ["members", "removals"];
                let removed = client.space(from).post(&route, &json!({ "ids": ids }));
                Ok(removed.map(|_: Value| ())?)
            }
        }
    }
}
