//! One line of the journal, and the hash chain over all lines.

use std::fmt;

use anamne_types::{Actor, Event, EventKind, MemoryId, Seq};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::clock::to_microseconds;
use crate::hexadecimal;

/// The first sixteen bytes of a BLAKE3 hash, written in hexadecimal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest(pub [u8; 16]);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self::finish(blake3::Hasher::new().update(bytes))
    }

    /// Reads a digest in hexadecimal.
    pub(crate) fn read(digits: &str) -> Option<Self> {
        let mut digest = [0; 16];
        hexadecimal::read(digits.as_bytes(), &mut digest)?;
        Some(Self(digest))
    }

    fn finish(hasher: &blake3::Hasher) -> Self {
        let mut digest = [0; 16];
        hasher.finalize_xof().fill(&mut digest);
        Self(digest)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hexadecimal::digits(&self.0))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hexadecimal::digits(&self.0))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let unreadable = || serde::de::Error::custom("a digest has 32 hexadecimal digits");
        Self::read(&text).ok_or_else(unreadable)
    }
}

/// The first line of every segment: its number and the start of its chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// The version of the line format.
    pub(crate) anamne_journal: u32,
    /// The number of the segment, from 1.
    pub(crate) segment: u32,
    /// The last event before this segment.
    pub(crate) after_seq: Seq,
    /// The chain's hash after that event.
    pub(crate) after_hash: Digest,
}

/// A serialised line.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) seq: Seq,
    /// The chain's hash after it.
    pub(crate) hash: Digest,
    /// The line without its line feed.
    pub(crate) text: String,
}

impl Entry {
    /// Serialises `line`.
    pub(crate) fn of(line: &Line) -> Result<Self, serde_json::Error> {
        Ok(Self {
            seq: line.seq,
            hash: line.hash,
            text: serde_json::to_string(line)?,
        })
    }

    /// Parses an already serialised line.
    pub(crate) fn read(text: String) -> Result<Self, serde_json::Error> {
        let Line { seq, hash, .. } = serde_json::from_str(&text)?;
        Ok(Self { seq, hash, text })
    }
}

/// One event with its payload and its chain hash.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The event's sequence number.
    pub seq: Seq,
    /// When it was written.
    pub at: Timestamp,
    /// The author of the change.
    pub actor: Actor,
    /// The kind of change.
    pub kind: EventKind,
    /// The changed memory.
    pub memory: MemoryId,
    /// The digest of the original payload.
    pub payload_hash: Digest,
    /// The chain's hash after this event: over the previous hash and all fields above, and nothing else.
    pub hash: Digest,
    /// The payload; `null` if it was erased.
    pub payload: Option<Box<RawValue>>,
}

impl Line {
    /// Builds the line of `event`, chained to the line whose hash is `previous`.
    pub fn chain(previous: Digest, event: Event, payload: Box<RawValue>) -> Self {
        let payload_hash = Digest::of(payload.get().as_bytes());
        let mut line = Self::unchained(event, payload_hash, Some(payload));
        line.hash = line.expected_hash(previous);
        line
    }

    /// A line without its hash.
    pub(crate) fn unchained(
        event: Event,
        payload_hash: Digest,
        payload: Option<Box<RawValue>>,
    ) -> Self {
        Self {
            seq: event.seq,
            at: event.at,
            actor: event.actor,
            kind: event.kind,
            memory: event.memory,
            payload_hash,
            hash: Digest::default(),
            payload,
        }
    }

    /// The expected hash of the line after a line with the hash `previous`.
    pub fn expected_hash(&self, previous: Digest) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&previous.0);
        hasher.update(&self.seq.0.to_le_bytes());
        hasher.update(&to_microseconds(self.at).to_le_bytes());
        hasher.update(&[self.actor.kind.number(), self.kind.number()]);
        hasher.update(&(self.actor.name.len() as u32).to_le_bytes());
        hasher.update(self.actor.name.as_bytes());
        hasher.update(self.memory.as_bytes());
        hasher.update(&self.payload_hash.0);
        Digest::finish(&hasher)
    }

    /// Checks the line against the previous one; returns the reason for a mismatch.
    pub fn check(&self, previous_seq: Seq, previous_hash: Digest) -> Result<(), String> {
        if self.seq.0 != previous_seq.0 + 1 {
            return Err(format!("event {} follows event {previous_seq}", self.seq));
        }
        self.check_payload()?;
        if self.expected_hash(previous_hash) != self.hash {
            return Err(format!("event {} breaks the hash chain", self.seq));
        }
        Ok(())
    }

    /// Checks the payload, unless it was erased, against its digest.
    pub(crate) fn check_payload(&self) -> Result<(), String> {
        match &self.payload {
            Some(payload) if Digest::of(payload.get().as_bytes()) != self.payload_hash => {
                Err(format!("payload hash mismatch at event {}", self.seq))
            }
            _ => Ok(()),
        }
    }

    /// The event without its payload.
    pub fn event(&self) -> Event {
        Event {
            seq: self.seq,
            at: self.at,
            actor: self.actor.clone(),
            kind: self.kind,
            memory: self.memory,
        }
    }
}
