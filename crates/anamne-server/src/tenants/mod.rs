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

impl TenantName {
    /// The name.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
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

    /// The open stores.
    pub(crate) fn opened(&self) -> Vec<Store> {
        vec![self.own.clone()]
    }

    /// Writes down what is buffered, before the server ends.
    pub(crate) fn flush(&self) {
        for store in self.opened() {
            store.flush_query_logs();
        }
    }

    /// The store of a tenant.
    pub(crate) fn store(&self, _tenant: &TenantName) -> Result<Store, Error> {
        Ok(self.own.clone())
    }
}
