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

use anamne_store::view::{Change, ChangeFeed, Fold, Health, View, ViewError};
use anamne_types::Seq;

use crate::segments::{Shelf, Thoroughness};
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
    /// that with which a folder was made makes the view broken until the next fold rebuilds it.
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
    /// Never fails: what can't be read makes the view broken. O(segments), whatever their size.
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

impl View for ColumnsView {
    fn name(&self) -> &'static str {
        "columns"
    }

    fn health(&self) -> Health {
        self.shelf.health()
    }

    fn refresh(&self) {
        self.shelf.refresh();
    }

    fn watermark(&self) -> Seq {
        self.shelf.watermark()
    }

    fn position(&self) -> Seq {
        self.shelf.position()
    }

    fn tail_rows(&self) -> usize {
        self.shelf.tail_rows()
    }

    fn follow(&self, changes: &[Change], through: Seq) {
        self.shelf.follow(changes, through);
    }

    fn fold(
        &self,
        feed: &dyn ChangeFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Fold, ViewError> {
        self.shelf.fold(feed, progress, Thoroughness::Usual)
    }

    fn purge(
        &self,
        feed: &dyn ChangeFeed,
        progress: &mut dyn FnMut(Seq),
    ) -> Result<Fold, ViewError> {
        self.shelf.fold(feed, progress, Thoroughness::NothingDead)
    }

    fn verify(&self) -> Health {
        self.shelf.verify()
    }
}
