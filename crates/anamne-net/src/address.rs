//! Allowed request targets: any host over TLS, and this machine without TLS.

use std::net::IpAddr;

/// A refused address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the address {address:?} {reason}")]
pub struct AddressError {
    /// The given address, without user name and password.
    pub address: String,
    /// The problem, and the accepted form.
    pub reason: &'static str,
}

/// The base address of an API, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    text: String,
    host: String,
    origin: String,
    port: u16,
    tls: bool,
    loopback: bool,
}

impl Address {
    /// Parses an address and refuses those that would send text or keys unencrypted.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let refused = |reason| AddressError {
            // The part before an @ may be a password.
            address: text.rsplit('@').next().unwrap_or_default().to_owned(),
            reason,
        };
        let uri: ureq::http::Uri = text
            .parse()
            .map_err(|_| refused("is not a URL such as https://host/v1"))?;
        let authority = uri
            .authority()
            .ok_or_else(|| refused("has no host; use a URL such as https://host/v1"))?;
        if authority.as_str().contains('@') {
            return Err(refused(
                "must not contain a user name or password; store keys separately",
            ));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(refused("must end before any ? or #"));
        }
        let host = authority.host().to_ascii_lowercase();
        if host.is_empty() {
            return Err(refused("has no host; use a URL such as https://host/v1"));
        }
        if authority.port().is_none() && authority.as_str().len() > authority.host().len() {
            return Err(refused("has an invalid port"));
        }
        let loopback = is_loopback(&host);
        let usual_port = match uri.scheme_str() {
            Some("https") => 443,
            Some("http") if loopback => 80,
            Some("http") => {
                return Err(refused(
                    "is not on this machine, so it must begin with https://",
                ));
            }
            _ => {
                return Err(refused(
                    "must begin with https://, or http:// on this machine",
                ));
            }
        };
        let scheme = uri.scheme_str().unwrap_or_default();
        let port = uri.port_u16().unwrap_or(usual_port);
        Ok(Self {
            text: text.trim_end_matches('/').to_owned(),
            origin: format!("{scheme}://{host}:{port}"),
            host,
            port,
            tls: scheme == "https",
            loopback,
        })
    }

    /// The full URL of a path that begins with a slash.
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.text)
    }

    /// What a request for a path that begins with a slash names: the path within the host.
    pub(crate) fn target(&self, path: &str) -> String {
        let (_, rest) = self.text.split_once("://").unwrap_or(("", &self.text));
        let within = rest.find('/').map_or("", |slash| &rest[slash..]);
        format!("{within}{path}")
    }

    /// Host and port, for the header of that name.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The host without brackets, for connecting.
    pub(crate) fn bare_host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Whether connections to it are encrypted.
    pub fn is_tls(&self) -> bool {
        self.tls
    }

    /// The host, without port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Scheme, host and port in normalised form.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Whether requests stay on this machine.
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tls_leaves_the_machine() {
        let check = |text: &str, accepted: bool| {
            assert_eq!(Address::parse(text).is_ok(), accepted, "{text}");
        };
        check("https://api.example.org/v1/", true);
        check("http://localhost:11434/v1", true);
        check("http://127.0.0.1:1/v1", true);
        check("http://127.8.0.1/v1", true);
        check("http://[::1]:8080", true);
        check("http://api.example.org/v1", false);
        check("http://localhost.example.org/v1", false);
        check("http://127.0.0.1.example.org/v1", false);
        check("http://localhost@example.org/v1", false);
        check("https://name:word@example.org/v1", false);
        check("http://0.0.0.0/v1", false);
        check("http://192.168.0.2/v1", false);
        check("ftp://localhost/v1", false);
        check("localhost:11434", false);
        check("https://example.org:99999/v1", false);
        check("https://example.org:/v1", false);
        check("https://example.org/v1?key=word", false);
        check("https://example.org/v1#part", false);
        check("", false);
        check("https://", false);
    }

    #[test]
    fn one_origin_is_one_scheme_host_and_port() {
        let check = |text: &str, origin: &str| {
            let address = Address::parse(text).expect("an address");
            assert_eq!(address.origin(), origin, "{text}");
        };
        check("https://API.example.org/v1", "https://api.example.org:443");
        check("https://api.example.org:443", "https://api.example.org:443");
        check(
            "https://api.example.org:8443/v1",
            "https://api.example.org:8443",
        );
        check("http://localhost/v1", "http://localhost:80");
        check("http://[::1]:8080", "http://[::1]:8080");
    }

    #[test]
    fn a_refusal_shows_no_password() {
        let error = Address::parse("https://name:secretword@example.org").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secretword"));
    }
}
