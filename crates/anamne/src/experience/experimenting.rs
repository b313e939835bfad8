//! Experiments that compare search strategies.

use anamne_experience::ExperienceView;
use anamne_experience::experiments::{self, ArmCount, Conclusion, Uplift};
use anamne_experience::strategies::Strategy;
use anamne_types::{Body, Draft, Experience, ExperimentSetup, InvalidValue, Remembered};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::StrategyReport;
use crate::Error;
use crate::space::Space;

/// The names of all strategies.
fn names() -> String {
    let names: Vec<_> = Strategy::ALL.iter().map(Strategy::name).collect();
    names.join(", ")
}

/// What came of one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ArmReport {
    /// The name of the strategy.
    pub strategy: String,
    /// Number of searches.
    pub searches: u64,
    /// Those with feedback.
    pub judged: u64,
    /// Successes: 1 for helpful, ½ for partial.
    pub successes: f64,
    /// Share of successes of the judged searches; `None` without any.
    pub rate: Option<f64>,
}

/// The state of an experiment. It may be looked at as often as one likes: the error rate holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExperimentReport {
    /// Its name.
    pub name: String,
    /// The citation of the memory that last set it up.
    pub citation: String,
    /// When it was last set up: when it ended, if it has.
    pub at: Timestamp,
    /// Whether it assigns strategies to questions.
    pub running: bool,
    /// The accepted rate of false conclusions.
    pub alpha: f64,
    /// The arms, the baseline first.
    pub arms: Vec<ArmReport>,
    /// How each other arm differs from the baseline, with an interval that is valid at any time; without the arms that can't be
    /// compared because they, or the baseline, have no judged searches.
    pub uplifts: Vec<Uplift>,
    /// What may be concluded; `None` if it should go on.
    pub conclusion: Option<Conclusion>,
}

impl ExperimentReport {
    /// How an arm differs from the baseline; `None` for the baseline and for arms that can't be compared.
    pub fn uplift_of(&self, arm: &ArmReport) -> Option<&Uplift> {
        let mut uplifts = self.uplifts.iter();
        uplifts.find(|uplift| uplift.arm == arm.strategy)
    }
}

impl Space {
    /// Starts an experiment: from now on, the first search of each question uses the arm that the question's hash
    /// assigns, until the experiment is stopped or feedback allows a conclusion. Several run one after the other: the
    /// oldest that runs assigns.
    ///
    /// # Errors
    ///
    /// If a strategy is unknown or named twice, if there are fewer than two or more than eight, if `alpha` is not
    /// between 0 and 1, or if an experiment with this name exists.
    pub fn start_experiment(
        &self,
        name: &str,
        arms: &[String],
        alpha: f64,
    ) -> Result<Remembered, Error> {
        self.require_write()?;
        for (number, arm) in arms.iter().enumerate() {
            if Strategy::named(arm).is_none() || arms[..number].contains(arm) {
                let accepts = format!("different ones of the strategies {}", names());
                return Err(InvalidValue::new("arms", accepts, arm).into());
            }
        }
        if self.started(name)?.is_some() {
            return Err(InvalidValue::new("experiment", "a new name", name).into());
        }
        self.set_up(ExperimentSetup {
            name: name.to_owned(),
            arms: arms.to_vec(),
            alpha,
            ended: false,
        })
    }

    /// Ends an experiment; its searches stay counted. Nothing happens if it has ended.
    ///
    /// # Errors
    ///
    /// If there is none with this name.
    pub fn stop_experiment(&self, name: &str) -> Result<ExperimentReport, Error> {
        self.require_write()?;
        if let Some(setup) = self.started(name)?
            && !setup.ended
        {
            self.set_up(ExperimentSetup {
                ended: true,
                ..setup
            })?;
        }
        self.experiment(name)
    }

    /// The state of an experiment. O(searches).
    ///
    /// # Errors
    ///
    /// If there is none with this name.
    pub fn experiment(&self, name: &str) -> Result<ExperimentReport, Error> {
        let mut reports = self.experiment_reports(Some(name))?;
        let unknown = || Error::nothing("experiment", name);
        reports.pop().ok_or_else(unknown)
    }

