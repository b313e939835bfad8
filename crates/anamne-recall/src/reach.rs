//! Stage 1: all that narrows where a question looks, as one bitmap of rows.

use anamne_types::{Recall, TimeWords};
use roaring::RoaringBitmap;

use crate::error::RecallError;
use crate::looking::Looking;
use crate::past::Holding;
use crate::times::Times;
use crate::{filter, scope};

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
    /// What passes the question's filter, lies in its scope, held when it is asked for, and happened when it says.
    pub(crate) fn of(
        looking: &Looking<'_>,
        recall: &Recall,
        holding: Option<&Holding>,
    ) -> Result<Self, RecallError> {
        let recaller = looking.recaller;
        let mut reach = Self {
            rows: filter::select(
                recaller.source,
                looking.columns_if_any(),
                recaller.past,
                &recall.filter,
            )?,
            ..Self::default()
        };
        if let Some(rows) = scope::select(looking, &recall.scope, &mut reach.degraded)? {
            reach.narrow(&rows);
        }
        if let Some(holding) = holding {
            reach.narrow(&holding.rows);
        }
        reach.times = Times::of(looking, recall)?;
        if !reach.times.understood.is_empty() {
            let then = reach.times.rows(looking)?;
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
