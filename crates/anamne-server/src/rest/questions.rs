//! Recall and context, in one space and over several.

use std::sync::Arc;

use anamne::{
    Answer, Context, ContextPreset, ContextRequest, InvalidValue, Limits, MemoryId, PromptRequest,
    Recall, SpaceProposals, Spaces, Store,
};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::{Json, Path, Query};
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(recall))
        .routes(routes!(context))
        .routes(routes!(briefing))
        .routes(routes!(prompt))
        .routes(routes!(recall_across))
        .routes(routes!(context_across))
        .routes(routes!(propose))
}

/// What an answer contains beside its results.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Detail {
    #[serde(default)]
    features: bool,
}

impl Detail {
    /// The answer; without features and inputs of confidence, which are most of its bytes, unless they were requested.
    fn of(&self, mut answer: Answer) -> Answer {
        if !self.features {
            for hit in &mut answer.results {
                hit.explanation.features.clear();
                hit.explanation.judged_by.clear();
            }
        }
        answer
    }
}

/// Find memories; best results first
///
/// With `as_of`, as the space was known at that time.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/recall",
    tag = "questions",
    request_body = Recall,
    params(
        ("space" = String, Path, description = "The space's name"),
        ("features" = Option<bool>, Query, description = "With every feature of the ranking and every input of confidence in each explanation; `false` by default")
    ),
    responses((status = 200, body = Answer), (status = "default", body = Problem))
)]
async fn recall(
    caller: Caller,
    Path(space): Path<String>,
    Query(detail): Query<Detail>,
    Json(mut question): Json<Recall>,
) -> Result<Response, Problem> {
    caller.set_role(&mut question.role);
    let answered = caller.json_of_store(move |store| {
        let answer = store.existing_space(&space)?.recall(&question)?;
        Ok(detail.of(answer.without_places(store)))
    });
    answered.await
}

/// Get a block of text for a model, within a token budget
///
/// The block is quoted data with citations.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/context",
    tag = "questions",
    request_body = ContextRequest,
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 200, body = Context), (status = "default", body = Problem))
)]
async fn context(
    caller: Caller,
    Path(space): Path<String>,
    Json(request): Json<ContextRequest>,
) -> Result<Json<Context>, Problem> {
    packed(caller, space, request).await
}

async fn packed(
    caller: Caller,
    space: String,
    request: ContextRequest,
) -> Result<Json<Context>, Problem> {
    let packed = caller.with_store(move |store| {
        let context = store.existing_space(&space)?.context(&request)?;
        Ok(context.without_places(store))
    });
    packed.await.map(Json)
}

/// How long a briefing is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Briefing {
    token_budget: Option<usize>,
}

/// Get the briefing for the start of a session: decisions, open points, important facts, recent work
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/briefing",
    tag = "questions",
    params(
        ("space" = String, Path, description = "The space's name"),
        ("token_budget" = Option<usize>, Query, description = "50 to 1 000 000 tokens, and never more than 1 500; 1 500 by default")
    ),
    responses((status = 200, body = Context), (status = "default", body = Problem))
)]
async fn briefing(
    caller: Caller,
    Path(space): Path<String>,
    Query(briefing): Query<Briefing>,
) -> Result<Json<Context>, Problem> {
    let mut request = ContextRequest::preset(ContextPreset::SessionStart);
    request.token_budget = briefing.token_budget.unwrap_or(request.token_budget);
    packed(caller, space, request).await
}

/// What a person typed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PromptQuestion {
    /// The prompt.
    prompt: String,
    /// 50 to 1 000 000 tokens; 400 by default.
    token_budget: Option<usize>,
    /// The relevance from which on there is a block, 0 to 1; 0.7 by default.
    threshold: Option<f32>,
    /// At most 1 000 memories that the session was already shown; the block leaves them out.
    #[serde(default)]
    shown: Vec<MemoryId>,
    /// The time zone of the days that the prompt names, such as `Europe/Paris` or `+05:30`; UTC by default.
    zone: Option<String>,
}

/// The memories that a prompt is likely about.
#[derive(Debug, Serialize, ToSchema)]
struct PromptBlock {
    /// The probability that the space knows something of what the prompt is about, 0 to 1.
    relevance: f32,
    /// The block; null below the threshold, or if everything in it was already shown.
    context: Option<Context>,
}

impl PromptQuestion {
    fn request(self) -> Result<PromptRequest, InvalidValue> {
        if self.shown.len() > Limits::RESULTS {
            let accepts = format!("at most {} memories", Limits::RESULTS);
            return Err(InvalidValue::new("shown", accepts, self.shown.len()));
        }
        let default = PromptRequest::new(self.prompt);
        Ok(PromptRequest {
            token_budget: self.token_budget.unwrap_or(default.token_budget),
            threshold: self.threshold.unwrap_or(default.threshold),
            shown: self.shown,
            zone: self.zone,
            ..default
        })
    }
}

