//! How honest the confidence is.

/// The area under the ROC curve: how often a case of the first kind scores higher than one of the second,
/// ties counting half. `None` unless both kinds are there. O(n log n).
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

/// The expected calibration error over ten equal bins (Naeini, Cooper and Hauskrecht 2015).
pub(crate) fn calibration_error(judged: &[(f32, bool)]) -> Option<f64> {
    if judged.is_empty() {
        return None;
    }
    let mut bins = [(0usize, 0.0f64, 0usize); 10];
    for &(confidence, relevant) in judged {
        let bin = &mut bins[((confidence * 10.0) as usize).min(9)];
        bin.0 += 1;
        bin.1 += f64::from(confidence);
        bin.2 += usize::from(relevant);
    }
    let error: f64 = bins
        .iter()
        .map(|(_, confidence, relevant)| (confidence - *relevant as f64).abs())
        .sum();
    Some(error / judged.len() as f64)
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
}
