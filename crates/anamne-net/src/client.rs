//! A single HTTP request to one fixed host, with limits.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use ureq::http::{HeaderName, HeaderValue};
use ureq::{Agent, AsSendBody, Error, SendBody};

use crate::Address;
use crate::authorities::{Authorities, CertificateFault};

/// Maximum size of a response body.
const MAX_BODY_BYTES: u64 = 16 << 20;

/// Maximum size of a response body with a status other than 200.
const MAX_ERROR_BODY_BYTES: u64 = 64 << 10;

/// The name of this program in requests.
pub(crate) const USER_AGENT: &str = concat!("anamne/", env!("CARGO_PKG_VERSION"));

/// Timeouts of a request.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For establishing the connection.
    pub connect: Duration,
    /// For the next bytes of the response.
    pub read: Duration,
}

/// A request header. `Debug` never shows the value of a secret one.
#[derive(Clone, Debug)]
pub struct Header {
    pub(crate) name: HeaderName,
    pub(crate) value: HeaderValue,
}

impl Header {
    /// A header that is not secret. `None` if name or value is not one of a header.
    pub fn new(name: &str, value: &str) -> Option<Self> {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let value = HeaderValue::from_str(value).ok()?;
        Some(Self { name, value })
    }

    /// A header with a secret value.
    pub fn secret(name: &str, value: &str) -> Option<Self> {
        let mut header = Self::new(name, value)?;
        header.value.set_sensitive(true);
        Some(header)
    }
}

/// A request to any route of an API.
#[derive(Debug)]
pub struct Request<'a, 'b> {
    /// The method, such as `GET`.
    pub method: &'a str,
    /// The path with the query, beginning with a slash.
    pub path: &'a str,
    /// Headers in addition to `Content-Length`.
    pub headers: &'a [Header],
    /// The body.
    pub body: Body<'b>,
    /// How long the whole exchange may take; `None` for a stream, which only ends when nothing comes for the read
    /// timeout.
    pub longest: Option<Duration>,
}

/// The body of a request.
#[non_exhaustive]
pub enum Body<'a> {
    /// None.
    Empty,
    /// All of it.
    Bytes(&'a [u8]),
}

impl std::fmt::Debug for Body<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "Empty",
            Self::Bytes(_) => "Bytes",
        })
    }
}

/// The head of a response, and its body as it arrives.
pub struct Opened {
    /// The HTTP status.
    pub status: u16,
    head: ureq::http::HeaderMap,
    body: ureq::Body,
}

impl Opened {
    /// A header's value, if it is there and text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.get(name)?.to_str().ok()
    }

    /// The body as it arrives, without a limit.
    pub fn into_reader(self) -> impl Read {
        self.body.into_reader()
    }

    /// The whole body, of at most 16 MiB.
    pub fn read(mut self) -> Result<Vec<u8>, NetError> {
        let limited = self.body.with_config().limit(MAX_BODY_BYTES);
        limited.read_to_vec().map_err(|error| failed(&error, true))
    }
}

/// A response.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The header `retry-after`, if present.
    pub retry_after: Option<String>,
    /// The body: at most 16 MiB. For a status other than 200 at most 64 KiB, and empty if it can't be read.
    pub body: Vec<u8>,
}

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// A step took too long.
    #[error("{stage} took too long")]
    TimedOut {
        /// The step.
        stage: String,
        /// Whether any of the request body was sent.
        sent: bool,
    },
    /// The response exceeds the maximum size.
    #[error("the answer is larger than {most} bytes")]
    TooLarge {
        /// The maximum size in bytes.
        most: u64,
    },
    /// The server's certificate is not accepted; nothing was sent.
    #[error("its certificate is not accepted: {fault}")]
    Certificate {
        /// What is wrong with it.
        fault: CertificateFault,
    },
    /// The connection failed or broke.
    #[error("{reason}")]
    Connection {
        /// The error; may contain text from the server.
        reason: String,
        /// Whether any of the request body was sent.
        sent: bool,
    },
}

/// A client for one host. Connects when something is posted, not before.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    address: Address,
    timeouts: Timeouts,
    authorities: Authorities,
}

impl Client {
    /// A client of the API at `address`, whose certificate a public authority signed.
    pub fn new(address: Address, timeouts: Timeouts) -> Self {
        Self::trusting(Authorities::public(), address, timeouts)
    }

