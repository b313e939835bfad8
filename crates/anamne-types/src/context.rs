//! How a block of remembered text is asked for.

use serde::{Deserialize, Serialize};

use crate::body::words;
use crate::limits::accept;
use crate::{InvalidValue, Recall};

words! {
    /// What a host wants to know without asking a question.
    ContextPreset as "preset" {
        /// At the start of a session: what was decided, what is open, what matters, what was done last.
        SessionStart = 1 "session_start",
    }
}

impl ContextPreset {
    /// Tokens that its block costs at most, and where no other budget is given.
    pub fn budget(self) -> usize {
        match self {
            Self::SessionStart => 1_500,
        }
    }
}

/// A question whose answer is a block of text for a model to read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextRequest {
    /// The question; its `limit` bounds how many memories are considered. With a preset its words may be empty.
    pub recall: Recall,
    /// Tokens that the block may cost, at least 50. A preset's own budget is never exceeded.
    pub token_budget: usize,
    /// What is wanted beside what the question asks, or without a question.
    pub preset: Option<ContextPreset>,
}

impl ContextRequest {
    /// A block on a question, from as many memories as may find room in it.
    pub fn new(query: impl Into<String>, token_budget: usize) -> Self {
        Self {
            recall: Recall::new(query).limit(Self::considered(token_budget)),
            token_budget,
            preset: None,
        }
    }

    /// A block of a preset, without a question and with the preset's own budget.
    pub fn preset(preset: ContextPreset) -> Self {
        Self {
            preset: Some(preset),
            ..Self::new("", preset.budget())
        }
    }

    /// How many memories it pays to consider for a block of so many tokens: half as many again as it holds turns of a talk.
    pub fn considered(token_budget: usize) -> usize {
        (token_budget / 24).clamp(20, 400)
    }

    /// Tokens that the block may cost, with what a preset allows.
    pub fn budget(&self) -> usize {
        self.preset.map_or(self.token_budget, |preset| {
            self.token_budget.min(preset.budget())
        })
    }

    /// Whether a question is asked, rather than a preset alone.
    pub fn asks(&self) -> bool {
        self.preset.is_none() || !self.recall.query.trim().is_empty()
    }

    /// Checks the question and the budget.
    pub fn check(&self) -> Result<(), InvalidValue> {
        if self.asks() {
            self.recall.check()?;
        } else {
            self.recall.check_bounds()?;
        }
        let (budget, accepts) = (self.token_budget, "a whole number from 50 to 1000000");
        accept(
            (50..=1_000_000).contains(&budget),
            "token_budget",
            accepts,
            budget,
        )
    }
}
