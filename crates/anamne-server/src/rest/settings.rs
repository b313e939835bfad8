//! Settings of a space.

use std::sync::Arc;

use anamne::{Duplicates, InvalidValue, Kind, Space, SpaceConfig};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::{Json, Path};
use crate::http::{App, Caller, Problem};

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(read, change))
}

/// Settings, in which 0 stands for no limit, no retention or no budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SpaceSettings {
    /// The space's name.
    pub name: String,
    /// What the space is about.
    pub description: String,
    /// Days until recency falls to 37 %.
    pub recency_days: f32,
    /// Maximum size of the space's folder, in bytes.
    pub quota_bytes: u64,
    /// Memories older than this are forgotten, except facts and skills of importance 7 or more.
    pub retention_days: u32,
    /// Forgotten memories are erased after this many more days of use.
    pub retention_grace_days: u32,
    /// Maximum age in the active tier, in days.
    pub active_days: u32,
    /// Maximum age in the recent tier, in days.
    pub recent_days: u32,
    /// The embedding model.
    pub model: String,
    /// The model that scores the first results again.
    pub reranker: Option<String>,
    /// Whether the log records who opened which memory by its id.
    pub record_access: bool,
    /// How long a query waits for its vector from a remote model, in milliseconds.
    pub query_wait_ms: u32,
    /// The number of texts from which a new remote model is asked in batches; 0 for never.
    pub batch_from: u32,
    /// The accepted kinds; empty for all.
    pub kinds: Vec<Kind>,
    /// What counts as a duplicate.
    pub duplicates: DuplicateRule,
    /// With semantic duplicates: the similarity of a rewording, 0.5 to 1.
    pub similarity: f32,
    /// The quality below which a told text is refused, 0 to 1.
    pub quality: f32,
    /// US dollars per day for models.
    pub daily_dollars: f64,
    /// US dollars per month for models.
    pub monthly_dollars: f64,
    /// Tokens per day for models.
    pub daily_tokens: u64,
    /// Tokens per month for models.
    pub monthly_tokens: u64,
    /// Whether current importance is computed from use, links and age; false shows what was told.
    pub recompute_importance: bool,
    /// Whether the strength of links decays; false shows what was told.
    pub recompute_links: bool,
    /// Days until the points of current importance for use and youth have halved.
    pub half_life_days: f32,
    /// Days until a link that is neither told again nor used has half its strength.
    pub link_half_life_days: f32,
    /// The share of its told strength that a link keeps at least, 0 to 1.
    pub link_floor: f32,
}

/// What counts as a duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DuplicateRule {
    /// The same text.
    Exact,
    /// Also a rewording.
    Semantic,
    /// Nothing.
    None,
}

impl From<DuplicateRule> for Duplicates {
    fn from(rule: DuplicateRule) -> Self {
        match rule {
            DuplicateRule::Exact => Self::Exact,
            DuplicateRule::Semantic => Self::Semantic,
            DuplicateRule::None => Self::None,
        }
    }
}

impl From<Duplicates> for DuplicateRule {
    fn from(rule: Duplicates) -> Self {
        match rule {
            Duplicates::Exact => Self::Exact,
            Duplicates::Semantic => Self::Semantic,
            Duplicates::None => Self::None,
        }
    }
}

impl SpaceSettings {
    /// Those of a configuration.
    pub fn of(config: &SpaceConfig) -> Self {
        Self {
            name: config.name.clone(),
            description: config.description.clone(),
            recency_days: config.recall.recency_days,
            quota_bytes: config.quota.bytes,
            retention_days: config.retention.days,
            retention_grace_days: config.retention.grace_days,
            active_days: config.tiers.active_days,
            recent_days: config.tiers.recent_days,
            model: config.embedding.model.clone(),
            reranker: config.recall.reranker.clone(),
            record_access: config.meta.record_access,
            query_wait_ms: config.embedding.query_wait_ms,
            batch_from: config.embedding.batch_from,
            kinds: config.intake.kinds.clone(),
            duplicates: config.intake.duplicates.into(),
            similarity: config.intake.similarity,
            quality: config.intake.quality,
            daily_dollars: config.budgets.daily_dollars,
            monthly_dollars: config.budgets.monthly_dollars,
            daily_tokens: config.budgets.daily_tokens,
            monthly_tokens: config.budgets.monthly_tokens,
            recompute_importance: config.recompute.importance,
            recompute_links: config.recompute.links,
            half_life_days: config.recompute.half_life_days,
            link_half_life_days: config.recompute.link_half_life_days,
            link_floor: config.recompute.link_floor,
        }
    }
}

/// Settings to change; what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsChange {
    /// What the space is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Days until recency falls to 37 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recency_days: Option<f32>,
    /// Maximum size of the space's folder, in bytes; 0 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota_bytes: Option<u64>,
    /// Memories older than this are forgotten, except facts and skills of importance 7 or more; 0 for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
    /// Forgotten memories are erased after this many more days of use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_grace_days: Option<u32>,
    /// Maximum age in the active tier, in days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_days: Option<u32>,
    /// Maximum age in the recent tier, in days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent_days: Option<u32>,
    /// The embedding model. The former one answers until all memories are embedded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model that scores the first results again, or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<String>,
    /// Whether the log records who opened which memory by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_access: Option<bool>,
    /// How long a query waits for its vector from a remote model, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_wait_ms: Option<u32>,
    /// The number of texts from which a new remote model is asked in batches; 0 for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_from: Option<u32>,
    /// The accepted kinds; empty for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<Kind>>,
    /// What counts as a duplicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<DuplicateRule>,
    /// With semantic duplicates: the similarity of a rewording, 0.5 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f32>,
    /// The quality below which a told text is refused, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<f32>,
    /// US dollars per day for models; 0 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_dollars: Option<f64>,
    /// US dollars per month for models; 0 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monthly_dollars: Option<f64>,
    /// Tokens per day for models; 0 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_tokens: Option<u64>,
    /// Tokens per month for models; 0 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monthly_tokens: Option<u64>,
    /// Whether current importance is computed from use, links and age; false shows what was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recompute_importance: Option<bool>,
    /// Whether the strength of links decays; false shows what was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recompute_links: Option<bool>,
    /// Days until the points of current importance for use and youth have halved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_life_days: Option<f32>,
    /// Days until a link that is neither told again nor used has half its strength.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_half_life_days: Option<f32>,
    /// The share of its told strength that a link keeps at least, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_floor: Option<f32>,
    /// Confirm a retention that forgets memories now, or a model that may cost money. Without it, both are refused.
    pub confirm: bool,
}

