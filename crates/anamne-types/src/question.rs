//! Queries.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::fmt::temporal::{DateTimeParser, DateTimePrinter};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::limits::{accept, check_importance, check_names, check_some, check_text, check_unit};
use crate::ranking::check_weight;
use crate::{
    AsOf, Category, Condition, Depth, InvalidValue, Kind, Limits, Memory, Ranking, RecallScope,
    Row, Temperature, Tier, TimeWords,
};

/// A restriction on memories; an empty filter matches all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// Happened at or after this time.
    pub since: Option<Timestamp>,
    /// Happened before this time.
    pub until: Option<Timestamp>,
    /// In one of these threads.
    pub threads: Vec<String>,
    /// Of one of these kinds.
    pub kinds: Vec<Kind>,
    /// Of one of these categories of fact.
    pub categories: Vec<Category>,
    /// With all of these tags.
    pub tags: Vec<String>,
    /// By one of these authors.
    pub authors: Vec<String>,
    /// Written in one of these sessions.
    pub sessions: Vec<String>,
    /// Minimum importance, 1 to 10.
    pub min_importance: Option<u8>,
    /// Minimum trust, 0 to 1.
    pub min_trust: Option<f32>,
    /// Conditions on metadata, all of which must be met.
    #[serde(rename = "where")]
    pub conditions: Vec<Condition>,
    /// Opened by its id at or after this time.
    pub accessed_since: Option<Timestamp>,
    /// Minimum number of times that it was opened by its id.
    pub min_accesses: Option<u64>,
    /// Of these rows, ascending: those that pass `accessed_since` and `min_accesses`, which only the engine knows.
    #[serde(skip)]
    pub rows: Option<Vec<Row>>,
}

impl Filter {
    /// Whether it matches everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a memory has all of its tags and meets all of its conditions.
    pub fn passes_tags_and_metadata(&self, memory: &Memory) -> bool {
        let mut conditions = self.conditions.iter();
        self.tags.iter().all(|tag| memory.tags.contains(tag))
            && conditions.all(|condition| condition.matches(&memory.metadata))
    }

    /// Checks names and bounds.
    pub fn check(&self) -> Result<(), InvalidValue> {
        for (field, names) in [
            ("thread", &self.threads),
            ("tag", &self.tags),
            ("author", &self.authors),
            ("session", &self.sessions),
        ] {
            check_count(field, names.len())?;
            check_names(field, names)?;
        }
        check_count("kind", self.kinds.len())?;
        check_count("category", self.categories.len())?;
        check_count("where", self.conditions.len())?;
        check_some(self.min_importance, |importance| {
            check_importance("min_importance", importance)
        })?;
        check_some(self.since.zip(self.until), |(since, until)| {
            let accepts = format_args!("later than since ({since})");
            accept(since < until, "until", accepts, until)
        })?;
        check_some(self.min_trust, |trust| check_unit("min_trust", trust))
    }
}

/// Checks the number of values per filter field; all tags must match, and no memory has more than 64.
fn check_count(field: &str, count: usize) -> Result<(), InvalidValue> {
    let most = match field {
        "tag" => Limits::TAGS,
        "where" => Limits::CONDITIONS,
        _ => Limits::FILTER_VALUES,
    };
    let accepts = format_args!("named at most {most} times");
    accept(
        count <= most,
        field,
        accepts,
        format_args!("{count} values"),
    )
}

/// Which neighbours are returned with a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Surroundings {
    /// The memory alone.
    #[default]
    None,
    /// The preceding and the following memory of its thread.
    Neighbours,
}