    /// A client of the API at `address`, whose certificate one of `authorities` signed.
    pub fn trusting(authorities: Authorities, address: Address, timeouts: Timeouts) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .https_only(!address.is_loopback())
            .tls_config(authorities.configuration())
            // By default the proxy would come from the environment, which the engine does not read.
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(timeouts.connect))
            .timeout_per_read(Some(timeouts.read))
            .user_agent(USER_AGENT)
            .build();
        Self {
            agent: config.new_agent(),
            address,
            timeouts,
            authorities,
        }
    }

    /// The address that requests go to.
    pub fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    pub(crate) fn authorities(&self) -> &Authorities {
        &self.authorities
    }

    /// Sends a request, and returns the response once its head is there.
    ///
    /// [`NetError::Connection`] also if the method or path is malformed.
    pub fn open(&self, request: &Request<'_, '_>) -> Result<Opened, NetError> {
        let mut head = ureq::http::Request::builder()
            .method(request.method)
            .uri(self.address.join(request.path));
        for header in request.headers {
            head = head.header(&header.name, header.value.clone());
        }
        let answered = match request.body {
            Body::Empty => self.run(head, (), request.longest),
            Body::Bytes(bytes) => self.run(head, bytes, request.longest),
        };
        let (head, body) = answered.map_err(|error| failed(&error, true))?.into_parts();
        Ok(Opened {
            status: head.status.as_u16(),
            head: head.headers,
            body,
        })
    }

    fn run(
        &self,
        head: ureq::http::request::Builder,
        body: impl AsSendBody,
        longest: Option<Duration>,
    ) -> Result<ureq::http::Response<ureq::Body>, Error> {
        let request = head.body(body)?;
        let request = self.agent.configure_request(request);
        self.agent.run(request.timeout_global(longest).build())
    }

    /// Sends JSON to `path`, which begins with a slash, and reads the response, all within `longest`.
    pub fn post_json(
        &self,
        path: &str,
        headers: &[Header],
        body: Vec<u8>,
        longest: Duration,
    ) -> Result<Answer, NetError> {
        let mut request = self
            .agent
            .post(self.address.join(path))
            .header("content-type", "application/json")
            .header("accept", "application/json")
            .header("content-length", body.len());
        for header in headers {
            request = request.header(&header.name, header.value.clone());
        }
        let mut sending = RequestBody {
            bytes: body,
            sent: 0,
        };
        let answered = request
            .config()
            .timeout_global(Some(longest))
            .build()
            .send(SendBody::from_reader(&mut sending));
        let sent = sending.sent > 0;
        let mut answer = answered.map_err(|error| failed(&error, sent))?;
        let status = answer.status().as_u16();
        let most = match status {
            200 => MAX_BODY_BYTES,
            _ => MAX_ERROR_BODY_BYTES,
        };
        let read = answer.body_mut().with_config().limit(most).read_to_vec();
        let body = match read {
            Err(error) if status == 200 => return Err(failed(&error, sent)),
            // The body of an error response may be missing; the status counts all the same.
            read => read.unwrap_or_default(),
        };
        let retry_after = answer.headers().get("retry-after");
        Ok(Answer {
            status,
            retry_after: retry_after.and_then(|value| Some(value.to_str().ok()?.to_owned())),
            body,
        })
    }
}

fn failed(error: &Error, sent: bool) -> NetError {
    match error {
        Error::Timeout(stage) => NetError::TimedOut {
            stage: stage.to_string(),
            sent,
        },
        Error::BodyExceedsLimit(most) => NetError::TooLarge { most: *most },
        Error::Io(io) if matches!(io.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
            NetError::TimedOut {
                stage: "the connection".to_owned(),
                sent,
            }
        }
        Error::Io(io) => match CertificateFault::of(io) {
            Some(fault) => NetError::Certificate { fault },
            None => NetError::Connection {
                reason: io.to_string(),
                sent,
            },
        },
        other => NetError::Connection {
            reason: other.to_string(),
            sent,
        },
    }
}

/// The request body, which counts the bytes read by the transport: some only if the connection was established.
struct RequestBody {
    bytes: Vec<u8>,
    sent: usize,
}

impl Read for RequestBody {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let taken = (&self.bytes[self.sent..]).read(buffer)?;
        self.sent += taken;
        Ok(taken)
    }
}
