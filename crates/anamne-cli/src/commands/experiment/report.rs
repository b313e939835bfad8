//! Experiments and strategies as tables.

use anamne::{ArmReport, Conclusion, ExperimentReport, SearchStrategy, StrategyWeek, Uplift};

use crate::failure::Failure;
use crate::output::{BOLD, CYAN, DIM, Output, paint};
use crate::wording::{named, number, one_line, wrapped};

/// Columns before a strategy's description.
const INDENT: usize = 15;

/// The experiment in one line.
pub(super) fn print_line(
    experiment: &ExperimentReport,
    output: &mut Output,
) -> Result<(), Failure> {
    let judged = experiment.arms.iter().map(|arm| arm.judged).sum();
    let arms: Vec<_> = experiment
        .arms
        .iter()
        .map(|arm| one_line(&arm.strategy))
        .collect();
    let text = format!(
        "{}  {}, {} judged, {}",
        one_line(&experiment.name),
        arms.join(" or "),
        number(judged),
        state(experiment)
    );
    output.entry(CYAN, &experiment.citation, &text)
}

/// The arms, their differences from the baseline, and what follows.
pub(super) fn print(experiment: &ExperimentReport, output: &mut Output) -> Result<(), Failure> {
    let heading = format!("{} ({})", named(&experiment.name), experiment.citation);
    output.line(paint(BOLD, heading))?;
    let columns = format!(
        "  {:<14} {:>8} {:>8} {:>7}  {}",
        "strategy", "searches", "judged", "helped", "difference from the baseline"
    );
    output.line(paint(DIM, columns))?;
    for (place, arm) in experiment.arms.iter().enumerate() {
        let difference = match experiment.uplift_of(arm) {
            _ if place == 0 => "baseline".to_owned(),
            Some(uplift) => difference(uplift),
            None => "not comparable yet".to_owned(),
        };
        output.line(arm_line(arm, &difference))?;
    }
    output.line(state(experiment))
}

fn difference(uplift: &Uplift) -> String {
    format!(
        "{:+.1} points, {:+.1} to {:+.1}, p {:.3}",
        100.0 * uplift.difference,
        100.0 * uplift.low,
        100.0 * uplift.high,
        uplift.p_value
    )
}

fn arm_line(arm: &ArmReport, difference: &str) -> String {
    let rate = match arm.rate {
        Some(rate) => format!("{:.1} %", 100.0 * rate),
        None => "–".to_owned(),
    };
    format!(
        "  {:<14} {:>8} {:>8} {rate:>7}  {difference}",
        one_line(&arm.strategy),
        number(arm.searches),
        number(arm.judged)
    )
}

/// Whether it runs, and what may be concluded.
fn state(experiment: &ExperimentReport) -> String {
    let state = if experiment.running {
        "running"
    } else {
        "ended"
    };
    let conclusion = match &experiment.conclusion {
        None => "no conclusion yet".to_owned(),
        Some(Conclusion::Better(arm)) => format!("{} is better", one_line(arm)),
        Some(Conclusion::FirstIsBest) => "the baseline is best".to_owned(),
        Some(Conclusion::NoDifference) => "no difference that matters".to_owned(),
    };
    format!("{state}: {conclusion}")
}

pub(super) fn print_strategy(
    strategy: &SearchStrategy,
    output: &mut Output,
) -> Result<(), Failure> {
    let width = output.width.saturating_sub(INDENT);
    for (index, line) in wrapped(&strategy.description, width).iter().enumerate() {
        let name = if index == 0 {
            strategy.name.as_ref()
        } else {
            ""
        };
        let name = paint(CYAN, format!("{name:<INDENT$}"));
        output.line(format_args!("{name}{line}"))?;
    }
    Ok(())
}

/// One line per week and strategy.
pub(super) fn print_weeks(weeks: &[StrategyWeek], output: &mut Output) -> Result<(), Failure> {
    let mut last = None;
    for week in weeks {
        if last != Some(week.week) {
            output.line(format_args!("week of {}", output.dates.day(week.week)))?;
            last = Some(week.week);
        }
        let useful = match week.judged {
            0 => "no feedback".to_owned(),
            judged => format!(
                "{} with feedback, {:.0} % helped",
                number(judged),
                100.0 * week.successes / judged as f64
            ),
        };
        output.line(format_args!(
            "  {:<14} {:>8}  {useful}",
            one_line(&week.strategy),
            number(week.searches)
        ))?;
    }
    Ok(())
}
