//! The compared rankers.

/// What the trees of a ranker were fitted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ranker {
    /// No trees: the weighted sum of the first stage.
    Weights,
    /// Trees fitted without the family of the measured set.
    Family,
    /// Trees fitted without the fifth of the conversations that the measured one belongs to.
    Conversation,
    /// The shipped trees on a set that they were not fitted on.
    Unseen,
    /// The shipped trees on a set that they were fitted on.
    InSample,
}

impl Ranker {
    pub(crate) const ALL: [Self; 5] = [
        Self::Weights,
        Self::Family,
        Self::Conversation,
        Self::Unseen,
        Self::InSample,
    ];

    /// Its name in tables.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Weights => "weights alone",
            Self::Family => "family held out",
            Self::Conversation => "conversation held out",
            Self::Unseen => "shipped, unseen set",
            Self::InSample => "shipped, in sample",
        }
    }

    /// Its name in JSON.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Family => "family_held_out",
            Self::Conversation => "conversation_held_out",
            Self::Unseen => "shipped_unseen",
            Self::InSample => "shipped_in_sample",
        }
    }

    /// Whether its trees have not seen what is measured, so that its gain over the weights is worth a line.
    pub(crate) fn has_unseen_trees(self) -> bool {
        matches!(self, Self::Family | Self::Conversation | Self::Unseen)
    }
}
