//! Keys of a server.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::body::string_enum;
use crate::limits::{accept, check_name};
use crate::scope::PrivateSpaces;
use crate::tenants::{DEFAULT_TENANT, check_tenant};
use crate::{Actor, ActorKind, InvalidValue, Right, Scope, SpaceSet};

/// Longest validity of a key, in days.
const LONGEST_VALIDITY: u32 = 36_500;

/// Maximum number of spaces that one key names.
const MOST_SPACES: usize = 1_000;

string_enum! {
    /// A preset of rights for a key. All but `reader`, `reviewer` and `admin` differ only in ranking.
    KeyRole as "role" {
        /// Reads and writes; ranking for a developer.
        Developer = 1 "developer",
        /// Reads and writes; ranking for an architect.
        Architect = 2 "architect",
        /// Reads and writes; ranking for a planner.
        Planner = 3 "planner",
        /// Reads and writes; ranking for an assistant.
        Assistant = 4 "assistant",
        /// Reads, writes and vouches for content; ranking for a reviewer.
        Reviewer = 5 "reviewer",
        /// Only reads.
        Reader = 6 "reader",
        /// Every right, and administration of the server.
        Admin = 7 "admin",
    }
}

impl KeyRole {
    /// The role for ranking, if the caller names none.
    pub fn ranking(self) -> Option<&'static str> {
        match self {
            Self::Reader | Self::Admin => None,
            role => Some(role.as_str()),
        }
    }

    fn rights(self) -> &'static [Right] {
        match self {
            Self::Reviewer => &[Right::Trust],
            Self::Admin => Right::ALL,
            _ => &[],
        }
    }
}

/// A number of requests in a period: `10/s`, `600/m`, `1000/h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Requests in the period; also how many may come at once.
    pub requests: u32,
    /// The period in seconds: 1, 60 or 3600.
    pub seconds: u32,
}

impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let period = match self.seconds {
            1 => "s",
            60 => "m",
            _ => "h",
        };
        write!(formatter, "{}/{period}", self.requests)
    }
}

impl FromStr for Rate {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let rate = text.split_once('/').and_then(|(requests, period)| {
            let seconds = match period {
                "s" => 1,
                "m" => 60,
                "h" => 3_600,
                _ => return None,
            };
            let requests = requests.parse().ok().filter(|requests| *requests > 0)?;
            Some(Self { requests, seconds })
        });
        let accepts = "a number of requests per s, m or h, such as 10/s";
        rate.ok_or_else(|| InvalidValue::new("rate", accepts, text))
    }
}

impl Serialize for Rate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What a key allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Who uses it: the actor of what is done with it.
    pub principal: Actor,
    /// Its preset.
    pub role: KeyRole,
    /// The only spaces that it reaches; absent for all shared ones and those private to the principal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spaces: Option<Vec<String>>,
    /// Whether it only reads.
    #[serde(default)]
    pub read_only: bool,
    /// Its rights beyond reading and writing.
    #[serde(default)]
    pub rights: Vec<Right>,
    /// Whether it administers the server: keys and tenants.
    #[serde(default)]
    pub admin: bool,
    /// Its rate on each server process; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub rate: Option<Rate>,
}

impl Grant {
    /// What the engine lets the key do.
    pub fn scope(&self) -> Scope {
        let (read, private) = match &self.spaces {
            // Naming a space includes it, whoever owns it.
            Some(names) => (SpaceSet::only(names.iter().cloned()), PrivateSpaces::All),
            None => (
                SpaceSet::All,
                PrivateSpaces::Of(self.principal.name.clone()),
            ),
        };
        let write = if self.read_only {
            SpaceSet::none()
        } else {
            read.clone()
        };
        let scope = Scope::of(self.principal.clone())
            .reading(read)
            .writing(write)
            .with_private(private)
            .with_author(&*self.principal.name);
        self.rights
            .iter()
            .fold(scope, |scope, right| scope.allowing(*right))
    }
}

/// A key to be created.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// Its name, for people.
    pub name: String,
    /// Its tenant; `default` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Its preset; `developer` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<KeyRole>,
    /// Who uses it: a user, an agent or a tool; by default a user with the key's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Actor>,
    /// The only spaces that it reaches. Either this or `all_spaces`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spaces: Option<Vec<String>>,
    /// Whether it reaches all shared spaces and those private to its principal.
    #[serde(default)]
    pub all_spaces: bool,
    /// Whether it only reads, whatever its role.
    #[serde(default)]
    pub read_only: bool,
    /// Rights beyond those of its role.
    #[serde(default)]
    pub rights: Vec<Right>,
    /// Whether it administers the server, whatever its role.
    #[serde(default)]
    pub admin: bool,
    /// Days until it expires; absent for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_days: Option<u32>,
    /// Its rate on each server process, such as `10/s`; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub rate: Option<Rate>,
}

