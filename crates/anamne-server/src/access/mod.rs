//! Who may do what: keys, their scopes and their rates.

mod rate;
mod use_counts;

use std::sync::Arc;

use anamne::{DEFAULT_TENANT, Error, FoundKey, KeyText, Scope, ServerRecords, contains_key};

use crate::http::Problem;
use crate::tenants::TenantName;
use rate::Rates;
use use_counts::UseCounts;

/// Names of parameters that other services take keys by.
const KEY_PARAMETERS: [&str; 4] = ["access_token", "api_key", "apikey", "authorization"];

/// Who sent a request.
#[derive(Clone, Debug)]
pub(crate) struct Principal {
    /// The tenant whose store it uses.
    pub(crate) tenant: TenantName,
    /// What it may do there.
    pub(crate) scope: Scope,
    /// Whether it may manage keys and tenants.
    pub(crate) is_admin: bool,
    /// The role for ranking, if a question names none.
    pub(crate) role: Option<&'static str>,
    /// The id of its key; `None` for the owner of the machine without one.
    #[allow(dead_code, reason = "for logs, cursors and idempotency keys")]
    pub(crate) key: Option<Arc<str>>,
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
pub(crate) struct Access {
    records: Arc<ServerRecords>,
    /// Whether other machines reach the server, so that a request without a key is never accepted.
    is_exposed: bool,
    rates: Rates,
    counts: UseCounts,
}

impl Access {
    /// By the keys in these records.
    pub(crate) fn open(records: Arc<ServerRecords>, is_exposed: bool) -> Self {
        Self {
            records,
            is_exposed,
            rates: Rates::default(),
            counts: UseCounts::default(),
        }
    }

    /// The caller with this `Authorization` header. One read of the records, about 15 µs: a key that another process
    /// created or revoked counts from then on.
    pub(crate) fn identify(&self, given: Option<&str>) -> Result<Principal, Problem> {
        let Some(given) = given else {
            return self.without_key();
        };
        let key = bearer(given).and_then(KeyText::parse);
        let key = key.ok_or_else(Problem::unauthenticated)?;
        let found = self.records.find_key(&key)?;
        let found = found.ok_or_else(Problem::unauthenticated)?;
        if found.suspended {
            return Err(Problem::suspended());
        }
        self.admit(&found)?;
        let grant = &found.key.grant;
        Ok(Principal {
            tenant: TenantName::of(&found.key.tenant),
            scope: grant.scope(),
            is_admin: grant.admin,
            role: grant.role.ranking(),
            key: Some(found.key.id.into()),
        })
    }

    /// The owner of the machine, before there is any key.
    fn without_key(&self) -> Result<Principal, Problem> {
        if self.is_exposed || self.records.has_keys()? {
            return Err(Problem::unauthenticated());
        }
        Ok(Principal {
            tenant: TenantName::of(DEFAULT_TENANT),
            scope: Scope::owner(),
            is_admin: true,
            role: None,
            key: None,
        })
    }

    /// Counts the request, if the rates of its key and its tenant allow it.
    fn admit(&self, found: &FoundKey) -> Result<(), Problem> {
        let (key, quota) = (&found.key, &found.quota);
        if let Some(rate) = key.grant.rate {
            self.rates.take(&key.id, rate.requests, rate.seconds)?;
        }
        if quota.requests_per_minute > 0 {
            // A tenant's name has no underscore, so it is no key's id with this prefix.
            let name = format!("tenant_{}", key.tenant);
            self.rates.take(&name, quota.requests_per_minute, 60)?;
        }
        self.counts.add(found)
    }

    /// Writes down which keys and tenants were used since the last call.
    pub(crate) fn note_use(&self) -> Result<(), Error> {
        self.counts.write_to(&self.records)
    }
}

/// Refuses a key in a URL, which proxies and histories of shells and browsers keep.
pub(crate) fn refuse_key_in_url(uri: &axum::http::Uri) -> Result<(), Problem> {
    let query = uri.query().unwrap_or("");
    let names_key = query.split('&').any(|parameter| {
        let name = parameter.split('=').next().unwrap_or("");
        KEY_PARAMETERS
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    });
    if names_key || contains_key(query) || contains_key(uri.path()) {
        return Err(Problem::refused(
            "a URL must not contain a key; send it as header: Authorization: Bearer KEY; and revoke this one, because \
             URLs are logged",
        ));
    }
    Ok(())
}

/// The token of an `Authorization` header of the scheme `Bearer`.
fn bearer(given: &str) -> Option<&str> {
    let (scheme, token) = given.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_with_a_key_is_refused() {
        let key = format!("anamne_{}_{}", "0".repeat(16), "a".repeat(64));
        for bad in [
            format!("/v1/spaces?key={key}"),
            format!("/v1/spaces/{key}/memories"),
            "/v1/spaces?a=b&API_KEY=x".to_owned(),
            "/v1/spaces?access_token".to_owned(),
        ] {
            assert!(
                refuse_key_in_url(&bad.parse().expect("a URI")).is_err(),
                "{bad}"
            );
        }
        for good in ["/v1/spaces?key=colour", "/v1/spaces/anamne_core"] {
            assert!(refuse_key_in_url(&good.parse().expect("a URI")).is_ok());
        }
    }

    #[test]
    fn the_scheme_is_bearer_in_any_case() {
        assert_eq!(bearer("Bearer abc"), Some("abc"));
        assert_eq!(bearer("bearer  abc "), Some("abc"));
        assert_eq!(bearer("Basic abc"), None);
        assert_eq!(bearer("abc"), None);
    }
}
