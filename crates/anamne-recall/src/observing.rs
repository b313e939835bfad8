//! What a program may observe of recalls: how long each stage took, and which caches helped.
//!
//! An observer sees durations and hits only, never a query, a name or a memory. Without one nothing is measured.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// A stage of a recall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecallStage {
    /// Reads what was written since the last recall: from the log into the views, so that it is found.
    CatchUp,
    /// Brings together what the query reads; waits for its vector, if a remote model makes it.
    Gather,
    /// Parses and embeds the query.
    Prepare,
    /// Turns filters, scope and times into rows.
    Filter,
    /// Plans, and searches words and vectors.
    Search,
    /// Reads and ranks the candidates.
    Rank,
    /// Follows links, relations and threads; only beyond a shallow depth.
    Expand,
    /// Applies another order: weights, roles, formulas, rerankers, diversity.
    Reorder,
    /// Estimates confidence.
    Judge,
    /// Reads the memories, and explains them.
    Answer,
    /// Packs a block of text for a model.
    Pack,
}

impl RecallStage {
    /// All stages in their order.
    pub const ALL: [Self; 11] = [
        Self::CatchUp,
        Self::Gather,
        Self::Prepare,
        Self::Filter,
        Self::Search,
        Self::Rank,
        Self::Expand,
        Self::Reorder,
        Self::Judge,
        Self::Answer,
        Self::Pack,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CatchUp => "catch_up",
            Self::Gather => "gather",
            Self::Prepare => "prepare",
            Self::Filter => "filter",
            Self::Search => "search",
            Self::Rank => "rank",
            Self::Expand => "expand",
            Self::Reorder => "reorder",
            Self::Judge => "judge",
            Self::Answer => "answer",
            Self::Pack => "pack",
        }
    }
}

/// A cache that recall looks into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecallCache {
    /// Authors and latest time of the space, until the next write.
    Profile,
    /// The list of colder tiers, until the next write.
    TierList,
    /// Open colder tiers.
    Tiers,
    /// How the space differed at an earlier time, until the next write.
    Past,
    /// Hits of the same query in colder tiers that have not changed since.
    ColderHits,
    /// Vectors of queries by a remote model.
    QueryVectors,
    /// How often memories were opened, read by the first recall.
    Openings,
}

impl RecallCache {
    /// All caches.
    pub const ALL: [Self; 7] = [
        Self::Profile,
        Self::TierList,
        Self::Tiers,
        Self::Past,
        Self::ColderHits,
        Self::QueryVectors,
        Self::Openings,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::TierList => "tier_list",
            Self::Tiers => "tiers",
            Self::Past => "past",
            Self::ColderHits => "colder_hits",
            Self::QueryVectors => "query_vectors",
            Self::Openings => "openings",
        }
    }
}

/// Observes recalls. It is called within them, so it must be quick and may not block.
pub trait RecallObserver: Send + Sync {
    /// A recall spent this time in a stage; called once for each stage that took part.
    fn stage(&self, stage: RecallStage, took: Duration);

    /// A recall worked on a stage between these times. Called as the work ends, for each part of a stage that runs in
    /// parts, also if the recall fails later. By default does nothing.
    fn part(&self, stage: RecallStage, began: Instant, ended: Instant) {
        let _ = (stage, began, ended);
    }

    /// A recall looked into a cache, and found what it needed or not.
    fn cache(&self, cache: RecallCache, hit: bool);
}

/// The times of one recall by stage. A stage that runs in parts is reported once, at the end.
pub(crate) struct StageTimes<'a> {
    pub(crate) started: Instant,
    observer: Option<&'a dyn RecallObserver>,
    last: Cell<Instant>,
    took: [Cell<Option<Duration>>; RecallStage::ALL.len()],
}

impl<'a> StageTimes<'a> {
    pub(crate) fn start(observer: Option<&'a dyn RecallObserver>) -> Self {
        let started = Instant::now();
        Self {
            started,
            observer,
            last: Cell::new(started),
            took: Default::default(),
        }
    }

    /// The time since the last call belongs to this stage.
    pub(crate) fn end_of(&self, stage: RecallStage) {
        let Some(observer) = self.observer else {
            return;
        };
        let now = Instant::now();
        let began = self.last.replace(now);
        observer.part(stage, began, now);
        let took = now.duration_since(began);
        let of_stage = &self.took[stage as usize];
        of_stage.set(Some(of_stage.get().unwrap_or_default() + took));
    }

    /// Milliseconds since the start.
    pub(crate) fn milliseconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1000.0
    }

    /// Tells the observer. A recall that fails is not reported.
    pub(crate) fn report(&self) {
        let Some(observer) = self.observer else {
            return;
        };
        for (stage, took) in RecallStage::ALL.iter().zip(&self.took) {
            if let Some(took) = took.take() {
                observer.stage(*stage, took);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Seen {
        stages: Mutex<Vec<(RecallStage, Duration)>>,
        parts: Mutex<Vec<(RecallStage, Duration)>>,
    }

    impl RecallObserver for Seen {
        fn stage(&self, stage: RecallStage, took: Duration) {
            self.stages.lock().expect("a lock").push((stage, took));
        }

        fn part(&self, stage: RecallStage, began: Instant, ended: Instant) {
            let took = ended - began;
            self.parts.lock().expect("a lock").push((stage, took));
        }

        fn cache(&self, _: RecallCache, _: bool) {}
    }

    #[test]
    fn a_stage_in_parts_is_reported_once_with_its_whole_time() {
        let seen = Seen::default();
        let times = StageTimes::start(Some(&seen));
        times.end_of(RecallStage::Rank);
        std::thread::sleep(Duration::from_millis(2));
        times.end_of(RecallStage::Expand);
        std::thread::sleep(Duration::from_millis(4));
        times.end_of(RecallStage::Rank);
        let of = |told: &Mutex<Vec<(RecallStage, Duration)>>| told.lock().expect("a lock").clone();
        let names = |told: &[(RecallStage, Duration)]| {
            told.iter().map(|(stage, _)| *stage).collect::<Vec<_>>()
        };
        let parts = of(&seen.parts);
        let (rank, expand) = (RecallStage::Rank, RecallStage::Expand);
        assert_eq!(names(&parts), [rank, expand, rank], "before the end");
        times.report();
        times.report();
        let stages = of(&seen.stages);
        assert_eq!(names(&stages), [rank, expand]);
        assert!(stages[0].1 >= Duration::from_millis(4) && stages[1].1 >= Duration::from_millis(2));
        assert_eq!(stages[0].1, parts[0].1 + parts[2].1);
        assert_eq!(of(&seen.parts).len(), 3, "a report repeats no part");
    }

    #[test]
    fn each_stage_and_cache_has_its_place_and_name() {
        for (place, stage) in RecallStage::ALL.iter().enumerate() {
            assert_eq!(*stage as usize, place);
        }
        let names: std::collections::BTreeSet<_> = RecallStage::ALL
            .iter()
            .map(|stage| stage.as_str())
            .collect();
        assert_eq!(names.len(), RecallStage::ALL.len());
        for (place, cache) in RecallCache::ALL.iter().enumerate() {
            assert_eq!(*cache as usize, place);
        }
        let names: std::collections::BTreeSet<_> = RecallCache::ALL
            .iter()
            .map(|cache| cache.as_str())
            .collect();
        assert_eq!(names.len(), RecallCache::ALL.len());
    }
}
