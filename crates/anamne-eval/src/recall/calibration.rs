//! Calibration of the confidence.

/// The area under the ROC curve: how often a positive case scores higher than a negative one, ties counting half.
/// `None` if either kind is missing. O(n log n).
pub(crate) fn auroc(positive: &[f32], negative: &[f32]) -> Option<f64> {
    if positive.is_empty() || negative.is_empty() {
        return None;
    }
    let mut sorted = negative.to_vec();
    sorted.sort_by(f32::total_cmp);
    let above: f64 = positive
        .iter()
        .map(|score| {
            let below = sorted.partition_point(|other| other < score);
            let not_above = sorted.partition_point(|other| other <= score);
            below as f64 + (not_above - below) as f64 / 2.0
        })
        .sum();
    Some(above / (positive.len() * negative.len()) as f64)
}

/// Results whose stated confidence lies in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bin {
    pub(crate) count: usize,
    said: f64,
    relevant: usize,
}

impl Bin {
    /// The mean stated confidence; `None` if the bin is empty.
    pub(crate) fn confidence(&self) -> Option<f64> {
        (self.count > 0).then(|| self.said / self.count as f64)
    }

    /// The share of relevant results; `None` if the bin is empty.
    pub(crate) fn share_relevant(&self) -> Option<f64> {
        (self.count > 0).then(|| self.relevant as f64 / self.count as f64)
    }
}

/// The reliability diagram: stated confidence and actual relevance in ten bins.
pub(crate) fn reliability(judged: &[(f32, bool)]) -> [Bin; 10] {
    let mut bins = [Bin::default(); 10];
    for &(confidence, relevant) in judged {
        let bin = &mut bins[((confidence * 10.0) as usize).min(9)];
        bin.count += 1;
        bin.said += f64::from(confidence);
        bin.relevant += usize::from(relevant);
    }
    bins
}

/// The expected calibration error over ten equal bins (Naeini, Cooper and Hauskrecht 2015).
pub(crate) fn calibration_error(judged: &[(f32, bool)]) -> Option<f64> {
    if judged.is_empty() {
        return None;
    }
    let error: f64 = reliability(judged)
        .iter()
        .map(|bin| (bin.said - bin.relevant as f64).abs())
        .sum();
    Some(error / judged.len() as f64)
}

/// The quantile of `values` by nearest rank. O(n log n).
pub(crate) fn quantile(values: &[f32], share: f64) -> Option<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auroc_is_one_for_perfect_order_and_half_for_none() {
        assert_eq!(auroc(&[0.9, 0.8], &[0.1, 0.2]), Some(1.0));
        assert_eq!(auroc(&[0.5], &[0.5]), Some(0.5));
        assert_eq!(auroc(&[], &[0.5]), None);
    }

    #[test]
    fn calibration_error_measures_the_gap_between_saying_and_being() {
        let honest: Vec<_> = (0..10).map(|index| (0.75, index % 4 != 0)).collect();
        assert!(calibration_error(&honest).expect("a figure") < 0.06);
        assert_eq!(calibration_error(&[(1.0, false)]), Some(1.0));
    }

    #[test]
    fn the_diagram_says_for_each_tenth_what_was_said_and_what_is() {
        let bins = reliability(&[(0.12, true), (0.18, false), (1.0, true)]);
        assert_eq!(bins[1].count, 2);
        assert!((bins[1].confidence().expect("a mean") - 0.15).abs() < 1e-6);
        assert_eq!(bins[1].share_relevant(), Some(0.5));
        assert_eq!(bins[9].share_relevant(), Some(1.0));
        assert_eq!((bins[5].count, bins[5].confidence()), (0, None));
    }

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let values: Vec<f32> = (1..=20).map(|value| value as f32).collect();
        assert_eq!(quantile(&values, 0.95), Some(19.0));
        assert_eq!(quantile(&[0.5], 0.95), Some(0.5));
        assert_eq!(quantile(&[], 0.95), None);
    }
}
