//! Who may do what: keys and their scopes.

use anamne::Scope;

use crate::http::Problem;
use crate::tenants::TenantName;

/// Who sent a request.
#[derive(Clone, Debug)]
pub(crate) struct Principal {
    /// The tenant whose store it uses.
    pub(crate) tenant: TenantName,
    /// What it may do there.
    pub(crate) scope: Scope,
}

impl Principal {
    /// What distinguishes it from others.
    pub(crate) fn identity(&self) -> String {
        String::new()
    }

    /// Who writes for it; `None` is a client by the name that it gives itself.
    pub(crate) fn writer(&self) -> Option<anamne::Actor> {
        None
    }
}

/// Finds out who sent a request.
pub(crate) struct Access {}

impl Access {
    /// Without keys: only for a server that other machines can't reach.
    pub(crate) fn open() -> Self {
        Self {}
    }

    /// The caller with this `Authorization` header.
    pub(crate) fn identify(&self, given: Option<&str>) -> Result<Principal, Problem> {
        match given {
            None => Ok(Principal {
                tenant: TenantName::default(),
                scope: Scope::owner(),
            }),
            Some(_) => Err(Problem::unauthenticated()),
        }
    }
}
