//! Summaries by session, day, week and month.

use anamne::{Level, Limits, Skipped, Summary};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Routes, conceal_skipped, cut, is_small, twenty};
use crate::http::body::{Json, Path, Query};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new().routes(routes!(list, update))
}

/// Which summaries to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Which {
    /// The period of one summary; a day by default.
    #[serde(default = "day")]
    by: Level,
    /// Beginning at or after this time.
    since: Option<Timestamp>,
    /// Beginning before this time.
    until: Option<Timestamp>,
    /// Instead: the sessions of this thread.
    thread: Option<String>,
    /// Maximum number, 1 to 999.
    #[serde(default = "twenty")]
    #[param(default = 20, minimum = 1, maximum = 999)]
    limit: usize,
}

fn day() -> Level {
    Level::Day
}

/// Summaries.
#[derive(Debug, Serialize, ToSchema)]
struct Summaries {
    /// The summaries, earliest first. A `stale` one is updated in the background.
    summaries: Vec<Summary>,
    /// Whether there are more.
    more: bool,
}

/// List summaries, made of original sentences with their sources
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/summaries",
    tag = "knowledge",
    operation_id = "list_summaries",
    params(InSpace, Which),
    responses((status = 200, body = Summaries), (status = "default", body = Problem))
)]
async fn list(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Query(which): Query<Which>,
) -> Result<Json<Summaries>, Problem> {
    // One more shows whether there are more.
    let wanted = which.limit.saturating_add(1);
    Limits::check_results(which.limit)?;
    Limits::check_results(wanted)?;
    if which.thread.is_some() && (which.since.is_some() || which.until.is_some()) {
        return Err(Problem::refused("thread excludes since and until"));
    }
    let listed = caller.with_space(space, move |space| {
        let mut summaries = if let Some(thread) = &which.thread {
            space.summaries_of_thread(thread, wanted)?
        } else {
            let since = which.since.unwrap_or(Timestamp::MIN);
            let until = which.until.unwrap_or(Timestamp::MAX);
            space.summaries(which.by, since..until, wanted)?
        };
        let more = cut(&mut summaries, which.limit);
        Ok(Summaries { summaries, more })
    });
    listed.await.map(Json)
}

/// What came of an update.
#[derive(Debug, Serialize, ToSchema)]
struct Updated {
    /// Whether the summaries are up to date; false for a space of more than 200 000 events, whose summaries only the
    /// background updates.
    updated: bool,
    /// Memories that were skipped because they are damaged.
    #[serde(skip_serializing_if = "Skipped::is_empty")]
    skipped: Skipped,
}

/// Update the summaries now; the background does the same
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/summaries",
    tag = "knowledge",
    operation_id = "update_summaries",
    params(InSpace),
    responses((status = 200, body = Updated), (status = "default", body = Problem))
)]
async fn update(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Updated>, Problem> {
    let updated = caller.with_space(space, |space| {
        if !is_small(space)? {
            return Ok(Updated {
                updated: false,
                skipped: Skipped::default(),
            });
        }
        let (_, mut skipped) = space.summarise(&mut |_| {})?;
        conceal_skipped(space, &mut skipped);
        Ok(Updated {
            updated: true,
            skipped,
        })
    });
    updated.await.map(Json)
}