/// A query.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent options, each set by its own name"
)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Recall {
    /// The query text.
    pub query: String,
    /// The filter.
    #[serde(default)]
    pub filter: Filter,
    /// Maximum number of results, 1 to 1 000.
    #[serde(default = "ten")]
    pub limit: usize,
    /// Confidence threshold, 0 to 1; results below it are dropped.
    #[serde(default)]
    pub min_confidence: f32,
    /// Which neighbours are returned with results.
    #[serde(default)]
    pub surroundings: Surroundings,
    /// The signals to use; all by default.
    #[serde(default)]
    pub signals: Signals,
    /// The tiers to search; all by default.
    #[serde(default)]
    pub temperature: Temperature,
    /// Search the tier of `temperature` alone, without the hotter ones; refused for all tiers. Such a query is never
    /// widened to other tiers.
    #[serde(default)]
    pub tier_alone: bool,
    /// The part of the space to search.
    #[serde(default)]
    pub scope: RecallScope,
    /// Ask the memories of this session first. If none of them is relevant with a probability of at least
    /// [`Recall::SURE`], the whole space is asked, then `core` if it is searched too; [`crate::Answer::reached`] says
    /// how far it went. Refused with a filter by session.
    pub narrow: Option<String>,
    /// Whether results name their entities, related entities and related memories, at most five each.
    #[serde(default)]
    pub related: bool,
    /// How far links and relations are followed.
    #[serde(default)]
    pub depth: Depth,
    /// As of which time; the present by default.
    #[serde(default)]
    pub as_of: AsOf,
    /// The time that "yesterday" and "last week" refer to; the clock's by default.
    pub asked_at: Option<Timestamp>,
    /// The time zone of its days: an IANA name such as `Europe/Paris`, an offset such as `+05:30`, or a POSIX time zone;
    /// UTC by default.
    pub zone: Option<String>,
    /// How time expressions in the text are used.
    #[serde(default)]
    pub time_words: TimeWords,
    /// The ranking formula. Only `full` is accepted with a single signal.
    #[serde(default)]
    pub ranking: Ranking,
    /// Feature weights for this query, by the names in explanations; they override the space's. Unknown names are
    /// rejected, as are weights with another formula or a single signal.
    #[serde(default)]
    pub weights: BTreeMap<String, f32>,
    /// Penalty for similarity to preceding results, 0 to 1 (1 − λ of maximal marginal relevance). Results are selected
    /// from the first `3 × limit`, at least 30; their scores don't include the penalty.
    #[serde(default)]
    pub diversity: f32,
    /// The role to rank for: one of the space's settings, or `architect`, `assistant`, `developer`, `planner` or
    /// `reviewer`. Rejected where weights are.
    pub role: Option<String>,
    /// Whether the planner may skip unpromising tiers and widen the search after a weak answer; otherwise all tiers of
    /// `temperature` are searched.
    #[serde(default = "yes")]
    pub planning: bool,
    /// Whether the answer includes the plan.
    #[serde(default)]
    pub explain_plan: bool,
}

/// The signals of a recall; evaluation uses single ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Signals {
    /// All signals.
    #[default]
    Full,
    /// Only BM25 of the memory's text.
    Lexical,
    /// Only the cosine of the memory's vectors.
    Semantic,
}

fn ten() -> usize {
    10
}

fn yes() -> bool {
    true
}

/// The name of a time zone, which [`Recall::zone`] accepts; of one without a name its offset at `at`.
///
/// ```
/// use anamne_types::zone_name;
/// use jiff::{Timestamp, tz};
///
/// let zone = tz::TimeZone::fixed(tz::offset(-5));
/// assert_eq!(zone_name(&zone, Timestamp::UNIX_EPOCH), "-05:00");
/// ```
pub fn zone_name(zone: &TimeZone, at: Timestamp) -> String {
    let printer = DateTimePrinter::new();
    let offset = || TimeZone::fixed(zone.to_offset(at));
    printer
        .time_zone_to_string(zone)
        .or_else(|_| printer.time_zone_to_string(&offset()))
        .unwrap_or_else(|_| "UTC".to_owned())
}

impl Recall {
    /// The confidence below which a result is almost certainly not evidence: dropping these costs at most 0.003 of
    /// recall@10 on any measured set (BENCHMARKS.md). Doors for agents drop them unless they are asked for.
    pub const UNLIKELY: f32 = 0.005;

    /// The confidence from which a result is more likely relevant than not: a narrow query stops there.
    pub const SURE: f32 = 0.5;

