//! Do recalled runs name the tables and columns that a question needs?

use std::collections::{BTreeMap, BTreeSet};

use super::data::{Run, RunSet};
use super::figures::described;
use super::told::ToldView;
use crate::chance::Chance;
use crate::failure::Failure;
use crate::output::line;

/// Parts of the tasks; runs are recalled from all other parts.
const PARTS: u64 = 8;

/// Runs that are recalled.
const RECALLED: usize = 3;

/// Words of SQL that name no table or column.
const KEYWORDS: [&str; 45] = [
    "select",
    "from",
    "where",
    "and",
    "or",
    "not",
    "in",
    "as",
    "on",
    "join",
    "inner",
    "left",
    "right",
    "outer",
    "group",
    "by",
    "order",
    "having",
    "limit",
    "asc",
    "desc",
    "distinct",
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "between",
    "like",
    "union",
    "intersect",
    "except",
    "is",
    "null",
    "exists",
    "case",
    "when",
    "then",
    "else",
    "end",
    "all",
    "any",
    "offset",
    "cast",
    "natural",
];

/// A question, and which share of the names it needs are in the recalled runs.
struct Recalled<'run> {
    task: &'run str,
    chosen_on: bool,
    ours: f64,
    nearest: f64,
    random_of_database: f64,
    random: f64,
}

/// Recalls three successful runs for each task, from the runs of other tasks with its database; each database is a space.
pub(crate) fn print(set: &RunSet) -> Result<(), Failure> {
    let mut chance = Chance::new(31);
    let mut all = Vec::new();
    for part in 0..PARTS {
        let is_known = |run: &&Run| run.success && run.part(PARTS) != part;
        let known: Vec<&Run> = set.runs.iter().filter(is_known).collect();
        let asked = set.runs.iter().filter(|run| run.part(PARTS) == part);
        let tasks: BTreeMap<&str, &Run> = asked.map(|run| (run.task_id.as_str(), run)).collect();
        let mut by_database: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
        for run in tasks.into_values() {
            by_database.entry(&run.group).or_default().push(run);
        }
        for (database, tasks) in by_database {
            let own = known.iter().filter(|run| run.group == database);
            let own: Vec<&Run> = own.copied().collect();
            if !own.is_empty() {
                all.extend(of_database(&tasks, &own, &known, &mut chance)?);
            }
        }
    }
    print_shares(&all);
    Ok(())
}

fn of_database<'run>(
    tasks: &[&'run Run],
    own: &[&Run],
    known: &[&Run],
    chance: &mut Chance,
) -> Result<Vec<Recalled<'run>>, Failure> {
    let told = ToldView::of(own.iter().copied())?;
    let mut recalled = Vec::new();
    for task in tasks {
        let needed = names(task.reference());
        let examples = told.view.examples(&task.goal, RECALLED)?;
        let ours = examples.iter().filter_map(|run| run_of(own, &run.run));
        let nearest = told.view.similar_runs(&task.goal, RECALLED, 1)?;
        let nearest = nearest.iter().filter_map(|(_, run)| run_of(own, &run.run));
        let mut random = |of: &[&'_ Run]| {
            let picked: Vec<&Run> = (0..RECALLED).map(|_| of[chance.below(of.len())]).collect();
            share(&needed, picked.into_iter())
        };
        recalled.push(Recalled {
            task: &task.task_id,
            chosen_on: task.is_chosen_on(),
            ours: share(&needed, ours),
            nearest: share(&needed, nearest),
            random_of_database: random(own),
            random: random(known),
        });
    }
    Ok(recalled)
}

/// The run with a name that [`ToldView`] gave it.
fn run_of<'run>(runs: &[&'run Run], name: &str) -> Option<&'run Run> {
    let (number, _) = name.split_once(' ')?;
    let number: usize = number.parse().ok()?;
    runs.get(number.checked_sub(1)?).copied()
}

/// The share of names that the last actions name.
fn share<'run>(needed: &BTreeSet<String>, runs: impl Iterator<Item = &'run Run>) -> f64 {
    let named: BTreeSet<String> = runs
        .filter_map(|run| run.steps().last())
        .flat_map(|step| names(step.action))
        .collect();
    needed.intersection(&named).count() as f64 / needed.len().max(1) as f64
}

/// The names of tables and columns: words outside of quotes that are neither keywords, numbers nor aliases.
fn names(sql: &str) -> BTreeSet<String> {
    let outside = sql.split(['\'', '"']).step_by(2);
    let is_in_name = |character: char| character.is_alphanumeric() || character == '_';
    outside
        .flat_map(|text| text.split(move |character| !is_in_name(character)))
        .map(str::to_lowercase)
        .filter(|word| is_name(word))
        .collect()
}

fn is_name(word: &str) -> bool {
    let is_alias = word
        .strip_prefix('t')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    word.starts_with(|first: char| first.is_alphabetic()) && !is_alias && !KEYWORDS.contains(&word)
}

fn print_shares(all: &[Recalled<'_>]) {
    let (chosen_on, reported): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.chosen_on);
    line(&format!(
        "  tables and columns named by {RECALLED} recalled runs: {} tasks",
        reported.len()
    ));
    let row = |name: &str, of: fn(&Recalled<'_>) -> f64| {
        let mean = |cases: &[&Recalled<'_>]| {
            cases.iter().map(|case| of(case)).sum::<f64>() / cases.len() as f64
        };
        let interval = described(&reported, |one| one.task, mean);
        line(&format!(
            "    {name:36} {interval} ({:.3})",
            mean(&chosen_on)
        ));
    };
    row("examples", |one| one.ours);
    row("nearest of the database", |one| one.nearest);
    row("random of the database", |one| one.random_of_database);
    row("random", |one| one.random);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tables_and_columns() {
        let sql = "SELECT T1.Name, count(*) FROM airports AS T1 WHERE City = 'New York' LIMIT 3";
        let found: Vec<String> = names(sql).into_iter().collect();
        assert_eq!(found, ["airports", "city", "name"]);
    }
}
