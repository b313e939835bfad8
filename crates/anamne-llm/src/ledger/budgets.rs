//! Daily and monthly budgets, and when they reset.

use std::fmt;

use anamne_types::InvalidValue;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use super::Money;
use crate::BridgeError;

/// The budgets of all spaces of a store together, or of one space. Days and months are in UTC; 0 is no limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// US dollars per day.
    pub daily_dollars: f64,
    /// US dollars per month.
    pub monthly_dollars: f64,
    /// Tokens per day, input and output.
    pub daily_tokens: u64,
    /// Tokens per month, input and output.
    pub monthly_tokens: u64,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            daily_dollars: 1.0,
            monthly_dollars: 10.0,
            daily_tokens: 0,
            monthly_tokens: 0,
        }
    }
}

/// One of the four budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetKind {
    /// Money per day.
    DailyDollars,
    /// Money per month.
    MonthlyDollars,
    /// Tokens per day.
    DailyTokens,
    /// Tokens per month.
    MonthlyTokens,
}

impl BudgetKind {
    const ALL: [Self; 4] = [
        Self::DailyDollars,
        Self::MonthlyDollars,
        Self::DailyTokens,
        Self::MonthlyTokens,
    ];

    fn is_monthly(self) -> bool {
        matches!(self, Self::MonthlyDollars | Self::MonthlyTokens)
    }

    fn is_money(self) -> bool {
        matches!(self, Self::DailyDollars | Self::MonthlyDollars)
    }

    /// Formats an amount with its unit.
    fn words(self, amount: i64) -> String {
        if self.is_money() {
            Money::from_nanodollars(amount).to_string()
        } else {
            format!("{amount} tokens")
        }
    }
}

impl fmt::Display for BudgetKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::DailyDollars => "daily money",
            Self::MonthlyDollars => "monthly money",
            Self::DailyTokens => "daily token",
            Self::MonthlyTokens => "monthly token",
        })
    }
}

/// The current state of a budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BudgetState {
    /// The budget.
    pub budget: BudgetKind,
    /// The formatted limit; `None` without a limit.
    pub limit: Option<String>,
    /// Spent in the current day or month, or reserved by running calls, formatted.
    pub spent: String,
    /// Whether the budget is used up.
    pub exhausted: bool,
    /// When the next day or month begins.
    pub opens_at: Timestamp,
}

/// Billionths of a dollar, and tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Amount {
    pub(crate) nanodollars: i64,
    pub(crate) tokens: i64,
}

/// Spent or reserved in the current day, and in the current month.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) counted: [Amount; 2],
    /// The same, without what counts only because of a clock jump.
    pub(crate) own: [Amount; 2],
}

impl Spent {
    fn of(&self, budget: BudgetKind) -> i64 {
        self.counted[usize::from(budget.is_monthly())].of(budget)
    }

    fn own(&self, budget: BudgetKind) -> i64 {
        self.own[usize::from(budget.is_monthly())].of(budget)
    }
}

impl Amount {
    fn of(&self, budget: BudgetKind) -> i64 {
        if budget.is_money() {
            self.nanodollars
        } else {
            self.tokens
        }
    }
}

impl Budgets {
    /// Validates all values.
    pub fn check(&self) -> Result<(), InvalidValue> {
        for (field, dollars) in [
            ("budgets.daily_dollars", self.daily_dollars),
            ("budgets.monthly_dollars", self.monthly_dollars),
        ] {
            if !(0.0..=1e9).contains(&dollars) {
                return Err(InvalidValue::new(field, "dollars, 0 for no limit", dollars));
            }
        }
        for (field, tokens) in [
            ("budgets.daily_tokens", self.daily_tokens),
            ("budgets.monthly_tokens", self.monthly_tokens),
        ] {
            if i64::try_from(tokens).is_err() {
                return Err(InvalidValue::new(
                    field,
                    format!("at most {}", i64::MAX),
                    tokens,
                ));
            }
        }
        Ok(())
    }

    fn limit(&self, budget: BudgetKind) -> Option<i64> {
        let limit = match budget {
            BudgetKind::DailyDollars => Money::from_dollars(self.daily_dollars).nanodollars(),
            BudgetKind::MonthlyDollars => Money::from_dollars(self.monthly_dollars).nanodollars(),
            BudgetKind::DailyTokens => self.daily_tokens as i64,
            BudgetKind::MonthlyTokens => self.monthly_tokens as i64,
        };
        (limit > 0).then_some(limit)
    }

    /// Rejects a call that would exceed a budget, of the store or of `space`; of several the error names the one that
    /// resets last.
    pub(crate) fn admit(
        &self,
        spent: &Spent,
        wanted: Amount,
        now: Timestamp,
        space: Option<&str>,
    ) -> Result<(), BridgeError> {
        let refusing = BudgetKind::ALL
            .into_iter()
            .filter_map(|budget| Some((budget, self.limit(budget)?)))
            // Free calls don't touch money budgets.
            .filter(|&(budget, _)| wanted.of(budget) > 0)
            .filter(|&(budget, limit)| spent.of(budget).saturating_add(wanted.of(budget)) > limit)
            .map(|(budget, limit)| {
                let alone = wanted.of(budget) > limit;
                // What counts only because of a clock jump expires within days.
                let jumped = spent.own(budget).saturating_add(wanted.of(budget)) <= limit;
                let is_monthly = budget.is_monthly() && !jumped;
                (budget, limit, (!alone).then(|| opens_at(is_monthly, now)))
            });
        let last = refusing.max_by_key(|&(.., opens_at)| opens_at.unwrap_or(Timestamp::MAX));
        match last {
            None => Ok(()),
            Some((budget, limit, opens_at)) => Err(BridgeError::BudgetExceeded {
                budget,
                space: space.map(Into::into),
                limit: budget.words(limit),
                spent: budget.words(spent.of(budget)),
                wanted: budget.words(wanted.of(budget)),
                opens_at,
            }),
        }
    }

    pub(crate) fn budget_states(&self, spent: &Spent, now: Timestamp) -> Vec<BudgetState> {
        let state = |budget: BudgetKind| {
            let limit = self.limit(budget);
            BudgetState {
                budget,
                limit: limit.map(|limit| budget.words(limit)),
                spent: budget.words(spent.of(budget)),
                exhausted: limit.is_some_and(|limit| spent.of(budget) >= limit),
                opens_at: opens_at(budget.is_monthly(), now),
            }
        };
        BudgetKind::ALL.into_iter().map(state).collect()
    }
}

/// The UTC date of a time.
pub(crate) fn day_of(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// The start of the next day or month after `now`; `now` itself at the end of the calendar.
fn opens_at(is_monthly: bool, now: Timestamp) -> Timestamp {
    let today = day_of(now);
    let next = if is_monthly {
        today.first_of_month().checked_add(1.month())
    } else {
        today.checked_add(1.day())
    };
    next.and_then(|day| day.to_zoned(TimeZone::UTC))
        .map_or(now, |day| day.timestamp())
}
