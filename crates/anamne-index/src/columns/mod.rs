//! The columns view: per-row data for ranking and filters, without reading the source.
//!
//! For each live memory it stores the fixed-width [`Attributes`] and the wordpieces of its text, and over all memories
//! the document frequency of each wordpiece.

mod attributes;
mod layout;
mod predicate;
mod snapshot;

use std::path::PathBuf;
use std::sync::Arc;

use crate::segments::{SegmentedView, view_of_shelf};
use layout::ColumnsLayout;

pub use predicate::RowPredicate;
pub use snapshot::{ColumnsSnapshot, NEARBY, Neighbours};

#[doc(no_inline)]
pub use anamne_store::view::Attributes;

/// Maximum tokens per memory; the rest is ignored.
pub const MEMORY_TOKENS: usize = 4_096;

/// Tokenises texts with a vocabulary of fewer than 65 536 entries.
pub trait Tokenise: Send + Sync {
    /// Identifies vocabulary and rules: equal names give equal tokens. If the name differs from the one that a folder
    /// was written with, the view is broken until the next fold rebuilds it.
    fn name(&self) -> String;

    /// Appends the tokens of `text`, in order.
    fn tokens(&self, text: &str, out: &mut Vec<u16>);
}

/// The view named `columns`.
///
/// Callers must serialise catch-up: `refresh`, `position`, reading the log from there, `follow`. Reading is concurrent.
pub struct ColumnsView {
    shelf: SegmentedView<ColumnsLayout>,
}

impl ColumnsView {
    /// Opens the view in `directory`, which may not exist yet.
    ///
    /// Never fails: unreadable files mark the view as broken. O(segments), independent of their size.
    pub fn open(directory: impl Into<PathBuf>, tokens: Arc<dyn Tokenise>) -> Self {
        Self {
            shelf: SegmentedView::open(directory.into(), ColumnsLayout::new(tokens)),
        }
    }

    /// A snapshot of the current state; lock-free, without later changes.
    pub fn snapshot(&self) -> ColumnsSnapshot {
        ColumnsSnapshot::new(self.shelf.snapshot())
    }
}

view_of_shelf!(ColumnsView, ColumnsLayout);
