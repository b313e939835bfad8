//! Features computed from a memory's attributes.

use anamne_store::view::Attributes;
use anamne_text::time::MONTHS;
use anamne_types::Role;

use crate::feature_inputs::FeatureInputs;
use crate::model::{self, Features};
use crate::query_times;
use crate::words::ParsedQuery;

/// Adds the features that depend on attributes only.
pub(crate) fn with_attributes(
    inputs: &FeatureInputs<'_>,
    attributes: &Attributes,
    features: Features,
) -> Features {
    let days = ((inputs.latest - attributes.occurred_at).max(0) as f64 / 86_400e6) as f32;
    let long = ((inputs.query.words.len() as f32 - 12.0) / 20.0).clamp(0.0, 1.0);
    Features {
        author: author(inputs.query, attributes),
        role: role(inputs, attributes),
        date: date(inputs.query, attributes)
            .max(query_times::date_match(inputs.times, attributes))
            .max(features.date),
        long_query_recency: (-days / model::LONG_QUERY_RECENCY_DAYS).exp() * long,
        recency: (-days / inputs.recency_days).exp(),
        importance: (f32::from(attributes.importance) - 5.0) / 10.0,
        distrust: 1.0 - f32::from(attributes.trust) / 255.0,
        feedback: f32::from(attributes.feedback) / 100.0,
        superseded: f32::from(u8::from(attributes.superseded)),
        category: inputs.intent.matches(attributes),
        role_fit: inputs
            .role_preferences
            .map_or(0.0, |role| role.fit(attributes)),
        ..features
    }
}

/// 1 for the only person named in the query, −1 for other persons if there is one, else 0.
fn author(query: &ParsedQuery, attributes: &Attributes) -> f32 {
    match query.named_authors[..] {
        [named] if named == attributes.author => 1.0,
        [_] if query.persons.contains(&attributes.author) => -1.0,
        _ => 0.0,
    }
}

/// 1 for a user, −1 for a program, 0 if unknown.
fn role(inputs: &FeatureInputs<'_>, attributes: &Attributes) -> f32 {
    match Role::from_number(attributes.role) {
        Some(Role::User) => 1.0,
        Some(_) => -1.0,
        None if inputs.user_authors.contains(&attributes.author) => 1.0,
        None if inputs.program_authors.contains(&attributes.author) => -1.0,
        None => 0.0,
    }
}

/// 0.5 for the year, 1 for the month's name, 1 for the day in addition to the month.
fn date(query: &ParsedQuery, attributes: &Attributes) -> f32 {
    if !query.mentions_date {
        return 0.0;
    }
    let Ok(instant) = jiff::Timestamp::from_microsecond(attributes.occurred_at) else {
        return 0.0;
    };
    let day = jiff::tz::Offset::UTC.to_datetime(instant).date();
    let contains_word = |wanted: &str| query.words.iter().any(|word| word == wanted);
    let month = contains_word(MONTHS[(day.month() as usize - 1) % 12]);
    let year = contains_word(&day.year().to_string());
    let on_day = month && contains_word(&day.day().to_string());
    0.5 * f32::from(u8::from(year)) + f32::from(u8::from(month)) + f32::from(u8::from(on_day))
}