impl NewKey {
    /// A key of this name for the default tenant and all shared spaces.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            tenant: None,
            role: None,
            principal: None,
            spaces: None,
            all_spaces: true,
            read_only: false,
            rights: Vec::new(),
            admin: false,
            expires_days: None,
            rate: None,
        }
    }

    /// The tenant's name.
    pub fn tenant(&self) -> &str {
        self.tenant.as_deref().unwrap_or(DEFAULT_TENANT)
    }

    /// What the key will allow; [`InvalidValue`] if a field is invalid.
    pub fn grant(&self) -> Result<Grant, InvalidValue> {
        check_name("name", &self.name)?;
        check_tenant(self.tenant())?;
        let role = self.role.unwrap_or(KeyRole::Developer);
        let principal = self.principal.clone().unwrap_or_else(|| Actor {
            name: self.name.clone(),
            ..Actor::user()
        });
        check_principal(&principal)?;
        let admin = self.admin || role == KeyRole::Admin;
        if let Some(days) = self.expires_days {
            let accepts = format_args!("1 to {LONGEST_VALIDITY}");
            let is_fit = (1..=LONGEST_VALIDITY).contains(&days);
            accept(is_fit, "expires_days", accepts, days)?;
        }
        let spaces = match (&self.spaces, self.all_spaces) {
            (Some(names), false) if !names.is_empty() && names.len() <= MOST_SPACES => {
                names
                    .iter()
                    .try_for_each(|name| check_name("spaces", name))?;
                Some(names.clone())
            }
            (None, true) => None,
            // Its role alone; it reaches no memory.
            (None, false) if admin => Some(Vec::new()),
            _ => {
                let accepts = format!("1 to {MOST_SPACES} spaces, or all_spaces, not both");
                let given = self.spaces.as_ref().map_or(0, Vec::len);
                return Err(InvalidValue::new("spaces", accepts, given));
            }
        };
        let mut rights = [role.rights(), &self.rights].concat();
        rights.sort_unstable();
        rights.dedup();
        Ok(Grant {
            principal,
            role,
            spaces,
            read_only: self.read_only || role == KeyRole::Reader,
            rights,
            admin,
            rate: self.rate,
        })
    }
}

/// Checks a principal. Its name is 1 to 64 letters, digits, `-` and `_`: names of private spaces contain it. It is not the
/// engine, whose events the engine believes.
fn check_principal(principal: &Actor) -> Result<(), InvalidValue> {
    let (name, kind) = (principal.name.as_str(), principal.kind);
    let is_fit = (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let accepts = "1 to 64 ASCII letters, digits, - and _";
    accept(is_fit, "principal", accepts, name)?;
    let accepts = "a user, an agent or a tool";
    accept(kind != ActorKind::System, "principal", accepts, kind)
}

/// A key as it is listed, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeyInfo {
    /// Its id, a part of the key.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its tenant.
    pub tenant: String,
    /// What it allows.
    pub grant: Grant,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; absent for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Timestamp>,
    /// Spaces that it named until they were deleted. Later spaces of these names are not among those that it reaches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_spaces: Vec<LostSpace>,
}

/// A deleted space that a key named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LostSpace {
    /// Its name.
    pub space: String,
    /// When it was deleted.
    pub at: Timestamp,
}

/// A key that named a space which was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeyLoss {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether it was revoked, because it named no other space.
    pub revoked: bool,
}

/// A new key. It is shown once.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedKey {
    /// The key, to be sent as `Authorization: Bearer KEY`.
    pub key: String,
    /// How it is listed.
    pub listed: KeyInfo,
}

impl fmt::Debug for CreatedKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CreatedKey")
            .field("listed", &self.listed)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reaches_no_private_space_of_others_unless_it_names_it() {
        let all = NewKey::named("ada").grant().expect("valid").scope();
        assert!(all.may_write("core") && all.may_write("~ada.notes") && all.may_read("~ada"));
        assert!(!all.may_read("~bob") && !all.may_read("~adam.notes") && !all.reads_all());
        let named = NewKey {
            spaces: Some(vec!["~bob.notes".to_owned()]),
            all_spaces: false,
            ..NewKey::named("ada")
        };
        let named = named.grant().expect("valid").scope();
        assert!(named.may_read("~bob.notes") && !named.may_read("core"));
        // Narrowing never widens.
        assert!(!all.narrowed(&Scope::owner()).may_read("~bob"));
        assert!(!Scope::owner().narrowed(&all).may_read("~bob"));
        assert!(!all.narrowed(&named).may_read("~bob.notes"));
    }

    #[test]
    fn a_key_is_for_anybody_but_the_engine() {
        for kind in ActorKind::ALL {
            let wanted = NewKey {
                principal: Some(Actor {
                    kind: *kind,
                    name: "retention".to_owned(),
                }),
                ..NewKey::named("ada")
            };
            let refused = wanted.grant().err();
            let field = refused.as_ref().map(InvalidValue::field);
            let expected = (*kind == ActorKind::System).then_some("principal");
            assert_eq!(field, expected, "{kind}");
        }
    }

    #[test]
    fn roles_are_rights_and_a_key_names_its_spaces() {
        let of = |role| NewKey {
            role: Some(role),
            ..NewKey::named("ada")
        };
        let reader = of(KeyRole::Reader).grant().expect("valid").scope();
        assert!(reader.may_read("core") && !reader.may_write("core"));
        let reviewer = of(KeyRole::Reviewer).grant().expect("valid").scope();
        assert!(reviewer.allows(Right::Trust) && !reviewer.allows(Right::Erase));
        let admin = of(KeyRole::Admin).grant().expect("valid");
        assert!(admin.admin && admin.scope().allows(Right::Erase));
        let none = NewKey {
            all_spaces: false,
            ..NewKey::named("ada")
        };
        assert!(none.grant().is_err());
        assert_eq!("10/s".parse::<Rate>().expect("valid").to_string(), "10/s");
        for bad in ["", "0/s", "10", "10/d", "-1/s", "4294967296/s"] {
            assert!(bad.parse::<Rate>().is_err(), "{bad}");
        }
    }
}
