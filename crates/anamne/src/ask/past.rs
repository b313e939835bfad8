//! A question is asked as of an instant; what differed then?

use std::sync::{Arc, PoisonError};

use anamne_recall::RecallError;
use anamne_recall::past::Past;
use anamne_types::Seq;
use jiff::Timestamp;

use crate::Error;
use crate::core::Inner;
use crate::derived::views;
use crate::models::Model;

/// A question reaches back as far as no more memories have changed since: as many are read, taken apart and embedded anew in
/// a few seconds.
const MOST_CHANGED: usize = 20_000;

/// What differed at an instant, and as of when that is known: it is the same until something is written.
pub(crate) struct KnownPast {
    at: Timestamp,
    head: Seq,
    model: String,
    past: Arc<Past>,
}

impl Inner {
    /// How the space differed at an instant from what it is now, searchable with the vectors of `model`.
    ///
    /// The last one is kept, for questions come in rows. [`RecallError::TooLongAgo`] where too much has changed.
    pub(crate) fn past(&self, at: Timestamp, model: &Model) -> Result<Arc<Past>, Error> {
        let head = anamne_store::view::MemoryFeed::head(&*self.source)?;
        let mut last = self
            .caches
            .past
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*last
            && (known.at, known.head) == (at, head)
            && known.model == model.slug()
            && known.past.vectors().is_some()
        {
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
