//! Membership: a memory of one space that another space shows too.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::limits::accept;
use crate::{Body, InvalidValue, Memory, Metadata, Provenance, Seq};

/// How a memory is a member of a space that is not its home.
///
/// The home has the text and the typed fields, which are stored there only; the space has this record, and tags and
/// metadata of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Membership {
    /// The name of the home.
    pub home: String,
    /// How relevant it is in this space, 0 to 1.
    pub relevance: f32,
    /// When it was added.
    pub added_at: Timestamp,
    /// Its origin according to the log of the home.
    pub origin: Provenance,
    /// The event of the home up to which this space follows it.
    pub seq: Seq,
    /// The salted digest of that event, in hexadecimal.
    pub digest: String,
    /// Whether the home has hidden it: it is forgotten there, or missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// What a space says about a member of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberTerms {
    /// How relevant it is in the space, 0 to 1; `None` keeps the former value, 1 for a new member.
    pub relevance: Option<f32>,
    /// Tags to add.
    pub tags: Vec<String>,
    /// Metadata to set; `null` removes a name.
    pub metadata: Metadata,
}

impl MemberTerms {
    /// Full relevance, no tags and no metadata.
    pub fn new() -> Self {
        Self {
            relevance: None,
            tags: Vec::new(),
            metadata: Metadata::new(),
        }
    }

    /// Checks the relevance. Tags and metadata are checked together with those that the member has.
    pub fn check(&self) -> Result<(), InvalidValue> {
        self.relevance.map_or(Ok(()), check_relevance)
    }
}

impl Default for MemberTerms {
    fn default() -> Self {
        Self::new()
    }
}

fn check_relevance(relevance: f32) -> Result<(), InvalidValue> {
    let is_valid = (0.0..=1.0).contains(&relevance);
    accept(is_valid, "relevance", "a number from 0 to 1", relevance)
}

impl Memory {
    /// Whether its home is another space.
    pub fn is_member(&self) -> bool {
        self.member.is_some()
    }

    /// The memory without what only its home stores: the text and the typed fields.
    #[must_use]
    pub fn without_text(&self) -> Self {
        let body = match &self.body {
            Body::Message { .. } | Body::Fact { .. } => self.body.clone(),
            body => Body::empty(body.kind()).unwrap_or_else(|| body.clone()),
        };
        Self {
            content: String::new(),
            body,
            ..self.clone()
        }
    }
}
