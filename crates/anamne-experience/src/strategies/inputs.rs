//! The inputs of the regression, from the features of a situation.

use super::situation::Situation;

/// The number of inputs.
pub(super) const INPUTS: usize = 21;

/// The inputs of one case; the first is 1.
pub(super) type Inputs = [f64; INPUTS];

/// The inputs of the search that follows `tried` others, from [`Situation::features`]; `None` if these are of another
/// version. O(1).
pub(super) fn inputs(features: &[f32], tried: usize) -> Option<Inputs> {
    let situation = Situation::from_features(features)?;
    let is = |condition: bool| f64::from(u8::from(condition));
    let asks = |shape: f32| is((situation.shape - shape).abs() < 0.5);
    let logarithm = |count: f32| f64::from(count.max(0.0)).ln_1p();
    Some([
        1.0,
        asks(0.0),
        asks(1.0),
        asks(2.0),
        asks(4.0),
        asks(6.0),
        logarithm(situation.words) / 4.0,
        is(situation.sentences > 1.0),
        f64::from(situation.names.clamp(0.0, 3.0)) / 3.0,
        is(situation.searched > 0.5),
        f64::from(situation.answered),
        f64::from(situation.confidence),
        f64::from(situation.spread),
        f64::from(situation.agreement),
        f64::from(situation.threads) / 5.0,
        f64::from(situation.by_programs),
        logarithm(situation.result_words) / 6.0,
        f64::from(situation.times),
        is(tried == 1),
        is(tried == 2),
        is(tried >= 3),
    ])
}
