//! The spaces that a query searches.

use serde::{Deserialize, Serialize};

use crate::limits::{accept, check_names};
use crate::{InvalidValue, Limits};

/// Which spaces are searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpaceChoice {
    /// These, which must exist.
    Named(Vec<String>),
    /// Those that are likely to contain an answer.
    Proposed {
        /// Hints: names of spaces, or parts of them.
        hints: Vec<String>,
        /// Maximum number of spaces.
        most: usize,
    },
    /// Every space of the store.
    All,
}

/// The spaces that a query searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Spaces {
    /// Which are searched.
    pub choice: SpaceChoice,
    /// Whether `core`, the space for what is true in every project, is searched too, if it exists.
    #[serde(default)]
    pub core: bool,
}

impl Spaces {
    /// One space, and `core`.
    pub fn one(name: impl Into<String>) -> Self {
        Self {
            choice: SpaceChoice::Named(vec![name.into()]),
            core: true,
        }
    }

    /// Checks the number of names, and the hints.
    pub fn check(&self) -> Result<(), InvalidValue> {
        let count = |names: usize, least: usize| {
            let most = Limits::FILTER_VALUES;
            let accepts = format_args!("{least} to {most} names");
            accept((least..=most).contains(&names), "spaces", accepts, names)
        };
        match &self.choice {
            SpaceChoice::All => Ok(()),
            SpaceChoice::Named(names) => count(names.len(), 1),
            SpaceChoice::Proposed { hints, most } => {
                count(hints.len(), 0)?;
                check_names("space", hints)?;
                accept(*most > 0, "spaces", "at least one space", most)
            }
        }
    }
}

/// The spaces that are likely to contain an answer to a query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpaceProposals {
    /// The likeliest first.
    pub spaces: Vec<SpaceProposal>,
    /// The number of spaces whose content was not sampled, because there are too many: those that are neither hinted at nor
    /// described by words of the query, and in which nothing was written for longest.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_sampled: usize,
}

impl SpaceProposals {
    /// How the note in `degraded` of an answer ends that counts the spaces that were not sampled.
    pub const NOT_SAMPLED: &str = "not looked into for the most likely ones";

    /// The note for an answer; `None` if every space was sampled.
    pub fn note(not_sampled: usize) -> Option<String> {
        let ending = Self::NOT_SAMPLED;
        match not_sampled {
            0 => None,
            1 => Some(format!("1 space, {ending}")),
            more => Some(format!("{more} spaces, {ending}")),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde hands over")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A space that is likely to contain an answer to a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SpaceProposal {
    /// The space.
    pub space: String,
    /// The likelihood, 0 to 1.
    pub likelihood: f32,
    /// The reasons, in a few words each.
    pub reasons: Vec<String>,
}
