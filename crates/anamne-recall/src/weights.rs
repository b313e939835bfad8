//! Which weights one question is ranked by: those of the table in [`crate::model`], unless the space or the question has others.

use std::collections::BTreeMap;

use anamne_types::{InvalidValue, check_weight};

use crate::model::Weights;

/// The weights of a question where any are not the usual ones: those of the question go before those of the space.
pub(crate) fn overridden(
    of_space: &BTreeMap<String, f32>,
    of_question: &BTreeMap<String, f32>,
) -> Result<Option<Weights>, InvalidValue> {
    if of_space.is_empty() && of_question.is_empty() {
        return Ok(None);
    }
    let mut weights = Weights::USUAL;
    set(&mut weights, "recall.weights", of_space)?;
    set(&mut weights, "weights", of_question)?;
    Ok(Some(weights))
}

/// Sets single weights; `field` is where they were told.
fn set(
    weights: &mut Weights,
    field: &str,
    told: &BTreeMap<String, f32>,
) -> Result<(), InvalidValue> {
    for (feature, weight) in told {
        check_weight(field, feature, *weight)?;
        let Some(place) = weights.of(feature) else {
            let accepts = format!("of one of {}", Weights::NAMES.join(", "));
            return Err(InvalidValue::new(field, accepts, feature));
        };
        *place = *weight;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(weights: &[(&str, f32)]) -> BTreeMap<String, f32> {
        let named = weights
            .iter()
            .map(|(name, weight)| ((*name).to_owned(), *weight));
        named.collect()
    }

    #[test]
    fn a_question_goes_before_its_space_and_what_neither_says_stays() {
        let space = told(&[("recency", 1.5), ("importance", 4.0)]);
        let question = told(&[("recency", 0.25)]);
        let weights = overridden(&space, &question).expect("accepted");
        let expected = Weights {
            recency: 0.25,
            importance: 4.0,
            ..Weights::USUAL
        };
        assert_eq!(weights, Some(expected));
        assert_eq!(overridden(&told(&[]), &told(&[])), Ok(None));
    }

    #[test]
    fn a_feature_that_is_none_is_refused_with_all_names() {
        for (space, question, field) in [
            (told(&[("rececny", 1.0)]), told(&[]), "recall.weights"),
            (told(&[]), told(&[("rececny", 1.0)]), "weights"),
        ] {
            let refusal = overridden(&space, &question).expect_err("refused");
            assert_eq!((refusal.field(), refusal.given()), (field, "rececny"));
            for name in Weights::NAMES {
                assert!(refusal.accepts().contains(name), "{refusal}");
            }
        }
        let heavy = overridden(&told(&[]), &told(&[("recency", f32::NAN)]));
        assert_eq!(heavy.expect_err("refused").field(), "weights");
    }

    #[test]
    fn every_name_has_its_own_weight_and_the_sums_agree() {
        let mut weights = Weights::USUAL;
        for (place, name) in (1_u8..).zip(Weights::NAMES) {
            *weights.of(name).expect("a feature") = f32::from(place);
        }
        let features = crate::model::Features {
            lexical: 1.0,
            superseded: 1.0,
            ..crate::model::Features::default()
        };
        let table = features.table(&weights);
        let sum: f32 = table.iter().map(|(_, value, weight)| value * weight).sum();
        assert!((features.score_by(&weights) - sum).abs() < 1e-6);
        let usual = features.score_by(&Weights::USUAL);
        assert!((usual - features.score()).abs() < 1e-6);
        let names: Vec<_> = table.iter().map(|(name, _, _)| name.as_ref()).collect();
        assert_eq!(names, Weights::NAMES);
    }
}