impl SettingsChange {
    /// Changes a configuration.
    pub fn apply(&self, config: &mut SpaceConfig) {
        fn set<T: Clone>(field: &mut T, new: Option<&T>) {
            if let Some(new) = new {
                field.clone_from(new);
            }
        }
        set(&mut config.description, self.description.as_ref());
        set(&mut config.recall.recency_days, self.recency_days.as_ref());
        set(&mut config.quota.bytes, self.quota_bytes.as_ref());
        set(&mut config.retention.days, self.retention_days.as_ref());
        let grace = self.retention_grace_days.as_ref();
        set(&mut config.retention.grace_days, grace);
        set(&mut config.tiers.active_days, self.active_days.as_ref());
        set(&mut config.tiers.recent_days, self.recent_days.as_ref());
        set(&mut config.embedding.model, self.model.as_ref());
        if let Some(reranker) = &self.reranker {
            let is_none = reranker.trim().eq_ignore_ascii_case("none");
            config.recall.reranker = (!is_none).then(|| reranker.clone());
        }
        set(&mut config.meta.record_access, self.record_access.as_ref());
        let wait = self.query_wait_ms.as_ref();
        set(&mut config.embedding.query_wait_ms, wait);
        let batch_from = self.batch_from.as_ref();
        set(&mut config.embedding.batch_from, batch_from);
        set(&mut config.intake.kinds, self.kinds.as_ref());
        let duplicates = self.duplicates.map(Duplicates::from);
        set(&mut config.intake.duplicates, duplicates.as_ref());
        set(&mut config.intake.similarity, self.similarity.as_ref());
        set(&mut config.intake.quality, self.quality.as_ref());
        let budgets = &mut config.budgets;
        set(&mut budgets.daily_dollars, self.daily_dollars.as_ref());
        set(&mut budgets.monthly_dollars, self.monthly_dollars.as_ref());
        set(&mut budgets.daily_tokens, self.daily_tokens.as_ref());
        set(&mut budgets.monthly_tokens, self.monthly_tokens.as_ref());
        let recompute = &mut config.recompute;
        set(
            &mut recompute.importance,
            self.recompute_importance.as_ref(),
        );
        set(&mut recompute.links, self.recompute_links.as_ref());
        set(&mut recompute.half_life_days, self.half_life_days.as_ref());
        let half_life = self.link_half_life_days.as_ref();
        set(&mut recompute.link_half_life_days, half_life);
        set(&mut recompute.link_floor, self.link_floor.as_ref());
    }

    /// Refuses what forgets memories or may cost money, unless it is confirmed; names the model in full.
    fn checked(mut self, space: &Space) -> Result<Self, anamne::Error> {
        if let Some(days) = self
            .retention_days
            .filter(|days| *days > 0 && !self.confirm)
        {
            let outdated = space.count_outdated(days)?;
            if outdated > 0 {
                let given = format!("false, and {outdated} memories are older");
                return Err(unconfirmed(
                    "true for a retention that forgets memories now",
                    &given,
                ));
            }
        }
        if let Some(model) = &self.model {
            let name = space.full_model_name(model)?;
            let is_new = space.config().embedding.model != name;
            if is_new && !self.confirm && space.embedding_estimate(&name)?.may_cost() {
                let accepts = "true for a model that may cost money";
                return Err(unconfirmed(accepts, "false"));
            }
            self.model = Some(name);
        }
        Ok(self)
    }
}

fn unconfirmed(accepts: &str, given: &str) -> anamne::Error {
    InvalidValue::new("confirm", accepts, given).into()
}

/// Get the settings of a space
#[utoipa::path(
    get,
    path = "/v1/spaces/{space}/settings",
    tag = "spaces",
    operation_id = "read_settings",
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 200, body = SpaceSettings), (status = "default", body = Problem))
)]
async fn read(caller: Caller, Path(space): Path<String>) -> Result<Json<SpaceSettings>, Problem> {
    caller
        .with_space(space, |space| Ok(SpaceSettings::of(&space.config())))
        .await
        .map(Json)
}

/// Change the settings of a space; needs the right to configure
///
/// A value that is refused changes nothing.
#[utoipa::path(
    patch,
    path = "/v1/spaces/{space}/settings",
    tag = "spaces",
    operation_id = "change_settings",
    request_body = SettingsChange,
    params(("space" = String, Path, description = "The space's name")),
    responses((status = 200, body = SpaceSettings), (status = "default", body = Problem))
)]
async fn change(
    caller: Caller,
    Path(space): Path<String>,
    Json(change): Json<SettingsChange>,
) -> Result<Json<SpaceSettings>, Problem> {
    let changed = caller.with_space(space, move |space| {
        let change = change.checked(space)?;
        let config = space.configure(|config| change.apply(config))?;
        Ok(SpaceSettings::of(&config))
    });
    changed.await.map(Json)
}
