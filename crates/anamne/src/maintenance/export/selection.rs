//! Which memories an export contains.

use std::collections::HashSet;

use anamne_store::{Order, Visibility};
use anamne_types::{Assertion, Category, Filter, Kind, MemoryId, Skipped};

use super::PAGE;
use crate::Error;
use crate::derived::graph::BATCH;
use crate::space::Space;

/// Which memories an export contains.
#[derive(Clone, Copy, Debug)]
pub struct ExportSelection {
    /// Live memories, forgotten ones, or both.
    pub visibility: Visibility,
    /// Whether facts that people told about personal entities are included.
    pub personal: bool,
}

impl From<Visibility> for ExportSelection {
    /// Without facts about personal entities.
    fn from(visibility: Visibility) -> Self {
        Self {
            visibility,
            personal: false,
        }
    }
}

/// The ids of the selected memories, oldest first, and the number of facts about personal entities left out.
pub(super) fn selected(
    space: &Space,
    selection: ExportSelection,
) -> Result<(Vec<MemoryId>, u64), Error> {
    let mut ids = space.select(&Filter::default(), selection.visibility, Order::OldestFirst)?;
    if selection.personal {
        return Ok((ids, 0));
    }
    let personal = personal(space, selection.visibility)?;
    let all = ids.len();
    ids.retain(|id| !personal.contains(id));
    let left_out = all - ids.len();
    Ok((ids, left_out as u64))
}

/// The facts that people told about personal entities. O(told facts); extracts the graph only if an entity is personal.
fn personal(space: &Space, visibility: Visibility) -> Result<HashSet<MemoryId>, Error> {
    let told = Filter {
        kinds: vec![Kind::Fact],
        categories: vec![Category::Entity],
        ..Filter::default()
    };
    let ids = space.select(&told, visibility, Order::OldestFirst)?;
    let (mut facts, mut any) = (Vec::new(), false);
    for page in ids.chunks(PAGE) {
        // Damaged ones are not exported either.
        for memory in space
            .source()
            .get_undamaged(page, &mut Skipped::default())?
        {
            any |= Assertion::of(&memory).is_some_and(|assertion| assertion.is_personal());
            facts.push(memory);
        }
    }
    if !any {
        return Ok(HashSet::new());
    }
    space
        .inner
        .derived
        .knowledge
        .extract(BATCH, &mut |_| true)?;
    let told = facts
        .iter()
        .filter(|memory| space.inner.is_told_of_personal(memory));
    Ok(told.map(|memory| memory.id).collect())
}
