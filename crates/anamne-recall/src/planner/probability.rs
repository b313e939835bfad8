//! How many memories of a tier are expected to contain as much of a query as the best match.

/// The heaviest terms, which are computed exactly in 2¹⁰ cases at most; the others are assumed to be in every memory.
const TERMS: usize = 10;

/// A query term: its weight, and the share of a tier's memories that contain it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TermProbability {
    pub(super) weight: f32,
    pub(super) share: f64,
}

/// The probability that a memory contains terms of total weight `target` or more, assuming independent terms.
pub(super) fn probability_at_least(target: f32, terms: &mut [TermProbability]) -> f64 {
    terms.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    let heavy = &terms[..terms.len().min(TERMS)];
    let light: f32 = terms[heavy.len()..]
        .iter()
        .map(|probability| probability.weight)
        .sum();
    let mut left = [0.0; TERMS + 1];
    for (index, probability) in heavy.iter().enumerate().rev() {
        left[index] = left[index + 1] + probability.weight;
    }
    probability_reaching(target - light, heavy, &left)
}

/// `left` is the total weight of this term and those after it.
fn probability_reaching(target: f32, terms: &[TermProbability], left: &[f32]) -> f64 {
    if target <= 0.0 {
        return 1.0;
    }
    let Some((first, others)) = terms.split_first() else {
        return 0.0;
    };
    if left[0] < target {
        return 0.0;
    }
    let with = if first.share > 0.0 {
        first.share * probability_reaching(target - first.weight, others, &left[1..])
    } else {
        0.0
    };
    with + (1.0 - first.share) * probability_reaching(target, others, &left[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(target: f32, terms: &[(f32, f64)], expected: f64) {
        let probability = |&(weight, share): &(f32, f64)| TermProbability { weight, share };
        let mut terms: Vec<TermProbability> = terms.iter().map(probability).collect();
        let found = probability_at_least(target, &mut terms);
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn probabilities_of_independent_terms_multiply() {
        check(0.0, &[], 1.0);
        check(1.0, &[], 0.0);
        check(3.0, &[(1.0, 0.5), (2.0, 0.1)], 0.05);
        check(2.0, &[(1.0, 0.5), (2.0, 0.1)], 0.1);
        check(1.0, &[(1.0, 0.5), (2.0, 0.1)], 0.55);
        check(3.1, &[(1.0, 0.5), (2.0, 0.1)], 0.0);
        check(2.0, &[(1.0, 0.5), (2.0, 0.0)], 0.0);
    }

    #[test]
    fn terms_beyond_the_tenth_count_as_contained() {
        let mut terms = vec![(2.0, 0.5); 10];
        terms.push((1.0, 0.0));
        check(21.0, &terms, 0.5_f64.powi(10));
    }
}
