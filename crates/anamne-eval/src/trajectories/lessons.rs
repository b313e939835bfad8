//! Do lessons of earlier runs name what the next successful run does, or the error that it meets?

use std::collections::BTreeSet;

use anamne_experience::lessons::{DerivedLesson, lessons};
use anamne_experience::{Trajectory, normal};

use super::data::{Run, RunSet};
use super::figures::described;
use super::told::{STEP, ToldView};
use crate::failure::Failure;
use crate::output::line;

/// Parts of the tasks, of which the first ones are asked about: a quarter.
const PARTS: u64 = 8;
const ASKED: u64 = 2;

/// Cosine from which another goal counts, similar goals, the newest attempts at each, and lessons that are shown, as in the
/// product.
const SIMILAR: f32 = 0.6;
const MOST_GOALS: usize = 8;
const MOST_OF_GOAL: usize = 16;
const SHOWN: usize = 3;

/// Bytes that may be shown.
const BUDGET: usize = 1_000;

/// What is shown.
const METHODS: [&str; 3] = ["lessons", "nearest runs", "lessons, then nearest runs"];

/// What was shown before a successful run, and what of it came.
struct Shown<'run> {
    task: &'run str,
    chosen_on: bool,
    met_error: bool,
    /// Whether a lesson was shown at all.
    has_lesson: bool,
    /// By the number of the method in [`METHODS`]: whether the last call of the run was named, and an error that it met.
    calls: [bool; METHODS.len()],
    errors: [bool; METHODS.len()],
}

/// Texts in a budget, with the calls and errors that they name.
#[derive(Default)]
struct Page {
    bytes: usize,
    calls: BTreeSet<String>,
    errors: BTreeSet<String>,
}

/// Tells one run after another; before each successful one, asks for what earlier ones teach: those of the same task too, or
/// only those of other tasks.
pub(crate) fn print(set: &RunSet) -> Result<(), Failure> {
    for with_same in [true, false] {
        let mut told = ToldView::new()?;
        let mut all = Vec::new();
        for run in &set.runs {
            if run.success && run.part(PARTS) < ASKED && run.steps().next().is_some() {
                told.catch_up()?;
                all.extend(shown(&told, run, with_same)?);
            }
            told.add(run, true);
        }
        let of = if with_same {
            "earlier runs"
        } else {
            "runs of other tasks"
        };
        print_shares(of, &all);
    }
    Ok(())
}

/// `None` if there are no earlier attempts at a similar goal.
fn shown<'run>(
    told: &ToldView,
    run: &'run Run,
    with_same: bool,
) -> Result<Option<Shown<'run>>, Failure> {
    let goals = if with_same {
        MOST_GOALS
    } else {
        MOST_GOALS + 1
    };
    let mut attempts = told
        .view
        .similar_trajectories(&run.goal, goals, MOST_OF_GOAL)?;
    attempts.retain(|one| {
        one.relevance >= SIMILAR && (with_same || normal::name(&run.goal) != one.goal)
    });
    if attempts.is_empty() {
        return Ok(None);
    }
    let mut by_lessons = Page::default();
    by_lessons.add_lessons(&best_lessons(told, &attempts)?);
    let has_lesson = by_lessons.bytes > 0;
    let mut nearest = Page::default();
    nearest.add_runs(&attempts);
    let (calls, errors) = (by_lessons.calls.clone(), by_lessons.errors.clone());
    let mut both = Page {
        bytes: by_lessons.bytes,
        calls,
        errors,
    };
    both.add_runs(&attempts);
    let pages = [by_lessons, nearest, both];
    let done = run.steps().filter(|step| step.error.is_none()).last();
    let done = done.map(|step| normal::call(STEP, step.action));
    let met: BTreeSet<String> = run
        .steps()
        .filter_map(|step| Some(normal::error(step.error?)))
        .collect();
    Ok(Some(Shown {
        task: &run.task_id,
        chosen_on: run.is_chosen_on(),
        met_error: !met.is_empty(),
        has_lesson,
        calls: pages
            .each_ref()
            .map(|page| done.as_ref().is_some_and(|call| page.calls.contains(call))),
        errors: pages.each_ref().map(|page| !page.errors.is_disjoint(&met)),
    }))
}

