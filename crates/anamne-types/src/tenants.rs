//! Tenants of a server.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::InvalidValue;
use crate::limits::accept;

/// The tenant whose store is the server's own.
pub const DEFAULT_TENANT: &str = "default";

/// Checks the name of a tenant: 1 to 63 small letters, digits and `-`, not at its ends. It is the name of a folder.
pub fn check_tenant(name: &str) -> Result<(), InvalidValue> {
    let is_fit = (1..=63).contains(&name.len())
        && !name.starts_with('-')
        && !name.ends_with('-')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    let accepts = "1 to 63 of a-z, 0-9 and -, not beginning or ending with -";
    accept(is_fit, "tenant", accepts, name)
}

/// What a tenant may use; 0 for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct TenantQuota {
    /// Maximum number of memories in all spaces that are not forgotten.
    pub memories: u64,
    /// Maximum total size of the files of all spaces, in bytes.
    pub bytes: u64,
    /// Maximum requests per minute on each server process.
    pub requests_per_minute: u32,
    /// Maximum requests per day (UTC).
    pub requests_per_day: u64,
    /// Maximum US dollars per month (UTC) for language models, on top of the budgets in its `model.toml`.
    pub model_dollars_per_month: f64,
}

impl TenantQuota {
    /// Checks the values.
    pub fn check(&self) -> Result<(), InvalidValue> {
        let dollars = self.model_dollars_per_month;
        let is_fit = dollars.is_finite() && (0.0..=1e9).contains(&dollars);
        accept(is_fit, "model_dollars_per_month", "0 to 1e9", dollars)
    }
}

/// A tenant as it is listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TenantInfo {
    /// Its name.
    pub name: String,
    /// When it was created; absent for `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Since when its keys are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspended_at: Option<Timestamp>,
    /// Whether it is being erased.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub erasing: bool,
    /// When it was last used, to the minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Timestamp>,
    /// What it may use.
    pub quota: TenantQuota,
    /// Requests today (UTC), as last counted.
    pub requests_today: u64,
}

/// What a tenant uses now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TenantUsage {
    /// Memories in all spaces that are not forgotten.
    pub memories: u64,
    /// Total size of the files of all spaces, in bytes.
    pub bytes: u64,
    /// US dollars for language models in this month (UTC), as far as prices are known.
    pub model_dollars_this_month: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tenants_are_no_paths() {
        for bad in [
            "", ".", "..", "a/b", "a\\b", "A", "-a", "a-", "a.b", "a b", "ä", "a\0",
        ] {
            assert!(check_tenant(bad).is_err(), "{bad:?}");
        }
        assert!(check_tenant(&"a".repeat(64)).is_err());
        for good in ["a", "acme", "acme-2", "7"] {
            assert!(check_tenant(good).is_ok(), "{good:?}");
        }
    }
}
