//! Counts and sizes, verification and repair of a space.

use anamne::{CheckUp, SpaceReport, Verification};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Routes, check_small, conceal};
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(stats))
        .routes(routes!(verify))
        .routes(routes!(check_up))
}

/// Counts, sizes and the state of everything derived
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/stats",
    tag = "upkeep",
    params(InSpace),
    responses((status = 200, body = SpaceReport), (status = "default", body = Problem))
)]
async fn stats(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<SpaceReport>, Problem> {
    let told = caller.with_space(space, |space| {
        let mut report = space.report()?;
        let views = report.views.iter_mut().map(|view| &mut view.problem);
        conceal(space, views.chain([&mut report.embedding.problem]));
        Ok(report)
    });
    told.await.map(Json)
}

/// What a verification found.
#[derive(Debug, Serialize, ToSchema)]
struct Verified {
    /// Whether nothing is damaged.
    sound: bool,
    /// The contents of both copies, and the findings.
    #[serde(flatten)]
    verification: Verification,
}

/// Verify journal, database and views, and change nothing
///
/// Refused for a space of more than 200 000 events, which is verified on the server's machine.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/verification",
    tag = "upkeep",
    params(InSpace),
    responses((status = 200, body = Verified), (status = "default", body = Problem))
)]
async fn verify(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<Verified>, Problem> {
    let verified = caller.with_space(space, |space| {
        check_small(space)?;
        let mut verification = space.verify()?;
        let examined = &mut verification.examination;
        let findings = examined.findings.iter_mut();
        let problems = findings.map(|finding| &mut finding.problem);
        conceal(space, problems.chain(&mut examined.notes));
        Ok(Verified {
            sound: examined.findings.is_empty(),
            verification,
        })
    });
    verified.await.map(Json)
}

/// Check a space, rebuild damaged views, and report the rest; needs the right to configure
///
/// Refused for a space of more than 200 000 events, which is checked on the server's machine.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/check-up",
    tag = "upkeep",
    params(InSpace),
    responses((status = 200, body = CheckUp), (status = "default", body = Problem))
)]
async fn check_up(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
) -> Result<Json<CheckUp>, Problem> {
    let checked = caller.with_space(space, |space| {
        check_small(space)?;
        space.check_up()
    });
    checked.await.map(Json)
}
