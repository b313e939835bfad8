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
    /// Whether records of experience are included: outcomes, feedback, traces, working memory.
    pub experience: bool,
}

impl From<Visibility> for ExportSelection {
    /// With experience, without facts about personal entities.
    fn from(visibility: Visibility) -> Self {
        Self {
            visibility,
            personal: false,
            experience: true,
        }
    }
}

/// The selected memories.
pub(super) struct Selected {
    /// Their ids, oldest first.
    pub(super) ids: Vec<MemoryId>,
    /// The number of facts about personal entities left out.
    pub(super) personal: u64,
    /// The number of records of experience left out.
    pub(super) experience: u64,
}

/// Selects the memories of an export.
pub(super) fn selected(space: &Space, selection: ExportSelection) -> Result<Selected, Error> {
    let filter = Filter::default();
    let mut ids = space.select(&filter, selection.visibility, Order::OldestFirst)?;
    let mut left_out = |hidden: HashSet<MemoryId>| {
        let all = ids.len();
        ids.retain(|id| !hidden.contains(id));
        (all - ids.len()) as u64
    };
    let personal = if selection.personal {
        0
    } else {
        left_out(personal(space, selection.visibility)?)
    };
    let experience = if selection.experience {
        0
    } else {
        left_out(experience(space, selection.visibility)?)
    };
    Ok(Selected {
        ids,
        personal,
        experience,
    })
}

/// The records of experience.
fn experience(space: &Space, visibility: Visibility) -> Result<HashSet<MemoryId>, Error> {
    let filter = Filter {
        kinds: vec![Kind::Experience],
        ..Filter::default()
    };
    let ids = space.select(&filter, visibility, Order::OldestFirst)?;
    Ok(ids.into_iter().collect())
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
