//! Requests for context blocks.

use serde::{Deserialize, Serialize};

use crate::body::string_enum;
use crate::limits::accept;
use crate::{InvalidValue, Recall};

string_enum! {
    /// A context block without a query.
    ContextPreset as "preset" {
        /// Start of a session: decisions, open points, important facts, recent work.
        SessionStart = 1 "session_start",
    }
}

impl ContextPreset {
    /// Its maximum and default token budget.
    pub fn budget(self) -> usize {
        match self {
            Self::SessionStart => 1_500,
        }
    }
}

/// A request for a context block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ContextRequest {
    /// The query; its `limit` bounds the memories considered. Its text may be empty with a preset.
    pub recall: Recall,
    /// Token budget, at least [`Self::LEAST_TOKENS`]; never above a preset's budget.
    pub token_budget: usize,
    /// A preset, with or without a query.
    pub preset: Option<ContextPreset>,
}

impl ContextRequest {
    /// The smallest token budget of a block.
    pub const LEAST_TOKENS: usize = 50;

    /// A block for a query, from as many memories as may fit.
    pub fn new(query: impl Into<String>, token_budget: usize) -> Self {
        Self {
            recall: Recall::new(query).limit(Self::considered(token_budget)),
            token_budget,
            preset: None,
        }
    }

    /// A block of a preset, without a query and with the preset's budget.
    pub fn preset(preset: ContextPreset) -> Self {
        Self {
            preset: Some(preset),
            ..Self::new("", preset.budget())
        }
    }

    /// How many memories to consider for a budget: 1.5 times as many as messages fit.
    pub fn considered(token_budget: usize) -> usize {
        (token_budget / 24).clamp(20, 400)
    }

    /// The token budget within the preset's limit.
    pub fn budget(&self) -> usize {
        self.preset.map_or(self.token_budget, |preset| {
            self.token_budget.min(preset.budget())
        })
    }

    /// Whether there is a query.
    pub fn asks(&self) -> bool {
        self.preset.is_none() || !self.recall.query.trim().is_empty()
    }

    /// Checks the query and the budget.
    pub fn check(&self) -> Result<(), InvalidValue> {
        if self.asks() {
            self.recall.check()?;
        } else {
            self.recall.check_bounds()?;
        }
        let (budget, accepts) = (self.token_budget, "a whole number from 50 to 1000000");
        accept(
            (Self::LEAST_TOKENS..=1_000_000).contains(&budget),
            "token_budget",
            accepts,
            budget,
        )
    }
}
