//! Which arm a unit belongs to.

/// The arm of a unit, from 0 to `arms` − 1, each equally likely; 0 if there are no arms.
///
/// A function of the names alone: the same unit gets the same arm in every process and on every platform, and arms of
/// two experiments are independent. O(bytes of the names).
pub fn arm_of(experiment: &str, unit: &str, arms: usize) -> usize {
    let mut hasher = blake3::Hasher::new();
    // The length separates the names: ("ab", "c") is not ("a", "bc").
    hasher.update(&(experiment.len() as u64).to_le_bytes());
    hasher.update(experiment.as_bytes());
    hasher.update(unit.as_bytes());
    let hash = hasher.finalize();
    let (words, _) = hash.as_bytes().as_chunks::<8>();
    let number = words.first().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    // The high word of the product is uniform below `arms` (Lemire 2019, without the rejection: the bias is below 2⁻⁶⁰).
    ((u128::from(number) * arms as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::arm_of;

    #[test]
    fn a_unit_keeps_its_arm() {
        let first: Vec<usize> = (0..50)
            .map(|unit| arm_of("depth", &unit.to_string(), 3))
            .collect();
        let again: Vec<usize> = (0..50)
            .map(|unit| arm_of("depth", &unit.to_string(), 3))
            .collect();
        assert_eq!(first, again);
        assert!((0..3).all(|arm| first.contains(&arm)));
    }

    #[test]
    fn arms_are_equally_likely_and_independent_between_experiments() {
        let mut counts = [[0_i32; 2]; 2];
        for unit in 0..4_000 {
            let unit = format!("question {unit}");
            counts[arm_of("one", &unit, 2)][arm_of("two", &unit, 2)] += 1;
        }
        for count in counts.iter().flatten() {
            // Five standard deviations of a binomial with n = 4 000 and p = 1/4.
            assert!((count - 1_000).abs() < 137, "{counts:?}");
        }
    }

    #[test]
    fn names_are_not_joined() {
        let differs = (0..64).any(|unit| {
            arm_of("ab", &format!("c{unit}"), 2) != arm_of("a", &format!("bc{unit}"), 2)
        });
        assert!(differs);
        assert_eq!(arm_of("one", "unit", 0), 0);
        assert_eq!(arm_of("", "", 1), 0);
    }
}