/// Get a block of the memories that a prompt is likely about, or nothing
///
/// A prompt is no question to the memory, so there is a block only if the memories are probably evidence for it.
#[utoipa::path(
    post,
    path = "/v1/spaces/{space}/prompt",
    tag = "questions",
    request_body = PromptQuestion,
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 200, body = PromptBlock), (status = "default", body = Problem))
)]
async fn prompt(
    caller: Caller,
    Path(space): Path<String>,
    Json(prompt): Json<PromptQuestion>,
) -> Result<Json<PromptBlock>, Problem> {
    let request = prompt.request()?;
    let found = caller.with_store(move |store| {
        let found = store.existing_space(&space)?.for_prompt(&request)?;
        Ok(PromptBlock {
            relevance: found.relevance,
            context: found.context.map(|context| context.without_places(store)),
        })
    });
    found.await.map(Json)
}

/// A question to several spaces.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RecallAcross {
    /// The spaces.
    spaces: Spaces,
    /// The question.
    recall: Recall,
}

/// Find memories in several spaces; the results are merged by confidence
///
/// A space that the caller may not read answers like one that does not exist.
#[utoipa::path(
    post,
    path = "/v1/recall",
    tag = "questions",
    request_body = RecallAcross,
    params(
        ("features" = Option<bool>, Query, description = "With every feature of the ranking and every input of confidence in each explanation; `false` by default")
    ),
    responses((status = 200, body = Answer), (status = "default", body = Problem))
)]
async fn recall_across(
    caller: Caller,
    Query(detail): Query<Detail>,
    Json(asked): Json<RecallAcross>,
) -> Result<Json<Answer>, Problem> {
    let answered = caller.with_store(move |store| {
        let answer = store.recall(&asked.spaces, &asked.recall)?;
        Ok(detail.of(answer.without_places(store)))
    });
    answered.await.map(Json)
}

/// A request for one block of several spaces.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ContextAcross {
    /// The spaces.
    spaces: Spaces,
    /// The block.
    context: ContextRequest,
}

/// Get a block of text of several spaces, within one token budget
#[utoipa::path(
    post,
    path = "/v1/context",
    tag = "questions",
    request_body = ContextAcross,
    responses((status = 200, body = Context), (status = "default", body = Problem))
)]
async fn context_across(
    caller: Caller,
    Json(asked): Json<ContextAcross>,
) -> Result<Json<Context>, Problem> {
    let packed = caller.with_store(move |store| {
        let context = store.context(&asked.spaces, &asked.context)?;
        Ok(context.without_places(store))
    });
    packed.await.map(Json)
}

/// A question whose spaces are looked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Proposing {
    /// The question.
    query: String,
    /// Names of spaces, or parts of them.
    #[serde(default)]
    hints: Vec<String>,
    /// Maximum number of spaces; 3 by default.
    #[serde(default = "three")]
    most: usize,
}

fn three() -> usize {
    3
}

/// Propose the spaces that are likely to have an answer
#[utoipa::path(
    post,
    path = "/v1/recall/spaces",
    tag = "questions",
    operation_id = "propose_spaces",
    request_body = Proposing,
    responses((status = 200, body = SpaceProposals), (status = "default", body = Problem))
)]
async fn propose(
    caller: Caller,
    Json(asked): Json<Proposing>,
) -> Result<Json<SpaceProposals>, Problem> {
    let proposed = caller.with_store(move |store| {
        let choice = anamne::SpaceChoice::Proposed {
            hints: asked.hints.clone(),
            most: asked.most,
        };
        let spaces = Spaces {
            choice,
            core: false,
        };
        spaces.check()?;
        Recall::new(asked.query.clone()).check()?;
        Ok(store.propose_spaces(&asked.query, &asked.hints, asked.most)?)
    });
    proposed.await.map(Json)
}

/// An answer that may say that a file is damaged, and where it is.
trait Degraded: Sized {
    fn degraded(&mut self) -> &mut Vec<String>;

    /// Without the folder of the store, which is not for clients elsewhere.
    fn without_places(mut self, store: &Store) -> Self {
        let root = store.root().display().to_string();
        for reason in self.degraded() {
            if reason.contains(&root) {
                *reason = reason.replace(&root, "the store");
            }
        }
        self
    }
}

impl Degraded for Answer {
    fn degraded(&mut self) -> &mut Vec<String> {
        &mut self.degraded
    }
}

impl Degraded for Context {
    fn degraded(&mut self) -> &mut Vec<String> {
        &mut self.degraded
    }
}
