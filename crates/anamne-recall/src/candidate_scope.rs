//! Stage 1: all restrictions of a query as one bitmap of rows.

use anamne_types::{Memory, TimeWords};
use roaring::RoaringBitmap;

use crate::error::RecallError;
use crate::query_times::QueryTimes;
use crate::recall_context::RecallContext;
use crate::scope;
use crate::valid_rows::ValidRows;

/// The rows that a query may return.
#[derive(Debug, Default)]
pub(crate) struct CandidateScope {
    /// The rows that may be returned; `None` means no restriction.
    pub(crate) rows: Option<RoaringBitmap>,
    /// The subset in the time that the query mentions, which is ranked first; `None` if it mentions none.
    pub(crate) preferred: Option<RoaringBitmap>,
    /// The times that the query mentions.
    pub(crate) times: QueryTimes,
    /// Views that were unavailable for this.
    pub(crate) degraded: Vec<String>,
}

impl CandidateScope {
    /// Rows that pass the filter and the scope, were valid at the requested time and are in the mentioned time range;
    /// `event` finds the memory of an event that the query mentions.
    pub(crate) fn of(
        context: &RecallContext<'_>,
        valid: Option<&ValidRows>,
        event: &dyn Fn(&str) -> Result<Option<Memory>, RecallError>,
    ) -> Result<Self, RecallError> {
        let recall = context.recall;
        let mut restricted = Self {
            rows: context.rows_passing_filter(&recall.filter)?,
            ..Self::default()
        };
        if let Some(rows) = scope::select(context, &recall.scope, &mut restricted.degraded)? {
            restricted.narrow(&rows);
        }
        if let Some(valid) = valid {
            restricted.narrow(&valid.rows);
        }
        restricted.times = QueryTimes::new(recall, context.present, event)?;
        if !restricted.times.understood.is_empty() {
            let mut then = RoaringBitmap::new();
            for time in &restricted.times.understood {
                then |= context.rows_between(time.since, time.until)?;
            }
            match recall.time_words {
                TimeWords::Only => restricted.narrow(&then),
                _ => restricted.prefer(then),
            }
        }
        Ok(restricted)
    }

    fn narrow(&mut self, to: &RoaringBitmap) {
        match &mut self.rows {
            Some(rows) => *rows &= to,
            None => self.rows = Some(to.clone()),
        }
    }

    fn prefer(&mut self, mut rows: RoaringBitmap) {
        if let Some(all) = &self.rows {
            rows &= all;
        }
        self.preferred = (!rows.is_empty()).then_some(rows);
    }
}
