use super::*;

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

const ALPHA: f64 = 0.1;

fn arms(rates: &[f64]) -> Vec<ArmCount> {
    let names = ["first", "second", "third"];
    let arm = |(name, _): (&&str, &f64)| ArmCount {
        arm: (*name).to_owned(),
        ..ArmCount::default()
    };
    names.iter().zip(rates).map(arm).collect()
}

/// Runs an experiment whose arms have these true rates, and looks after every unit for `units` units. Returns the number of
/// units after which `stops` first held.
fn simulate(
    chance: &mut Chance,
    rates: &[f64],
    units: u64,
    stops: impl Fn(&[ArmCount]) -> bool,
) -> Option<u64> {
    let mut arms = arms(rates);
    (1..=units).find(|_| {
        let arm = (chance.unit() * rates.len() as f64) as usize;
        arms[arm].units += 1;
        arms[arm].successes += f64::from(u8::from(chance.unit() < rates[arm]));
        stops(&arms)
    })
}

/// Whether "no difference" is refuted for some arm; cheaper than whole intervals, and equivalent to `low > 0 || high < 0`.
fn refutes_equality(arms: &[ArmCount]) -> bool {
    let (first, others) = arms.split_first().expect("arms");
    let enough = (others.len() as f64 / ALPHA).ln();
    others
        .iter()
        .any(|arm| mixture::ln_evidence(arm.tally(), first.tally(), 0.0) >= enough)
}

#[test]
fn peeking_after_every_unit_keeps_the_error_rate() {
    let mut chance = Chance(19);
    for rates in [&[0.5, 0.5][..], &[0.05, 0.05], &[0.8, 0.8, 0.8]] {
        let runs = 300;
        let stopped = (0..runs)
            .filter(|_| simulate(&mut chance, rates, 600, refutes_equality).is_some())
            .count();
        let share = stopped as f64 / f64::from(runs);
        assert!(share <= ALPHA, "{rates:?}: {share}");
    }
}

#[test]
fn a_fixed_test_with_peeking_would_not_keep_it() {
    // The same looks with a two-sided z-test at the same level: this is what the sequential test is for.
    let z_test = |arms: &[ArmCount]| {
        let (one, other) = (arms[0].tally(), arms[1].tally());
        let units = one.units + other.units;
        let pooled = (one.successes + other.successes) / units;
        let variance = pooled * (1.0 - pooled) * (1.0 / one.units + 1.0 / other.units);
        units > 20.0 && (one.rate() - other.rate()).abs() > 1.645 * variance.sqrt()
    };
    let mut chance = Chance(7);
    let stopped = (0..200)
        .filter(|_| simulate(&mut chance, &[0.5, 0.5], 600, z_test).is_some())
        .count();
    assert!(stopped as f64 / 200.0 > 3.0 * ALPHA, "{stopped}");
}

#[test]
fn a_real_difference_is_found_and_named() {
    let mut chance = Chance(3);
    for _ in 0..20 {
        let units = simulate(&mut chance, &[0.5, 0.75], 3_000, refutes_equality);
        assert!(units.is_some_and(|units| units < 1_500), "{units:?}");
    }
    let counts = |successes: [f64; 2]| {
        let mut arms = arms(&[0.5, 0.5]);
        for (arm, successes) in arms.iter_mut().zip(successes) {
            (arm.units, arm.successes) = (400, successes);
        }
        judge(&arms, ALPHA)
    };
    let better = counts([200.0, 300.0]);
    assert_eq!(
        better.conclusion,
        Some(Conclusion::Better("second".to_owned()))
    );
    assert!(better.uplifts[0].low > 0.1 && better.uplifts[0].high < 0.4);
    assert!(better.uplifts[0].p_value < 1e-6);
    assert_eq!(
        counts([300.0, 200.0]).conclusion,
        Some(Conclusion::FirstIsBest)
    );
    assert_eq!(counts([200.0, 210.0]).conclusion, None);
}

#[test]
fn intervals_cover_the_true_difference_at_every_look() {
    let mut chance = Chance(11);
    let rates = [0.4, 0.55];
    let misses = |arms: &[ArmCount]| {
        let difference = rates[1] - rates[0];
        let evidence = mixture::ln_evidence(arms[1].tally(), arms[0].tally(), difference);
        evidence >= -ALPHA.ln()
    };
    let missed = (0..200)
        .filter(|_| simulate(&mut chance, &rates, 500, misses).is_some())
        .count();
    assert!(missed as f64 / 200.0 <= ALPHA, "{missed}");
}

#[test]
fn arms_that_are_nearly_equal_end_the_experiment() {
    let mut arms = arms(&[0.5, 0.5]);
    for arm in &mut arms {
        (arm.units, arm.successes) = (200_000, 100_000.0);
    }
    assert_eq!(
        judge(&arms, ALPHA).conclusion,
        Some(Conclusion::NoDifference)
    );
}

#[test]
fn an_arm_without_units_is_not_compared_and_keeps_the_experiment_open() {
    let mut arms = arms(&[0.5, 0.5, 0.5]);
    (arms[0].units, arms[0].successes) = (400, 300.0);
    (arms[2].units, arms[2].successes) = (400, 200.0);
    let judged = judge(&arms, ALPHA);
    let compared: Vec<&str> = judged.uplifts.iter().map(|one| one.arm.as_str()).collect();
    assert_eq!(compared, ["third"]);
    assert!(judged.uplifts[0].high < 0.0);
    assert_eq!(judged.conclusion, None, "the second may be better");
    (arms[0].units, arms[0].successes) = (0, 0.0);
    assert_eq!(judge(&arms, ALPHA).uplifts, []);
}

#[test]
fn impossible_counts_are_survived() {
    let mut arms = arms(&[0.5, 0.5]);
    (arms[0].units, arms[0].successes) = (3, 1e300);
    (arms[1].units, arms[1].successes) = (u64::MAX, f64::NAN);
    let judgement = judge(&arms, f64::NAN);
    assert!(judgement.uplifts[0].difference.is_finite());
    assert_eq!(judge(&[], 0.05).uplifts, []);
    assert_eq!(judge(&arms[..1], 0.05).conclusion, None);
}
