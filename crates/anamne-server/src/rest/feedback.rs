//! What is said about results, searches and work.

use anamne::{Judgement, KeptOpinion, MemoryId, Opinion, Remembered, Said, Space};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shared::{InSpace, Routes, resolve_all};
use crate::http::body::{Json, Path};
use crate::http::{Caller, Problem};

pub(super) fn routes() -> Routes {
    OpenApiRouter::new().routes(routes!(feedback))
}

/// What is said about a result, a search or work.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ToldOpinion {
    /// What it is about: a memory or a recorded search, by id, beginning of an id or citation; or a logged query: q12.
    about: String,
    /// `useful`, `partial`, `useless` or `ambiguous`; about work `approval`, `rejection`, `correction` or `neutral`.
    verdict: String,
    /// Why.
    #[serde(default)]
    comment: String,
    /// If it is a judgement of work: what was wanted instead.
    #[serde(default)]
    wanted: String,
    /// The results of a search that were used.
    #[serde(default)]
    used: Vec<String>,
    /// If a search was ambiguous: what should have been asked.
    #[serde(default)]
    should_ask: String,
}

/// How feedback was kept.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
enum KeptFeedback {
    /// With the result that it is about.
    Result {
        /// The result.
        memory: MemoryId,
        /// Number of reports that it was useful.
        useful: u32,
        /// Number of reports that it was not.
        useless: u32,
    },
    /// As a memory of its own, about a search or work.
    Recorded(Remembered),
}

impl ToldOpinion {
    fn keep(self, space: &Space) -> Result<KeptOpinion, anamne::Error> {
        let number = self.about.strip_prefix('q').map(str::parse);
        if let Some(Ok(number)) = number {
            let useful = match self.verdict.as_str() {
                "useful" => true,
                "useless" => false,
                _ => {
                    let accepts = "useful or useless for the best result of a query";
                    return Err(anamne::InvalidValue::new("verdict", accepts, &self.verdict).into());
                }
            };
            let others = [
                ("wanted", !self.wanted.is_empty()),
                ("used", !self.used.is_empty()),
                ("should_ask", !self.should_ask.is_empty()),
            ];
            if let Some((field, _)) = others.into_iter().find(|(_, is_given)| *is_given) {
                let accepts = "absent from feedback on a logged query";
                return Err(anamne::InvalidValue::new(field, accepts, "given").into());
            }
            let memory = space.feedback_on_query(number, useful, &self.comment)?;
            return Ok(KeptOpinion::Result(Box::new(memory)));
        }
        space.give_feedback(Opinion {
            about: space.resolve(&self.about)?,
            said: Said::from_word(&self.verdict)?,
            used: resolve_all(space, "used", &self.used)?,
            comment: self.comment,
            wanted: self.wanted,
            should_ask: self.should_ask,
        })
    }
}

/// Say whether a result, a search or work was good
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/feedback",
    tag = "experience",
    request_body = ToldOpinion,
    params(InSpace),
    responses((status = 200, body = KeptFeedback), (status = "default", body = Problem))
)]
async fn feedback(
    caller: Caller,
    Path(InSpace { space }): Path<InSpace>,
    Json(told): Json<ToldOpinion>,
) -> Result<Json<KeptFeedback>, Problem> {
    let kept = caller.with_space(space, move |space| {
        Ok(match told.keep(space)? {
            KeptOpinion::Result(memory) => {
                let judgement = Judgement::of(&memory.metadata);
                KeptFeedback::Result {
                    memory: memory.id,
                    useful: judgement.useful,
                    useless: judgement.useless,
                }
            }
            KeptOpinion::Recorded(remembered) => KeptFeedback::Recorded(remembered),
        })
    });
    kept.await.map(Json)
}
