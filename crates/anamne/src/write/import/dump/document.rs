//! The document of a dump: its entries in their order, each with its place in the text.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A key of the document with its value.
pub(super) struct Part<'text> {
    /// Where the entry is: bytes from the beginning of the text.
    pub(super) offset: usize,
    /// `None` if the text has another value in place of a key with a value.
    pub(super) entry: Option<(String, &'text RawValue)>,
}

/// Splits a document: an object of keys, or an array of such objects or of `{"key", "value"}`.
pub(super) fn split(text: &str) -> serde_json::Result<Vec<Part<'_>>> {
    let objects: Vec<&RawValue> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text)?
    } else {
        vec![serde_json::from_str(text)?]
    };
    let mut parts = Vec::new();
    for object in objects {
        let offset = offset_in(text, object);
        let Ok(Members(mut members)) = serde_json::from_str(object.get()) else {
            parts.push(Part {
                offset,
                entry: None,
            });
            continue;
        };
        let mut taken = |name: &str| {
            let place = members.iter().position(|(member, _)| member == name)?;
            Some(members.swap_remove(place).1)
        };
        match (taken("key"), taken("value")) {
            (None, None) => parts.extend(members.into_iter().map(|(key, value)| Part {
                offset: offset_in(text, value),
                entry: Some((key, value)),
            })),
            (key, value) => {
                let key = key.and_then(|key| serde_json::from_str(key.get()).ok());
                let entry = key.zip(value);
                parts.push(Part { offset, entry });
            }
        }
    }
    Ok(parts)
}

/// Where a value that was read from a text is in it.
fn offset_in(text: &str, value: &RawValue) -> usize {
    value.get().as_ptr().addr() - text.as_ptr().addr()
}

/// The members of an object in the order of the text.
struct Members<'text>(Vec<(String, &'text RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

/// Numbers the lines of a text, for places in ascending order.
pub(super) struct LineNumbers<'text> {
    rest: &'text [u8],
    offset: usize,
    line: u64,
}

impl<'text> LineNumbers<'text> {
    pub(super) fn of(text: &'text str) -> Self {
        Self {
            rest: text.as_bytes(),
            offset: 0,
            line: 1,
        }
    }

    /// The number of the line of a place, from 1.
    pub(super) fn at(&mut self, offset: usize) -> u64 {
        let step = offset.saturating_sub(self.offset).min(self.rest.len());
        let (passed, rest) = self.rest.split_at(step);
        let breaks = passed.split(|&byte| byte == b'\n').skip(1);
        self.line += breaks.count() as u64;
        self.rest = rest;
        self.offset += step;
        self.line
    }
}
