//! Decides whether two claims conflict.

mod actions;
mod quantities;

use anamne_types::ConflictKind;
use serde::{Deserialize, Serialize};

use self::actions::judge_actions;
use self::quantities::judge_quantities;
use super::claim::{Claim, Content};

/// A conflict: two claims that can't both hold at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// The kind of conflict.
    pub kind: ConflictKind,
    /// Confidence, 0 to 1.
    pub confidence: f32,
    /// The reason.
    pub reason: String,
}

/// The conflict of two claims of two memories, if any. `earlier` must precede `later` by time, at equal times by row.
///
/// A pure function of the two; takes microseconds.
pub fn judge(earlier: &Claim, later: &Claim) -> Option<Conflict> {
    match (&earlier.content, &later.content) {
        (Content::Action(before), Content::Action(after)) => {
            judge_actions(earlier, before, later, after)
        }
        (Content::Quantity(before), Content::Quantity(after)) => {
            judge_quantities(earlier, before, later, after)
        }
        _ => None,
    }
}

/// Whether both have the same author, as far as is known.
pub(super) fn same_author(earlier: &Claim, later: &Claim) -> bool {
    earlier.author == later.author
}
