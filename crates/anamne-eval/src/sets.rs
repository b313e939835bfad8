//! Outcomes by set and category.

use std::collections::BTreeMap;

/// The outcomes of the questions of each set.
pub(crate) type Sets<Outcome> = BTreeMap<String, Vec<Outcome>>;

/// The family of a set: sets of one kind, which differ in size only, have its name and a number. Its members teach about
/// each other.
pub(crate) fn family(set: &str) -> &str {
    set.trim_end_matches(|letter: char| letter.is_ascii_digit())
}

/// Adds the outcomes of one corpus.
pub(crate) fn add<Outcome>(sets: &mut Sets<Outcome>, set: &str, outcomes: Vec<Outcome>) {
    sets.entry(set.to_owned()).or_default().extend(outcomes);
}

/// Describes the sets whose figure is below the floor; empty without a floor.
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

/// All outcomes under the name `ALL`, then those of each category by name.
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
