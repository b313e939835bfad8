//! Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).

use std::collections::HashMap;

use crate::corpus::Record;

/// The constant k.
const FUSION: f64 = 60.0;

/// Fuses ranked lists into one list of all records, best first.
pub(crate) fn fuse<'corpus>(lists: &[Vec<&'corpus Record>]) -> Vec<&'corpus Record> {
    let mut scores: HashMap<&str, (f64, &Record)> = HashMap::new();
    for list in lists {
        for (rank, &record) in list.iter().enumerate() {
            scores.entry(&record.id).or_insert((0.0, record)).0 +=
                1.0 / (FUSION + rank as f64 + 1.0);
        }
    }
    let mut fused: Vec<_> = scores.into_values().collect();
    fused.sort_by(|(left, one), (right, other)| {
        right.total_cmp(left).then_with(|| one.id.cmp(&other.id))
    });
    fused.into_iter().map(|(_, record)| record).collect()
}
