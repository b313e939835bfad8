//! How near memories are to the question by what the space tells together.

use anamne_index::latent::{Direction, LatentIndex};

use crate::candidates::Candidate;
use crate::model;
use crate::threads::Threads;
use crate::views::Columns;

/// Where the question lies in what the space tells together.
pub(crate) struct LsiQuery<'a> {
    index: &'a LatentIndex,
    columns: &'a dyn Columns,
    query: Direction,
    /// How much it says here, 0 to 1.
    weight: f32,
}

impl<'a> LsiQuery<'a> {
    /// Of a question with these tokens; `None` where the space never told any of them together with others. A short
    /// thread is of one matter, a long one of many: where threads are long, less is said by what one is about.
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
            weight: 1.0 / (1.0 + (threads.mean_records() / model::LSI_THREAD_RECORDS).powi(4)),
        })
    }

    /// The feature `together` of a candidate: what was told since the index was made lies where its own words do.
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
