//! Stage 1: all that narrows where a question looks, as one bitmap of rows.

use anamne_types::{Memory, TimeWords};
use roaring::RoaringBitmap;

use crate::error::RecallError;
use crate::holding::Holding;
use crate::looking::Looking;
use crate::scope;
use crate::times::Times;

/// Where a question looks.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// The rows that may be answered with; `None` when all may.
    pub(crate) rows: Option<RoaringBitmap>,
    /// Those of them that happened when the question asks about, where they come first; `None` when it asks about no time.
    pub(crate) preferred: Option<RoaringBitmap>,
    /// The times that it asks about.
    pub(crate) times: Times,
    /// What could not take part in finding out.
    pub(crate) degraded: Vec<String>,
}

impl Reach {
    /// What passes the question's filter, lies in its scope, held when it is asked for, and happened when it says; `event`
    /// finds the memory that tells of what it names.
    pub(crate) fn of(
        looking: &Looking<'_>,
        holding: Option<&Holding>,
        event: &dyn Fn(&str) -> Result<Option<Memory>, RecallError>,
    ) -> Result<Self, RecallError> {
        let recall = looking.recall;
        let mut reach = Self {
            rows: looking.passing(&recall.filter)?,
            ..Self::default()
        };
        if let Some(rows) = scope::select(looking, &recall.scope, &mut reach.degraded)? {
            reach.narrow(&rows);
        }
        if let Some(holding) = holding {
            reach.narrow(&holding.rows);
        }
        reach.times = Times::of(recall, looking.present, event)?;
        if !reach.times.understood.is_empty() {
            let mut then = RoaringBitmap::new();
            for time in &reach.times.understood {
                then |= looking.happened(time.since, time.until)?;
            }
            match recall.time_words {
                TimeWords::Only => reach.narrow(&then),
                _ => reach.prefer(then),
            }
        }
        Ok(reach)
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
