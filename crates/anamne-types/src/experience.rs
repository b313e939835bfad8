//! Experience: what was done and what came of it. Each record is the body of a memory of the kind `experience`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::body::string_enum;
use crate::draft::check_depth;
use crate::limits::{accept, check_name, check_names, check_some, check_text, check_unit};
use crate::texts::{TextField, Visit};
use crate::{InvalidValue, Limits, MemoryId};

string_enum! {
    /// A judgement of work.
    Verdict as "verdict" {
        /// Something else was wanted.
        Correction = 1 "correction",
        /// It was right.
        Approval = 2 "approval",
        /// It was wrong.
        Rejection = 3 "rejection",
        /// Neither.
        Neutral = 4 "neutral",
    }
}

string_enum! {
    /// How useful the results of a search were.
    Usefulness as "usefulness" {
        /// They answered it.
        Helpful = 1 "helpful",
        /// They answered a part of it.
        Partial = 2 "partial",
        /// They did not answer it.
        Useless = 3 "useless",
        /// The query could mean several things.
        Ambiguous = 4 "ambiguous",
    }
}

/// An action and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ActionOutcome {
    /// The kind of action: a tool's or a command's name, or `task` for a whole run.
    pub action: String,
    /// What it acted on, such as a file, a host or a database.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Its arguments: the command line, the query, JSON.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub arguments: String,
    /// Whether it succeeded.
    pub succeeded: bool,
    /// How well, 0 to 1; by default 1 for success, 0 for failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// Its result, shortened by the caller.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub result: String,
    /// The error message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// The goal that it served.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// The run that it is a step of: one attempt at the goal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// Whether this is the outcome of the whole run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends_run: bool,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// What it cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
    /// The model that chose it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// What made it succeed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<String>,
    /// The memories that were in view.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_view: Vec<MemoryId>,
}

/// A judgement of work by a person or program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkFeedback {
    /// The judgement.
    pub verdict: Verdict,
    /// What is judged: an outcome or another memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<MemoryId>,
    /// A comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// What was wanted instead.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub wanted: String,
}

/// A search with experience: how it was done, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SearchTrace {
    /// The query.
    pub query: String,
    /// The name of the strategy.
    pub strategy: String,
    /// The strategies that were tried before for the same question, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// The features of the query from which the strategy was chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<f32>,
    /// The results, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<MemoryId>,
    /// The confidence of the best result, 0 to 1.
    pub confidence: f32,
    /// Similar earlier searches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<MemoryId>,
    /// The experiment in which it was chosen; empty if in none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub experiment: String,
    /// How long it took, in microseconds.
    pub took_us: u64,
}

/// Feedback on a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SearchFeedback {
    /// The search.
    pub search: MemoryId,
    /// How useful its results were.
    pub usefulness: Usefulness,
    /// The results that were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<MemoryId>,
    /// Why they were not useful.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// If the query was ambiguous: what should have been asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub should_ask: String,
    /// Whether it was inferred from what happened next, and not told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub implied: bool,
}

/// A reasoning strategy learned from a run; its text is the memory's content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// When it applies, in one sentence.
    #[serde(default)]
    pub description: String,
    /// Whether it comes from a success or a failure.
    pub succeeded: bool,
    /// The outcomes that it was learned from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned_from: Vec<MemoryId>,
    /// The key of the proposed lesson that it was kept from, or that it sets aside; empty if it was told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// Whether it sets that proposed lesson aside: neither of them is offered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub set_aside: bool,
}

/// A value of working memory. Session and agent are the memory's session and author, its end is the memory's expiry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkingValue {
    /// Its key.
    pub key: String,
    /// The value; null removes the key.
    pub value: Value,
}

/// An experiment over search strategies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ExperimentSetup {
    /// Its name.
    pub name: String,
    /// The strategies compared, the baseline first.
    pub arms: Vec<String>,
    /// The accepted rate of false conclusions, above 0 and below 1.
    pub alpha: f64,
    /// Whether it has ended.
    #[serde(default)]
    pub ended: bool,
}

