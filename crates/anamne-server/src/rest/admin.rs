//! Administration of the server: keys and tenants.

use std::sync::Arc;

use anamne::{CreatedKey, InvalidValue, KeyInfo, NewKey, TenantInfo, TenantQuota, TenantUsage};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::body::{Json, Path, Query};
use crate::http::{App, Caller, Problem};
use crate::tenants::{TenantName, Tenants};

/// Entries of a list, if the request names no number.
const USUAL: usize = 100;

/// Maximum number of entries of a list.
const MOST: usize = 1_000;

pub(super) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(list_keys, create_key))
        .routes(routes!(revoke_key))
        .routes(routes!(list_tenants, create_tenant))
        .routes(routes!(read_tenant))
        .routes(routes!(limit_tenant))
        .routes(routes!(suspend_tenant))
        .routes(routes!(resume_tenant))
        .routes(routes!(erase_tenant))
}

/// Which part of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Part {
    /// Maximum number of entries, 1 to 1000; 100 by default.
    limit: Option<usize>,
    /// The `next` of the previous part.
    cursor: Option<String>,
}

/// Which part of the list of keys.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct KeysPart {
    /// Maximum number of entries, 1 to 1000; 100 by default.
    limit: Option<usize>,
    /// The `next` of the previous part.
    cursor: Option<String>,
    /// Only keys of this tenant.
    tenant: Option<String>,
}

impl Part {
    /// The entries after the one whose name is the cursor, and the next cursor. A cursor of no entry, or of one that was
    /// removed meanwhile, is refused: a list that ends early looks whole.
    fn of<T>(
        &self,
        all: Vec<T>,
        name: fn(&T) -> &str,
    ) -> Result<(Vec<T>, Option<String>), Problem> {
        let limit = self.limit.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            return Err(InvalidValue::new("limit", format!("1 to {MOST}"), limit).into());
        }
        let begin = match &self.cursor {
            None => 0,
            Some(cursor) => {
                let at = all.iter().position(|one| name(one) == cursor);
                let lost = "the cursor is not valid here; begin the list again without a cursor";
                at.ok_or_else(|| Problem::refused(lost))? + 1
            }
        };
        let is_last = all.len() - begin <= limit;
        let part: Vec<T> = all.into_iter().skip(begin).take(limit).collect();
        let next = part.last().map(|last| name(last).to_owned());
        Ok((part, next.filter(|_| !is_last)))
    }
}

/// Keys, without their secrets.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct KeyList {
    /// The keys, oldest first.
    keys: Vec<KeyInfo>,
    /// The cursor of the next part, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Tenants.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct TenantList {
    /// The tenants, by name.
    tenants: Vec<TenantInfo>,
    /// The cursor of the next part, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A tenant to be created.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewTenant {
    /// Its name: 1 to 63 of a-z, 0-9 and -.
    name: String,
    /// What it may use.
    #[serde(default)]
    quota: TenantQuota,
}

/// A tenant with what it uses.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
struct TenantReport {
    /// The tenant.
    tenant: TenantInfo,
    /// What it uses now.
    usage: TenantUsage,
}

/// A confirmation of an erasure.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Confirmation {
    /// The name of the tenant, again.
    confirm: String,
}

/// List keys, without their secrets
#[utoipa::path(
    get, path = "/v1/admin/keys", tag = "admin", params(KeysPart),
    responses((status = 200, body = KeyList), (status = "default", body = Problem))
)]
async fn list_keys(
    caller: Caller,
    Query(KeysPart {
        limit,
        cursor,
        tenant,
    }): Query<KeysPart>,
) -> Result<Json<KeyList>, Problem> {
    let part = Part { limit, cursor };
    let listed = caller.with_admin(move |tenants| {
        let keys = tenants.records().keys(tenant.as_deref())?;
        let (keys, next) = part.of(keys, |key| &key.id)?;
        Ok(KeyList { keys, next })
    });
    listed.await.map(Json)
}

/// Create a key
///
/// The answer is the only place where the key is ever shown.
#[utoipa::path(
    post, path = "/v1/admin/keys", tag = "admin",
    request_body = NewKey,
    responses((status = 201, body = CreatedKey), (status = "default", body = Problem))
)]
async fn create_key(
    caller: Caller,
    Json(wanted): Json<NewKey>,
) -> Result<(StatusCode, Json<CreatedKey>), Problem> {
    let created = caller.with_admin(move |tenants| Ok(tenants.records().create_key(&wanted)?));
    Ok((StatusCode::CREATED, Json(created.await?)))
}

/// Revoke a key, at once in every server of the store
#[utoipa::path(
    delete, path = "/v1/admin/keys/{id}", tag = "admin",
    params(("id" = String, Path, description = "The key's id")),
    responses((status = 200, body = KeyInfo), (status = "default", body = Problem))
)]
async fn revoke_key(caller: Caller, Path(id): Path<String>) -> Result<Json<KeyInfo>, Problem> {
    let revoked = caller.with_admin(move |tenants| {
        let revoked = tenants.records().revoke_key(&id)?;
        revoked.ok_or_else(|| Problem::not_found("no key with this id"))
    });
    revoked.await.map(Json)
}

