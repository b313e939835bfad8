//! What can't be true together: claims that memories make, which of them are about the same thing, and whether the later
//! one takes the place of the earlier one or contests it.
//!
//! Three pure functions, no model and no clock: [`claims`] reads a memory once, [`keys`] say where its claims are found,
//! [`judge`] compares two of them. [`Conflicts`] is the whole in memory, and what a view must come to.
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
//! # How a view keeps them
//!
//! - A claim is stored with its memory's row, its place among the memory's claims and [`CLAIMS_VERSION`], and listed under
//!   each of [`Keys::listed`] by (row, place).
//! - For a new claim, the candidates are: under each of [`Keys::sought`], the [`WINDOW`] listed claims of the nearest lower
//!   rows. All distinct ones are judged; nothing else bounds a claim's conflicts, so the answer for two claims never hangs on a third,
//!   but for the window.
//! - The two are handed to [`judge`] by the time at which they were said, then by row, then by place; not by arrival. Claims of one memory
//!   are not compared.
//! - Of several conflicts between the same two sentences (by row and [`Claim::span`]) the surest is shown; at a tie the one with the
//!   lower ids.
//! - The set of rows alone decides. Memories that come in any order of rows, or change, give the same: when a row is inserted below the
//!   highest one, changed or taken out, the [`WINDOW`] listed claims of higher rows under each of its `listed` keys look for their
//!   candidates again. Rows of a log only grow, so that is rare.
//! - An erased memory takes its claims, keys and conflicts along: quotes and reasons hold its words.

mod actions;
mod claim;
mod clauses;
mod driver;
mod judge;
mod keys;
mod quantities;
mod read;
mod states;
mod tokens;
mod topics;
mod values;
mod words;

pub use claim::{Action, Aspect, Claim, Content, Quantity, Topic};
pub use driver::{ClaimId, Conflicts, Link, WINDOW};
pub use judge::{Conflict, judge};
pub use keys::{Keys, keys};
pub use read::{MOST_CLAIMS, claims};

/// Changes whenever the same texts may give other claims, keys or conflicts.
pub const CLAIMS_VERSION: u32 = 1;
