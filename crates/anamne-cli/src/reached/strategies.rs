//! Search strategies and experiments of a space in either place.

use anamne::{
    ExperiencedAnswer, ExperimentReport, LearningSearch, Remembered, SearchStrategy, Space,
    StrategyWeek,
};
use anamne_client::{Method, Query};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Reached;
use crate::failure::Failure;

/// The strategies and their use.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Strategies {
    /// The strategies, the default first.
    pub(crate) strategies: Vec<SearchStrategy>,
    /// Which were used, by week.
    pub(crate) weeks: Vec<StrategyWeek>,
}

impl Reached {
    /// Searches with the strategy that worked before, and records the search.
    pub(crate) fn search_with_experience(
        &self,
        search: &LearningSearch,
    ) -> Result<ExperiencedAnswer, Failure> {
        self.ask(
            |space| space.search_with_experience(search),
            |space| {
                let asked = json!({
                    "recall": search.recall, "previous": search.previous,
                    "thread": search.thread, "session": search.session, "agent": search.agent,
                    "shown": search.shown,
                });
                space.post(&["searches"], &asked)
            },
        )
    }

    /// The strategies and their use by week.
    pub(crate) fn strategies(&self) -> Result<Strategies, Failure> {
        self.ask(
            |space| {
                Ok(Strategies {
                    strategies: Space::search_strategies(),
                    weeks: space.strategy_weeks()?,
                })
            },
            |space| space.read(&["strategies"], &Query::new()),
        )
    }

    /// All experiments.
    pub(crate) fn experiments(&self) -> Result<Vec<ExperimentReport>, Failure> {
        self.ask(Space::experiments, |space| {
            space.read_field(&["experiments"], &Query::new(), "experiments")
        })
    }

    /// Starts an experiment.
    pub(crate) fn start_experiment(
        &self,
        name: &str,
        arms: &[String],
        alpha: f64,
    ) -> Result<Remembered, Failure> {
        self.ask(
            |space| space.start_experiment(name, arms, alpha),
            |space| {
                let new = json!({ "name": name, "arms": arms, "alpha": alpha });
                space.post(&["experiments"], &new)
            },
        )
    }

    /// An experiment.
    pub(crate) fn experiment(&self, name: &str) -> Result<ExperimentReport, Failure> {
        self.ask(
            |space| space.experiment(name),
            |space| space.read(&["experiments", name], &Query::new()),
        )
    }

    /// Ends an experiment.
    pub(crate) fn stop_experiment(&self, name: &str) -> Result<ExperimentReport, Failure> {
        self.ask(
            |space| space.stop_experiment(name),
            |space| space.call(Method::Post, &["experiments", name, "stop"], None::<&()>),
        )
    }
}
