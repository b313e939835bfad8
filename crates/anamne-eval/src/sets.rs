//! What questions came to, by set and by category.

use std::collections::BTreeMap;

/// What came of the questions of each set.
pub(crate) type Sets<Outcome> = BTreeMap<String, Vec<Outcome>>;

/// Adds what the questions of one corpus came to.
pub(crate) fn add<Outcome>(sets: &mut Sets<Outcome>, set: &str, outcomes: Vec<Outcome>) {
    sets.entry(set.to_owned()).or_default().extend(outcomes);
}

/// The sets whose figure is below a floor, in words; none where there is no floor.
pub(crate) fn below<Outcome>(
    sets: &Sets<Outcome>,
    floor: Option<f64>,
    figure: impl Fn(&[Outcome]) -> f64,
) -> Vec<String> {
    let Some(floor) = floor else {
        return Vec::new();
    };
    let reached = sets.iter().map(|(set, outcomes)| (set, figure(outcomes)));
    reached
        .filter(|(_, reached)| *reached < floor)
        .map(|(set, reached)| format!("{set} ({reached:.3} < {floor})"))
        .collect()
}

/// All of them under the name `ALL`, then each category by its name.
pub(crate) fn by_category<'outcomes, Outcome>(
    outcomes: Vec<&'outcomes Outcome>,
    category: impl Fn(&'outcomes Outcome) -> &'outcomes str,
) -> Vec<(&'outcomes str, Vec<&'outcomes Outcome>)> {
    let mut categories: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in &outcomes {
        categories
            .entry(category(outcome))
            .or_default()
            .push(outcome);
    }
    std::iter::once(("ALL", outcomes))
        .chain(categories)
        .collect()
}
