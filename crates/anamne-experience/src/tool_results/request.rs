//! Requests to tools.

use anamne_types::InvalidValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::same_request::RequestForm;

/// Longest request text, in bytes.
pub const MAX_REQUEST_TEXT_BYTES: usize = 16 * 1024;

/// Longest parameters, as JSON in bytes.
pub const MAX_PARAMETER_BYTES: usize = 64 * 1024;

/// What kind of thing was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// A search by a query in words; another wording may hit.
    #[default]
    Search,
    /// A page at an address.
    Page,
    /// A call of an API; its text is in words, like a search's, or an address.
    Api,
    /// The state of an address, without its content.
    Url,
}

impl RequestKind {
    /// All values.
    pub const ALL: [Self; 4] = [Self::Search, Self::Page, Self::Api, Self::Url];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Page => "page",
            Self::Api => "api",
            Self::Url => "url",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A request to a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ToolRequest {
    /// What is asked for.
    pub kind: RequestKind,
    /// The tool that is asked; results of one tool are not served for another.
    pub tool: String,
    /// The query in words, or the address.
    pub text: String,
    /// Further parameters; the order of an object's names doesn't matter.
    #[serde(default)]
    pub parameters: Value,
}

impl ToolRequest {
    /// A request without parameters.
    pub fn new(kind: RequestKind, tool: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            kind,
            tool: tool.into(),
            text: text.into(),
            parameters: Value::Null,
        }
    }

    /// Checks the sizes. O(bytes).
    pub fn check(&self) -> Result<(), InvalidValue> {
        if self.text.trim().is_empty() {
            return Err(InvalidValue::new(
                "request",
                "a query or an address",
                "an empty text",
            ));
        }
        let bytes = self.text.len() + self.tool.len();
        if bytes > MAX_REQUEST_TEXT_BYTES {
            let accepts = format!("at most {MAX_REQUEST_TEXT_BYTES} bytes");
            return Err(InvalidValue::new("request", accepts, bytes));
        }
        let bytes = self.canonical_parameters().len();
        if bytes > MAX_PARAMETER_BYTES {
            let accepts = format!("at most {MAX_PARAMETER_BYTES} bytes");
            return Err(InvalidValue::new("parameters", accepts, bytes));
        }
        Ok(())
    }

    /// The parameters as JSON with sorted names and without white space; empty without parameters.
    pub fn canonical_parameters(&self) -> String {
        match &self.parameters {
            Value::Null => String::new(),
            parameters => sorted(parameters).to_string(),
        }
    }

    /// The host of an address; empty for a text in words.
    pub fn host(&self) -> String {
        host(&self.text)
    }

    /// The text in the form in which identical requests are equal.
    pub(super) fn canonical_text(&self) -> String {
        if self.host().is_empty() {
            return anamne_text::normal::normalise(&self.text);
        }
        canonical_address(&self.text)
    }

    pub(super) fn exact_key(&self) -> [u8; 16] {
        self.key(self.canonical_text().as_bytes())
    }

    /// The digest that all wordings of this request share; `None` if only an identical request is the same.
    pub(super) fn form_key(&self) -> Option<[u8; 16]> {
        let is_worded = matches!(self.kind, RequestKind::Search | RequestKind::Api);
        let form = self.form().filter(|_| is_worded)?;
        Some(self.key(&form.key()))
    }

    /// The form of its words; `None` for an address.
    pub(super) fn form(&self) -> Option<RequestForm> {
        self.host()
            .is_empty()
            .then(|| RequestForm::of(&self.text))?
    }

    fn key(&self, text: &[u8]) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        let parameters = self.canonical_parameters();
        for part in [
            self.kind.name().as_bytes(),
            self.tool.as_bytes(),
            parameters.as_bytes(),
            text,
        ] {
            hasher
                .update(&(part.len() as u64).to_le_bytes())
                .update(part);
        }
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        key
    }
}

/// The value with the names of objects in order, whichever order `serde_json` is built with.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_unstable_by_key(|(name, _)| *name);
            let entries = entries.into_iter();
            Value::Object(
                entries
                    .map(|(name, value)| (name.clone(), sorted(value)))
                    .collect(),
            )
        }
        Value::Array(values) => Value::Array(values.iter().map(sorted).collect()),
        plain => plain.clone(),
    }
}

/// The lower-case host of an address with a scheme; empty for anything else. O(bytes).
pub(super) fn host(text: &str) -> String {
    let Some((scheme, rest)) = text.trim().split_once("://") else {
        return String::new();
    };
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if !is_scheme || host.contains(char::is_whitespace) {
        return String::new();
    }
    host.to_lowercase()
}

/// An address with lower-case scheme and host, without fragment, and without parameters that only track clicks.
fn canonical_address(text: &str) -> String {
    let text = text.trim();
    let text = text.split_once('#').map_or(text, |(address, _)| address);
    let (address, query) = text.split_once('?').unwrap_or((text, ""));
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let is_kept = |parameter: &&str| {
        let name = parameter.split('=').next().unwrap_or_default();
        !parameter.is_empty() && !name.starts_with("utm_") && !matches!(name, "gclid" | "fbclid")
    };
    let kept: Vec<_> = query.split('&').filter(is_kept).collect();
    let mark = if kept.is_empty() { "" } else { "?" };
    let (scheme, authority) = (scheme.to_lowercase(), authority.to_lowercase());
    format!("{scheme}://{authority}/{path}{mark}{}", kept.join("&"))
}

#[cfg(test)]
mod tests {
    use super::{RequestKind, ToolRequest, host};

    #[test]
    fn an_address_is_the_same_with_other_tracking_and_fragment() {
        let key = |text: &str| ToolRequest::new(RequestKind::Page, "fetch", text).exact_key();
        let plain = key("https://docs.example.com/a?page=2");
        assert_eq!(
            key("HTTPS://Docs.example.com/a?utm_source=x&page=2#top"),
            plain
        );
        assert_ne!(key("https://docs.example.com/a?page=3"), plain);
        assert_ne!(key("https://docs.example.com/A?page=2"), plain);
    }

    #[test]
    fn only_addresses_have_a_host() {
        assert_eq!(host("https://user@Example.com:8080/a"), "example.com:8080");
        assert_eq!(host("what does :// mean"), "");
        assert_eq!(host("example"), "");
    }

    #[test]
    fn parameters_are_the_same_in_any_order() {
        let request = |parameters: &str| ToolRequest {
            parameters: serde_json::from_str(parameters).expect("JSON"),
            ..ToolRequest::new(RequestKind::Search, "web", "rust async")
        };
        let one = request(r#"{"lang": "en", "page": 1}"#);
        assert_eq!(
            one.exact_key(),
            request(r#"{"page":1,"lang":"en"}"#).exact_key()
        );
        assert_ne!(
            one.exact_key(),
            request(r#"{"page":2,"lang":"en"}"#).exact_key()
        );
        assert_ne!(
            one.form_key(),
            request(r#"{"page":2,"lang":"en"}"#).form_key()
        );
    }
}
