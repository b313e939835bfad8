//! A client of one server.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use anamne_net::{
    Address, Authorities, Body, BothWays, Header, NetError, Opened, Request, Timeouts,
};
use anamne_types::{Answer, Context, ContextRequest, Recall, Spaces};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{ClientError, Problem};
use crate::path::{Query, path};
use crate::space::RemoteSpace;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// How long the server may stay silent.
const READ: Duration = Duration::from_mins(5);

/// How long a request and its answer may take, unless it is a stream.
const LONGEST: Duration = Duration::from_mins(10);

/// How long a server may take to say its version.
const VERSION: Duration = Duration::from_secs(5);

/// Maximum length of a version.
const MOST_OF_VERSION: usize = 32;

/// Maximum size of an answer that is no success, to a request of any length.
const MOST_OF_PROBLEM: u64 = 64 << 10;

/// A method of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// A client of the server at one address, with a key if the server needs one. Connects at the first request.
///
/// Clones share connections.
#[derive(Clone, Debug)]
pub struct Client {
    net: Arc<anamne_net::Client>,
    headers: Vec<Header>,
    /// How long a request that isn't a stream may take.
    longest: Duration,
}

impl Client {
    /// A client of the server at `address`, such as `https://memory.example.org`. No I/O.
    ///
    /// [`ClientError::Address`] for an address that is neither TLS nor this machine.
    pub fn connect(address: &str, key: Option<&str>) -> Result<Self, ClientError> {
        Self::connect_trusting(Authorities::public(), address, key)
    }

    /// The same for a server whose certificate one of `authorities` signed.
    pub fn connect_trusting(
        authorities: Authorities,
        address: &str,
        key: Option<&str>,
    ) -> Result<Self, ClientError> {
        let timeouts = Timeouts {
            connect: CONNECT,
            read: READ,
        };
        let mut headers = Vec::new();
        if let Some(key) = key {
            let header = Header::secret("authorization", &format!("Bearer {key}"));
            headers.push(header.ok_or(ClientError::Key)?);
        }
        let address = Address::parse(address)?;
        let net = anamne_net::Client::trusting(authorities, address, timeouts);
        Ok(Self {
            net: Arc::new(net),
            headers,
            longest: LONGEST,
        })
    }

    /// The same client, whose requests that are no streams end after this time, from connecting to the end of the answer.
    /// It doesn't ask for the version of a server that lacks a route.
    #[must_use]
    pub fn within(&self, longest: Duration) -> Self {
        Self {
            longest,
            ..self.clone()
        }
    }

    /// The address of the server.
    pub fn address(&self) -> &Address {
        self.net.address()
    }

    /// A space of the server. No I/O.
    pub fn space(&self, name: impl Into<String>) -> RemoteSpace {
        RemoteSpace::new(self.clone(), name.into())
    }

