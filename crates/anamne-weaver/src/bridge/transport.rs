//! One request over HTTP: JSON there, JSON back, within limits, to one host and no other.

use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::time::Duration;

use anamne_store::Clock;
use serde_json::Value;
use ureq::http::{HeaderMap, HeaderValue};
use ureq::{Agent, Error, SendBody};

use super::address::Address;
use super::wording::plain_line;
use super::{BridgeError, Key, Timeouts};

/// The largest answer that is read.
pub(crate) const MOST_BYTES: u64 = 16 << 20;

/// The largest answer that is read of a provider that refuses.
const MOST_ERROR_BYTES: u64 = 64 << 10;

/// What is shown of a provider's words.
const MOST_WORDS: usize = 300;

/// How the key is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyHeader {
    pub(crate) name: &'static str,
    pub(crate) prefix: &'static str,
}

/// A way to one provider.
pub(crate) struct Transport {
    agent: Agent,
    address: Address,
    key: Option<Key>,
    key_header: KeyHeader,
    headers: &'static [(&'static str, &'static str)],
    clock: Arc<dyn Clock>,
}

/// What a provider answered other than an answer.
pub(crate) struct Refusal {
    pub(crate) error: BridgeError,
    /// What it says in full, to learn from; goes nowhere else.
    pub(crate) words: String,
}

impl From<BridgeError> for Box<Refusal> {
    fn from(error: BridgeError) -> Self {
        Self::new(Refusal {
            error,
            words: String::new(),
        })
    }
}

impl Transport {
    pub(crate) fn new(
        address: Address,
        key: Option<Key>,
        key_header: KeyHeader,
        headers: &'static [(&'static str, &'static str)],
        timeouts: &Timeouts,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .https_only(!address.is_loopback())
            // Otherwise it would be taken from the environment, which the engine does not read.
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(Duration::from_secs(timeouts.connect_seconds.into())))
            .timeout_per_read(Some(Duration::from_secs(timeouts.read_seconds.into())))
            .user_agent(concat!("anamne/", env!("CARGO_PKG_VERSION")))
            .build();
        Self {
            agent: config.new_agent(),
            address,
            key,
            key_header,
            headers,
            clock,
        }
    }

    pub(crate) fn host(&self) -> &str {
        self.address.host()
    }

    /// Sends `body` to `path` and reads the answer, all within `longest`.
    pub(crate) fn post(
        &self,
        path: &str,
        body: &Value,
        longest: Duration,
    ) -> Result<Value, Box<Refusal>> {
        let mut request = self
            .agent
            .post(self.address.join(path))
            .header("content-type", "application/json")
            .header("accept", "application/json");
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        if let Some(value) = self.key_value() {
            request = request.header(self.key_header.name, value);
        }
        let mut sending = Sending::new(body);
        let answered = request
            .header("content-length", sending.bytes.len())
            .config()
            .timeout_global(Some(longest))
            .build()
            .send(SendBody::from_reader(&mut sending));
        let sent = sending.sent > 0;
        let mut answer = answered.map_err(|error| self.failed(&error, sent))?;
        let status = answer.status().as_u16();
        let most = if status == 200 {
            MOST_BYTES
        } else {
            MOST_ERROR_BYTES
        };
        let read = answer.body_mut().with_config().limit(most).read_to_vec();
        match status {
            200 => {
                let bytes = read.map_err(|error| self.failed(&error, sent))?;
                serde_json::from_slice(&bytes).map_err(|_| self.malformed("it is no JSON").into())
            }
            300..=399 => Err(BridgeError::Redirected {
                host: self.host().to_owned(),
                status,
            }
            .into()),
            // The words of a refusal may be missing; the refusal counts all the same.
            _ => {
                let words = read.unwrap_or_default();
                Err(Box::new(self.refused(status, answer.headers(), &words)))
            }
        }
    }

    /// An answer that is not in the provider's form.
    pub(crate) fn malformed(&self, reason: &'static str) -> BridgeError {
        BridgeError::Malformed {
            host: self.host().to_owned(),
            reason,
        }
    }

    fn key_value(&self) -> Option<HeaderValue> {
        let key = self.key.as_ref()?;
        let text = format!("{}{}", self.key_header.prefix, key.reveal());
        let mut value = HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    fn refused(&self, status: u16, headers: &HeaderMap, body: &[u8]) -> Refusal {
        let words = words_of(body);
        let blotted = match &self.key {
            Some(key) => key.blot(&words),
            None => words.clone(),
        };
        let error = BridgeError::Status {
            host: self.host().to_owned(),
            status,
            message: plain_line(&blotted, MOST_WORDS),
            retry_after: retry_after(headers, self.clock.as_ref()),
        };
        Refusal { error, words }
    }

    fn failed(&self, error: &Error, sent: bool) -> BridgeError {
        let host = self.host().to_owned();
        match error {
            Error::Timeout(stage) => BridgeError::TimedOut {
                host,
                stage: stage.to_string(),
                sent,
            },
            Error::BodyExceedsLimit(most) => BridgeError::TooLarge { host, most: *most },
            Error::Io(io) if matches!(io.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
                BridgeError::TimedOut {
                    host,
                    stage: "the connection".to_owned(),
                    sent,
                }
            }
            other => BridgeError::Connection {
                host,
                reason: plain_line(&other.to_string(), MOST_WORDS),
                sent,
            },
        }
    }
}

/// The body of a request, which knows whether any of it was taken: that is so once the connection stands.
struct Sending {
    bytes: Vec<u8>,
    sent: usize,
}

impl Sending {
    fn new(body: &Value) -> Self {
        Self {
            bytes: body.to_string().into_bytes(),
            sent: 0,
        }
    }
}

impl Read for Sending {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let taken = (&self.bytes[self.sent..]).read(buffer)?;
        self.sent += taken;
        Ok(taken)
    }
}

/// What a provider says in its refusal: all put it under `error`, some in `message`.
fn words_of(body: &[u8]) -> String {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        // A page of some proxy; nobody wants to read its source.
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

/// How long the provider asks to be left alone: in seconds, or until an instant. One that has passed is no wait.
fn retry_after(headers: &HeaderMap, clock: &dyn Clock) -> Option<Duration> {
    let value = headers.get("retry-after")?.to_str().ok()?.trim();
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
            let mut headers = HeaderMap::new();
            headers.insert(
                "retry-after",
                HeaderValue::from_str(value).expect("a value"),
            );
            let expected = seconds.map(Duration::from_secs);
            assert_eq!(retry_after(&headers, &Fixed), expected, "{value}");
        };
        check("7", Some(7));
        check(" 0 ", Some(0));
        check("Sun, 01 Feb 2026 00:00:00 GMT", Some(30));
        check("Sat, 31 Jan 2026 00:00:00 GMT", Some(0));
        check("soon", None);
        check("-1", None);
        check("99999999999999999999", None);
        assert_eq!(retry_after(&HeaderMap::new(), &Fixed), None);
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
