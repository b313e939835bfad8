//! Current importance and strength, from use, links and age.

/// The inputs of [`importance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportanceInputs {
    /// The stored importance, 1 to 10.
    pub stated: u8,
    /// Strength of use: [`access_strength`] of its uses.
    pub access: f64,
    /// Strength of its links: the sum of their weights, each after [`decay`].
    pub links: f64,
    /// Its age in seconds.
    pub age: f64,
    /// The time constant τ of recency, in seconds.
    pub recency: f64,
}

/// Current importance, 1 to 10.
///
/// `1 + 9 · (0.6 · (stated − 1)/9 + 0.2 · (1 − e^(−access/3)) + 0.15 · (1 − e^(−links/4)) + 0.05 · e^(−age/τ))`. The stored
/// value weighs most; uses and links saturate at about a dozen. Increases with each input except age.
pub fn importance(regard: &ImportanceInputs) -> f64 {
    let stated = f64::from(regard.stated.clamp(1, 10) - 1) / 9.0;
    let grown = |value: f64, scale: f64| 1.0 - (-value.max(0.0) / scale).exp();
    let young = decay(1.0, regard.age, regard.recency);
    let sum = 0.6 * stated
        + 0.2 * grown(regard.access, 3.0)
        + 0.15 * grown(regard.links, 4.0)
        + 0.05 * young;
    1.0 + 9.0 * sum.clamp(0.0, 1.0)
}

/// The strength that is left after some seconds: `strength · e^(−Δt/τ)`. Times in the future don't decay; with τ ≤ 0
/// nothing is left.
pub fn decay(strength: f64, seconds: f64, tau: f64) -> f64 {
    let left = if seconds <= 0.0 {
        1.0
    } else if tau > 0.0 {
        (-seconds / tau).exp()
    } else {
        0.0
    };
    strength * left
}

/// Strength of use: the number of uses, each decayed by its age in seconds.
pub fn access_strength(ages: impl IntoIterator<Item = f64>, tau: f64) -> f64 {
    ages.into_iter().map(|age| decay(1.0, age, tau)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: f64 = 86_400.0;

    fn regard(stated: u8, access: f64, links: f64, age: f64) -> ImportanceInputs {
        ImportanceInputs {
            stated,
            access,
            links,
            age,
            recency: 30.0 * DAY,
        }
    }

    #[test]
    fn importance_keeps_to_its_scale() {
        let check = |regard: ImportanceInputs, expected: f64| {
            let found = importance(&regard);
            assert!((found - expected).abs() < 0.05, "{regard:?} gives {found}");
        };
        check(regard(1, 0.0, 0.0, 3_650.0 * DAY), 1.0);
        check(regard(10, 1e9, 1e9, 0.0), 10.0);
        check(regard(10, 0.0, 0.0, 3_650.0 * DAY), 6.4);
        check(regard(5, 3.0, 0.0, 30.0 * DAY), 4.7);
    }

    #[test]
    fn strength_falls_to_a_third_in_tau() {
        assert!((decay(1.0, 30.0, 30.0) - 0.367_879).abs() < 1e-6);
        assert!((decay(0.5, -9.0, 30.0) - 0.5).abs() < f64::EPSILON);
        assert!(decay(1.0, 1.0, 0.0).abs() < f64::EPSILON);
        assert!((access_strength([0.0, 30.0], 30.0) - 1.367_879).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn importance_rises_with_use_and_links_and_falls_with_age(
            stated in 0u8..=255, access in 0.0..1e6f64, links in 0.0..1e6f64, age in 0.0..1e10f64, more in 0.0..1e3f64,
        ) {
            let base = importance(&regard(stated, access, links, age));
            prop_assert!((1.0..=10.0).contains(&base));
            prop_assert!(importance(&regard(stated, access + more, links, age)) >= base);
            prop_assert!(importance(&regard(stated, access, links + more, age)) >= base);
            prop_assert!(importance(&regard(stated, access, links, age + more)) <= base);
        }
    }
}
