//! The ranking weights of one query: the defaults of [`crate::model`], overridden by the space and then by the query.

use std::collections::BTreeMap;

use anamne_types::{InvalidValue, check_weight};

use crate::model::Weights;

/// Former feature names, still accepted as input for one version, with their current names.
const FORMER_NAMES: [(&str, &str); 5] = [
    ("together", "lsi_similarity"),
    ("kin", "thread_feedback"),
    ("singular", "rare_term"),
    ("moment", "mentions_time"),
    ("ongoing", "long_query_recency"),
];

/// The weights of a query; `None` if neither the space nor the query overrides a default. The query takes precedence.
pub(crate) fn overridden(
    space: &BTreeMap<String, f32>,
    query: &BTreeMap<String, f32>,
) -> Result<Option<Weights>, InvalidValue> {
    if space.is_empty() && query.is_empty() {
        return Ok(None);
    }
    let mut weights = Weights::DEFAULT;
    set(&mut weights, "recall.weights", space)?;
    set(&mut weights, "weights", query)?;
    Ok(Some(weights))
}

/// Sets single weights; `field` is the setting that they come from. A former and a current name of the same feature
/// together are refused.
fn set(
    weights: &mut Weights,
    field: &str,
    overrides: &BTreeMap<String, f32>,
) -> Result<(), InvalidValue> {
    for (given, value) in overrides {
        check_weight(field, given, *value)?;
        let former = FORMER_NAMES.iter().find(|(former, _)| former == given);
        let feature = former.map_or(given.as_str(), |(_, current)| current);
        if former.is_some() && overrides.contains_key(feature) {
            let accepts = format!("set as {feature} alone, not also by its former name {given}");
            return Err(InvalidValue::new(field, accepts, given));
        }
        let Some(weight) = weights.of(feature) else {
            let accepts = format!("for one of {}", Weights::NAMES.join(", "));
            return Err(InvalidValue::new(field, accepts, given));
        };
        *weight = *value;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overrides(weights: &[(&str, f32)]) -> BTreeMap<String, f32> {
        let named = weights
            .iter()
            .map(|(name, weight)| ((*name).to_owned(), *weight));
        named.collect()
    }

    #[test]
    fn query_weights_override_space_weights_and_the_rest_stay_default() {
        let space = overrides(&[("recency", 1.5), ("importance", 4.0)]);
        let query = overrides(&[("recency", 0.25)]);
        let weights = overridden(&space, &query).expect("accepted");
        let expected = Weights {
            recency: 0.25,
            importance: 4.0,
            ..Weights::DEFAULT
        };
        assert_eq!(weights, Some(expected));
        assert_eq!(overridden(&overrides(&[]), &overrides(&[])), Ok(None));
    }

    #[test]
    fn former_names_set_the_renamed_features() {
        for (former, current) in FORMER_NAMES {
            assert!(!Weights::NAMES.contains(&former), "{former}");
            let [by_former, by_current] = [former, current]
                .map(|name| overridden(&overrides(&[]), &overrides(&[(name, 0.125)])));
            assert!(by_former.is_ok(), "{former}");
            assert_eq!(by_former, by_current);
        }
        let space = overrides(&[("kin", 1.0)]);
        let query = overrides(&[("thread_feedback", 2.0)]);
        let expected = Weights {
            thread_feedback: 2.0,
            ..Weights::DEFAULT
        };
        assert_eq!(overridden(&space, &query), Ok(Some(expected)));
    }

    #[test]
    fn a_former_name_beside_the_current_one_is_refused() {
        let both = overrides(&[("kin", 1.0), ("thread_feedback", 2.0)]);
        let refusal = overridden(&both, &overrides(&[])).expect_err("refused");
        assert_eq!(
            (refusal.field(), refusal.given()),
            ("recall.weights", "kin")
        );
        assert!(refusal.accepts().contains("thread_feedback"), "{refusal}");
    }

    #[test]
    fn an_unknown_feature_is_refused_with_all_names() {
        for (space, query, field) in [
            (
                overrides(&[("rececny", 1.0)]),
                overrides(&[]),
                "recall.weights",
            ),
            (overrides(&[]), overrides(&[("rececny", 1.0)]), "weights"),
        ] {
            let refusal = overridden(&space, &query).expect_err("refused");
            assert_eq!((refusal.field(), refusal.given()), (field, "rececny"));
            for name in Weights::NAMES {
                assert!(refusal.accepts().contains(name), "{refusal}");
            }
        }
        let not_a_number = overridden(&overrides(&[]), &overrides(&[("recency", f32::NAN)]));
        assert_eq!(not_a_number.expect_err("refused").field(), "weights");
    }

    #[test]
    fn every_feature_has_its_own_weight() {
        let mut weights = Weights::DEFAULT;
        for (number, name) in (1_u8..).zip(Weights::NAMES) {
            *weights.of(name).expect("a feature") = f32::from(number);
        }
        let features = crate::model::Features {
            lexical: 1.0,
            superseded: 1.0,
            ..crate::model::Features::default()
        };
        let table = features.table(&weights);
        let sum: f32 = table.iter().map(|(_, value, weight)| value * weight).sum();
        assert!((features.score(&weights) - sum).abs() < 1e-6);
        let names: Vec<_> = table.iter().map(|(name, _, _)| name.as_ref()).collect();
        assert_eq!(names, Weights::NAMES);
    }
}
