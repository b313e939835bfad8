//! Queries as of an earlier time: finds what has changed since.

use std::sync::{Arc, PoisonError};

use anamne_recall::past::Past;
use anamne_recall::{RecallCache, RecallError};
use anamne_types::Seq;
use jiff::Timestamp;

use crate::Error;
use crate::core::Inner;
use crate::derived::views;
use crate::models::Model;

/// Maximum number of memories changed since that time; they are read, analysed and embedded again within seconds.
const MOST_CHANGED: usize = 20_000;

/// The differences at a time, and the event up to which they are known; valid until the next write.
pub(crate) struct KnownPast {
    at: Timestamp,
    head: Seq,
    model: String,
    past: Arc<Past>,
}

impl Inner {
    /// The differences between the space at that time and now, searchable with the vectors of `model`.
    ///
    /// The last one is cached. [`RecallError::TooLongAgo`] if too much has changed since.
    pub(crate) fn past(&self, at: Timestamp, model: &Model) -> Result<Arc<Past>, Error> {
        let head = anamne_store::view::MemoryFeed::head(&*self.source)?;
        let mut last = self
            .caches
            .past
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = last.as_ref().filter(|known| {
            (known.at, known.head) == (at, head)
                && known.model == model.slug()
                && known.past.vectors().is_some()
        });
        self.site.observer.cache(RecallCache::Past, known.is_some());
        if let Some(known) = known {
            return Ok(known.past.clone());
        }
        let most = MOST_CHANGED;
        let states = self.source.past(at, most)?;
        let states = states.ok_or(RecallError::TooLongAgo { at, most })?;
        let past = Arc::new(views::of_past(states, self.source.folder(), model)?);
        *last = Some(KnownPast {
            at,
            head,
            model: model.slug(),
            past: past.clone(),
        });
        Ok(past)
    }
}
