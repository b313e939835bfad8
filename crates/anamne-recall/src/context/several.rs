//! A block of several spaces: one part for each, whose citations name it.

use anamne_store::SpaceSource;
use anamne_text::analyser::Analyser;
use anamne_text::quote::quote_name;
use anamne_types::{Answer, Context, Recall};

use super::passages::PassageQuery;
use super::{Purpose, pack_in};
use crate::error::RecallError;

/// A space's part of a block of several.
#[derive(Clone, Debug)]
pub struct SpacePart {
    /// The space.
    pub space: String,
    /// Whether it is the first part, which says how to cite.
    pub is_first: bool,
    mark: String,
}

impl SpacePart {
    /// The part of this space.
    pub fn new(space: impl Into<String>, is_first: bool) -> Self {
        let space = space.into();
        Self {
            mark: format!("{}:", quote_name(&space)),
            space,
            is_first,
        }
    }

    /// What its citations begin with: `garden:`.
    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    /// The line above its entries.
    pub(super) fn heading(&self) -> String {
        format!("# Space {}", quote_name(&self.space))
    }
}

/// Packs results that were found before, all of one space, into at most `budget` tokens.
///
/// # Errors
///
/// If the source can't be read.
pub fn pack_part(
    source: &SpaceSource,
    recall: &Recall,
    answer: &Answer,
    part: Option<SpacePart>,
    budget: usize,
) -> Result<Context, RecallError> {
    let terms = Analyser::new().query(&recall.query).terms;
    let weights = vec![1.0; terms.len()];
    let passage_query = PassageQuery::new(&recall.query, &terms, &weights);
    pack_in(
        source,
        recall,
        answer,
        &passage_query,
        part,
        budget,
        Purpose::Question,
    )
}
