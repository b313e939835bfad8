//! Conflicts: the claims that memories make, which of them are about the same thing, and whether the later one supersedes
//! or contests the earlier one.
//!
//! Three pure functions, without a model or a clock: [`claims`] extracts the claims of a memory, [`keys`] returns their
//! index keys, [`judge`] compares two of them. [`Conflicts`] does everything in memory, as the reference for a stored view.
//!
//! ```
//! use anamne_knowledge::conflicts::{Conflicts, claims};
//! use anamne_types::ConflictKind;
//! use anamne_knowledge::reading::Utterance;
//!
//! let mut conflicts = Conflicts::new();
//! for (row, text) in ["I use Trello to plan my week.", "I no longer use Trello."].into_iter().enumerate() {
//!     let at = "2024-03-04T09:00:00Z".parse()?;
//!     conflicts.insert(row as u32, claims(&Utterance { text, author: "ada", role: None, at }));
//! }
//! assert_eq!(conflicts.links()[0].conflict.kind, ConflictKind::Superseded);
//! # Ok::<(), jiff::Error>(())
//! ```
//!
//! # How a view stores them
//!
//! - A claim is stored with its memory's row, its place among the memory's claims and [`CLAIMS_VERSION`], and listed under
//!   each of [`Keys::listed`] by (row, place).
//! - The candidates of a new claim are, under each of [`Keys::sought`], the [`WINDOW`] listed claims of the nearest lower
//!   rows. All distinct ones are judged. Except for the window, the result for two claims is independent of other claims.
//! - [`judge`] receives the two ordered by time, then row, then place; not by arrival. Claims of one memory are not
//!   compared.
//! - Of several conflicts between the same two sentences (by row and [`Claim::span`]) the most confident is shown, at a tie
//!   the one with the lower ids.
//! - The result depends only on the set of rows, not on their order of arrival. When a row is inserted below the highest
//!   one, changed or removed, the [`WINDOW`] listed claims of higher rows under each of its `listed` keys look up their
//!   candidates again. Rows of a log only grow, so that is rare.
//! - Erasing a memory removes its claims, keys and conflicts: quotes and reasons contain its words.

mod actions;
mod claim;
mod clauses;
mod driver;
mod holding;
mod judge;
mod keys;
mod quantities;
mod read;
mod relations;
mod states;
mod tokens;
mod topics;
mod values;
mod words;

pub use claim::{Action, Aspect, Claim, Content, Quantity, Topic};
pub use driver::{ClaimId, Conflicts, Link, WINDOW};
pub use judge::{Conflict, judge};
pub use keys::{Keys, keys};
pub(crate) use read::shortened;
pub use read::{MOST_CLAIMS, claims};
pub use relations::statement_claims;
pub(crate) use words::{Stems, is_verb_form};

/// Changes whenever the same texts may give different claims, keys or conflicts.
pub const CLAIMS_VERSION: u32 = 3;
