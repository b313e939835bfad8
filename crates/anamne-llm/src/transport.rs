//! Sends JSON requests over HTTP, within limits, to one host only.

use std::sync::Arc;
use std::time::Duration;

use anamne_net::{Answer, Body, Client, Header, NetError, Opened, Request, Timeouts};
use anamne_store::Clock;
use serde_json::Value;

use super::wording::plain_line;
use super::{BridgeConfig, BridgeError, Key};

/// Maximum characters of a provider's message that are shown.
const MOST_WORDS: usize = 300;

/// An HTTP client for one provider.
pub(crate) struct Transport {
    client: Client,
    key: Option<Key>,
    headers: Vec<Header>,
    clock: Arc<dyn Clock>,
}

/// An error answer of a provider.
pub(crate) struct InvalidValue {
    pub(crate) error: BridgeError,
    /// The provider's full message, only for detecting rejected parameters; never shown.
    pub(crate) words: String,
}

impl From<BridgeError> for Box<InvalidValue> {
    fn from(error: BridgeError) -> Self {
        Self::new(InvalidValue {
            error,
            words: String::new(),
        })
    }
}

impl Transport {
    /// A client for the configured address. The key is sent in the header `name`, after `prefix`.
    pub(crate) fn new(
        config: &BridgeConfig,
        key: Option<Key>,
        (name, prefix): (&'static str, &'static str),
        headers: &'static [(&'static str, &'static str)],
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BridgeError> {
        let mut sent: Vec<_> = headers
            .iter()
            .filter_map(|(name, value)| Header::new(name, value))
            .collect();
        sent.extend(
            key.as_ref()
                .and_then(|key| Header::secret(name, &format!("{prefix}{}", key.reveal()))),
        );
        let timeouts = Timeouts {
            connect: Duration::from_secs(config.timeouts.connect_seconds.into()),
            read: Duration::from_secs(config.timeouts.read_seconds.into()),
        };
        Ok(Self {
            client: Client::new(config.address()?, timeouts),
            key,
            headers: sent,
            clock,
        })
    }

    pub(crate) fn host(&self) -> &str {
        self.client.address().host()
    }

    /// Posts `body` to `path` and reads the answer, within `longest`.
    pub(crate) fn post(
        &self,
        path: &str,
        body: &Value,
        longest: Duration,
    ) -> Result<Value, Box<InvalidValue>> {
        let body = body.to_string().into_bytes();
        let answer = self.client.post_json(path, &self.headers, body, longest);
        let answer = answer.map_err(|error| self.failed(error))?;
        match answer.status {
            200 => {
                serde_json::from_slice(&answer.body).map_err(|_| self.malformed("not JSON").into())
            }
            status @ 300..=399 => Err(BridgeError::Redirected {
                host: self.host().to_owned(),
                status,
            }
            .into()),
            _ => Err(Box::new(self.refused(&answer))),
        }
    }

    /// Sends any request, and returns its answer once its head is there. `kind` is the type of the body.
    pub(crate) fn open(
        &self,
        (method, path): (&str, &str),
        body: Option<(&str, &[u8])>,
        longest: Duration,
    ) -> Result<Opened, BridgeError> {
        let mut headers = self.headers.clone();
        headers.extend(body.and_then(|(kind, _)| Header::new("content-type", kind)));
        let request = Request {
            method,
            path,
            headers: &headers,
            body: body.map_or(Body::Empty, |(_, bytes)| Body::Bytes(bytes)),
            longest: Some(longest),
        };
        let opened = self
            .client
            .open(&request)
            .map_err(|error| self.failed(error))?;
        match opened.status {
            200..=299 => Ok(opened),
            status @ 300..=399 => Err(BridgeError::Redirected {
                host: self.host().to_owned(),
                status,
            }),
            status => {
                let answer = Answer {
                    status,
                    retry_after: opened.header("retry-after").map(str::to_owned),
                    // The body of an error may be missing; the status counts all the same.
                    body: opened.read().unwrap_or_default(),
                };
                Err(self.refused(&answer).error)
            }
        }
    }

    /// The same, and reads the answer, which is JSON of at most 16 MiB.
    pub(crate) fn exchange(
        &self,
        request: (&str, &str),
        body: Option<(&str, &[u8])>,
        longest: Duration,
    ) -> Result<Value, BridgeError> {
        let opened = self.open(request, body, longest)?;
        let answer = opened.read().map_err(|error| self.failed(error))?;
        serde_json::from_slice(&answer).map_err(|_| self.malformed("not JSON"))
    }

    /// The error for an answer that is not in the provider's format.
    pub(crate) fn malformed(&self, reason: &'static str) -> BridgeError {
        BridgeError::Malformed {
            host: self.host().to_owned(),
            reason,
        }
    }

    fn refused(&self, answer: &Answer) -> InvalidValue {
        let words = words_of(&answer.body);
        let blotted = match &self.key {
            Some(key) => key.redact(&words),
            None => words.clone(),
        };
        let error = BridgeError::Status {
            host: self.host().to_owned(),
            status: answer.status,
            message: plain_line(&blotted, MOST_WORDS),
            retry_after: retry_after(answer.retry_after.as_deref(), self.clock.as_ref()),
        };
        InvalidValue { error, words }
    }

    fn failed(&self, error: NetError) -> BridgeError {
        let host = self.host().to_owned();
        match error {
            NetError::TimedOut { stage, sent } => BridgeError::TimedOut { host, stage, sent },
            NetError::TooLarge { most } => BridgeError::TooLarge { host, most },
            NetError::Connection { reason, sent } => BridgeError::Connection {
                host,
                reason: plain_line(&reason, MOST_WORDS),
                sent,
            },
            other => BridgeError::Connection {
                host,
                reason: plain_line(&other.to_string(), MOST_WORDS),
                sent: true,
            },
        }
    }
}

/// The message of an error answer: all providers put it in `error`, some in `error.message`.
fn words_of(body: &[u8]) -> String {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        // An HTML page of some proxy; its source is of no use.
        return String::new();
    };
    let value = value.get(0).unwrap_or(&value);
    let error = value.get("error").unwrap_or(value);
    error
        .get("message")
        .unwrap_or(error)
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// The provider's retry-after: seconds or a date. A date in the past is no wait.
fn retry_after(value: Option<&str>, clock: &dyn Clock) -> Option<Duration> {
    let value = value?.trim();
    if let Ok(seconds) = value.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let until = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    Some(Duration::try_from(until.duration_since(clock.now())).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    struct Fixed;

    impl Clock for Fixed {
        fn now(&self) -> Timestamp {
            "2026-01-31T23:59:30Z".parse().expect("an instant")
        }
    }

    #[test]
    fn retry_after_comes_in_seconds_or_as_a_date() {
        let check = |value: &str, seconds: Option<u64>| {
            let expected = seconds.map(Duration::from_secs);
            assert_eq!(retry_after(Some(value), &Fixed), expected, "{value}");
        };
        check("7", Some(7));
        check(" 0 ", Some(0));
        check("Sun, 01 Feb 2026 00:00:00 GMT", Some(30));
        check("Sat, 31 Jan 2026 00:00:00 GMT", Some(0));
        check("soon", None);
        check("-1", None);
        check("99999999999999999999", None);
        assert_eq!(retry_after(None, &Fixed), None);
    }

    #[test]
    fn the_words_of_every_provider_are_found() {
        let check = |body: &str, expected: &str| assert_eq!(words_of(body.as_bytes()), expected);
        check(
            r#"{"type":"error","error":{"type":"x","message":"a"}}"#,
            "a",
        );
        check(r#"{"error":{"message":"b","param":null}}"#, "b");
        check(
            r#"[{"error":{"code":400,"message":"c","status":"INVALID"}}]"#,
            "c",
        );
        check(r#"{"error":"d"}"#, "d");
        check(r#"{"message":"e"}"#, "e");
        check("<html>no</html>", "");
        check("", "");
        check("{}", "");
    }
}
