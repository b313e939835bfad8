//! What was spent, added up as someone wants to see it.

use jiff::civil::Date;
use serde::Serialize;

use super::{Ledger, Money};
use crate::BridgeError;

/// What costs are added up by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CostsBy {
    /// A row for each day.
    #[default]
    Day,
    /// A row for each month.
    Month,
    /// A row for each model.
    Model,
    /// A row for each space.
    Space,
}

/// Which costs are asked for.
#[derive(Clone, Debug, Default)]
pub struct CostQuery {
    /// What they are added up by.
    pub by: CostsBy,
    /// From this day on, in UTC.
    pub from: Option<Date>,
    /// Up to and with this day, in UTC.
    pub until: Option<Date>,
    /// Of this space alone.
    pub space: Option<String>,
    /// Of this model alone.
    pub model: Option<String>,
}

/// What was spent on a day, in a month, on a model or by a space. Calls that are under way are not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CostRow {
    /// The day (`2026-01-31`), the month (`2026-01`), the model or the space; empty for spaces that were erased.
    pub key: String,
    /// Requests that were answered, or may have been charged.
    pub calls: u64,
    /// Tokens that were read.
    pub input_tokens: u64,
    /// Tokens that were written.
    pub output_tokens: u64,
    /// What they cost, as far as prices are known.
    #[serde(rename = "dollars")]
    pub cost: Money,
    /// How many of the calls have no known price, and are not in the cost.
    pub unpriced: u64,
    /// Of how many of the calls the tokens are an estimate, because the provider did not say.
    pub estimated: u64,
}

impl Ledger {
    /// What was spent, by day and month in the order of time, by model and space the most expensive first.
    ///
    /// O(rows of the ledger): one for each day, space and model.
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