/// One record of experience.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Experience {
    /// An action and what came of it.
    Outcome(ActionOutcome),
    /// A judgement of work.
    Feedback(WorkFeedback),
    /// A search.
    Search(SearchTrace),
    /// Feedback on a search.
    SearchFeedback(SearchFeedback),
    /// A reasoning strategy.
    Lesson(Lesson),
    /// A value of working memory.
    Working(WorkingValue),
    /// An experiment.
    Experiment(ExperimentSetup),
}

/// Maximum number of ids or texts in one list of a record.
const MOST_LISTED: usize = 256;

/// The highest cost of an action, in US dollars.
const MOST_DOLLARS: f64 = 1e9;

/// Maximum number of features of a search.
const MOST_FEATURES: usize = 64;

impl Experience {
    /// Its type, as in JSON.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Outcome(_) => "outcome",
            Self::Feedback(_) => "feedback",
            Self::Search(_) => "search",
            Self::SearchFeedback(_) => "search_feedback",
            Self::Lesson(_) => "lesson",
            Self::Working(_) => "working",
            Self::Experiment(_) => "experiment",
        }
    }

    /// A sentence that describes it: the content of its memory, unless the caller words one. At most a few hundred
    /// bytes.
    pub fn sentence(&self) -> String {
        match self {
            Self::Outcome(outcome) => outcome.sentence(),
            Self::Feedback(feedback) => {
                let said = [feedback.comment.as_str(), feedback.wanted.as_str()];
                let said = said.into_iter().find(|text| !text.is_empty());
                titled(feedback.verdict.as_str(), said.unwrap_or_default())
            }
            Self::Search(search) => titled("searched", &search.query),
            Self::SearchFeedback(feedback) => {
                titled(feedback.usefulness.as_str(), &feedback.reason)
            }
            Self::Lesson(lesson) => titled(&lesson.title, &lesson.description),
            Self::Working(working) => titled("working", &working.key),
            Self::Experiment(experiment) => titled("experiment", &experiment.name),
        }
    }

    /// Checks every field.
    pub fn check(&self) -> Result<(), InvalidValue> {
        match self {
            Self::Outcome(outcome) => outcome.check(),
            Self::Feedback(_) => Ok(()),
            Self::Search(search) => search.check(),
            Self::SearchFeedback(feedback) => check_length("used", feedback.used.len()),
            Self::Lesson(lesson) => {
                check_name("title", &lesson.title)?;
                check_length("learned_from", lesson.learned_from.len())?;
                if !lesson.item.is_empty() {
                    check_name("item", &lesson.item)?;
                }
                let says_what = !lesson.set_aside || !lesson.item.is_empty();
                accept(
                    says_what,
                    "item",
                    "given for a lesson that is set aside",
                    "nothing",
                )
            }
            Self::Working(working) => {
                check_name("key", &working.key)?;
                check_depth("value", [&working.value])?;
                let size = working.value.to_string().len();
                let most = Limits::METADATA_BYTES;
                let accepts = format_args!("at most {most} bytes of JSON");
                accept(size <= most, "value", accepts, format_args!("{size} bytes"))
            }
            Self::Experiment(experiment) => {
                check_name("experiment", &experiment.name)?;
                check_names("arm", &experiment.arms)?;
                let count = experiment.arms.len();
                accept((2..=8).contains(&count), "arms", "two to eight", count)?;
                let is_rate = experiment.alpha > 0.0 && experiment.alpha < 1.0;
                accept(is_rate, "alpha", "above 0 and below 1", experiment.alpha)
            }
        }
    }

    /// The memories that it refers to.
    pub fn references(&self) -> Vec<MemoryId> {
        match self {
            Self::Outcome(outcome) => outcome.in_view.clone(),
            Self::Feedback(feedback) => feedback.about.into_iter().collect(),
            Self::Search(search) => [search.results.as_slice(), &search.similar].concat(),
            Self::SearchFeedback(feedback) => {
                let mut ids = feedback.used.clone();
                ids.push(feedback.search);
                ids
            }
            Self::Lesson(lesson) => lesson.learned_from.clone(),
            Self::Working(_) | Self::Experiment(_) => Vec::new(),
        }
    }

    /// Calls `visit` with each text and its field; JSON values are given to `visit_value`.
    pub(crate) fn visit_texts(
        &mut self,
        visit: Visit<'_>,
        visit_value: fn(TextField<'_>, &mut Value, Visit<'_>),
    ) {
        let mut all = |fields: &mut [(&str, &mut String)]| {
            for (field, text) in fields {
                visit((*field).into(), text);
            }
        };
        match self {
            Self::Outcome(outcome) => {
                all(&mut [
                    ("action", &mut outcome.action),
                    ("target", &mut outcome.target),
                    ("arguments", &mut outcome.arguments),
                    ("result", &mut outcome.result),
                    ("error", &mut outcome.error),
                    ("goal", &mut outcome.goal),
                    ("run", &mut outcome.run),
                    ("model", &mut outcome.model),
                ]);
                for factor in &mut outcome.factors {
                    all(&mut [("factors", factor)]);
                }
            }
            Self::Feedback(feedback) => all(&mut [
                ("comment", &mut feedback.comment),
                ("wanted", &mut feedback.wanted),
            ]),
            Self::Search(search) => {
                all(&mut [
                    ("query", &mut search.query),
                    ("strategy", &mut search.strategy),
                    ("experiment", &mut search.experiment),
                ]);
                for strategy in &mut search.after {
                    all(&mut [("after", strategy)]);
                }
            }
            Self::SearchFeedback(feedback) => all(&mut [
                ("reason", &mut feedback.reason),
                ("should_ask", &mut feedback.should_ask),
            ]),
            Self::Lesson(lesson) => all(&mut [
                ("title", &mut lesson.title),
                ("description", &mut lesson.description),
                ("item", &mut lesson.item),
            ]),
            Self::Working(working) => {
                all(&mut [("key", &mut working.key)]);
                let label = working.key.clone();
                let place = TextField {
                    field: "value",
                    label: &label,
                };
                visit_value(place, &mut working.value, visit);
            }
            Self::Experiment(experiment) => {
                all(&mut [("experiment", &mut experiment.name)]);
                for arm in &mut experiment.arms {
                    all(&mut [("arms", arm)]);
                }
            }
        }
    }
}