    /// The state of all experiments, oldest first. O(searches).
    pub fn experiments(&self) -> Result<Vec<ExperimentReport>, Error> {
        self.experiment_reports(None)
    }

    fn experiment_reports(&self, name: Option<&str>) -> Result<Vec<ExperimentReport>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let counts = self.strategy_reports()?;
        let memories = self.inner.source.get_rows(&view.experiments()?)?;
        let mut reports = Vec::new();
        for (_, memory) in memories {
            let (citation, at) = (memory.citation(), memory.occurred_at);
            if let Some(setup) = setup_of(memory.body)
                && name.is_none_or(|name| name == setup.name)
            {
                reports.push(report(setup, citation, at, &counts));
            }
        }
        Ok(reports)
    }

    /// Ends an experiment that allows a conclusion.
    pub(super) fn end_concluded_experiment(&self, name: &str) -> Result<(), Error> {
        let report = self.experiment(name)?;
        if report.running && report.conclusion.is_some() {
            self.stop_experiment(name)?;
        }
        Ok(())
    }

    /// The oldest experiment that runs. O(experiments).
    pub(super) fn running_experiment(
        &self,
        view: &ExperienceView,
    ) -> Result<Option<ExperimentSetup>, Error> {
        let mut setups = self.setups(view)?.into_iter();
        Ok(setups.find(|setup| !setup.ended))
    }

    fn started(&self, name: &str) -> Result<Option<ExperimentSetup>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(None);
        };
        let mut setups = self.setups(view)?.into_iter();
        Ok(setups.find(|setup| setup.name == name))
    }

    /// All experiments, as last set up.
    fn setups(&self, view: &ExperienceView) -> Result<Vec<ExperimentSetup>, Error> {
        let memories = self.inner.source.get_rows(&view.experiments()?)?;
        let bodies = memories.into_iter().map(|(_, memory)| memory.body);
        Ok(bodies.filter_map(setup_of).collect())
    }

    fn set_up(&self, setup: ExperimentSetup) -> Result<Remembered, Error> {
        self.remember(Draft::experience(Experience::Experiment(setup)))
    }
}

/// The strategy that an experiment assigns to a question: the same for the same words. Linear in the query.
pub(super) fn assigned(setup: &ExperimentSetup, query: &str) -> Option<Strategy> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let arm = experiments::arm_of(&setup.name, &words.join(" "), setup.arms.len());
    setup.arms.get(arm).and_then(|name| Strategy::named(name))
}

fn report(
    setup: ExperimentSetup,
    citation: String,
    at: Timestamp,
    counts: &[StrategyReport],
) -> ExperimentReport {
    let arms: Vec<ArmReport> = setup
        .arms
        .into_iter()
        .map(|strategy| arm_report(&setup.name, strategy, counts))
        .collect();
    let judgement = experiments::judge(&arm_counts(&arms), setup.alpha);
    ExperimentReport {
        name: setup.name,
        citation,
        at,
        running: !setup.ended,
        alpha: setup.alpha,
        arms,
        uplifts: judgement.uplifts,
        conclusion: judgement.conclusion,
    }
}

fn arm_report(experiment: &str, strategy: String, counts: &[StrategyReport]) -> ArmReport {
    let mut counts = counts.iter();
    let count = counts.find(|count| count.experiment == experiment && count.strategy == strategy);
    let judged = count.map_or(0, |count| count.judged);
    let successes = count.map_or(0.0, |count| count.successes);
    ArmReport {
        strategy,
        searches: count.map_or(0, |count| count.searches),
        judged,
        successes,
        rate: (judged > 0).then(|| successes / judged as f64),
    }
}

fn setup_of(body: Body) -> Option<ExperimentSetup> {
    match body {
        Body::Experience { experience } => match *experience {
            Experience::Experiment(setup) => Some(setup),
            _ => None,
        },
        _ => None,
    }
}

fn arm_counts(arms: &[ArmReport]) -> Vec<ArmCount> {
    let count = |arm: &ArmReport| ArmCount {
        arm: arm.strategy.clone(),
        units: arm.judged,
        successes: arm.successes,
    };
    arms.iter().map(count).collect()
}
