//! What a space may spend on models.

use anamne_types::InvalidValue;
use serde::{Deserialize, Serialize};

/// What a space may spend on models, within the budgets of the store. Days and months are in UTC; 0 is no limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpaceBudgets {
    /// US dollars per day.
    pub daily_dollars: f64,
    /// US dollars per month.
    pub monthly_dollars: f64,
    /// Tokens per day, input and output.
    pub daily_tokens: u64,
    /// Tokens per month, input and output.
    pub monthly_tokens: u64,
}

impl SpaceBudgets {
    pub(super) fn check(&self) -> Result<(), InvalidValue> {
        for (field, dollars) in [
            ("budgets.daily_dollars", self.daily_dollars),
            ("budgets.monthly_dollars", self.monthly_dollars),
        ] {
            if !(0.0..=1e9).contains(&dollars) {
                let accepts = "dollars from 0 to 1000000000; 0 for no limit";
                return Err(InvalidValue::new(field, accepts, dollars));
            }
        }
        for (field, tokens) in [
            ("budgets.daily_tokens", self.daily_tokens),
            ("budgets.monthly_tokens", self.monthly_tokens),
        ] {
            if i64::try_from(tokens).is_err() {
                let accepts = format!("tokens from 0 to {}; 0 for no limit", i64::MAX);
                return Err(InvalidValue::new(field, accepts, tokens));
            }
        }
        Ok(())
    }
}
