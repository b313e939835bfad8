//! Paths and queries of URLs.

use std::fmt::Write;

/// The query part of a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(String);

impl Query {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a name and its value.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "numbers and words are written as they are"
    )]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.0.push(if self.0.is_empty() { '?' } else { '&' });
        encode(name, &mut self.0);
        self.0.push('=');
        encode(&value.to_string(), &mut self.0);
        self
    }

    /// Adds a name and its value, if there is one.
    #[must_use]
    pub fn maybe(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The query with its question mark; empty if it has no value.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A path of these parts, each percent-encoded: a name with a slash stays one part.
pub(crate) fn path(parts: &[&str]) -> String {
    let mut path = String::new();
    for part in parts {
        path.push('/');
        encode(part, &mut path);
    }
    path
}

fn encode(text: &str, into: &mut String) {
    // A part of dots alone would be taken for a step in the hierarchy.
    let is_dots = !text.is_empty() && text.bytes().all(|byte| byte == b'.');
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => into.push(byte.into()),
            b'.' if !is_dots => into.push('.'),
            _ => {
                let _ = write!(into, "%{byte:02X}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_stays_one_part() {
        assert_eq!(path(&["v1", "a/b", ".."]), "/v1/a%2Fb/%2E%2E");
        assert_eq!(path(&["grüße ?#%"]), "/gr%C3%BC%C3%9Fe%20%3F%23%25");
        assert_eq!(path(&["v1.2"]), "/v1.2");
    }

    #[test]
    fn a_query_keeps_its_values_apart() {
        let query = Query::new().with("a", "1&b=2").maybe("c", Some(3));
        assert_eq!(query.as_str(), "?a=1%26b%3D2&c=3");
        assert_eq!(Query::new().maybe("a", None::<u8>).as_str(), "");
    }
}
