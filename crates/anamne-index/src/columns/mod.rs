//! The columns view: per-row data for ranking and filters, without reading the source.
//!
//! Of each live memory it keeps the fixed-width [`Attributes`], the wordpieces of its text, and over
//! all of them how many memories each wordpiece occurs in.

mod attributes;
mod layout;
mod predicate;
mod snapshot;

use std::path::PathBuf;
use std::sync::Arc;

use crate::segments::{Shelf, view_of_shelf};
use layout::ColumnsLayout;

pub use predicate::RowPredicate;
pub use snapshot::{ColumnsSnapshot, NEARBY, Neighbours};

#[doc(no_inline)]
pub use anamne_store::view::Attributes;

/// Maximum tokens per memory; the rest is ignored.
pub const MEMORY_TOKENS: usize = 4_096;

/// Cuts texts into tokens of a vocabulary with fewer than 65 536 entries.
pub trait Tokenise: Send + Sync {
    /// Names vocabulary and rules: two with the same name give the same tokens. Another name than
    /// that with which a folder was made marks the view as broken until the next fold rebuilds it.
    fn name(&self) -> String;

    /// Appends the tokens of `text`, in order.
    fn tokens(&self, text: &str, out: &mut Vec<u16>);
}

/// The view named `columns`.
///
/// Callers must serialise catch-up: `refresh`, `position`, reading the log from there, `follow`. Reading is concurrent.
pub struct ColumnsView {
    shelf: Shelf<ColumnsLayout>,
}

impl ColumnsView {
    /// The view in `directory`, which need not exist.
    ///
    /// Never fails: what can't be read marks the view as broken. O(segments), whatever their size.
    pub fn open(directory: impl Into<PathBuf>, tokens: Arc<dyn Tokenise>) -> Self {
        Self {
            shelf: Shelf::open(directory.into(), ColumnsLayout::new(tokens)),
        }
    }

    /// A snapshot of the current state; lock-free, without later changes.
    pub fn snapshot(&self) -> ColumnsSnapshot {
        ColumnsSnapshot::new(self.shelf.snapshot())
    }
}

view_of_shelf!(ColumnsView, ColumnsLayout);
