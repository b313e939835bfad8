//! Working memory: values by key, for a session and an agent, until they expire.

use anamne_types::{Body, Draft, Experience, InvalidValue, Memory, Remembered, WorkingValue};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;
use crate::space::Space;

/// How long a value lives unless told.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Whose working memory: a session's and an agent's; an empty name is a scope of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkingScope {
    /// The session.
    pub session: String,
    /// The agent.
    pub agent: String,
}

/// A live value of working memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkingEntry {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Value,
    /// The session; empty if none.
    pub session: String,
    /// The agent; empty if none.
    pub agent: String,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
}

impl WorkingEntry {
    fn of(memory: Memory) -> Option<Self> {
        let Body::Experience { experience } = memory.body else {
            return None;
        };
        match *experience {
            Experience::Working(WorkingValue { key, value }) if !value.is_null() => Some(Self {
                key,
                value,
                session: memory.session.unwrap_or_default(),
                agent: memory.author.unwrap_or_default(),
                expires_at: memory.expires_at,
            }),
            _ => None,
        }
    }
}

impl Space {
    /// Sets a value of working memory until `expires_at`, by default for 24 hours; null removes the key. The former
    /// value stays in the log.
    pub fn set_working(
        &self,
        scope: &WorkingScope,
        key: &str,
        value: Value,
        expires_at: Option<Timestamp>,
    ) -> Result<Remembered, Error> {
        if self.guarded_text(key) != key {
            // A redacted key would be that of other values.
            let accepts = "free of secrets";
            return Err(InvalidValue::new("key", accepts, "one that the guard redacts").into());
        }
        let now = self.now();
        let expires_at = match expires_at {
            Some(expires_at) if expires_at <= now => {
                return Err(InvalidValue::new("expires_at", "later than now", expires_at).into());
            }
            Some(expires_at) => expires_at,
            None => now.checked_add(LIFETIME).unwrap_or(Timestamp::MAX),
        };
        let named = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let record = Experience::Working(WorkingValue {
            key: key.to_owned(),
            value,
        });
        self.remember(Draft {
            session: named(&scope.session),
            author: named(&scope.agent),
            expires_at: Some(expires_at),
            ..Draft::experience(record)
        })
    }

    /// The live values of working memory, oldest first: of one scope, or of all. Without an agent, a scope is that of the caller's author.
    pub fn working_memory(&self, scope: Option<&WorkingScope>) -> Result<Vec<WorkingEntry>, Error> {
        let Some(view) = self.inner.derived.experience.caught_up()? else {
            return Ok(Vec::new());
        };
        // As a value that names no agent is stored.
        let own = self.scope().author().unwrap_or_default();
        let agent = |scope: &'_ WorkingScope| match scope.agent.as_str() {
            "" => own.to_owned(),
            agent => agent.to_owned(),
        };
        let named = scope.map(|scope| (scope.session.as_str(), agent(scope)));
        let scope = named
            .as_ref()
            .map(|(session, agent)| (*session, agent.as_str()));
        let rows = view.working(scope, self.now().as_microsecond())?;
        let memories = self.inner.source.get_rows(&rows)?.into_iter();
        Ok(memories
            .filter_map(|(_, memory)| WorkingEntry::of(memory))
            .collect())
    }
}
