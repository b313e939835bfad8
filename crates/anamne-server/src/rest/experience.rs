//! What worked before: outcomes, lessons, advice, skills.

use anamne::{
    ActionOutcome, Advice, Draft, Experience, ExperienceQuery, Lesson, PastSearch, Remembered,
    RunChance, SkillRecord,
};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Routes, twenty};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(outcome))
        .routes(routes!(lesson))
        .routes(routes!(lessons))
        .routes(routes!(keep_lesson))
        .routes(routes!(set_lesson_aside))
        .routes(routes!(advice))
        .routes(routes!(skills))
        .routes(routes!(keep))
        .routes(routes!(searches))
}

/// An action and what came of it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ToldOutcome {
    /// The outcome.
    outcome: ActionOutcome,
    /// The thread.
    thread: Option<String>,
    /// The session.
    session: Option<String>,
    /// Who acted.
    author: Option<String>,
}

/// Record an action and what came of it; the space is created if it is missing
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/experience/outcomes",
    tag = "experience",
    request_body = ToldOutcome,
    params(InSpace),
    responses((status = 201, body = Remembered), (status = "default", body = Problem))
)]
async fn outcome(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(told): Json<ToldOutcome>,
) -> Result<(StatusCode, Json<Remembered>), Problem> {
    let in_view = told.outcome.in_view.clone();
    let experience = Experience::Outcome(told.outcome);
    experience.check()?;
    let draft = Draft {
        thread: told.thread,
        session: told.session,
        author: told.author,
        ..Draft::experience(experience)
    };
    let stored = caller.with_new_space(space, move |space| {
        space.note_used(&in_view)?;
        space.remember(draft)
    });
    Ok((StatusCode::CREATED, Json(stored.await?)))
}

/// How to do something better.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ToldLesson {
    /// Its title, when it applies, and where it comes from.
    lesson: Lesson,
    /// What to do.
    content: String,
}

/// Record how to do something better; the space is created if it is missing
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/experience/lessons",
    tag = "experience",
    request_body = ToldLesson,
    params(InSpace),
    responses((status = 201, body = Remembered), (status = "default", body = Problem))
)]
async fn lesson(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(told): Json<ToldLesson>,
) -> Result<(StatusCode, Json<Remembered>), Problem> {
    let experience = Experience::Lesson(told.lesson);
    experience.check()?;
    let draft = Draft {
        content: told.content,
        ..Draft::experience(experience)
    };
    let stored = caller.with_new_space(space, move |space| space.remember(draft));
    Ok((StatusCode::CREATED, Json(stored.await?)))
}

/// Proposed lessons.
#[derive(Debug, Serialize, ToSchema)]
struct Lessons {
    /// The lessons that finished attempts suggest, newest first.
    proposals: Vec<Advice>,
}

/// List the lessons that finished attempts suggest
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/experience/lessons",
    tag = "experience",
    params(InSpace),
    responses((status = 200, body = Lessons), (status = "default", body = Problem))
)]
async fn lessons(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Lessons>, Problem> {
    let listed = caller.with_space(space, |space| {
        Ok(Lessons {
            proposals: space.lesson_proposals()?,
        })
    });
    listed.await.map(Json)
}

/// A proposed lesson of a space.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct Proposed {
    /// The name of the space.
    space: String,
    /// The item of the lesson, as the list of proposals has it.
    item: String,
}

/// Store a proposed lesson
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/experience/lessons/{item}/keep",
    tag = "experience",
    params(Proposed),
    responses((status = 201, body = Remembered), (status = "default", body = Problem))
)]
async fn keep_lesson(
    caller: Caller,
    Path(Proposed { space, item }): Path<Proposed>,
) -> Result<(StatusCode, Json<Remembered>), Problem> {
    let stored = caller.with_space(space, move |space| space.keep_lesson(&item));
    Ok((StatusCode::CREATED, Json(stored.await?)))
}