/// List tenants
#[utoipa::path(
    get, path = "/v1/admin/tenants", tag = "admin", params(Part),
    responses((status = 200, body = TenantList), (status = "default", body = Problem))
)]
async fn list_tenants(
    caller: Caller,
    Query(part): Query<Part>,
) -> Result<Json<TenantList>, Problem> {
    let listed = caller.with_admin(move |tenants| {
        let (tenants, next) = part.of(tenants.records().tenants()?, |tenant| &tenant.name)?;
        Ok(TenantList { tenants, next })
    });
    listed.await.map(Json)
}

/// Create a tenant
#[utoipa::path(
    post, path = "/v1/admin/tenants", tag = "admin",
    request_body = NewTenant,
    responses((status = 201, body = TenantInfo), (status = "default", body = Problem))
)]
async fn create_tenant(
    caller: Caller,
    Json(wanted): Json<NewTenant>,
) -> Result<(StatusCode, Json<TenantInfo>), Problem> {
    let created = caller.with_admin(move |tenants| {
        Ok(tenants
            .records()
            .create_tenant(&wanted.name, &wanted.quota)?)
    });
    Ok((StatusCode::CREATED, Json(created.await?)))
}

/// Show a tenant, its quota and what it uses
#[utoipa::path(
    get, path = "/v1/admin/tenants/{name}", tag = "admin",
    params(("name" = String, Path, description = "The tenant's name")),
    responses((status = 200, body = TenantReport), (status = "default", body = Problem))
)]
async fn read_tenant(
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Json<TenantReport>, Problem> {
    let read = caller.with_admin(move |tenants| {
        Ok(TenantReport {
            tenant: known(tenants, &name)?,
            usage: tenants.records().tenant_usage(&name)?,
        })
    });
    read.await.map(Json)
}

/// Set what a tenant may use
#[utoipa::path(
    put, path = "/v1/admin/tenants/{name}/quota", tag = "admin",
    params(("name" = String, Path, description = "The tenant's name")),
    request_body = TenantQuota,
    responses((status = 200, body = TenantInfo), (status = "default", body = Problem))
)]
async fn limit_tenant(
    caller: Caller,
    Path(name): Path<String>,
    Json(quota): Json<TenantQuota>,
) -> Result<Json<TenantInfo>, Problem> {
    let changed = caller.with_admin(move |tenants| {
        known(tenants, &name)?;
        let changed = tenants.records().limit_tenant(&name, &quota)?;
        tenants.apply_quotas()?;
        Ok(changed)
    });
    changed.await.map(Json)
}

/// Suspend a tenant: its keys are refused
///
/// The server's own tenant `default` can't be suspended.
#[utoipa::path(
    post, path = "/v1/admin/tenants/{name}/suspend", tag = "admin",
    params(("name" = String, Path, description = "The tenant's name")),
    responses((status = 200, body = TenantInfo), (status = "default", body = Problem))
)]
async fn suspend_tenant(
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Json<TenantInfo>, Problem> {
    suspend(caller, name, true).await
}

/// Resume a suspended tenant
#[utoipa::path(
    post, path = "/v1/admin/tenants/{name}/resume", tag = "admin",
    params(("name" = String, Path, description = "The tenant's name")),
    responses((status = 200, body = TenantInfo), (status = "default", body = Problem))
)]
async fn resume_tenant(
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Json<TenantInfo>, Problem> {
    suspend(caller, name, false).await
}

async fn suspend(caller: Caller, name: String, on: bool) -> Result<Json<TenantInfo>, Problem> {
    let changed = caller.with_admin(move |tenants| {
        known(tenants, &name)?;
        Ok(tenants.records().suspend_tenant(&name, on)?)
    });
    changed.await.map(Json)
}

/// Erase a tenant with everything in it, and its keys
///
/// The body repeats the name. The server's own tenant `default` can't be erased.
#[utoipa::path(
    post, path = "/v1/admin/tenants/{name}/erase", tag = "admin",
    params(("name" = String, Path, description = "The tenant's name")),
    request_body = Confirmation,
    responses((status = 204, description = "It is erased"), (status = "default", body = Problem))
)]
async fn erase_tenant(
    caller: Caller,
    Path(name): Path<String>,
    Json(confirmed): Json<Confirmation>,
) -> Result<StatusCode, Problem> {
    let erased = caller.with_admin(move |tenants| {
        if confirmed.confirm != name {
            let given = confirmed.confirm;
            return Err(InvalidValue::new("confirm", "the name of the tenant", given).into());
        }
        known(tenants, &name)?;
        // First nobody reaches it, then those who do have ended, then its files are removed.
        tenants.records().begin_tenant_erasure(&name)?;
        let tenant = TenantName::of(&name);
        tenants.close(&tenant);
        tenants.work.forget(&tenant);
        Ok(tenants.records().erase_tenant(&name)?)
    });
    erased.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A tenant that exists.
pub(super) fn known(tenants: &Tenants, name: &str) -> Result<TenantInfo, Problem> {
    let known = tenants.records().tenant(name)?;
    known.filter(|known| !known.erasing).ok_or_else(unknown)
}

fn unknown() -> Problem {
    Problem::not_found("no tenant of this name")
}
