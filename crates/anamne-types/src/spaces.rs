//! To which spaces a question goes.

use serde::{Deserialize, Serialize};

use crate::limits::{accept, check_names};
use crate::{InvalidValue, Limits};

/// Which spaces are asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpaceChoice {
    /// These, which must exist.
    Named(Vec<String>),
    /// Those that are likely to know something of it.
    Proposed {
        /// Spaces that are meant: their names, or parts of them.
        hints: Vec<String>,
        /// Maximum spaces.
        most: usize,
    },
    /// Every space of the store.
    All,
}

/// To which spaces a question goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spaces {
    /// Which are asked.
    pub choice: SpaceChoice,
    /// Whether `core`, which holds what is true everywhere, is asked beside them, if it is there.
    #[serde(default)]
    pub core: bool,
}

impl Spaces {
    /// One space, with `core` beside it.
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

/// A space that is likely to know something of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpaceProposal {
    /// The space.
    pub space: String,
    /// How likely, 0 to 1.
    pub likelihood: f32,
    /// Why, in a few words each.
    pub reasons: Vec<String>,
}
