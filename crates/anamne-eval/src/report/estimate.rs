//! A mean with its bootstrap interval.

use serde::Serialize;

use crate::chance::Chance;

/// Bootstrap samples per interval.
const SAMPLES: usize = 1_000;

/// The seed of the samples.
const SEED: u64 = 7;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    /// The mean of the groups' means, so that each group counts the same, with the interval from questions that are
    /// drawn with replacement within each group (percentile bootstrap, Efron 1979). Empty groups don't count; `None` if
    /// all are empty. O(samples · values).
    pub(crate) fn of(groups: &[Vec<f64>]) -> Option<Self> {
        let groups: Vec<&[f64]> = groups
            .iter()
            .map(Vec::as_slice)
            .filter(|group| !group.is_empty())
            .collect();
        if groups.is_empty() {
            return None;
        }
        let mean = |pick: &mut dyn FnMut(usize, usize) -> usize| {
            let means = groups.iter().map(|group| {
                let drawn = (0..group.len()).map(|place| group[pick(place, group.len())]);
                drawn.sum::<f64>() / group.len() as f64
            });
            means.sum::<f64>() / groups.len() as f64
        };
        let mut chance = Chance::new(SEED);
        let mut samples: Vec<f64> = (0..SAMPLES)
            .map(|_| mean(&mut |_, size| chance.below(size)))
            .collect();
        samples.sort_by(f64::total_cmp);
        Some(Self {
            value: mean(&mut |place, _| place),
            low: samples[SAMPLES / 40],
            high: samples[SAMPLES - 1 - SAMPLES / 40],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(groups: &[Vec<f64>]) -> Estimate {
        Estimate::of(groups).expect("values")
    }

    #[test]
    fn the_interval_is_that_of_a_mean_of_independent_values() {
        let half: Vec<f64> = (0..400).map(|number| f64::from(number % 2)).collect();
        let Estimate { value, low, high } = estimate(&[half]);
        assert!((value - 0.5).abs() < 1e-9);
        // 1.96 standard errors of 0.5 / √400.
        assert!((value - low - 0.049).abs() < 0.01, "{low}");
        assert!((high - value - 0.049).abs() < 0.01, "{high}");
    }

    #[test]
    fn every_group_counts_the_same() {
        let groups = [vec![1.0; 300], vec![0.0; 3], Vec::new()];
        let expected = Estimate {
            value: 0.5,
            low: 0.5,
            high: 0.5,
        };
        assert_eq!(estimate(&groups), expected);
        assert_eq!(Estimate::of(&[Vec::new()]), None);
    }

    #[test]
    fn the_same_values_give_the_same_interval() {
        let values: Vec<f64> = (0..50).map(f64::from).collect();
        assert_eq!(
            estimate(std::slice::from_ref(&values)),
            estimate(std::slice::from_ref(&values))
        );
    }
}
