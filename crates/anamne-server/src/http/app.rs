//! What all requests share, and the caller of one.

use std::sync::Arc;

use anamne::{Error, Space, Store};
use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use axum::response::Response;
use serde::Serialize;

use super::backups::Backups;
use super::body::{json_bytes, json_response};
use super::operation::Operation;
use super::pool::Pool;
use super::problem::Problem;
use super::request::Sender;
use super::traces::RequestTrace;
use crate::access::{Access, Principal};
use crate::tenants::{TenantName, Tenants, WorkList};

/// What all requests share.
pub(crate) struct App {
    pub(crate) access: Access,
    pub(crate) tenants: Tenants,
    pub(crate) pool: Pool,
    /// For requests that store memories: many, because those that wait for the disk together share its work.
    pub(crate) storing: Pool,
    /// For requests that last as long as their client takes: few, and apart from the others.
    pub(crate) streams: Pool,
    pub(crate) operation: Operation,
    /// Backups of the whole server, if any are scheduled.
    pub(super) backups: Option<Arc<Backups>>,
}

/// Who sent a request.
#[derive(Clone)]
pub(crate) struct Caller {
    app: Arc<App>,
    pub(crate) principal: Principal,
    trace: RequestTrace,
}

impl Caller {
    /// Distinguishes this caller from others, in cursors and keys of requests.
    pub(crate) fn identity(&self) -> String {
        self.principal.identity()
    }

    /// The work of the caller's tenant that goes on after its answer.
    pub(crate) fn work_list<T>(&self, use_it: impl FnOnce(&WorkList, &TenantName) -> T) -> T {
        use_it(&self.app.tenants.work, &self.principal.tenant)
    }

    /// Works with the tenant's store while the client sends or reads.
    pub(crate) async fn with_store_streaming<T: Send + 'static>(
        self,
        work: impl FnOnce(&Store) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (app, trace) = (self.app.clone(), self.trace.clone());
        app.streams.run(trace, move || self.work(work)).await
    }

    /// Works with the tenant's store, with the caller's scope.
    pub(crate) async fn with_store<T: Send + 'static>(
        self,
        work: impl FnOnce(&Store) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (app, trace) = (self.app.clone(), self.trace.clone());
        app.pool.run(trace, move || self.work(work)).await
    }

    /// The JSON of what work with the tenant's store returns. What the engine allocates is freed on its thread.
    pub(crate) async fn json_of_store<T: Serialize>(
        self,
        work: impl FnOnce(&Store) -> Result<T, Problem> + Send + 'static,
    ) -> Result<Response, Problem> {
        let (app, trace) = (self.app.clone(), self.trace.clone());
        let encoded = move || self.work(|store| json_bytes(&work(store)?));
        app.pool.run(trace, encoded).await.map(json_response)
    }

    /// Works with the tenant's store, with the caller's scope, on this thread.
    fn work<T>(&self, work: impl FnOnce(&Store) -> Result<T, Problem>) -> Result<T, Problem> {
        let store = self.app.tenants.store(&self.principal.tenant)?;
        work(&store.narrowed(&self.principal.scope))
    }

    /// Sets the role for ranking to that of the key, if the question names none.
    pub(crate) fn set_role(&self, role: &mut Option<String>) {
        if role.is_none() {
            *role = self.principal.role.map(str::to_owned);
        }
    }

    /// Works with the server's keys and tenants, if the caller administers them.
    pub(crate) async fn with_admin<T: Send + 'static>(
        self,
        work: impl FnOnce(&Tenants) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        if !self.principal.is_admin {
            return Err(Problem::not_an_admin());
        }
        let (app, trace) = (self.app.clone(), self.trace.clone());
        app.pool.run(trace, move || work(&self.app.tenants)).await
    }

    /// The backups of the whole server, if the caller administers it.
    pub(crate) fn backups(&self) -> Result<&Backups, Problem> {
        if !self.principal.is_admin {
            return Err(Problem::not_an_admin());
        }
        let scheduled = self.app.backups.as_deref();
        scheduled.ok_or_else(|| {
            Problem::not_found(
                "no backups of the server are scheduled; start it with --backup-to DIR",
            )
        })
    }

    /// Works with an existing space.
    pub(crate) async fn with_space<T: Send + 'static>(
        self,
        name: String,
        work: impl FnOnce(&Space) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Problem> {
        self.with_store(move |store| Ok(work(&store.existing_space(&name)?)?))
            .await
    }

    /// Works with a space that is created if it is missing.
    pub(crate) async fn with_new_space<T: Send + 'static>(
        self,
        name: String,
        work: impl FnOnce(&Space) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Problem> {
        let (app, trace) = (self.app.clone(), self.trace.clone());
        let store = move |store: &Store| Ok(work(&store.space(&name)?)?);
        app.storing.run(trace, move || self.work(store)).await
    }
}

impl Caller {
    /// The caller with the key of the request.
    pub(crate) async fn of(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        Self::from_request_parts(parts, app).await
    }
}

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let given = parts.headers.get(header::AUTHORIZATION);
        let given = given.map(|given| given.to_str().unwrap_or_default());
        let principal = app.access.identify(given)?;
        let mut trace = RequestTrace::default();
        if let Some(sender) = parts.extensions.get::<Sender>() {
            sender.note(principal.tenant.as_str(), principal.key.as_deref());
            trace = sender.trace.clone();
        }
        Ok(Self {
            app: app.clone(),
            principal,
            trace,
        })
    }
}