/// The lessons that the product would show, best first.
fn best_lessons(told: &ToldView, attempts: &[Trajectory]) -> Result<Vec<DerivedLesson>, Failure> {
    let expected = f64::from(told.view.success_share()?);
    let mut worths: Vec<(f64, DerivedLesson)> = lessons(attempts, &|_| None)
        .into_iter()
        .map(|lesson| {
            let later = lesson.later(attempts, expected);
            let confidence = lesson.confidence(&later, expected, told.now());
            (confidence * f64::from(lesson.relevance), lesson)
        })
        .collect();
    worths.sort_by(|one, other| other.0.total_cmp(&one.0));
    let best = worths.into_iter().take(SHOWN);
    Ok(best.map(|(_, lesson)| lesson).collect())
}

impl Page {
    /// Adds a text, unless the budget is exceeded; returns whether it fitted.
    fn add(&mut self, text: &str) -> bool {
        let fits = self.bytes + text.len() <= BUDGET;
        self.bytes += if fits { text.len() } else { 0 };
        fits
    }

    fn add_lessons(&mut self, lessons: &[DerivedLesson]) {
        for lesson in lessons {
            let words = lesson.words(&|call| call.normal.clone(), &|_| None);
            if self.add(&format!("{}\n{}", words.title, words.content)) {
                let calls = lesson.calls.iter().chain(&lesson.failed);
                self.calls.extend(calls.map(|call| call.normal.clone()));
                self.errors
                    .extend(Some(lesson.error.clone()).filter(|error| !error.is_empty()));
            }
        }
    }

    /// Adds the steps of attempts, those at the nearest goal first, and of each attempt the last steps first.
    fn add_runs(&mut self, attempts: &[Trajectory]) {
        let (reached, missed): (Vec<_>, Vec<_>) = attempts.iter().partition(|one| one.succeeded);
        for step in reached
            .into_iter()
            .chain(missed)
            .flat_map(|one| one.steps.iter().rev())
        {
            let is_known = self.calls.contains(&step.call)
                && (step.error.is_empty() || self.errors.contains(&step.error));
            if !is_known && self.add(&format!("{}\n{}\n", step.call, step.error)) {
                self.calls.insert(step.call.clone());
                self.errors
                    .extend(Some(step.error.clone()).filter(|error| !error.is_empty()));
            }
        }
    }
}

/// For each method, whether it named what is counted.
type Named = fn(&Shown<'_>) -> [bool; METHODS.len()];

fn print_shares(of: &str, all: &[Shown<'_>]) {
    let (chosen_on, reported): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.chosen_on);
    let with_lesson = reported.iter().filter(|one| one.has_lesson).count();
    let met = reported.iter().filter(|one| one.met_error).count();
    line(&format!(
        "  named in {BUDGET} bytes of {of}: {} successful runs, {with_lesson} with a lesson, {met} that met an error",
        reported.len()
    ));
    let figures: [(&str, Named, bool); 2] = [
        ("last call", |one| one.calls, false),
        ("an error that was met", |one| one.errors, true),
    ];
    for (what, named, only_met) in figures {
        for (number, method) in METHODS.iter().enumerate() {
            let mean = |cases: &[&Shown<'_>]| {
                let of = || cases.iter().filter(|one| one.met_error || !only_met);
                let found = of().filter(|one| named(one)[number]);
                found.count() as f64 / of().count() as f64
            };
            let interval = described(&reported, |one| one.task, mean);
            let name = format!("{what}: {method}");
            line(&format!(
                "    {name:48} {interval} ({:.3})",
                mean(&chosen_on)
            ));
        }
    }
}
