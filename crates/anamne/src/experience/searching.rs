//! Searches that are recorded, and what came of them.

use anamne_experience::SearchCase;
use anamne_types::{
    Body, Draft, Experience, Feedback, InvalidValue, Limits, Memory, MemoryId, Remembered, Row,
    SearchFeedback, SearchTrace, Usefulness,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::space::Space;

/// Cosine of two queries from which they count as similar.
const SIMILAR: f32 = 0.6;

/// An earlier search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PastSearch {
    /// The memory of the search.
    pub memory: MemoryId,
    /// Its citation, such as `m12`.
    pub citation: String,
    /// The cosine of both queries, 0.6 to 1.
    pub similarity: f32,
    /// When.
    pub at: Timestamp,
    /// The query.
    pub query: String,
    /// The name of the strategy.
    pub strategy: String,
    /// The confidence of the best result, 0 to 1.
    pub confidence: f32,
    /// The number of results.
    pub results: usize,
    /// How useful they were, if told.
    pub usefulness: Option<Usefulness>,
}

/// What came of the searches with one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StrategyReport {
    /// The experiment; empty for searches in none.
    pub experiment: String,
    /// The name of the strategy.
    pub strategy: String,
    /// Number of searches.
    pub searches: u64,
    /// Those with feedback.
    pub judged: u64,
    /// Successes: 1 for helpful, ½ for partial.
    pub successes: f64,
}

/// The searches of one week with one strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StrategyWeek {
    /// The Monday on which it begins, 0:00 UTC.
    pub week: Timestamp,
    /// The name of the strategy.
    pub strategy: String,
    /// Number of searches.
    pub searches: u64,
    /// Those with feedback.
    pub judged: u64,
    /// Successes: 1 for helpful, ½ for partial.
    pub successes: f64,
}

/// The searches of one week.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SearchQuality {
    /// The Monday on which it begins, 0:00 UTC.
    pub week: Timestamp,
    /// Number of searches.
    pub searches: u64,
    /// Those with feedback.
    pub judged: u64,
    /// Successes: 1 for helpful, ½ for partial.
    pub successes: f64,
    /// The mean confidence of the best result, 0 to 1.
    pub confidence: f64,
}

impl Space {
    /// Records feedback on a search, and the results that were used as useful: the latter changes their rank a little.
    /// Ends the search's experiment if it now allows a conclusion.
    pub fn search_feedback(&self, feedback: SearchFeedback) -> Result<Remembered, Error> {
        self.require_write()?;
        let search = self.inner.source.get(feedback.search)?;
        let Some(trace) = trace_of(search) else {
            let accepts = "the id of a search with experience";
            return Err(InvalidValue::new("search", accepts, feedback.search).into());
        };
        let used = feedback.used.clone();
        let remembered = self.remember(Draft::experience(Experience::SearchFeedback(feedback)))?;
        for memory in used {
            self.feedback(&Feedback::new(memory, true))?;
        }
        // The feedback is recorded; what follows from it can be caught up with later.
        let _ = self.learn();
        if !trace.experiment.is_empty() {
            let _ = self.end_concluded_experiment(&trace.experiment);
        }
        Ok(remembered)
    }

    /// Earlier searches with similar queries, those with a cosine of at least 0.6, most similar first. O(queries).
    pub fn similar_searches(&self, query: &str, limit: usize) -> Result<Vec<PastSearch>, Error> {
        Limits::check_results(limit)?;
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let mut found = view.similar_searches(query, limit)?;
        found.retain(|(similarity, _)| *similarity >= SIMILAR);
        let rows: Vec<Row> = found.iter().map(|(_, case)| case.row).collect();
        let memories = self.inner.source.get_rows(&rows)?;
        let past = |(similarity, case): (f32, SearchCase)| {
            let (_, memory) = memories.iter().find(|(row, _)| *row == case.row)?;
            Some(PastSearch {
                memory: memory.id,
                citation: memory.citation(),
                similarity,
                at: memory.occurred_at,
                query: case.query,
                strategy: case.strategy,
                confidence: case.confidence,
                results: case.results,
                usefulness: case.usefulness,
            })
        };
        Ok(found.into_iter().filter_map(past).collect())
    }

    /// What came of the searches with each strategy. O(searches).
    pub fn strategy_reports(&self) -> Result<Vec<StrategyReport>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let counts = view.strategy_counts()?.into_iter();
        Ok(counts
            .map(|count| StrategyReport {
                experiment: count.experiment,
                strategy: count.strategy,
                searches: count.searches,
                judged: count.judged,
                successes: count.successes,
            })
            .collect())
    }

    /// Which strategies were used, by week, oldest first. O(searches).
    pub fn strategy_weeks(&self) -> Result<Vec<StrategyWeek>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let weeks = view.strategy_weeks()?.into_iter();
        Ok(weeks
            .map(|week| StrategyWeek {
                week: Timestamp::from_microsecond(week.begins).unwrap_or_default(),
                strategy: week.strategy,
                searches: week.searches,
                judged: week.judged,
                successes: week.successes,
            })
            .collect())
    }

    /// The quality of searches by week, oldest first. O(searches).
    pub fn search_quality(&self) -> Result<Vec<SearchQuality>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        let weeks = view.search_weeks()?.into_iter();
        Ok(weeks
            .map(|week| SearchQuality {
                week: Timestamp::from_microsecond(week.begins).unwrap_or_default(),
                searches: week.searches,
                judged: week.judged,
                successes: week.successes,
                confidence: week.confidence,
            })
            .collect())
    }
}

/// The search that a memory records.
pub(super) fn trace_of(memory: Memory) -> Option<SearchTrace> {
    match memory.body {
        Body::Experience { experience } => match *experience {
            Experience::Search(trace) => Some(trace),
            _ => None,
        },
        _ => None,
    }
}
