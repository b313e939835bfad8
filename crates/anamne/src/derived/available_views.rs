//! The views of a query, combined over tiers.

use std::sync::Arc;

use anamne_index::columns::ColumnsSnapshot;
use anamne_index::lexical::LexicalView;
use anamne_index::vectors::VectorsView;
use anamne_recall::Planner;
use anamne_recall::past::Past;
use anamne_recall::tiers::{TieredColumns, TieredLexical, TieredVectors};
use anamne_recall::views::{Columns, LexicalSearch, VectorSearch};
use anamne_types::Tier;

use super::tiers::{OpenTier, UnavailableView};
use super::views::{COLUMNS, LEXICAL, VECTORS};

/// The available views, hottest tier first.
pub(crate) struct AvailableViews<'a> {
    lexical: Vec<&'a LexicalView>,
    vectors: Vec<&'a VectorsView>,
    columns: Vec<ColumnsSnapshot>,
    /// Whether there is only one tier, queried as of now.
    is_one: bool,
    has_past: bool,
    /// The view that can't be queried as of an earlier time.
    pub(crate) lacking: Option<String>,
}

impl<'a> AvailableViews<'a> {
    /// The views of these tiers except those in `problems`, preceded by the views of `past`.
    pub(crate) fn of(
        tiers: &'a [Arc<OpenTier>],
        problems: &[UnavailableView],
        past: Option<&'a Past>,
    ) -> Self {
        let whole = |view: &'static str| {
            tiers.iter().filter(move |tier| {
                !problems
                    .iter()
                    .any(|problem| problem.is_of(tier.tier(), view))
            })
        };
        let mut part = Self {
            lexical: whole(LEXICAL).map(|tier| &*tier.views.lexical).collect(),
            vectors: whole(VECTORS).map(|tier| &*tier.views.vectors).collect(),
            columns: whole(COLUMNS)
                .map(|tier| tier.views.columns.snapshot())
                .collect(),
            is_one: tiers.len() == 1 && past.is_none(),
            has_past: past.is_some(),
            lacking: None,
        };
        if let Some(past) = past {
            // The earlier states come first, like a hotter tier. They are never used alone: they are only a part of the
            // space.
            prepend(&mut part.columns, || past.columns().snapshot());
            prepend(&mut part.lexical, || past.lexical());
            if let Some(of_past) = past.vectors() {
                prepend(&mut part.vectors, || of_past);
            } else {
                part.vectors.clear();
                part.lacking = Some(VECTORS.to_owned());
            }
        }
        part
    }

    /// The combined views.
    pub(crate) fn together(&self) -> CombinedViews<'_> {
        CombinedViews {
            lexical: TieredLexical::new(self.lexical.clone()),
            vectors: TieredVectors::new(self.vectors.clone()),
            columns: TieredColumns::new(self.columns.iter().collect()),
            parts: self,
        }
    }

    /// Whether there is only one tier, queried as of now.
    pub(crate) fn is_one(&self) -> bool {
        self.is_one
    }

    /// Number of memories per tier.
    pub(crate) fn counts(&self, tiers: &[Tier]) -> Vec<(Tier, usize)> {
        let columns = self.columns.iter().skip(usize::from(self.has_past));
        let counts = tiers.iter().zip(columns);
        counts
            .map(|(tier, columns)| (*tier, columns.rows()))
            .collect()
    }
}

/// Combined views of several tiers. With one tier, its views are used directly.
pub(crate) struct CombinedViews<'a> {
    parts: &'a AvailableViews<'a>,
    lexical: TieredLexical<'a>,
    vectors: TieredVectors<'a>,
    columns: TieredColumns<'a>,
}

impl CombinedViews<'_> {
    pub(crate) fn lexical(&self) -> Option<&dyn LexicalSearch> {
        let first = self.parts.lexical.first()?;
        Some(if self.parts.is_one {
            *first
        } else {
            &self.lexical
        })
    }

    pub(crate) fn vectors(&self) -> Option<&dyn VectorSearch> {
        let first = self.parts.vectors.first()?;
        Some(if self.parts.is_one {
            *first
        } else {
            &self.vectors
        })
    }

    pub(crate) fn columns(&self) -> Option<&dyn Columns> {
        let first = self.parts.columns.first()?;
        Some(if self.parts.is_one {
            first
        } else {
            &self.columns
        })
    }

    /// The planner over these tiers.
    pub(crate) fn planner<'p>(
        &'p self,
        tiers: &'p [Tier],
        may_leave_out: bool,
        widened: bool,
    ) -> Planner<'p> {
        Planner {
            tiers,
            lexical: &self.lexical,
            vectors: &self.vectors,
            columns: &self.parts.columns,
            may_leave_out: may_leave_out && !self.parts.is_one,
            widened,
        }
    }
}

/// Inserts a view before the others, if there are any.
fn prepend<T>(others: &mut Vec<T>, one: impl FnOnce() -> T) {
    if !others.is_empty() {
        others.insert(0, one());
    }
}
