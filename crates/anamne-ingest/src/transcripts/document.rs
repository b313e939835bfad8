//! Whole JSON files, of which the items of a list are read one by one.

use std::io::Read;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess};
use serde_json::value::RawValue;

use super::lenient::{Field, field};
use super::lines::{open_file, without_mark};
use super::{TranscriptError, TranscriptFile};

/// The longest file that is read, in bytes.
const MAX_BYTES: u64 = 128 << 20;

/// The most messages of one file.
const MAX_MESSAGES: usize = 200_000;

/// The content of a file of at most [`MAX_BYTES`].
pub(super) fn content_of(file: &TranscriptFile, path: &Path) -> Result<String, TranscriptError> {
    let mut bytes = Vec::new();
    open_file(path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(TranscriptError::io(path))?;
    if bytes.len() as u64 > MAX_BYTES {
        let reason = format!("it is longer than {} MiB", MAX_BYTES >> 20);
        return Err(TranscriptError::unknown(file, reason));
    }
    let mark = bytes.len() - without_mark(&bytes).len();
    bytes.drain(..mark);
    String::from_utf8(bytes).map_err(|error| TranscriptError::unknown(file, error.to_string()))
}

/// The items of a list, each still as JSON. Beyond [`MAX_MESSAGES`] they are only checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Items<'a>(pub(super) Option<Vec<&'a RawValue>>);

impl<'de> Field<'de> for Items<'de> {
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut items = Vec::new();
        while items.len() < MAX_MESSAGES {
            let Some(item) = list.next_element()? else {
                return Ok(Self(Some(items)));
            };
            items.push(item);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self(Some(items)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field::<D, Items<'de>>(deserializer)
    }
}
