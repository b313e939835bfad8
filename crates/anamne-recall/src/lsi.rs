//! Similarity of candidates to the query in the latent index.

use anamne_index::latent::{Direction, LatentIndex};

use crate::candidates::Candidate;
use crate::model;
use crate::threads::Threads;
use crate::views::Columns;

/// The query in the latent index.
pub(crate) struct LsiQuery<'a> {
    index: &'a LatentIndex,
    columns: &'a dyn Columns,
    query: Direction,
    /// The weight of the similarity, 0 to 1.
    weight: f32,
}

impl<'a> LsiQuery<'a> {
    /// Returns `None` if the index contains none of these tokens. Short threads have one topic, long ones several: the
    /// longer the threads, the lower the weight.
    pub(crate) fn of(
        index: &'a LatentIndex,
        columns: &'a dyn Columns,
        tokens: &[u16],
        threads: &Threads,
    ) -> Option<Self> {
        Some(Self {
            index,
            columns,
            query: index.direction(tokens)?,
            weight: 1.0 / (1.0 + (threads.mean_records() / model::LSI_HALF_RECORDS).powi(4)),
        })
    }

    /// The feature `lsi_similarity`: from the stored vector of its part of the thread, else from its own words.
    pub(crate) fn similarity(&self, candidate: &Candidate) -> f32 {
        let attributes = &candidate.attributes;
        let stretch = match attributes.thread {
            0 => None,
            thread => self.index.stretch(thread, attributes.position),
        };
        let similarity = if let Some(place) = stretch {
            self.query.nearness(place)
        } else {
            let tokens = self.columns.tokens(candidate.row).unwrap_or_default();
            let place = self.index.place(tokens);
            place.map_or(0.0, |place| self.query.nearness(&place))
        };
        self.weight * similarity
    }
}
