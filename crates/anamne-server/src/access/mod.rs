//! Who may do what: keys, their scopes and their rates.

mod issuer;
mod outdated;
mod rate;
mod use_counts;

use std::sync::Arc;

use anamne::{Actor, DEFAULT_TENANT, Error, FoundKey, KeyText, Scope, ServerRecords};

use crate::http::Problem;
use crate::tenants::TenantName;
pub(crate) use issuer::Issuer;
pub use issuer::{IssuerError, IssuerSettings};
use rate::Rates;
use use_counts::{Counted, UseCounts};

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
    pub(crate) key: Option<Arc<str>>,
}

impl Principal {
    /// What distinguishes it from others.
    pub(crate) fn identity(&self) -> String {
        format!(
            "{} {}",
            self.tenant.as_str(),
            self.key.as_deref().unwrap_or("owner")
        )
    }

    /// Who writes what an agent tells with its key; `None` is the agent, by the name that it gives itself, with an agent's
    /// trust. The principal is the author in either case.
    pub(crate) fn writer(&self) -> Option<Actor> {
        let actor = self.scope.actor();
        let is_trusted_less = actor.default_trust() < Actor::agent("agent").default_trust();
        is_trusted_less.then(|| actor.clone())
    }
}

/// Finds out who sent a request.
pub(crate) struct Access {
    records: Arc<ServerRecords>,
    /// Whether other machines reach the server, so that a request without a key is never accepted.
    is_exposed: bool,
    rates: Rates,
    counts: UseCounts,
    /// Whose access tokens count as well.
    issuer: Option<Issuer>,
}

impl Access {
    /// By the keys in these records.
    pub(crate) fn open(
        records: Arc<ServerRecords>,
        is_exposed: bool,
        issuer: Option<Issuer>,
    ) -> Self {
        Self {
            records,
            is_exposed,
            rates: Rates::default(),
            counts: UseCounts::default(),
            issuer,
        }
    }

    /// The caller with this `Authorization` header. One read of the records, about 15 µs: a key that another process
    /// created or revoked counts from then on.
    pub(crate) fn identify(&self, given: Option<&str>) -> Result<Principal, Problem> {
        let Some(given) = given else {
            return self.without_key();
        };
        let token = bearer(given).ok_or_else(Problem::unauthenticated)?;
        let Some(key) = KeyText::parse(token) else {
            return self.by_token(token);
        };
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

    /// The principal of an issuer's access token.
    fn by_token(&self, token: &str) -> Result<Principal, Problem> {
        let granted = self.issuer.as_ref().and_then(|issuer| {
            let now = jiff::Timestamp::now();
            issuer.grant_of(token, now)
        });
        let mut granted = granted.ok_or_else(Problem::unauthenticated)?;
        if !outdated::take_deleted(&mut granted, &self.records)? {
            return Err(Problem::unauthenticated());
        }
        let known = self.records.tenant(&granted.tenant)?;
        let known = known.filter(|tenant| !tenant.erasing);
        match &known {
            // It has no record before something is set for it.
            None if granted.tenant == DEFAULT_TENANT => {}
            None => return Err(Problem::unauthenticated()),
            Some(tenant) if tenant.suspended_at.is_some() => return Err(Problem::suspended()),
            Some(tenant) => {
                let most = tenant.quota.requests_per_minute;
                if most > 0 {
                    let name = format!("tenant_{}", granted.tenant);
                    self.rates.take(&name, most, 60)?;
                }
            }
        }
        self.counts.add(&Counted {
            tenant: &granted.tenant,
            key: None,
            most_per_day: known.as_ref().map_or(0, |it| it.quota.requests_per_day),
            today: known.as_ref().map_or(0, |it| it.requests_today),
        })?;
        let name = format!("issuer {}", granted.grant.principal.name);
        Ok(Principal {
            tenant: TenantName::of(&granted.tenant),
            scope: granted.grant.scope(),
            is_admin: false,
            role: granted.grant.role.ranking(),
            key: Some(name.into()),
        })
    }

    /// The issuer, if one is configured.
    pub(crate) fn issuer(&self) -> Option<&IssuerSettings> {
        self.issuer.as_ref().map(|issuer| &issuer.settings)
    }

    /// The owner of the machine, before there is any key.
    fn without_key(&self) -> Result<Principal, Problem> {
        if self.is_exposed || self.issuer.is_some() || self.records.has_keys()? {
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
        self.counts.add(&Counted {
            tenant: &key.tenant,
            key: Some(&key.id),
            most_per_day: quota.requests_per_day,
            today: found.requests_today,
        })
    }

    /// Writes down which keys and tenants were used since the last call.
    pub(crate) fn note_use(&self) -> Result<(), Error> {
        self.counts.write_to(&self.records)
    }
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
    fn the_scheme_is_bearer_in_any_case() {
        assert_eq!(bearer("Bearer abc"), Some("abc"));
        assert_eq!(bearer("bearer  abc "), Some("abc"));
        assert_eq!(bearer("Basic abc"), None);
        assert_eq!(bearer("abc"), None);
    }
}
