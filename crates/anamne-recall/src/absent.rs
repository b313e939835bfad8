//! What stands in for views that can't take part.

use anamne_index::columns::RowPredicate;
use anamne_store::view::Attributes;
use anamne_types::Row;
use roaring::RoaringBitmap;

use crate::views::Columns;

/// Stands in for columns that can't take part: it knows no row.
pub(crate) struct NoColumns;

impl Columns for NoColumns {
    fn attributes(&self, _: Row) -> Option<Attributes> {
        None
    }

    fn tokens(&self, _: Row) -> Option<&[u16]> {
        None
    }

    fn token_frequency(&self, _: u16) -> u32 {
        0
    }

    fn rows(&self) -> usize {
        0
    }

    fn average_tokens(&self) -> f32 {
        0.0
    }

    fn select(&self, _: &RowPredicate) -> RoaringBitmap {
        RoaringBitmap::new()
    }

    fn neighbours(&self, _: Row, _: usize) -> (Vec<Row>, Vec<Row>) {
        (Vec::new(), Vec::new())
    }
}
