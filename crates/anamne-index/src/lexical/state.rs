//! Published part and tail combined: the state that a search reads.

use std::sync::Arc;

use anamne_store::view::Health;
use anamne_types::Seq;

use super::published::{ListStamp, Published};
use super::score::Counts;
use super::segment::{DocumentSet, Segment};
use super::tail::{AnalysedChange, Tail};

/// The live part of a segment after masking by the tail.
pub(super) struct Overlay {
    /// Documents that are deleted or whose row changed.
    pub(super) dead: Option<DocumentSet>,
    /// Counts over the live documents.
    pub(super) counts: Counts,
}

impl Overlay {
    fn new(segment: &Segment) -> Self {
        Self {
            dead: segment.dead.clone(),
            counts: segment.counts,
        }
    }

    fn mask(&mut self, segment: &Segment, row: u32) {
        let Some(document) = segment.document(row) else {
            return;
        };
        let dead = self
            .dead
            .get_or_insert_with(|| DocumentSet::new(segment.documents));
        if dead.insert(document) {
            self.counts.remove(&segment.counts_of(document));
        }
    }
}

/// One consistent state of the view.
pub(super) struct State {
    pub(super) health: Health,
    pub(super) published: Option<Arc<Published>>,
    /// One per published segment.
    pub(super) overlays: Vec<Overlay>,
    pub(super) tail: Tail,
    pub(super) position: Seq,
    /// The stamp of the list of segments when it was last checked.
    pub(super) seen: Option<ListStamp>,
}

impl State {
    /// An empty state.
    pub(super) fn empty(seen: Option<ListStamp>) -> Self {
        let (overlays, tail) = (Vec::new(), Tail::default());
        Self {
            health: Health::Whole,
            published: None,
            overlays,
            tail,
            position: Seq(0),
            seen,
        }
    }

    /// A broken state, which answers no queries.
    pub(super) fn broken(reason: String, seen: Option<ListStamp>) -> Self {
        Self {
            health: Health::Broken(reason),
            ..Self::empty(seen)
        }
    }

    /// The state after `published` replaces the current part, with the remaining tail.
    pub(super) fn with_published(
        &self,
        published: Arc<Published>,
        seen: Option<ListStamp>,
    ) -> Self {
        let watermark = published.mark.watermark;
        let (tail, position) = match self.health {
            Health::Whole => (self.tail.after(watermark), self.position.max(watermark)),
            Health::Broken(_) => (Tail::default(), watermark),
        };
        let overlays = published
            .segments
            .iter()
            .map(|segment| Overlay::new(segment))
            .collect();
        let mut state = Self {
            health: Health::Whole,
            published: Some(published),
            overlays,
            tail,
            position,
            seen,
        };
        let masked: Vec<u32> = state.tail.rows().collect();
        for row in masked {
            state.mask(row);
        }
        state
    }

    /// The event up to which the published part covers the log.
    pub(super) fn watermark(&self) -> Seq {
        self.published
            .as_ref()
            .map_or(Seq(0), |published| published.mark.watermark)
    }

    /// Adds a change to the tail.
    pub(super) fn apply(&mut self, change: AnalysedChange) {
        self.mask(change.row);
        self.tail.apply(change);
    }

    fn mask(&mut self, row: u32) {
        let Some(published) = &self.published else {
            return;
        };
        for (overlay, segment) in self.overlays.iter_mut().zip(&published.segments) {
            overlay.mask(segment, row);
        }
    }

    /// The published segments with their overlays.
    pub(super) fn segments(&self) -> impl Iterator<Item = (&Segment, &Overlay)> {
        let segments = self
            .published
            .iter()
            .flat_map(|published| &published.segments);
        segments.map(|segment| &**segment).zip(&self.overlays)
    }

    /// Whether the row is live here. O(segments · log documents).
    pub(super) fn holds(&self, row: u32) -> bool {
        let published = |(segment, overlay): (&Segment, &Overlay)| {
            let is_dead = |document| {
                let dead = overlay.dead.as_ref();
                dead.is_some_and(|dead| dead.contains(document))
            };
            segment
                .document(row)
                .is_some_and(|document| !is_dead(document))
        };
        let in_tail = self.tail.holds(row);
        in_tail.unwrap_or_else(|| self.segments().any(published))
    }

    /// Counts over all live documents.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = self.tail.counts;
        for overlay in &self.overlays {
            counts.add(&overlay.counts);
        }
        counts
    }
}