impl ActionOutcome {
    /// The value of `action` for the outcome of a whole run.
    pub const TASK: &str = "task";

    /// The call on one line: action, arguments or target.
    pub fn call(&self) -> String {
        let object = match self.arguments.as_str() {
            "" => self.target.as_str(),
            arguments => arguments,
        };
        titled(&self.action, object).replacen(": ", " ", 1)
    }

    fn sentence(&self) -> String {
        let subject = match self.goal.as_str() {
            goal if self.ends_run && !goal.is_empty() => titled(&self.action, goal),
            _ => self.call(),
        };
        match (self.succeeded, self.error.as_str()) {
            (true, _) => format!("{subject} – succeeded"),
            (false, "") => format!("{subject} – failed"),
            (false, error) => format!("{subject} – failed: {}", start_of(error)),
        }
    }

    fn check(&self) -> Result<(), InvalidValue> {
        check_name("action", &self.action)?;
        check_some(self.score, |score| check_unit("score", score))?;
        check_some(self.dollars, |dollars| {
            let is_cost = (0.0..=MOST_DOLLARS).contains(&dollars);
            accept(is_cost, "dollars", "from 0 to a billion", dollars)
        })?;
        check_some(self.duration_ms, |duration| {
            let accepts = "at most 366 days";
            accept(
                duration <= Limits::DURATION_MS,
                "duration_ms",
                accepts,
                duration,
            )
        })?;
        for text in &self.factors {
            check_text("factors", text, Limits::QUERY_BYTES)?;
        }
        check_length("factors", self.factors.len())?;
        check_length("in_view", self.in_view.len())
    }
}

