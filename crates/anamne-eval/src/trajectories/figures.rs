//! Bootstrap intervals by task.

use std::collections::BTreeMap;

use crate::chance::Chance;

/// Bootstrap samples.
const SAMPLES: usize = 500;

/// A figure of cases and its 95 % interval, from samples of tasks with replacement (Efron 1979).
pub(crate) fn described<'case, Case>(
    cases: &[&'case Case],
    task: impl Fn(&'case Case) -> &'case str,
    figure: impl Fn(&[&'case Case]) -> f64,
) -> String {
    let mut by_task: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        by_task.entry(task(case)).or_default().push(case);
    }
    let tasks: Vec<_> = by_task.values().collect();
    if tasks.is_empty() {
        return "none".to_owned();
    }
    let mut chance = Chance::new(23);
    let mut figures: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let sample = tasks.iter().map(|_| tasks[chance.below(tasks.len())]);
            figure(&sample.flatten().copied().collect::<Vec<_>>())
        })
        .filter(|figure| figure.is_finite())
        .collect();
    figures.sort_by(f64::total_cmp);
    let end = figures.len() / 40;
    match figures.as_slice() {
        [] => "none".to_owned(),
        figures => format!(
            "{:.3} [{:.3}, {:.3}]",
            figure(cases),
            figures[end],
            figures[figures.len() - 1 - end]
        ),
    }
}
