//! Views of a space as of an earlier time.
//!
//! The state at an earlier time differs from the present by few memories: those stored later, which are hidden, and
//! those changed later, which are searched as they were. The latter get views of their own, in memory, that take
//! precedence over the tiers' views like a hotter tier. What was valid at a given time is a separate question; see
//! `valid_rows`.

mod columns;
mod memory_reader;

use anamne_index::columns::{ColumnsView, RowPredicate};
use anamne_index::lexical::LexicalView;
use anamne_index::vectors::VectorsView;
use anamne_store::view::{Change, Health, View};
use anamne_store::{PastState, PastStates};
use anamne_types::{Filter, Memory, Row, Seq};
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

pub(crate) use columns::AsOfColumns;
pub(crate) use memory_reader::MemoryReader;

/// The difference between a space's present and its state at an earlier time, searchable.
pub struct Past {
    /// This row and all after it were stored later.
    first_later_row: Option<Row>,
    /// The changed memories, as they were; without those that did not exist then.
    then: FxHashMap<Row, Memory>,
    /// The rows of all memories changed since.
    changed: RoaringBitmap,
    lexical: LexicalView,
    columns: ColumnsView,
    vectors: VectorsView,
}

impl Past {
    /// Adds the states to these views, which must be empty and in memory.
    pub fn new(
        states: PastStates,
        lexical: LexicalView,
        columns: ColumnsView,
        vectors: VectorsView,
    ) -> Self {
        let mut past = Self {
            first_later_row: states.later,
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

    /// The lexical view of the changed memories.
    pub fn lexical(&self) -> &LexicalView {
        &self.lexical
    }

    /// The columns of the changed memories.
    pub fn columns(&self) -> &ColumnsView {
        &self.columns
    }

    /// The vectors view of the changed memories; `None` if their model is unavailable.
    pub fn vectors(&self) -> Option<&VectorsView> {
        (self.vectors.health() == Health::Whole).then_some(&self.vectors)
    }

    /// The changed memories as they were then, in no order.
    pub(crate) fn memories(&self) -> impl Iterator<Item = (Row, &Memory)> {
        self.then.iter().map(|(row, memory)| (*row, memory))
    }

    /// The changed memory of a row as it was then.
    pub(crate) fn memory(&self, row: Row) -> Option<&Memory> {
        self.then.get(&row)
    }

    /// Whether the memory of a row was the same then as now.
    pub(crate) fn is_unchanged(&self, row: Row) -> bool {
        !self.changed.contains(row.0) && self.first_later_row.is_none_or(|later| row < later)
    }

    /// Whether the present memory of a row was stored later or could not be recalled then.
    pub(crate) fn hides(&self, row: Row) -> bool {
        !self.is_unchanged(row) && !self.then.contains_key(&row)
    }

    /// Corrects rows selected by their present state: removes changed and later rows, adds the changed rows `then` that
    /// matched in their earlier state.
    pub(crate) fn corrected(&self, mut now: RoaringBitmap, then: &RoaringBitmap) -> RoaringBitmap {
        now -= &self.changed;
        now |= then;
        self.known_by_then(now)
    }

    /// The rows that were stored by then.
    fn known_by_then(&self, mut rows: RoaringBitmap) -> RoaringBitmap {
        if let Some(first_later_row) = self.first_later_row {
            rows.remove_range(first_later_row.0..);
        }
        rows
    }

    /// The changed rows that matched in their earlier state. What the columns don't have is read from the memories.
    pub(crate) fn select(&self, predicate: &RowPredicate, filter: &Filter) -> RoaringBitmap {
        let rows = self.columns.snapshot().select(predicate);
        let passes = |row: &u32| {
            let is_listed = |rows: &Vec<Row>| rows.binary_search(&Row(*row)).is_ok();
            let then = self.then.get(&Row(*row));
            filter.rows.as_ref().is_none_or(is_listed)
                && then.is_some_and(|memory| filter.passes_tags_and_metadata(memory))
        };
        rows.iter().filter(passes).collect()
    }
}
