//! Current importance of memories and current strength of links: from what was told, use, links and age.
//!
//! Nothing here is stored: the values are computed when they are read, so what was told never changes.

use serde::{Deserialize, Serialize};

/// The share of the base: what was told, or noted by enrichment.
const BASE: f64 = 0.6;

/// The share of use.
const USES: f64 = 0.2;

/// The share of links.
const LINKS: f64 = 0.15;

/// The share of youth.
const AGE: f64 = 0.05;

/// Decayed uses that give 63 % of the points of use; ten give 96 %.
const MANY_USES: f64 = 3.0;

/// Links of full strength that give 63 % of the points of links; a dozen gives 95 %.
const MANY_LINKS: f64 = 4.0;

/// The inputs of [`importance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportanceInputs {
    /// The told importance, or that of enrichment if none was told; 1 to 10.
    pub stated: u8,
    /// How often it was opened.
    pub uses: u64,
    /// Seconds since it was last opened.
    pub since_use: f64,
    /// The sum of the current strengths of its links, in both directions.
    pub links: f64,
    /// Its age in seconds.
    pub age: f64,
    /// The half-life of use and youth, in seconds.
    pub half_life: f64,
}

/// The parts of a current importance, in points; their sum is the importance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportanceParts {
    /// From what was told or enriched: 1 to 6.4.
    pub base: f64,
    /// From use: 0 to 1.8.
    pub uses: f64,
    /// From links: 0 to 1.35.
    pub links: f64,
    /// From youth: 0.45 for a new memory, falling to 0.
    pub age: f64,
}

impl ImportanceParts {
    /// The current importance, 1 to 10.
    pub fn total(&self) -> f64 {
        (self.base + self.uses + self.links + self.age).clamp(1.0, 10.0)
    }
}

/// Current importance in its parts.
///
/// ```text
/// base  = 1 + 9 · 0.6 · (stated − 1)/9
/// uses  =     9 · 0.2 · (1 − e^(−u/3)),  u = uses · 2^(−since_use/half_life)
/// links =     9 · 0.15 · (1 − e^(−links/4))
/// age   =     9 · 0.05 · 2^(−age/half_life)
/// ```
///
/// Rises with the stated value, uses and links; falls with the time since the last use and with age. A time in the future
/// counts as now, so a clock that was set back lowers nothing. That importance and recency add up, and that recency decays
/// exponentially, is from Park et al., "Generative Agents" (2023), section 4.1; that use counts and fades is from Anderson
/// and Schooler, "Reflections of the environment in memory" (1991). The shares are chosen, not fitted: no data says which
/// memories mattered. O(1).
pub fn importance(inputs: &ImportanceInputs) -> ImportanceParts {
    let grown = |value: f64, many: f64| 1.0 - (-value.max(0.0) / many).exp();
    let uses = inputs.uses as f64 * decay(inputs.since_use, inputs.half_life);
    ImportanceParts {
        base: 1.0 + BASE * f64::from(inputs.stated.clamp(1, 10) - 1),
        uses: 9.0 * USES * grown(uses, MANY_USES),
        links: 9.0 * LINKS * grown(inputs.links, MANY_LINKS),
        age: 9.0 * AGE * decay(inputs.age, inputs.half_life),
    }
}

/// The current strength of a link: `told · max(floor, 2^(−seconds/half_life))`, with the seconds since it was last told or
/// confirmed. At most the told strength, at least the floor's share of it. All in 0 to 1 but the times. O(1).
pub fn link_strength(told: f64, seconds: f64, half_life: f64, floor: f64) -> f64 {
    told.clamp(0.0, 1.0) * decay(seconds, half_life).max(floor.clamp(0.0, 1.0))
}