impl SearchTrace {
    fn check(&self) -> Result<(), InvalidValue> {
        check_text("query", &self.query, Limits::QUERY_BYTES)?;
        check_name("strategy", &self.strategy)?;
        check_names("after", &self.after)?;
        check_unit("confidence", self.confidence)?;
        check_length("after", self.after.len())?;
        check_length("results", self.results.len())?;
        check_length("similar", self.similar.len())?;
        let are_numbers = self.features.iter().all(|value| value.is_finite());
        accept(are_numbers, "features", "finite numbers", "another")?;
        let count = self.features.len();
        let accepts = format_args!("at most {MOST_FEATURES}");
        accept(count <= MOST_FEATURES, "features", accepts, count)
    }
}

fn check_length(field: &str, count: usize) -> Result<(), InvalidValue> {
    let accepts = format_args!("at most {MOST_LISTED}");
    accept(count <= MOST_LISTED, field, accepts, count)
}

/// `title: text`, with the beginning of the text on one line.
fn titled(title: &str, text: &str) -> String {
    match start_of(text).as_str() {
        "" => title.to_owned(),
        start => format!("{title}: {start}"),
    }
}

/// The beginning of a text on one line: at most 200 characters.
fn start_of(text: &str) -> String {
    let mut start = String::new();
    // A word may be longer than what is shown, so the text is cut first.
    let cut: String = text.chars().take(400).collect();
    for word in cut.split_whitespace() {
        if !start.is_empty() {
            start.push(' ');
        }
        start.push_str(word);
    }
    match start.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &start[..end]),
        None => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcome_reads_as_a_sentence() {
        let mut outcome = ActionOutcome {
            action: "Bash".to_owned(),
            arguments: "cargo\n  test".to_owned(),
            error: "no such\nfile".to_owned(),
            ..ActionOutcome::default()
        };
        let failed = Experience::Outcome(outcome.clone());
        assert_eq!(failed.sentence(), "Bash cargo test – failed: no such file");
        outcome.succeeded = true;
        let done = Experience::Outcome(outcome);
        assert_eq!(done.sentence(), "Bash cargo test – succeeded");
        assert!(done.check().is_ok());
    }

    #[test]
    fn record_survives_json_and_refuses_unknown_fields() {
        let working = Experience::Working(WorkingValue {
            key: "branch".to_owned(),
            value: serde_json::json!({"name": "main"}),
        });
        let json = serde_json::to_string(&working).unwrap();
        assert_eq!(serde_json::from_str::<Experience>(&json).unwrap(), working);
        let unknown = r#"{"type":"outcome","action":"x","succeeded":true,"extra":1}"#;
        assert!(serde_json::from_str::<Experience>(unknown).is_err());
    }

    #[test]
    fn bad_values_are_refused() {
        let scored = |score| {
            Experience::Outcome(ActionOutcome {
                action: "task".to_owned(),
                score: Some(score),
                ..ActionOutcome::default()
            })
        };
        assert!(scored(0.5).check().is_ok());
        assert_eq!(scored(1.5).check().unwrap_err().field(), "score");
        let nameless = Experience::Outcome(ActionOutcome::default());
        assert_eq!(nameless.check().unwrap_err().field(), "action");
        let experiment = |alpha| {
            Experience::Experiment(ExperimentSetup {
                name: "depth".to_owned(),
                arms: vec!["default".to_owned(), "deep".to_owned()],
                alpha,
                ended: false,
            })
        };
        assert!(experiment(0.05).check().is_ok());
        assert_eq!(experiment(f64::NAN).check().unwrap_err().field(), "alpha");
    }

    #[test]
    fn sentences_of_long_texts_are_short() {
        let search = Experience::Search(SearchTrace {
            query: "word ".repeat(100_000),
            ..SearchTrace::default()
        });
        assert!(search.sentence().len() < 1_000);
    }
}
