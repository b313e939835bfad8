//! How many memories of a tier can be expected to hold as much of a question as one that was found.

/// Terms that are reckoned with, the heaviest: 2¹⁰ cases at most. Of the others it is assumed that every memory holds them.
const TERMS: usize = 10;

/// A term of the question: its weight, and the share of a tier's memories that hold it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    pub(super) weight: f32,
    pub(super) share: f64,
}

/// The probability that a memory holds terms of the weight `target` together or more, if each term stood in memories
/// independently of the others.
pub(super) fn at_least(target: f32, chances: &mut [Chance]) -> f64 {
    chances.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    let heavy = &chances[..chances.len().min(TERMS)];
    let light: f32 = chances[heavy.len()..]
        .iter()
        .map(|chance| chance.weight)
        .sum();
    let mut left = [0.0; TERMS + 1];
    for (place, chance) in heavy.iter().enumerate().rev() {
        left[place] = left[place + 1] + chance.weight;
    }
    reaching(target - light, heavy, &left)
}

/// `left` is what this term and those after it weigh together.
fn reaching(target: f32, chances: &[Chance], left: &[f32]) -> f64 {
    if target <= 0.0 {
        return 1.0;
    }
    let Some((first, others)) = chances.split_first() else {
        return 0.0;
    };
    if left[0] < target {
        return 0.0;
    }
    let with = if first.share > 0.0 {
        first.share * reaching(target - first.weight, others, &left[1..])
    } else {
        0.0
    };
    with + (1.0 - first.share) * reaching(target, others, &left[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(target: f32, chances: &[(f32, f64)], expected: f64) {
        let chance = |&(weight, share): &(f32, f64)| Chance { weight, share };
        let mut chances: Vec<Chance> = chances.iter().map(chance).collect();
        let found = at_least(target, &mut chances);
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn chances_of_independent_terms_multiply() {
        check(0.0, &[], 1.0);
        check(1.0, &[], 0.0);
        check(3.0, &[(1.0, 0.5), (2.0, 0.1)], 0.05);
        check(2.0, &[(1.0, 0.5), (2.0, 0.1)], 0.1);
        check(1.0, &[(1.0, 0.5), (2.0, 0.1)], 0.55);
        check(3.1, &[(1.0, 0.5), (2.0, 0.1)], 0.0);
        check(2.0, &[(1.0, 0.5), (2.0, 0.0)], 0.0);
    }

    #[test]
    fn terms_beyond_the_tenth_count_as_held() {
        let mut chances = vec![(2.0, 0.5); 10];
        chances.push((1.0, 0.0));
        check(21.0, &chances, 0.5_f64.powi(10));
    }
}
