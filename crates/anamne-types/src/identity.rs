//! Identifiers and sequence numbers as distinct types.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::InvalidValue;

/// The id of a memory: a UUIDv7, unique across stores and ordered by creation time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct MemoryId(pub Uuid);

impl MemoryId {
    /// A new id for a memory created at `unix_milliseconds`.
    pub fn at(unix_milliseconds: u64) -> Self {
        let seconds = unix_milliseconds / 1000;
        let nanoseconds = (unix_milliseconds % 1000) as u32 * 1_000_000;
        let birth = uuid::Timestamp::from_unix(uuid::NoContext, seconds, nanoseconds);
        Self(Uuid::new_v7(birth))
    }

    /// The id of a memory created at `unix_milliseconds`, with these random bits: the same one for the same values.
    pub fn planned(unix_milliseconds: u64, random: &[u8; 10]) -> Self {
        Self(uuid::Builder::from_unix_timestamp_millis(unix_milliseconds, random).into_uuid())
    }

    /// The sixteen bytes of the id, as stored in the source.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// The id with these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }
}

/// Displays newtypes like their contents.
macro_rules! display_as_inner {
    ($($name:ty),+) => {
        $(impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        })+
    };
}
pub(crate) use display_as_inner;

display_as_inner!(MemoryId, Row, Seq);

impl FromStr for MemoryId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        Uuid::try_parse(text.trim()).map(Self).map_err(|_| {
            let accepts = "a UUID such as 0198c0de-7a11-7c3e-9d2f-6b1f0a5e4d21";
            InvalidValue::new("id", accepts, text)
        })
    }
}

/// The dense number of a memory inside its space; it never changes and is the key in every index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Row(pub u32);

/// The number of an event in a space's log; the first is 1, and 0 means before all events.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Seq(pub u64);