/// Set a proposed lesson aside for good
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/experience/lessons/{item}/set-aside",
    tag = "experience",
    params(Proposed),
    responses((status = 201, body = Remembered), (status = "default", body = Problem))
)]
async fn set_lesson_aside(
    caller: Caller,
    Path(Proposed { space, item }): Path<Proposed>,
) -> Result<(StatusCode, Json<Remembered>), Problem> {
    let stored = caller.with_space(space, move |space| space.set_lesson_aside(&item));
    Ok((StatusCode::CREATED, Json(stored.await?)))
}

/// A situation; at least one text is given.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct Situation {
    /// What is to be achieved.
    goal: String,
    /// The planned action.
    action: String,
    /// Its arguments, or what it acts on; any by default.
    object: String,
    /// The error to recover from.
    error: String,
    /// Who would act, by the name under which outcomes are recorded.
    agent: String,
    /// Maximum number of answers, 1 to 1000; 5 by default.
    #[schema(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// What is known about a situation.
#[derive(Debug, Serialize, ToSchema)]
struct Known {
    /// What worked and what did not.
    advice: Vec<Advice>,
    /// How likely a run with this goal succeeds; null without a goal.
    chance: Option<RunChance>,
}

/// Ask what worked in a situation
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/experience/advice",
    tag = "experience",
    request_body = Situation,
    params(InSpace),
    responses((status = 200, body = Known), (status = "default", body = Problem))
)]
async fn advice(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(situation): Json<Situation>,
) -> Result<Json<Known>, Problem> {
    let known = caller.with_space(space, move |space| {
        let chance = match situation.goal.trim() {
            "" => None,
            goal => space.run_chance(goal, &situation.agent)?,
        };
        let advice = space.experience(&ExperienceQuery {
            goal: situation.goal,
            action: situation.action,
            object: situation.object,
            error: situation.error,
            agent: situation.agent,
            limit: situation.limit,
        })?;
        Ok(Known { advice, chance })
    });
    known.await.map(Json)
}

/// Skills.
#[derive(Debug, Serialize, ToSchema)]
struct Skills {
    /// The stored skills, with what came of them.
    skills: Vec<SkillRecord>,
    /// The skills that runs suggest.
    proposals: Vec<Advice>,
}

/// List stored and proposed skills
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/experience/skills",
    tag = "experience",
    params(InSpace),
    responses((status = 200, body = Skills), (status = "default", body = Problem))
)]
async fn skills(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Skills>, Problem> {
    let listed = caller.with_space(space, |space| {
        Ok(Skills {
            skills: space.skill_records()?,
            proposals: space.skill_proposals()?,
        })
    });
    listed.await.map(Json)
}

/// A proposed skill.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// The goal, as the list of proposals has it.
    goal: String,
}

/// Store a proposed skill
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/experience/skills",
    tag = "experience",
    operation_id = "keep_skill",
    request_body = Kept,
    params(InSpace),
    responses((status = 201, body = Remembered), (status = "default", body = Problem))
)]
async fn keep(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(kept): Json<Kept>,
) -> Result<(StatusCode, Json<Remembered>), Problem> {
    let stored = caller.with_space(space, move |space| space.keep_skill(&kept.goal));
    Ok((StatusCode::CREATED, Json(stored.await?)))
}

/// Which searches to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Like {
    /// The query that they are like.
    query: String,
    /// Maximum number, 1 to 1000.
    #[serde(default = "twenty")]
    #[param(default = 20, minimum = 1, maximum = 1000)]
    limit: usize,
}

/// Earlier searches.
#[derive(Debug, Serialize, ToSchema)]
struct Searches {
    /// The searches, most similar first.
    searches: Vec<PastSearch>,
}

/// List earlier searches with similar queries
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/experience/searches",
    tag = "experience",
    params(InSpace, Like),
    responses((status = 200, body = Searches), (status = "default", body = Problem))
)]
async fn searches(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(like): Query<Like>,
) -> Result<Json<Searches>, Problem> {
    let listed = caller.with_space(space, move |space| {
        Ok(Searches {
            searches: space.similar_searches(&like.query, like.limit)?,
        })
    });
    listed.await.map(Json)
}
