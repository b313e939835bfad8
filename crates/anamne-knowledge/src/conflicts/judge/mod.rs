//! Whether two claims can't both be so.

mod actions;
mod quantities;

use anamne_types::ConflictKind;
use serde::{Deserialize, Serialize};

use self::actions::judge_actions;
use self::quantities::judge_quantities;
use super::claim::{Claim, Content};

/// Two claims that can't both be so at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// How they stand to each other.
    pub kind: ConflictKind,
    /// How sure that is, 0 to 1.
    pub confidence: f32,
    /// The reason.
    pub reason: String,
}

/// What two claims of two memories have against each other, if anything. `earlier` was said before `later`: its time is
/// earlier or, where they are the same, its row.
///
/// A pure function of the two; costs microseconds.
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

/// Whether one person says both, as far as is known.
pub(super) fn same_author(earlier: &Claim, later: &Claim) -> bool {
    earlier.author == later.author
}
