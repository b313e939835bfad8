//! The addresses of resources: `anamne://space/NAME/memory/m12`, and so on, with each part percent-encoded.

use std::fmt::{self, Write};

/// Maximum bytes of an address that is read.
const LONGEST: usize = 4_096;

const PREFIX: &str = "anamne://space/";

/// What an address names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) space: String,
    pub(super) subject: Subject,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// A memory by id or citation.
    Memory(String),
    /// An entity by name.
    Entity(String),
    /// A summary: its level (`day`, `week`, `month` or `thread`), and a date or the thread's name.
    Summary { level: String, of: String },
}

impl Address {
    /// `None` if it is none of ours, too long, or badly encoded.
    pub(super) fn read(uri: &str) -> Option<Self> {
        if uri.len() > LONGEST {
            return None;
        }
        let parts = uri.strip_prefix(PREFIX)?.split('/');
        let parts: Vec<String> = parts.map(decode).collect::<Option<_>>()?;
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let (space, subject) = match parts[..] {
            [space, "memory", id] => (space, Subject::Memory(id.to_owned())),
            [space, "entity", name] => (space, Subject::Entity(name.to_owned())),
            [space, "summary", level, of] => {
                let (level, of) = (level.to_owned(), of.to_owned());
                (space, Subject::Summary { level, of })
            }
            _ => return None,
        };
        Some(Self {
            space: space.to_owned(),
            subject,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}/", encode(&self.space))?;
        match &self.subject {
            Subject::Memory(id) => write!(formatter, "memory/{}", encode(id)),
            Subject::Entity(name) => write!(formatter, "entity/{}", encode(name)),
            Subject::Summary { level, of } => {
                write!(formatter, "summary/{}/{}", encode(level), encode(of))
            }
        }
    }
}

/// Whether a byte stands for itself (RFC 3986, unreserved).
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_plain(byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// A part of an address; `None` if it is empty, badly encoded, or has a query or a fragment.
fn decode(part: &str) -> Option<String> {
    let mut bytes = part.bytes();
    let mut decoded = Vec::with_capacity(part.len());
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
                decoded.push((high * 16 + low) as u8);
            }
            b'?' | b'#' => return None,
            byte => decoded.push(byte),
        }
    }
    let text = String::from_utf8(decoded).ok()?;
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{Address, Subject};

    #[track_caller]
    fn check(space: &str, subject: Subject, expected: &str) {
        let space = space.to_owned();
        let address = Address { space, subject };
        assert_eq!(address.to_string(), expected);
        assert_eq!(Address::read(expected), Some(address));
    }

    #[test]
    fn an_address_is_read_as_it_was_written() {
        check(
            "core",
            Subject::Memory("m12".into()),
            "anamne://space/core/memory/m12",
        );
        check(
            "core",
            Subject::Entity("Zoë / Ada? #1".into()),
            "anamne://space/core/entity/Zo%C3%AB%20%2F%20Ada%3F%20%231",
        );
        check(
            "überlingen",
            Subject::Summary {
                level: "month".into(),
                of: "2026-03".into(),
            },
            "anamne://space/%C3%BCberlingen/summary/month/2026-03",
        );
    }

    #[test]
    fn anything_else_is_no_address() {
        for wrong in [
            "",
            "anamne://",
            "anamne://space/",
            "anamne://space/core",
            "anamne://space/core/memory",
            "anamne://space/core/memory/",
            "anamne://space//memory/m1",
            "anamne://space/core/memory/m1/",
            "anamne://space/core/memory/m1?x=1",
            "anamne://space/core/memory/m1#x",
            "anamne://space/core/memory/m%1",
            "anamne://space/core/memory/m%zz",
            "anamne://space/core/entity/%FF%FE",
            "anamne://space/core/secret/m1",
            "anamne://store/core/memory/m1",
            "file:///etc/passwd",
        ] {
            assert_eq!(Address::read(wrong), None, "{wrong}");
        }
        let long = format!("anamne://space/core/entity/{}", "a".repeat(5_000));
        assert_eq!(Address::read(&long), None);
    }
}
