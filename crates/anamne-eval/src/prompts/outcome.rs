//! One prompt asked to one store.

use crate::corpus::Query;
use crate::sets::family;

/// Why a prompt was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The conversation has the answer, and its evidence is known.
    Answerable,
    /// About the conversation, but without an answer in it, or without known evidence. Not judged: the memories that it
    /// gets are on its topic.
    Unanswerable,
    /// A question about a conversation of another family of sets.
    OtherFamily,
    /// A question about another conversation of the same family.
    SameFamily,
    /// One of our own prompts, by its file.
    Own(&'static str),
}

impl Kind {
    /// The kind of a question about the conversation itself.
    pub(super) fn of(query: &Query) -> Self {
        if query.is_answerable() && query.has_evidence() {
            Self::Answerable
        } else {
            Self::Unanswerable
        }
    }

    /// The kind of a question about a conversation of one set, asked to one of another or the same.
    pub(super) fn about(set: &str, asked: &str) -> Self {
        if family(set) == family(asked) {
            Self::SameFamily
        } else {
            Self::OtherFamily
        }
    }

    /// Its name in tables and JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Answerable => "answerable",
            Self::Unanswerable => "unanswerable",
            Self::OtherFamily => "other family",
            Self::SameFamily => "same family",
            Self::Own(name) => name,
        }
    }

    /// The group of prompts that memory knows nothing of; `None` for questions about the conversation.
    pub(super) fn group(self) -> Option<Group> {
        match self {
            Self::Answerable | Self::Unanswerable => None,
            Self::OtherFamily | Self::SameFamily => Some(Group::OtherConversations),
            Self::Own(_) => Some(Group::Own),
        }
    }
}

/// The two groups of prompts that memory knows nothing of. Both count the same, whatever their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    OtherConversations,
    Own,
}

impl Group {
    pub(super) const ALL: [Self; 2] = [Self::OtherConversations, Self::Own];
}

/// What one prompt got.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) set: String,
    pub(super) kind: Kind,
    pub(super) text: String,
    /// The stated probability that the block holds evidence; 0 for an empty block, which injects nothing.
    pub(super) relevance: f32,
    /// Whether the block holds evidence.
    pub(super) has_evidence: bool,
    /// The memories and the tokens of the block.
    pub(super) memories: usize,
    pub(super) tokens: usize,
}

impl Outcome {
    /// The name of the set without its size: `beam` for `beam500`.
    pub(super) fn family(&self) -> &str {
        family(&self.set)
    }
}