    /// A query without a filter, for ten results.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            filter: Filter::default(),
            limit: ten(),
            min_confidence: 0.0,
            surroundings: Surroundings::default(),
            signals: Signals::default(),
            temperature: Temperature::default(),
            tier_alone: false,
            scope: RecallScope::default(),
            narrow: None,
            related: false,
            depth: Depth::default(),
            as_of: AsOf::default(),
            asked_at: None,
            zone: None,
            time_words: TimeWords::default(),
            ranking: Ranking::default(),
            weights: BTreeMap::new(),
            diversity: 0.0,
            role: None,
            planning: true,
            explain_plan: false,
        }
    }

    /// Sets the maximum number of results.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Sets the filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Sets the tiers to search.
    #[must_use]
    pub fn temperature(mut self, temperature: Temperature) -> Self {
        self.temperature = temperature;
        self
    }

    /// Whether it searches a tier.
    pub fn reaches(&self, tier: Tier) -> bool {
        self.temperature.reaches(tier, self.tier_alone)
    }

    /// Sets the session that is asked first.
    #[must_use]
    pub fn narrow(mut self, session: impl Into<String>) -> Self {
        self.narrow = Some(session.into());
        self
    }

    /// Sets the part of the space to search.
    #[must_use]
    pub fn scope(mut self, scope: RecallScope) -> Self {
        self.scope = scope;
        self
    }

    /// Sets the depth.
    #[must_use]
    pub fn depth(mut self, depth: Depth) -> Self {
        self.depth = depth;
        self
    }

    /// Sets the signals.
    #[must_use]
    pub fn signals(mut self, signals: Signals) -> Self {
        self.signals = signals;
        self
    }

    /// Sets when and in which time zone it is asked: the time and the days of "yesterday" and "on Monday".
    #[must_use]
    pub fn asked(mut self, at: Timestamp, zone: &TimeZone) -> Self {
        self.asked_at = Some(at);
        self.zone = Some(zone_name(zone, at));
        self
    }

    /// The time zone of its days.
    pub fn time_zone(&self) -> Result<TimeZone, InvalidValue> {
        let named = |name: &String| {
            let accepts = "a time zone, such as Europe/Paris or +05:30";
            DateTimeParser::new()
                .parse_time_zone(name)
                .map_err(|_| InvalidValue::new("zone", accepts, format!("{name:?}")))
        };
        self.zone.as_ref().map_or(Ok(TimeZone::UTC), named)
    }

    /// Checks the query, its bounds and its filter.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_text("query", &self.query, Limits::QUERY_BYTES)?;
        self.check_bounds()
    }

    /// Checks everything but the query text.
    pub(crate) fn check_bounds(&self) -> Result<(), InvalidValue> {
        Limits::check_results(self.limit)?;
        check_unit("min_confidence", self.min_confidence)?;
        check_unit("diversity", self.diversity)?;
        self.scope.check()?;
        self.depth.check()?;
        check_names("role", &self.role)?;
        check_names("session", &self.narrow)?;
        let is_twice = self.narrow.is_some() && !self.filter.sessions.is_empty();
        accept(
            !is_twice,
            "narrow",
            "left out where memories are filtered by session",
            self.narrow.as_deref().unwrap_or_default(),
        )?;
        let is_one_tier = !self.tier_alone || self.temperature != Temperature::All;
        accept(
            is_one_tier,
            "temperature",
            "hot, warm or cold where one tier is searched alone",
            self.temperature,
        )?;
        self.time_zone()?;
        self.weights
            .iter()
            .try_for_each(|(feature, weight)| check_weight("weights", feature, *weight))?;
        self.filter.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_zone_of_a_machine_can_be_named_in_a_query() {
        let at: Timestamp = "2026-07-01T12:00:00Z".parse().expect("an instant");
        let zones = [
            TimeZone::get("America/New_York").expect("a zone"),
            TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone"),
            TimeZone::fixed(jiff::tz::offset(-5)),
            TimeZone::UTC,
            TimeZone::unknown(),
        ];
        for zone in zones {
            let recall = Recall::new("what was yesterday?").asked(at, &zone);
            let named = recall.time_zone().expect("a known zone");
            assert_eq!(named.to_offset(at), zone.to_offset(at), "{recall:?}");
            assert_eq!(recall.check(), Ok(()));
        }
    }
}
