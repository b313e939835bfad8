//! Cost reports.

use jiff::civil::Date;
use serde::Serialize;

use super::{Ledger, Money};
use crate::BridgeError;

/// The grouping of costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CostsBy {
    /// One row per day.
    #[default]
    Day,
    /// One row per month.
    Month,
    /// One row per model.
    Model,
    /// One row per space.
    Space,
}

/// A cost query.
#[derive(Clone, Debug, Default)]
pub struct CostQuery {
    /// The grouping.
    pub by: CostsBy,
    /// From this UTC day on.
    pub from: Option<Date>,
    /// Up to and including this UTC day.
    pub until: Option<Date>,
    /// Only this space.
    pub space: Option<String>,
    /// Only this model.
    pub model: Option<String>,
}

/// The costs of a day, month, model or space, without running calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CostRow {
    /// The day (`2026-01-31`), month (`2026-01`), model or space; empty for erased spaces.
    pub key: String,
    /// Requests that were answered, or may have been charged.
    pub calls: u64,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// The cost, as far as prices are known.
    #[serde(rename = "dollars")]
    pub cost: Money,
    /// Calls without a known price; not included in the cost.
    pub unpriced: u64,
    /// Calls with estimated tokens, because the provider didn't report them.
    pub estimated: u64,
}

impl Ledger {
    /// Costs by day or month in order of time, by model or space the most expensive first.
    ///
    /// O(ledger rows); there is one per day, space and model.
    pub fn costs(&self, query: &CostQuery) -> Result<Vec<CostRow>, BridgeError> {
        let (key, order) = match query.by {
            CostsBy::Day => ("day", "key"),
            CostsBy::Month => ("substr(day, 1, length(day) - 3)", "key"),
            CostsBy::Model => ("model", "cost DESC, tokens DESC, key"),
            CostsBy::Space => ("space", "cost DESC, tokens DESC, key"),
        };
        let statement = format!(
            "SELECT {key} AS key, sum(calls), sum(input_tokens), sum(output_tokens), sum(nanodollars) AS cost, \
             sum(unpriced), sum(estimated), sum(input_tokens + output_tokens) AS tokens FROM costs \
             WHERE (?1 IS NULL OR day >= ?1) AND (?2 IS NULL OR day <= ?2) \
             AND (?3 IS NULL OR space = ?3) AND (?4 IS NULL OR model = ?4) GROUP BY 1 ORDER BY {order}"
        );
        let from = query.from.map(|day| day.to_string());
        let until = query.until.map(|day| day.to_string());
        self.read(|connection| {
            connection
                .prepare(&statement)?
                .query_map((&from, &until, &query.space, &query.model), row_of)?
                .collect()
        })
    }
}

fn row_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<CostRow> {
    let number = |column| row.get::<_, i64>(column).map(|number| number.max(0) as u64);
    Ok(CostRow {
        key: row.get(0)?,
        calls: number(1)?,
        input_tokens: number(2)?,
        output_tokens: number(3)?,
        cost: Money::from_nanodollars(row.get(4)?),
        unpriced: number(5)?,
        estimated: number(6)?,
    })
}
