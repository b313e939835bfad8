//! Columns over several tiers.

use anamne_index::columns::{ColumnsSnapshot, Neighbours, RowPredicate};
use anamne_store::view::Attributes;
use anamne_types::Row;
use roaring::RoaringBitmap;

use crate::views::Columns;

/// The columns of several tiers as one. Reading a row costs a lookup in each hotter tier.
pub struct TieredColumns<'a> {
    tiers: Vec<&'a ColumnsSnapshot>,
}

impl<'a> TieredColumns<'a> {
    /// From these snapshots, the hottest tier first.
    pub fn new(tiers: Vec<&'a ColumnsSnapshot>) -> Self {
        Self { tiers }
    }
}

impl Columns for TieredColumns<'_> {
    fn attributes(&self, row: Row) -> Option<Attributes> {
        self.tiers.iter().find_map(|tier| tier.attributes(row))
    }

    fn tokens(&self, row: Row) -> Option<&[u16]> {
        self.tiers.iter().find_map(|tier| tier.tokens(row))
    }

    fn token_frequency(&self, token: u16) -> u32 {
        let frequencies = self.tiers.iter().map(|tier| tier.token_frequency(token));
        frequencies.sum()
    }

    fn rows(&self) -> usize {
        self.tiers.iter().map(|tier| tier.rows()).sum()
    }

    fn average_tokens(&self) -> f32 {
        let tokens: u64 = self.tiers.iter().map(|tier| tier.token_count()).sum();
        tokens as f32 / self.rows().max(1) as f32
    }

    fn select(&self, predicate: &RowPredicate) -> RoaringBitmap {
        let mut selected = RoaringBitmap::new();
        let mut hotter = RoaringBitmap::new();
        for (number, tier) in self.tiers.iter().enumerate() {
            let mut own = tier.select(predicate);
            own -= &hotter;
            selected |= own;
            if number + 1 < self.tiers.len() {
                hotter |= tier.select_where(|_| true);
            }
        }
        selected
    }

    fn neighbours(&self, row: Row, reach: usize) -> (Vec<Row>, Vec<Row>) {
        let Some(own) = self.attributes(row) else {
            return (Vec::new(), Vec::new());
        };
        if own.thread == 0 || reach == 0 {
            return (Vec::new(), Vec::new());
        }
        let mut thread = Vec::new();
        for (number, tier) in self.tiers.iter().enumerate() {
            let hotter = &self.tiers[..number];
            let is_own = |other| hotter.iter().all(|tier| tier.attributes(other).is_none());
            let nearby = tier.thread_nearby(row, own.thread).into_iter();
            thread.extend(nearby.filter(|&(_, other)| is_own(other)));
        }
        let neighbours = Neighbours::nearest((own.position, row), thread, reach);
        (neighbours.previous, neighbours.next)
    }
}
