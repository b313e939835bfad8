//! What a caller asks.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::limits::{accept, check_importance, check_names, check_some, check_text, check_unit};
use crate::ranking::check_weight;
use crate::{
    AsOf, Category, Depth, InvalidValue, Kind, Limits, Ranking, RecallScope, Temperature, TimeWords,
};

/// Which memories may be answered with; an empty filter lets all pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// Happened at or after this instant.
    pub since: Option<Timestamp>,
    /// Happened before this instant.
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
    /// Told in one of these sessions.
    pub sessions: Vec<String>,
    /// At least this important, 1 to 10.
    pub min_importance: Option<u8>,
    /// At least this trusted, 0 to 1.
    pub min_trust: Option<f32>,
}

impl Filter {
    /// Whether it lets everything pass.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
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

/// Checks how many values one field of a filter has; all tags must be met, and no memory has more than 64.
fn check_count(field: &str, count: usize) -> Result<(), InvalidValue> {
    let most = match field {
        "tag" => Limits::TAGS,
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

/// How much of a result's thread comes along with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surroundings {
    /// The memory alone.
    #[default]
    None,
    /// The one before and the one after it in its thread.
    Neighbours,
}

/// A question to the memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recall {
    /// The question in words.
    pub query: String,
    /// Which memories may be answered with.
    #[serde(default)]
    pub filter: Filter,
    /// Results at most, 1 to 1 000.
    #[serde(default = "ten")]
    pub limit: usize,
    /// Results less sure than this, 0 to 1, are left out.
    #[serde(default)]
    pub min_confidence: f32,
    /// What of the results' threads comes along.
    #[serde(default)]
    pub surroundings: Surroundings,
    /// Which signals take part; all of them for a person.
    #[serde(default)]
    pub signals: Signals,
    /// Which tiers are searched; all of them when not said.
    #[serde(default)]
    pub temperature: Temperature,
    /// Which part of the memory it is about.
    #[serde(default)]
    pub scope: RecallScope,
    /// How many steps from what it finds are followed.
    #[serde(default)]
    pub depth: Depth,
    /// As of when; the present when not said.
    #[serde(default)]
    pub as_of: AsOf,
    /// When it is asked, which "yesterday" and "last week" are counted from; the clock's time when not said.
    pub asked_at: Option<Timestamp>,
    /// In which time zone its days begin, by the IANA name, such as `Europe/Paris`; UTC when not said.
    pub zone: Option<String>,
    /// What becomes of words in it that name a time.
    #[serde(default)]
    pub time_words: TimeWords,
    /// By which formula results are ordered. Another than the full one is refused beside a single signal.
    #[serde(default)]
    pub ranking: Ranking,
    /// Weights of features for this question, by their names in an explanation; they go before those of the space. A name that
    /// is none is refused, as are weights beside another formula than the full one or a single signal.
    #[serde(default)]
    pub weights: BTreeMap<String, f32>,
    /// 0 to 1: how much a result loses for being like one before it (λ of maximal marginal relevance is 1 less this). Results
    /// are chosen among the first three times as many, and thirty at least; their scores say what they are worth by themselves.
    #[serde(default)]
    pub diversity: f32,
    /// As whom it is asked: a role of the space's settings, or `architect`, `assistant`, `developer`, `planner` or `reviewer`,
    /// for which some kinds of memory count more. Refused where weights are.
    pub role: Option<String>,
    /// Whether the planner may leave out what is not likely to pay off, and search the other tiers when the first answer is
    /// weak; else all that `temperature` names is searched.
    #[serde(default = "yes")]
    pub planning: bool,
    /// Whether the answer says how it was planned.
    #[serde(default)]
    pub explain_plan: bool,
}

/// Which signals take part in a recall; evaluation switches single ones off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signals {
    /// Everything that the engine has.
    #[default]
    Full,
    /// BM25 over the memory's own text, and nothing else.
    Lexical,
    /// Cosine of the memory's vectors, and nothing else.
    Semantic,
}

fn ten() -> usize {
    10
}

fn yes() -> bool {
    true
}

impl Recall {
    /// A question with no filter, for ten results.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            filter: Filter::default(),
            limit: ten(),
            min_confidence: 0.0,
            surroundings: Surroundings::default(),
            signals: Signals::default(),
            temperature: Temperature::default(),
            scope: RecallScope::default(),
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

    /// Sets how many results come back at most.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Sets which memories may be answered with.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Sets which tiers are searched.
    #[must_use]
    pub fn temperature(mut self, temperature: Temperature) -> Self {
        self.temperature = temperature;
        self
    }

    /// Sets which part of the memory the question is about.
    #[must_use]
    pub fn scope(mut self, scope: RecallScope) -> Self {
        self.scope = scope;
        self
    }

    /// Sets how many steps are followed.
    #[must_use]
    pub fn depth(mut self, depth: Depth) -> Self {
        self.depth = depth;
        self
    }

    /// Sets which signals take part.
    #[must_use]
    pub fn signals(mut self, signals: Signals) -> Self {
        self.signals = signals;
        self
    }

    /// The time zone in which its days begin.
    pub fn time_zone(&self) -> Result<TimeZone, InvalidValue> {
        let named = |name: &String| {
            let accepts = "the IANA name of a time zone, such as Europe/Paris";
            TimeZone::get(name).map_err(|_| InvalidValue::new("zone", accepts, format!("{name:?}")))
        };
        self.zone.as_ref().map_or(Ok(TimeZone::UTC), named)
    }

    /// Checks the question, its bounds and its filter.
    pub fn check(&self) -> Result<(), InvalidValue> {
        check_text("query", &self.query, Limits::QUERY_BYTES)?;
        self.check_bounds()
    }

    /// Checks everything but the question's words.
    pub(crate) fn check_bounds(&self) -> Result<(), InvalidValue> {
        Limits::check_results(self.limit)?;
        check_unit("min_confidence", self.min_confidence)?;
        check_unit("diversity", self.diversity)?;
        self.scope.check()?;
        self.depth.check()?;
        check_names("role", &self.role)?;
        self.time_zone()?;
        self.weights
            .iter()
            .try_for_each(|(feature, weight)| check_weight("weights", feature, *weight))?;
        self.filter.check()
    }
}
