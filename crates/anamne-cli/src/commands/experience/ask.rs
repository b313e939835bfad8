//! `anamne experience ask`.

use anamne::{Advice, AdviceKind, ExperienceQuery};

use crate::failure::Failure;
use crate::output::{CYAN, DIM, Output, counted, paint};
use crate::place::Place;
use crate::reached::Situation;
use crate::wording::{number, one_line};

/// Ask what worked in a situation
#[derive(Debug, clap::Args)]
pub(crate) struct Ask {
    /// What is to be achieved
    #[arg(default_value = "", hide_default_value = true)]
    goal: String,
    /// The planned action: a tool or a command
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "NAME"
    )]
    action: String,
    /// Its arguments, or what it acts on [default: any]
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    object: String,
    /// The error to recover from
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "TEXT"
    )]
    error: String,
    /// Who would act, by the name under which outcomes are recorded
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "NAME"
    )]
    agent: String,
    /// Answers at most
    #[arg(short = 'k', long, default_value_t = 5, value_name = "NUMBER")]
    limit: usize,
}

impl Ask {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let situation = space.situation(&ExperienceQuery {
            goal: self.goal,
            action: self.action,
            object: self.object,
            error: self.error,
            agent: self.agent,
            limit: Some(self.limit),
        })?;
        if output.is_json() {
            return output.json(&situation);
        }
        let Situation { advice, chance } = situation;
        if let Some(chance) = chance.filter(|chance| chance.same + chance.similar > 0) {
            output.line(format_args!(
                "chance of success {:.2}, after {} with this goal and {} with similar ones",
                chance.chance,
                counted(chance.same as u64, "run"),
                number(chance.similar as u64)
            ))?;
        }
        if advice.is_empty() {
            output.note("nothing is known about this situation");
        }
        for one in &advice {
            print(one, output)?;
        }
        Ok(())
    }
}

pub(crate) fn print(advice: &Advice, output: &mut Output) -> Result<(), Failure> {
    let heading = match advice.kind {
        AdviceKind::Recovery if advice.differs => "after a similar error",
        AdviceKind::Recovery if advice.other_error.is_empty() => "after this error",
        AdviceKind::Recovery => "after another error",
        AdviceKind::Call if advice.differs => "a similar call",
        AdviceKind::Call => "this call",
        AdviceKind::Goal => "this goal",
        AdviceKind::SimilarGoal => "a similar goal",
        AdviceKind::Skill => "a skill",
        AdviceKind::Lesson => "a lesson",
        AdviceKind::ProposedLesson => "attempts suggest",
    };
    output.entry(CYAN, heading, &one_line(&advice.subject))?;
    if advice.differs {
        output.line("  names or numbers differ")?;
    }
    let error = match advice.recorded_error.as_str() {
        "" => &advice.other_error,
        recorded => recorded,
    };
    if !error.is_empty() {
        output.line(format_args!("  that error: {}", one_line(error)))?;
    }
    let successes = number(advice.successes as u64);
    let failures = number(advice.failures as u64);
    let cases = match advice.kind {
        // Failures confirm a warning.
        AdviceKind::ProposedLesson => format!("{successes} for it, {failures} against it"),
        _ => format!("{successes} succeeded, {failures} failed"),
    };
    let counts = format!(
        "  confidence {:.2}: {cases}{}",
        advice.confidence,
        if advice.too_few {
            "; too few cases"
        } else {
            ""
        }
    );
    output.line(counts)?;
    if let Some(lesson) = &advice.lesson {
        output.line(format_args!("  {}", one_line(&lesson.description)))?;
        for line in lesson.content.lines() {
            output.line(format_args!("  {}", one_line(line)))?;
        }
    }
    for step in &advice.steps {
        output.line(format_args!("  then {}", one_line(step)))?;
    }
    let cases: Vec<_> = advice
        .cases
        .iter()
        .map(|case| case.citation.as_str())
        .collect();
    output.line(format_args!("  {}", paint(DIM, cases.join(" "))))
}
