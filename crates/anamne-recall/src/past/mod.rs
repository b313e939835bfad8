//! I am asked as of an instant; who answers as if it were then?
//!
//! What a space knew at an instant differs from what it knows now by few memories: those told since, which are left out,
//! and those that changed since, which are put in as they were. The latter get views of their own, in memory alone, that
//! stand before those of the tiers as a still hotter one: so words, meaning and attributes are searched as they were then.
//! What was true at an instant is another question.

mod columns;
mod texts;

use anamne_index::columns::{ColumnsView, RowPredicate};
use anamne_index::lexical::LexicalView;
use anamne_index::vectors::VectorsView;
use anamne_store::view::{Change, Health, View};
use anamne_store::{PastState, PastStates};
use anamne_types::{Memory, Row, Seq};
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

pub(crate) use columns::AsOfColumns;
pub(crate) use texts::Texts;

/// How a space differs from what it was at an instant, searchable.
pub struct Past {
    /// This row and those after it were told later.
    later: Option<Row>,
    /// The memories that changed since, as they were; those that were not there then are missing.
    then: FxHashMap<Row, Memory>,
    /// The rows of all memories that changed since.
    changed: RoaringBitmap,
    lexical: LexicalView,
    columns: ColumnsView,
    vectors: VectorsView,
}

impl Past {
    /// Takes the states into these views, which must be empty and lie nowhere on disk.
    pub fn new(
        states: PastStates,
        lexical: LexicalView,
        columns: ColumnsView,
        vectors: VectorsView,
    ) -> Self {
        let mut past = Self {
            later: states.later,
            then: FxHashMap::default(),
            changed: RoaringBitmap::new(),
            lexical,
            columns,
            vectors,
        };
        let mut changes = Vec::new();
        for PastState { row, then } in states.changed {
            past.changed.insert(row.0);
            if let Some((memory, record)) = then {
                past.then.insert(row, memory);
                changes.push(Change {
                    seq: Seq(changes.len() as u64 + 1),
                    row,
                    record: Some(record),
                });
            }
        }
        let through = Seq(changes.len() as u64);
        let views: [&dyn View; 3] = [&past.lexical, &past.columns, &past.vectors];
        for view in views {
            view.follow(&changes, through);
        }
        past
    }

    /// The words of the memories that changed since.
    pub fn lexical(&self) -> &LexicalView {
        &self.lexical
    }

    /// The attributes of the memories that changed since.
    pub fn columns(&self) -> &ColumnsView {
        &self.columns
    }

    /// The meaning of the memories that changed since; `None` where their model could not be asked.
    pub fn vectors(&self) -> Option<&VectorsView> {
        (self.vectors.health() == Health::Whole).then_some(&self.vectors)
    }

    /// The memories that changed since, as they were then, in no order.
    pub(crate) fn memories(&self) -> impl Iterator<Item = (Row, &Memory)> {
        self.then.iter().map(|(row, memory)| (*row, memory))
    }

    /// The memory of a row that changed since, as it was then.
    pub(crate) fn memory(&self, row: Row) -> Option<&Memory> {
        self.then.get(&row)
    }

    /// Whether the memory of a row was there then as it is now.
    pub(crate) fn is_as_now(&self, row: Row) -> bool {
        !self.changed.contains(row.0) && self.later.is_none_or(|later| row < later)
    }

    /// Whether the memory of a row, if it has one now, was told later or could not be recalled then.
    pub(crate) fn hides(&self, row: Row) -> bool {
        !self.is_as_now(row) && !self.then.contains_key(&row)
    }

    /// Of rows that are chosen by what they are now those that were so then, and the rows that pass by what they were.
    pub(crate) fn corrected(&self, mut now: RoaringBitmap, then: &RoaringBitmap) -> RoaringBitmap {
        now -= &self.changed;
        now |= then;
        self.known_by_then(now)
    }

    /// Those of the rows that were told by then.
    fn known_by_then(&self, mut rows: RoaringBitmap) -> RoaringBitmap {
        if let Some(later) = self.later {
            rows.remove_range(later.0..);
        }
        rows
    }

    /// The rows of memories that changed since and pass by what they were.
    pub(crate) fn select(&self, predicate: &RowPredicate, tags: &[String]) -> RoaringBitmap {
        let mut rows = self.columns.snapshot().select(predicate);
        if !tags.is_empty() {
            let untagged = |row: &u32| {
                let then = self.then.get(&Row(*row));
                !then.is_some_and(|memory| tags.iter().all(|tag| memory.tags.contains(tag)))
            };
            let untagged: RoaringBitmap = rows.iter().filter(untagged).collect();
            rows -= untagged;
        }
        rows
    }
}
