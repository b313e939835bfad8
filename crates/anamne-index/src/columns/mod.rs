//! The columns view: what ranking and filters need of every row, without touching the source.
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

/// Tokens of one memory at most; what comes after does not count.
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
/// Callers serialise catching up: `refresh`, `position`, reading the log from there, `follow`. Reading
/// needs no such care.
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

    /// The state of this moment. Takes no lock afterwards, and does not see later changes.
    pub fn snapshot(&self) -> ColumnsSnapshot {
        ColumnsSnapshot::new(self.shelf.snapshot())
    }
}

view_of_shelf!(ColumnsView, ColumnsLayout);
