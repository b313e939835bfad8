//! `anamne experience skills` and `keep`.

use anamne::SkillRecord;

use super::ask;
use crate::commands::remember;
use crate::failure::Failure;
use crate::output::{CYAN, Output};
use crate::place::Place;
use crate::reached::Skills;
use crate::shell::shell_word;
use crate::wording::{number, one_line};

/// Store the skill that runs suggest for a goal
#[derive(Debug, clap::Args)]
pub(crate) struct Keep {
    /// The goal, as `anamne experience skills` shows it
    goal: String,
}

impl Keep {
    pub(super) fn run(self, place: &Place, output: &mut Output) -> Result<(), Failure> {
        let space = place.reached_existing()?;
        let remembered = space
            .keep_skill(&self.goal)
            .map_err(|error| error.listed_by("anamne experience skills"))?;
        remember::print(&remembered, output)?;
        space.settle(output)
    }
}

/// Shows the stored skills and the proposed ones.
pub(super) fn show(place: &Place, output: &mut Output) -> Result<(), Failure> {
    let space = place.reached_existing()?;
    let found = space.skills()?;
    if output.is_json() {
        return output.json(&found);
    }
    let Skills { skills, proposals } = found;
    if skills.is_empty() && proposals.is_empty() {
        output.note("no skills, and no goal was reached often and surely enough to propose one");
    }
    for skill in &skills {
        output.entry(CYAN, &skill.citation, &line_of(skill))?;
    }
    if proposals.is_empty() {
        return Ok(());
    }
    output.line("Proposed:")?;
    for proposal in &proposals {
        ask::print(proposal, output)?;
        let goal = shell_word(&proposal.subject);
        output.line(format_args!("  anamne experience keep {goal}"))?;
    }
    Ok(())
}

fn line_of(skill: &SkillRecord) -> String {
    let state = match skill {
        _ if skill.too_few => "; too few cases",
        _ if skill.set_aside => ", set aside",
        _ => "",
    };
    format!(
        "{}  confidence {:.2}: {} succeeded, {} failed{state}",
        one_line(&skill.name),
        skill.confidence,
        number(skill.successes as u64),
        number(skill.failures as u64)
    )
}
