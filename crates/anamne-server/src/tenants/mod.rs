//! Tenants: one store each.

use anamne::{Error, Options, Store};

/// The name of a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TenantName(String);

impl Default for TenantName {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

/// The tenants of a server and their open stores.
pub(crate) struct Tenants {
    own: Store,
}

impl Tenants {
    /// The server's own store, which is the tenant `default`.
    pub(crate) fn open(options: Options) -> Result<Self, Error> {
        Ok(Self {
            own: Store::open_with(options)?,
        })
    }

    /// The store of a tenant.
    pub(crate) fn store(&self, _tenant: &TenantName) -> Result<Store, Error> {
        Ok(self.own.clone())
    }
}
