//! Storing memories once, however often a request is sent.

use anamne_store::StoreError;
use anamne_types::{Draft, InvalidValue, MemoryId, Remembered};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::derived::requests::{KeyDigest, Known, Plan};
use crate::space::Space;

/// A key that a program chose for one request, so that it can send the request again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestKey {
    caller: String,
    key: String,
}

impl RequestKey {
    /// The longest key, in bytes.
    pub const LONGEST: usize = 255;

    /// The key `key` of the caller `caller`; equal keys of different callers are different. 1 to
    /// [`RequestKey::LONGEST`] visible ASCII characters.
    pub fn new(caller: impl Into<String>, key: impl Into<String>) -> Result<Self, InvalidValue> {
        let (caller, key) = (caller.into(), key.into());
        let is_printed = key
            .bytes()
            .all(|byte| byte.is_ascii_graphic() || byte == b' ');
        if !is_printed || key.trim().is_empty() || key.len() > Self::LONGEST {
            let accepts = format!("1 to {} visible ASCII characters", Self::LONGEST);
            let given = format!("{} bytes", key.len());
            return Err(InvalidValue::new("idempotency_key", accepts, given));
        }
        Ok(Self { caller, key })
    }

    fn digest(&self) -> KeyDigest {
        let mut hasher = blake3::Hasher::new_derive_key("anamne 2026 request key");
        for part in [&self.caller, &self.key] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}

/// What came of one of many drafts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DraftOutcome {
    /// It is stored, or was known.
    Remembered(Remembered),
    /// It was refused, which concerns no other one.
    Refused(DraftRefusal),
}

/// Why a draft was refused. It repeats nothing of the draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DraftRefusal {
    /// Why.
    pub reason: String,
    /// The rejected field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What the field accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepts: Option<String>,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldOnce {
    /// The outcome of each draft, in order.
    pub outcomes: Vec<DraftOutcome>,
    /// Whether the request was answered before, and changed nothing now.
    pub is_repeated: bool,
}

impl DraftOutcome {
    /// The outcome without parts of the draft: neither given values nor names of metadata.
    fn of(outcome: Result<Remembered, StoreError>) -> Self {
        match outcome {
            Ok(mut remembered) => {
                for note in &mut remembered.guard {
                    let end = note.field.find('.').unwrap_or(note.field.len());
                    note.field.truncate(end);
                }
                Self::Remembered(remembered)
            }
            Err(StoreError::Refused(refusal)) => Self::Refused(DraftRefusal {
                reason: format!("{} must be {}", refusal.field(), refusal.accepts()),
                field: Some(refusal.field().to_owned()),
                accepts: Some(refusal.accepts().to_owned()),
            }),
            Err(StoreError::Conflict { id, .. }) => Self::Refused(DraftRefusal {
                reason: format!("the external id belongs to memory {id} with different content"),
                field: Some("external_id".to_owned()),
                accepts: Some("a new id".to_owned()),
            }),
            Err(error) => Self::Refused(DraftRefusal {
                reason: error.to_string(),
                field: None,
                accepts: None,
            }),
        }
    }

    /// The memory, if it is stored.
    pub fn id(&self) -> Option<MemoryId> {
        match self {
            Self::Remembered(remembered) => Some(remembered.id),
            Self::Refused(_) => None,
        }
    }
}

impl Space {
    /// Stores many memories in one transaction, like [`Space::remember_each`]; with a key, only once in 24 hours: the
    /// same drafts with the same key get the same outcomes again, from any process, and nothing is stored.
    ///
    /// Two durable writes more with a key. If the process ends in the middle, or the work fails, the next attempt of any
    /// process goes on at once: what is stored is not stored again.
    ///
    /// # Errors
    ///
    /// [`Error::RequestKey`] if the key came with other drafts, or this process works on it; nothing was stored. Those of
    /// [`Space::remember_each`], after which the same request can be sent again.
    pub fn remember_once(
        &self,
        key: Option<&RequestKey>,
        drafts: &[Draft],
    ) -> Result<ToldOnce, Error> {
        self.require_write()?;
        self.once(key, &drafts, |plan| match plan {
            Some(plan) => self.told_each_planned(&plan.ids(drafts.len()), drafts),
            None => self.told_each(drafts),
        })
    }

    /// Does work that stores memories; with a key, only once in 24 hours for the same request. The work then gets a plan
    /// of their ids, may be repeated with it, and must store nothing under other ids.
    pub(crate) fn once(
        &self,
        key: Option<&RequestKey>,
        request: &impl Serialize,
        work: impl FnOnce(Option<&Plan>) -> Result<Vec<DraftOutcome>, Error>,
    ) -> Result<ToldOnce, Error> {
        let told = |outcomes, is_repeated| ToldOnce {
            outcomes,
            is_repeated,
        };
        let Some(key) = key else {
            return Ok(told(work(None)?, false));
        };
        let repeated = |answer: &str| -> Result<_, Error> {
            let outcomes = serde_json::from_str(answer).map_err(StoreError::from)?;
            Ok(told(outcomes, true))
        };
        let body = serde_json::to_vec(request).map_err(StoreError::from)?;
        let under_way = match self.inner.derived.requests.begin(key.digest(), &body)? {
            Known::NoAnswer(under_way) => under_way,
            Known::Answer(answer) => return repeated(&answer),
        };
        let outcomes = work(Some(under_way.plan()))?;
        let answer = serde_json::to_string(&outcomes).map_err(StoreError::from)?;
        let ids: Vec<MemoryId> = outcomes.iter().filter_map(DraftOutcome::id).collect();
        match under_way.answered(&answer, &ids)? {
            Some(earlier) => repeated(&earlier),
            None => Ok(told(outcomes, false)),
        }
    }

    /// What came of each draft.
    pub(crate) fn told_each(&self, drafts: &[Draft]) -> Result<Vec<DraftOutcome>, Error> {
        let outcomes = self.remember_each(drafts)?.into_iter();
        Ok(outcomes.map(DraftOutcome::of).collect())
    }

    /// What came of each draft, whose memory has the planned id beside it.
    pub(crate) fn told_each_planned(
        &self,
        ids: &[MemoryId],
        drafts: &[Draft],
    ) -> Result<Vec<DraftOutcome>, Error> {
        let outcomes = self.remember_each_planned(ids, drafts)?.into_iter();
        Ok(outcomes.map(DraftOutcome::of).collect())
    }
}
