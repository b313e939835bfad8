//! Which requests are refused for where they come from or what their address contains.
//!
//! A page in a browser on the same machine can send requests to the server: under a name that it resolves to this
//! machine (DNS rebinding), or across origins. Both are told by headers that a page can't change.

use std::net::{IpAddr, SocketAddr};
use std::string::FromUtf8Error;

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, Version};

use super::problem::Problem;

/// Names of query parameters that carry a key.
const KEY_NAMES: [&str; 12] = [
    "access_token",
    "api_key",
    "apikey",
    "auth",
    "authorization",
    "auth_token",
    "bearer",
    "key",
    "password",
    "secret",
    "token",
    "x_api_key",
];

/// The first characters of every key of a server; its id follows.
const KEY_PREFIX: &str = "anamne_";

/// Length of the id in a key, in characters.
const KEY_ID: usize = 16;

/// The names and origins under which a server may be addressed.
#[derive(Clone, Debug)]
pub(crate) struct Allowed {
    /// The TCP address; requests of a Unix socket may name any host.
    bound: Option<SocketAddr>,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Allowed {
    pub(crate) fn new(bound: Option<SocketAddr>, hosts: &[String], origins: &[String]) -> Self {
        let lowercase = |names: &[String]| {
            let names = names.iter().map(|name| name.trim().to_ascii_lowercase());
            names.collect()
        };
        Self {
            bound,
            hosts: lowercase(hosts),
            origins: lowercase(origins),
        }
    }

    /// Refuses a request that may come from a page of another site, whose address contains a key, or which has two keys: a
    /// proxy could have checked the other one.
    pub(crate) fn check<B>(&self, request: &Request<B>) -> Result<(), Problem> {
        check_for_keys(request.uri())?;
        only(request.headers(), AUTHORIZATION.as_str())?;
        let host = self.check_host(request)?;
        self.check_origin(request.headers(), host.as_ref())
    }

    fn check_host<B>(&self, request: &Request<B>) -> Result<Option<Authority>, Problem> {
        let headers = request.headers();
        let host = match only(headers, HOST.as_str())? {
            Some(host) => Some(authority(host)?),
            None if request.version() == Version::HTTP_11 => {
                return Err(Problem::unreadable("a request must have the header Host"));
            }
            None => None,
        };
        let in_address = request.uri().authority();
        if in_address.is_some_and(|named| named.as_str().contains('@')) {
            return Err(Problem::unreadable("the address must have no user"));
        }
        for named in host.iter().chain(in_address) {
            if !self.is_ours(named) {
                return Err(Problem::new(
                    StatusCode::MISDIRECTED_REQUEST,
                    "misdirected",
                    "The server has another name",
                    "the header Host must be the server's address, localhost, or a name that was given with --host",
                ));
            }
        }
        Ok(host)
    }

    fn is_ours(&self, named: &Authority) -> bool {
        let Some(bound) = self.bound else {
            return true;
        };
        let name = named.host().to_ascii_lowercase();
        let name = name.strip_suffix('.').unwrap_or(&name);
        let address = name.trim_start_matches('[').trim_end_matches(']');
        match address.parse::<IpAddr>() {
            Ok(address) if address.is_unspecified() => false,
            Ok(address) => {
                address == bound.ip()
                    || address.is_loopback() && bound.ip().is_loopback()
                    // Only names can be rebound. Which addresses the machine has is not known here.
                    || bound.ip().is_unspecified()
                    || self.hosts.iter().any(|host| *host == address.to_string())
            }
            Err(_) => name == "localhost" || self.hosts.iter().any(|host| host == name),
        }
    }

    fn check_origin(&self, headers: &HeaderMap, host: Option<&Authority>) -> Result<(), Problem> {
        let origin = only(headers, ORIGIN.as_str())?;
        if let Some(origin) = origin {
            let origin = origin.to_str().unwrap_or("null").to_ascii_lowercase();
            if self.origins.contains(&origin) {
                return Ok(());
            }
            let same = ["http://", "https://"]
                .iter()
                .find_map(|scheme| origin.strip_prefix(scheme));
            let host = host.map(|host| host.as_str().to_ascii_lowercase());
            if same.is_none() || same != host.as_deref() {
                return Err(other_site());
            }
        }
        match only(headers, "sec-fetch-site")?.map(HeaderValue::as_bytes) {
            None | Some(b"same-origin" | b"none") => Ok(()),
            Some(_) => Err(other_site()),
        }
    }
}

fn other_site() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "cross_origin",
        "The request comes from a page of another site",
        "requests of other origins are refused unless the origin was given with --origin",
    )
}

/// The only value of a header; several are refused.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a HeaderValue>, Problem> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Problem::unreadable(format!(
            "the header {name} is given twice"
        )));
    }
    Ok(first)
}

fn authority(host: &HeaderValue) -> Result<Authority, Problem> {
    let invalid = || Problem::unreadable("the header Host is invalid");
    let authority: Authority = host
        .to_str()
        .ok()
        .and_then(|host| host.parse().ok())
        .ok_or_else(invalid)?;
    if authority.as_str().contains('@') {
        return Err(invalid());
    }
    Ok(authority)
}

/// Refuses a key in the address: addresses are in logs, histories and `Referer` headers.
fn check_for_keys(uri: &Uri) -> Result<(), Problem> {
    let parts = uri.query().unwrap_or("").split('&');
    let named = parts.clone().any(|pair| {
        let name = decoded(pair.split('=').next().unwrap_or(""));
        let name = name.to_ascii_lowercase().replace('-', "_");
        KEY_NAMES.contains(&name.as_str())
    });
    let values = parts.flat_map(|pair| pair.split('='));
    let contained = uri
        .path()
        .split('/')
        .chain(values)
        .any(|part| contains_key(&decoded(part)));
    if named || contained {
        return Err(Problem::new(
            StatusCode::BAD_REQUEST,
            "key_in_url",
            "The address contains a key",
            "send keys in the header Authorization only, and replace a key that was sent in an address",
        ));
    }
    Ok(())
}

/// Whether a text contains the beginning of a key, its id included.
pub(crate) fn contains_key(text: &str) -> bool {
    text.match_indices(KEY_PREFIX).any(|(at, prefix)| {
        let id = text.as_bytes()[at + prefix.len()..]
            .split(|byte| *byte == b'_')
            .next();
        id.is_some_and(|id| id.len() == KEY_ID && id.iter().all(u8::is_ascii_alphanumeric))
    })
}

/// Percent-decoded, with invalid sequences as they are.
pub(super) fn decoded(text: &str) -> String {
    let lossily = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
    percent_decoded(text).unwrap_or_else(lossily)
}

/// Percent-decoded, with invalid escapes as they are; an error if it isn't UTF-8.
pub(super) fn percent_decoded(text: &str) -> Result<String, FromUtf8Error> {
    let bytes = text.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let hex = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(hex.unwrap_or(bytes[at]));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded)
}
