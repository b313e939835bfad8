//! Attributes as of an earlier time.

use anamne_index::columns::{NEARBY, RowPredicate};
use anamne_store::view::Attributes;
use anamne_types::Row;
use roaring::RoaringBitmap;

use super::Past;
use crate::views::Columns;

/// Columns in which later rows are hidden and later supersessions undone.
///
/// Counts over all rows are the present ones: they change little.
pub(crate) struct AsOfColumns<'a> {
    /// The columns, with those of changed rows first.
    pub(crate) base: &'a dyn Columns,
    /// The state at the queried time, for queries as of an earlier time.
    pub(crate) past: Option<&'a Past>,
    /// Rows that were superseded only later.
    pub(crate) superseded_later: RoaringBitmap,
}

impl AsOfColumns<'_> {
    fn hides(&self, row: Row) -> bool {
        self.past.is_some_and(|past| past.hides(row))
    }
}

impl Columns for AsOfColumns<'_> {
    fn attributes(&self, row: Row) -> Option<Attributes> {
        if self.hides(row) {
            return None;
        }
        let attributes = self.base.attributes(row)?;
        Some(Attributes {
            superseded: attributes.superseded && !self.superseded_later.contains(row.0),
            ..attributes
        })
    }

    fn tokens(&self, row: Row) -> Option<&[u16]> {
        if self.hides(row) {
            return None;
        }
        self.base.tokens(row)
    }

    fn token_frequency(&self, token: u16) -> u32 {
        self.base.token_frequency(token)
    }

    fn rows(&self) -> usize {
        self.base.rows()
    }

    fn average_tokens(&self) -> f32 {
        self.base.average_tokens()
    }

    fn select(&self, predicate: &RowPredicate) -> RoaringBitmap {
        if predicate.without_superseded {
            let all = RowPredicate {
                without_superseded: false,
                ..predicate.clone()
            };
            let still = self.select(&all) & &self.superseded_later;
            return self.visible(self.base.select(predicate)) | still;
        }
        self.visible(self.base.select(predicate))
    }

    fn neighbours(&self, row: Row, reach: usize) -> (Vec<Row>, Vec<Row>) {
        let (previous, next) = self.base.neighbours(row, NEARBY as usize);
        let visible = |side: Vec<Row>| {
            let visible = side.into_iter().filter(|other| !self.hides(*other));
            visible.take(reach).collect()
        };
        (visible(previous), visible(next))
    }
}

impl AsOfColumns<'_> {
    fn visible(&self, rows: RoaringBitmap) -> RoaringBitmap {
        match self.past {
            Some(past) => rows.iter().filter(|row| !past.hides(Row(*row))).collect(),
            None => rows,
        }
    }
}
