//! The origin of memories.

use std::collections::BTreeMap;

use anamne_types::{Memory, Provenance};

use crate::Error;
use crate::space::Space;
use crate::store::Store;

impl Space {
    /// The origin of each of these memories of this space, in order: some microseconds per memory.
    pub fn provenance(&self, memories: &[&Memory]) -> Result<Vec<Provenance>, Error> {
        Ok(self.source().provenance(memories)?)
    }
}

impl Store {
    /// The origin of each of these memories, which may be in several spaces, in order.
    pub fn provenance(&self, memories: &[&Memory]) -> Result<Vec<Provenance>, Error> {
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, memory) in memories.iter().enumerate() {
            places.entry(&memory.space).or_default().push(place);
        }
        let mut found = vec![Provenance::default(); memories.len()];
        for (space, places) in places {
            let of_space: Vec<&Memory> = places.iter().map(|place| memories[*place]).collect();
            let known = self.existing_space(space)?.provenance(&of_space)?;
            for (place, provenance) in places.into_iter().zip(known) {
                found[place] = provenance;
            }
        }
        Ok(found)
    }
}
