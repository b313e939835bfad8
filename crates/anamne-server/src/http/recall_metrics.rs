//! What recalls cost, by stage and cache, for `/metrics`.

use std::time::Duration;

use anamne::{RecallCache, RecallObserver, RecallStage};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Bounds of the buckets of stages, in seconds. A stage takes microseconds where a request takes milliseconds.
const SECONDS: [f64; 15] = [
    0.000_01, 0.000_02, 0.000_05, 0.000_1, 0.000_2, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
    0.1, 0.5, 1.0,
];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StageLabel {
    stage: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LookupLabels {
    cache: &'static str,
    outcome: &'static str,
}

/// Histograms of stages, and counters of caches. Each is held here, so that a recall looks nothing up.
pub(crate) struct RecallMetrics {
    all_stages: Family<StageLabel, Histogram, fn() -> Histogram>,
    all_lookups: Family<LookupLabels, Counter>,
    stages: [Histogram; RecallStage::ALL.len()],
    /// Misses and hits.
    lookups: [[Counter; 2]; RecallCache::ALL.len()],
}

fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

impl RecallMetrics {
    pub(crate) fn new() -> Self {
        let all_stages = Family::<_, _, fn() -> Histogram>::new_with_constructor(seconds);
        let all_lookups = Family::<_, Counter>::default();
        let lookup = |cache: RecallCache, outcome| {
            let cache = cache.as_str();
            all_lookups
                .get_or_create(&LookupLabels { cache, outcome })
                .clone()
        };
        Self {
            stages: RecallStage::ALL.map(|stage| {
                let stage = stage.as_str();
                all_stages.get_or_create(&StageLabel { stage }).clone()
            }),
            lookups: RecallCache::ALL
                .map(|cache| ["miss", "hit"].map(|outcome| lookup(cache, outcome))),
            all_stages,
            all_lookups,
        }
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "recall_stage_seconds",
            "Time of a recall in each of its stages",
            self.all_stages.clone(),
        );
        registry.register(
            "recall_cache_lookups",
            "Looks of recalls into caches",
            self.all_lookups.clone(),
        );
    }
}

impl RecallObserver for RecallMetrics {
    fn stage(&self, stage: RecallStage, took: Duration) {
        self.stages[stage as usize].observe(took.as_secs_f64());
    }

    fn cache(&self, cache: RecallCache, hit: bool) {
        self.lookups[cache as usize][usize::from(hit)].inc();
    }
}
