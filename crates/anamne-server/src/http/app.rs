//! What all requests share, and the caller of one.

use std::sync::Arc;

use anamne::{Error, Space, Store};
use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::operation::Operation;
use super::pool::Pool;
use super::problem::Problem;
use super::request::Sender;
use crate::access::{Access, Principal};
use crate::tenants::Tenants;

/// What all requests share.
pub(crate) struct App {
    pub(crate) access: Access,
    pub(crate) tenants: Tenants,
    pub(crate) pool: Pool,
    pub(crate) operation: Operation,
}

/// Who sent a request.
#[derive(Clone)]
pub(crate) struct Caller {
    app: Arc<App>,
    pub(crate) principal: Principal,
}

impl Caller {
    /// Works with the tenant's store, with the caller's scope.
    pub(crate) async fn with_store<T: Send + 'static>(
        self,
        work: impl FnOnce(&Store) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let app = self.app.clone();
        let work = move || {
            let store = self.app.tenants.store(&self.principal.tenant)?;
            work(&store.narrowed(&self.principal.scope))
        };
        app.pool.run(work).await
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
        self.with_store(move |store| Ok(work(&store.space(&name)?)?))
            .await
    }
}

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let given = parts.headers.get(header::AUTHORIZATION);
        let given = given.map(|given| given.to_str().unwrap_or_default());
        let principal = app.access.identify(given)?;
        if let Some(sender) = parts.extensions.get::<Sender>() {
            sender.note(principal.tenant.as_str(), None);
        }
        Ok(Self {
            app: app.clone(),
            principal,
        })
    }
}
