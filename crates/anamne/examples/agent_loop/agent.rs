//! A scripted agent that remembers: no model decides, only its memory makes the second run shorter.

use std::collections::VecDeque;

use anamne::{
    ActionOutcome, Advice, AdviceKind, Draft, Error, Experience, ExperienceQuery, Feedback,
    Fetched, Kind, Recall, RequestKind, Space, ToolRequest,
};

use super::workshop::Workshop;

/// Actions after which the agent gives up.
const MOST_ACTIONS: usize = 40;

/// How a user names the command of a release.
const COMMAND_MARK: &str = "We release with: ";

/// What one run took.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RunReport {
    /// Whether the goal was reached.
    pub(crate) succeeded: bool,
    /// Number of commands.
    pub(crate) actions: usize,
    /// Those that failed.
    pub(crate) failed: usize,
    /// Web searches that were not answered from the cache.
    pub(crate) searches: usize,
    /// The steps that it took over from an earlier run.
    pub(crate) planned: usize,
}

/// One attempt at a goal.
pub(crate) struct Agent<'memory> {
    memory: &'memory Space,
    run: String,
    goal: String,
    workshop: Workshop,
    untried: VecDeque<&'static str>,
    report: RunReport,
}

impl<'memory> Agent<'memory> {
    /// An agent in a fresh copy of the project.
    pub(crate) fn new(memory: &'memory Space, run: &str, goal: &str) -> Self {
        Self {
            memory,
            run: run.to_owned(),
            goal: goal.to_owned(),
            workshop: Workshop::default(),
            untried: Workshop::COMMANDS.into(),
            report: RunReport::default(),
        }
    }

    /// Does what `message` asks, and records what came of it.
    pub(crate) fn work_on(mut self, message: &str) -> Result<RunReport, Error> {
        self.memory.remember(Draft {
            thread: Some(self.run.clone()),
            ..Draft::new(message).kind(Kind::Message)
        })?;
        let command = self.known_command()?;
        let mut plan: VecDeque<String> = self.what_worked()?.into();
        self.report.planned = plan.len();
        self.look_up("when does a registry accept a package")?;
        while !self.workshop.is_released && self.report.actions < MOST_ACTIONS {
            let next = plan.pop_front().unwrap_or_else(|| command.clone());
            if let Err(error) = self.act(&next)?
                && plan.is_empty()
            {
                plan.extend(self.remedy(error, &next)?);
            }
        }
        self.finish()
    }

    /// What do we know? The command that a user once named.
    fn known_command(&self) -> Result<String, Error> {
        let answer = self.memory.recall(&Recall::new(self.goal.as_str()))?;
        for hit in &answer.results {
            let named = hit.memory.content.split_once(COMMAND_MARK);
            if let Some((_, command)) = named {
                self.memory.feedback(&Feedback::new(hit.memory.id, true))?;
                return Ok(command.trim().to_owned());
            }
        }
        Ok("make".to_owned())
    }

    /// What worked before? The steps of the best earlier run with this goal or a similar one.
    fn what_worked(&self) -> Result<Vec<String>, Error> {
        let advice = self.memory.experience(&ExperienceQuery {
            goal: self.goal.clone(),
            ..ExperienceQuery::default()
        })?;
        let is_of_run = |advice: &&Advice| {
            matches!(advice.kind, AdviceKind::Goal | AdviceKind::SimilarGoal)
                && advice.successes > advice.failures
        };
        let best = advice.iter().find(is_of_run);
        let steps = best.map(|advice| advice.steps.iter());
        let command = |step: &String| step.strip_prefix("shell ").map(str::to_owned);
        Ok(steps.into_iter().flatten().filter_map(command).collect())
    }

    /// Cached result? Else asks the web and caches the answer.
    fn look_up(&mut self, query: &str) -> Result<String, Error> {
        let request = ToolRequest::new(RequestKind::Search, "web", query);
        let lookup = self.memory.cached(&request)?;
        if lookup.is_hit()
            && let Some(found) = lookup.result()
        {
            return Ok(found.content.clone());
        }
        let content = self.workshop.search(query).to_owned();
        self.memory.cache_result(
            &request,
            &Fetched {
                content: content.clone(),
                ..Fetched::default()
            },
        )?;
        Ok(content)
    }

    /// Runs a command and records its outcome.
    fn act(&mut self, command: &str) -> Result<Result<(), &'static str>, Error> {
        let came_of_it = self.workshop.run(command);
        self.report.actions += 1;
        self.report.failed += usize::from(came_of_it.is_err());
        self.record(ActionOutcome {
            action: "shell".to_owned(),
            arguments: command.to_owned(),
            succeeded: came_of_it.is_ok(),
            result: came_of_it.unwrap_or_default().to_owned(),
            error: came_of_it.err().unwrap_or_default().to_owned(),
            ..ActionOutcome::default()
        })?;
        Ok(came_of_it.map(drop))
    }

    /// What to do after an error: what helped before, else a command that was not tried yet.
    fn remedy(&mut self, error: &str, failed: &str) -> Result<Option<String>, Error> {
        let advice = self.memory.experience(&ExperienceQuery {
            error: error.to_owned(),
            ..ExperienceQuery::default()
        })?;
        let helped = advice.iter().find_map(|advice| {
            let command = advice.subject.strip_prefix("shell ")?;
            let is_new = self.untried.contains(&command) && command != failed;
            let is_trusted = !advice.too_few && advice.confidence > 0.5;
            (advice.kind == AdviceKind::Recovery && is_new && is_trusted)
                .then(|| command.to_owned())
        });
        let next = helped.or_else(|| self.untried.front().map(|&command| command.to_owned()));
        self.untried
            .retain(|command| next.as_deref() != Some(command));
        if self.untried.is_empty() {
            self.untried = Workshop::COMMANDS.into();
        }
        Ok(next)
    }

    /// Records the outcome of the whole run.
    fn finish(mut self) -> Result<RunReport, Error> {
        self.report.succeeded = self.workshop.is_released;
        self.report.searches = self.workshop.searches;
        self.record(ActionOutcome {
            action: ActionOutcome::TASK.to_owned(),
            succeeded: self.report.succeeded,
            ends_run: true,
            ..ActionOutcome::default()
        })?;
        Ok(self.report)
    }

    fn record(&self, outcome: ActionOutcome) -> Result<(), Error> {
        let outcome = ActionOutcome {
            goal: self.goal.clone(),
            run: self.run.clone(),
            ..outcome
        };
        self.memory
            .remember(Draft::experience(Experience::Outcome(outcome)))?;
        Ok(())
    }
}
