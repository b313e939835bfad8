//! Search strategies: searches that are recorded and learned from, and experiments.

use anamne::{
    ExperiencedAnswer, ExperimentReport, LearningSearch, Recall, Remembered, SearchStrategy,
    ShownResults, Space, StrategyWeek,
};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Named, Routes, resolve_all};
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(search))
        .routes(routes!(strategies))
        .routes(routes!(experiments))
        .routes(routes!(start))
        .routes(routes!(show))
        .routes(routes!(stop))
}

/// A search to record and to learn from.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    /// The question.
    recall: Recall,
    /// The earlier searches of the same question that did not help, in order.
    #[serde(default)]
    previous: Vec<String>,
    /// The thread in which the search is recorded.
    thread: Option<String>,
    /// The session in which it is recorded: the same question in other words, soon after, says that the earlier search did not help.
    session: Option<String>,
    /// Who searches.
    agent: Option<String>,
    /// Which results are shown: those of an earlier search that were not may be found again. All by default.
    #[serde(default)]
    shown: ShownResults,
}

/// Search with the strategy that worked before, without what earlier searches showed
///
/// The search is recorded if the caller may write. Send feedback about its `search` to `/feedback`.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/searches",
    tag = "strategies",
    request_body = Search,
    params(InSpace),
    responses((status = 200, body = ExperiencedAnswer), (status = "default", body = Problem))
)]
async fn search(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(search): Json<Search>,
) -> Result<Json<ExperiencedAnswer>, Problem> {
    let answered = caller.with_space(space, move |space| {
        space.search_with_experience(&LearningSearch {
            recall: search.recall,
            previous: resolve_all(space, "previous", &search.previous)?,
            thread: search.thread,
            session: search.session,
            agent: search.agent,
            shown: search.shown,
        })
    });
    answered.await.map(Json)
}

/// The strategies and their use.
#[derive(Debug, Serialize, ToSchema)]
struct Strategies {
    /// The strategies, the default first.
    strategies: Vec<SearchStrategy>,
    /// Which were used, by week.
    weeks: Vec<StrategyWeek>,
}

/// List the search strategies and their use by week
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/strategies",
    tag = "strategies",
    params(InSpace),
    responses((status = 200, body = Strategies), (status = "default", body = Problem))
)]
async fn strategies(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Strategies>, Problem> {
    let listed = caller.with_space(space, |space| {
        Ok(Strategies {
            strategies: Space::search_strategies(),
            weeks: space.strategy_weeks()?,
        })
    });
    listed.await.map(Json)
}

/// Experiments.
#[derive(Debug, Serialize, ToSchema)]
struct Experiments {
    /// The experiments.
    experiments: Vec<ExperimentReport>,
}

/// List the experiments
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/experiments",
    tag = "strategies",
    params(InSpace),
    responses((status = 200, body = Experiments), (status = "default", body = Problem))
)]
async fn experiments(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Experiments>, Problem> {
    let listed = caller.with_space(space, |space| {
        Ok(Experiments {
            experiments: space.experiments()?,
        })
    });
    listed.await.map(Json)
}

/// An experiment.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewExperiment {
    /// Its name.
    name: String,
    /// The strategies to compare, the baseline first; 2 to 8.
    arms: Vec<String>,
    /// The accepted rate of false conclusions, between 0 and 1.
    #[serde(default = "usual_alpha")]
    #[schema(default = 0.05)]
    alpha: f64,
}

fn usual_alpha() -> f64 {
    0.05
}

/// Start an experiment
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/experiments",
    tag = "strategies",
    operation_id = "start_experiment",
    request_body = NewExperiment,
    params(InSpace),
    responses((status = 201, body = Remembered), (status = "default", body = Problem))
)]
async fn start(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(new): Json<NewExperiment>,
) -> Result<(StatusCode, Json<Remembered>), Problem> {
    let started = caller.with_space(space, move |space| {
        space.start_experiment(&new.name, &new.arms, new.alpha)
    });
    Ok((StatusCode::CREATED, Json(started.await?)))
}

/// Show an experiment
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/experiments/{name}",
    tag = "strategies",
    operation_id = "show_experiment",
    params(Named),
    responses((status = 200, body = ExperimentReport), (status = "default", body = Problem))
)]
async fn show(
    caller: Caller,
    Path(Named { space, name }): Path<Named>,
) -> Result<Json<ExperimentReport>, Problem> {
    let shown = caller.with_space(space, move |space| space.experiment(&name));
    shown.await.map(Json)
}

/// End an experiment
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/experiments/{name}/stop",
    tag = "strategies",
    operation_id = "stop_experiment",
    params(Named),
    responses((status = 200, body = ExperimentReport), (status = "default", body = Problem))
)]
async fn stop(
    caller: Caller,
    Path(Named { space, name }): Path<Named>,
) -> Result<Json<ExperimentReport>, Problem> {
    let stopped = caller.with_space(space, move |space| space.stop_experiment(&name));
    stopped.await.map(Json)
}
