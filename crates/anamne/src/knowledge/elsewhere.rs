//! Entities that other spaces know too, through memories that are members of several spaces.

use std::collections::BTreeMap;

use anamne_types::{EntityId, MemoryId};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::knowledge::graph::Knowledge;

/// Mentions of an entity that are looked at, latest first.
const LOOKED_AT: usize = 100;

/// An entity as another space knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KnownElsewhere {
    /// The space.
    pub space: String,
    /// The entity's id there.
    pub id: EntityId,
    /// Its name there.
    pub name: String,
}

impl Knowledge {
    /// The same entity in other spaces, where a memory that names it is a member, or has its home; sorted by space.
    ///
    /// Only spaces that this handle may read, as far as their graphs are extracted. Nothing of them becomes part of this
    /// graph. O(1) in the memories of the spaces: the hundred latest mentions are looked at.
    pub fn elsewhere(&self, name: &str) -> Result<Vec<KnownElsewhere>, Error> {
        let entity = self.entity(name)?;
        let mentions = self.mentions(&entity.id.to_string(), LOOKED_AT)?;
        let ids: Vec<MemoryId> = mentions.iter().map(|mention| mention.memory).collect();
        let mut spaces = BTreeMap::<String, Vec<MemoryId>>::new();
        for memory in self.space.get_each(&ids)? {
            let others = match &memory.member {
                Some(member) => vec![member.home.clone()],
                None => self.space.spaces_with(memory.id)?,
            };
            for other in others {
                spaces.entry(other).or_default().push(memory.id);
            }
        }
        let mut elsewhere = Vec::new();
        for (space, shared) in spaces {
            // Neither a missing space nor one outside of the scope is named.
            let Ok(other) = self.space.store.existing_space(&space) else {
                continue;
            };
            let Some(graph) = other.inner.derived.knowledge.if_extracted() else {
                continue;
            };
            let mut names = std::iter::once(&entity.name).chain(&entity.aliases);
            let same = |name: &String| {
                let there = graph.entity(name).ok()?;
                let mut named = shared.iter().filter_map(|id| graph.named_in(*id).ok());
                let is_named = named.any(|named| named.iter().any(|one| one.id == there.id));
                is_named.then_some(there)
            };
            elsewhere.extend(names.find_map(same).map(|there| KnownElsewhere {
                space,
                id: there.id,
                name: there.name,
            }));
        }
        Ok(elsewhere)
    }
}