    /// Sends JSON, if any, to the route with these parts, and reads JSON.
    pub fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        route: &[&str],
        query: &Query,
        body: Option<&impl Serialize>,
    ) -> Result<T, ClientError> {
        self.call_with_headers(method, route, query, &[], body)
    }

    /// The same with more headers.
    pub(crate) fn call_with_headers<T: DeserializeOwned>(
        &self,
        method: Method,
        route: &[&str],
        query: &Query,
        headers: &[(&'static str, &str)],
        body: Option<&impl Serialize>,
    ) -> Result<T, ClientError> {
        let headers = [&[JSON], headers].concat();
        let body = body.map(|body| serde_json::to_vec(body).expect("requests serialise to JSON"));
        let sent = match &body {
            Some(bytes) => Body::Bytes(bytes),
            None => Body::Empty,
        };
        let opened = self.open(method, route, query, &headers, sent, Some(self.longest))?;
        let status = opened.status;
        let bytes = opened.read()?;
        // An answer without content is the JSON null.
        let text = if bytes.is_empty() {
            &b"null"[..]
        } else {
            &bytes
        };
        serde_json::from_slice(text).map_err(|error| ClientError::Answer {
            status,
            reason: error.to_string(),
        })
    }

    /// Finds memories in several spaces.
    pub fn recall(&self, spaces: &Spaces, question: &Recall) -> Result<Answer, ClientError> {
        let asked = serde_json::json!({ "spaces": spaces, "recall": question });
        let detail = Query::new().with("features", true);
        self.call(Method::Post, &["v1", "recall"], &detail, Some(&asked))
    }

    /// One block of memories of several spaces.
    pub fn context(
        &self,
        spaces: &Spaces,
        request: &ContextRequest,
    ) -> Result<Context, ClientError> {
        let asked = serde_json::json!({ "spaces": spaces, "context": request });
        self.call(
            Method::Post,
            &["v1", "context"],
            &Query::new(),
            Some(&asked),
        )
    }

    /// Reads a route without sending a body.
    pub fn read<T: DeserializeOwned>(
        &self,
        route: &[&str],
        query: &Query,
    ) -> Result<T, ClientError> {
        self.call(Method::Get, route, query, None::<&()>)
    }

    /// The answer of a route as it arrives, such as an export.
    pub fn stream(&self, route: &[&str], query: &Query) -> Result<impl Read + use<>, ClientError> {
        let opened = self.open(Method::Get, route, query, &[], Body::Empty, None)?;
        Ok(opened.into_reader())
    }

    /// Sends what `body` reads from a thread of its own, and returns the answer as soon as it begins, which is to be read
    /// meanwhile; both are of this media type. The connection serves this request alone.
    pub fn send_and_read(
        &self,
        route: &[&str],
        query: &Query,
        media_type: &str,
        body: impl Read + Send + 'static,
    ) -> Result<BothWays, ClientError> {
        let path = path(route) + query.as_str();
        let media = [("content-type", media_type), ("accept", media_type)];
        let headers = self.all_headers(&media)?;
        let mut opened = self.net.open_both_ways("POST", &path, &headers, body)?;
        let status = opened.status();
        if (200..300).contains(&status) {
            return Ok(opened);
        }
        let mut answer = Vec::new();
        // What is there of it counts.
        let _ = (&mut opened).take(MOST_OF_PROBLEM).read_to_end(&mut answer);
        Err(self.refusal(Method::Post, route, status, &answer))
    }

    /// Sends a request; an answer that is not a success is an error.
    fn open(
        &self,
        method: Method,
        route: &[&str],
        query: &Query,
        headers: &[(&'static str, &str)],
        body: Body<'_>,
        longest: Option<Duration>,
    ) -> Result<Opened, ClientError> {
        let path = path(route) + query.as_str();
        let opened = self.exchange(method.as_str(), &path, headers, body, longest)?;
        if (200..300).contains(&opened.status) {
            return Ok(opened);
        }
        let status = opened.status;
        let answer = opened.read().unwrap_or_default();
        Err(self.refusal(method, route, status, &answer))
    }

    /// The error of an answer that is not a success.
    fn refusal(&self, method: Method, route: &[&str], status: u16, answer: &[u8]) -> ClientError {
        let error = ClientError::of_answer(status, answer);
        if !error.problem().is_some_and(Problem::is_of_route) {
            return error;
        }
        ClientError::MissingRoute {
            route: format!("{} {}", method.as_str(), path(route)),
            status,
            server: self.server_version(),
        }
    }

    /// The version that the server's description names.
    fn server_version(&self) -> Option<String> {
        if self.longest <= VERSION {
            return None;
        }
        let asking = self.within(VERSION);
        let description: serde_json::Value = asking.read(&["openapi.json"], &Query::new()).ok()?;
        let version = description["info"]["version"].as_str()?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".+-".contains(&byte);
        let is_version = version.len() <= MOST_OF_VERSION && version.bytes().all(is_plain);
        is_version.then(|| version.to_owned())
    }

    /// Sends a request and returns any answer.
    pub(crate) fn exchange(
        &self,
        method: &str,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Body<'_>,
        longest: Option<Duration>,
    ) -> Result<Opened, ClientError> {
        let headers = self.all_headers(headers)?;
        let request = Request {
            method,
            path,
            headers: &headers,
            body,
            longest,
        };
        Ok(self.net.open(&request)?)
    }

    /// The headers of every request, and these.
    fn all_headers(&self, headers: &[(&'static str, &str)]) -> Result<Vec<Header>, ClientError> {
        let mut all = self.headers.clone();
        for (name, value) in headers {
            let header = Header::new(name, value).ok_or_else(|| NetError::Connection {
                reason: format!("the header {name} can't be sent"),
                sent: false,
            })?;
            all.push(header);
        }
        Ok(all)
    }
}

/// The media type of requests.
const JSON: (&str, &str) = ("content-type", "application/json");