/// The share that is left after some seconds: `2^(−seconds/half_life)`. All of it for a time in the future; nothing
/// with a half-life that is not above 0.
fn decay(seconds: f64, half_life: f64) -> f64 {
    if seconds.is_nan() || seconds <= 0.0 {
        1.0
    } else if half_life > 0.0 {
        (-seconds / half_life).exp2()
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: f64 = 86_400.0;

    fn inputs(stated: u8, uses: u64, links: f64, age: f64) -> ImportanceInputs {
        ImportanceInputs {
            stated,
            uses,
            since_use: 0.0,
            links,
            age,
            half_life: 60.0 * DAY,
        }
    }

    #[test]
    fn importance_keeps_to_its_scale() {
        let check = |inputs: ImportanceInputs, expected: f64| {
            let found = importance(&inputs).total();
            assert!((found - expected).abs() < 0.01, "{inputs:?} gives {found}");
        };
        check(inputs(1, 0, 0.0, 36_500.0 * DAY), 1.0);
        check(inputs(10, u64::MAX, 1e9, 0.0), 10.0);
        check(inputs(10, 0, 0.0, 36_500.0 * DAY), 6.4);
        check(inputs(5, 0, 0.0, 0.0), 3.85);
        check(inputs(5, 3, 0.0, 60.0 * DAY), 4.76);
        check(inputs(5, 0, 4.0, 60.0 * DAY), 4.48);
    }

    #[test]
    fn strength_halves_in_its_half_life_down_to_the_floor() {
        let check = |told: f64, days: f64, expected: f64| {
            let found = link_strength(told, days * DAY, 60.0 * DAY, 0.1);
            assert!((found - expected).abs() < 1e-9, "{days} days: {found}");
        };
        check(0.8, 0.0, 0.8);
        check(0.8, 60.0, 0.4);
        check(0.8, 120.0, 0.2);
        check(0.8, 36_500.0, 0.08);
        check(0.8, -36_500.0, 0.8);
        check(0.0, 5.0, 0.0);
    }

    #[test]
    fn nothing_is_left_without_a_half_life_and_no_number_is_lost() {
        assert!(link_strength(1.0, 1.0, 0.0, 0.0).abs() < f64::EPSILON);
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            for half_life in [f64::NAN, 0.0, -1.0, DAY, f64::MAX] {
                let given = ImportanceInputs {
                    since_use: odd,
                    links: odd,
                    age: odd,
                    half_life,
                    ..inputs(5, 3, 0.0, 0.0)
                };
                let found = importance(&given).total();
                assert!((1.0..=10.0).contains(&found), "{given:?} gives {found}");
                let strength = link_strength(0.5, odd, half_life, 0.1);
                assert!((0.05..=0.5).contains(&strength), "{strength}");
            }
        }
    }

    /// Times from far in the future to far in the past.
    fn seconds() -> impl Strategy<Value = f64> {
        prop_oneof![-1e15..1e15f64, -1e3..1e3f64, 0.0..1e9f64]
    }

    proptest! {
        #[test]
        fn importance_is_bounded_and_moves_one_way_with_each_input(
            stated in 0u8..=255, uses in 0u64..=u64::MAX, since_use in seconds(), links in 0.0..1e6f64, age in seconds(),
            half_life in 1e-3..1e12f64, more in 0.0..1e9f64,
        ) {
            let given = ImportanceInputs { stated, uses, since_use, links, age, half_life };
            let of = |change: &dyn Fn(&mut ImportanceInputs)| {
                let mut inputs = given;
                change(&mut inputs);
                importance(&inputs).total()
            };
            let base = of(&|_| ());
            prop_assert!((1.0..=10.0).contains(&base));
            prop_assert!(of(&|one| one.stated = stated.saturating_add(1)) >= base);
            prop_assert!(of(&|one| one.uses = uses.saturating_add(1)) >= base);
            prop_assert!(of(&|one| one.links += more) >= base);
            prop_assert!(of(&|one| one.since_use += more) <= base);
            prop_assert!(of(&|one| one.age += more) <= base);
            // A clock that was set back.
            prop_assert!(of(&|one| one.age -= more) >= base);
            prop_assert!(of(&|one| one.since_use -= more) >= base);
            let parts = importance(&given);
            let sum = parts.base + parts.uses + parts.links + parts.age;
            prop_assert!((sum - base).abs() < 1e-9, "the parts explain it");
        }

        #[test]
        fn strength_stays_between_its_floor_and_what_was_told(
            told in 0.0..=1.0f64, seconds in seconds(), half_life in 1e-3..1e12f64, floor in 0.0..=1.0f64, more in 0.0..1e9f64,
        ) {
            let strength = link_strength(told, seconds, half_life, floor);
            prop_assert!(told * floor <= strength && strength <= told);
            prop_assert!(link_strength(told, seconds + more, half_life, floor) <= strength);
            prop_assert!(link_strength(told, seconds - more, half_life, floor) >= strength);
        }
    }
}
