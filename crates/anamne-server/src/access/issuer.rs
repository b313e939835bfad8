//! Access tokens of an issuer (OAuth 2): JSON Web Tokens (RFC 7519), signed with a key of the issuer's set (RFC 7517).
//!
//! A token counts if it is signed with RS256, ES256 or EdDSA by a known key, names this issuer and this server as its
//! audience (RFC 8707), and is valid now. Its claims say what it allows:
//!
//! | claim | meaning |
//! |---|---|
//! | `sub` | the principal |
//! | `scope` | `memory:read`, `memory:write`, and for the rights `memory:erase`, `memory:configure`, `memory:trust` |
//! | `iat` | when it was issued; what was deleted since then, it doesn't reach |
//! | `anamne_tenant` | the tenant; the default one if absent |
//! | `anamne_spaces` | the only spaces; absent for all shared ones and those private to the principal |

use std::collections::HashMap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use anamne::{Actor, DEFAULT_TENANT, Grant, InvalidValue, KeyRole, Right};
use anamne_net::{Address, Body, Client, Request, Timeouts};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde::Deserialize;

/// Longest token, in bytes.
const LONGEST_TOKEN: usize = 8_192;

/// Maximum number of keys in a set.
const MOST_KEYS: usize = 100;

/// How far the clocks of issuer and server may differ, in seconds.
pub(super) const LEEWAY: i64 = 60;

/// How often the keys are read again.
const REFRESH: Duration = Duration::from_mins(10);

/// Pause between two readings that unknown keys asked for.
const PAUSE: Duration = Duration::from_mins(1);

/// How long the issuer may take to answer.
const LONGEST_FETCH: Duration = Duration::from_secs(20);

/// Who issues tokens, and for whom they must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuerSettings {
    /// The issuer's URL, exactly as in the claim `iss`.
    pub issuer: String,
    /// The URL of this server's resource, exactly as in the claim `aud`, such as `https://memory.example.org/mcp`.
    pub audience: String,
}

/// Why the keys of an issuer can't be had.
#[derive(Debug, thiserror::Error)]
#[error("the keys of the issuer {issuer} can't be read: {reason}")]
pub struct IssuerError {
    issuer: String,
    reason: String,
}

/// Checks tokens of one issuer.
pub(crate) struct Issuer {
    pub(crate) settings: IssuerSettings,
    keys: Arc<RwLock<HashMap<String, PublicKey>>>,
    /// Wakes the thread that reads the keys; it ends when this is dropped.
    wake: Sender<()>,
}

/// What a token allows.
pub(crate) struct TokenGrant {
    pub(crate) tenant: String,
    /// When it was issued, in seconds since 1970, if it says so.
    pub(crate) issued_at: Option<i64>,
    pub(crate) grant: Grant,
}

/// A key of the issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PublicKey {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    #[serde(default)]
    crit: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    aud: Audience,
    sub: String,
    exp: i64,
    #[serde(default)]
    nbf: Option<i64>,
    /// Some issuers give fractions.
    #[serde(default)]
    iat: Option<f64>,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    anamne_tenant: Option<String>,
    #[serde(default)]
    anamne_spaces: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Issuer {
    /// Reads the issuer's keys, and again from time to time on a thread of its own.
    pub(crate) fn start(settings: IssuerSettings) -> Result<Self, IssuerError> {
        let keys = fetch(&settings.issuer)?;
        Ok(Self::with_keys(settings, keys))
    }

    fn with_keys(settings: IssuerSettings, keys: HashMap<String, PublicKey>) -> Self {
        let keys = Arc::new(RwLock::new(keys));
        let (wake, woken) = channel::<()>();
        let (kept, of) = (Arc::downgrade(&keys), settings.issuer.clone());
        let read_again = move || {
            let mut last = Instant::now();
            loop {
                match woken.recv_timeout(REFRESH) {
                    Err(RecvTimeoutError::Disconnected) => return,
                    Ok(()) if last.elapsed() < PAUSE => continue,
                    Ok(()) | Err(RecvTimeoutError::Timeout) => {}
                }
                last = Instant::now();
                let Some(kept) = kept.upgrade() else { return };
                // The former keys go on counting while the issuer can't be reached.
                if let Ok(read) = fetch(&of) {
                    *kept.write().unwrap_or_else(PoisonError::into_inner) = read;
                }
            }
        };
        std::thread::spawn(read_again);
        Self {
            settings,
            keys,
            wake,
        }
    }

    /// What a token allows at a time; `None` if it doesn't count.
    pub(crate) fn grant_of(&self, token: &str, now: Timestamp) -> Option<TokenGrant> {
        if token.len() > LONGEST_TOKEN {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header: Header = parsed(header)?;
        if header.crit.is_some() {
            return None;
        }
        let key = self.key(header.kid.as_deref())?;
        if !key.has_signed(&header.alg, signed.as_bytes(), &decoded(signature)?) {
            return None;
        }
        let claims: Claims = parsed(claims)?;
        let seconds = now.as_second();
        let has_begun = |from: i64| from.saturating_sub(LEEWAY) <= seconds;
        let is_current = claims.exp.saturating_add(LEEWAY) > seconds
            && claims.nbf.is_none_or(has_begun)
            && claims.issued_at().is_none_or(has_begun);
        let is_for_us = match &claims.aud {
            Audience::One(audience) => *audience == self.settings.audience,
            Audience::Many(audiences) => audiences.contains(&self.settings.audience),
        };
        if claims.iss != self.settings.issuer || !is_for_us || !is_current {
            return None;
        }
        claims.grant().ok()?
    }

    /// The key with this id, or the only one. An unknown id makes the keys be read again.
    fn key(&self, id: Option<&str>) -> Option<PublicKey> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let found = match id {
            Some(id) => keys.get(id),
            None if keys.len() == 1 => keys.values().next(),
            None => None,
        };
        if found.is_none() && id.is_some() {
            let _ = self.wake.send(());
        }
        found.cloned()
    }
}

impl Claims {
    fn issued_at(&self) -> Option<i64> {
        self.iat.map(|seconds| seconds as i64)
    }

    /// What the claims allow; `None` without a scope of ours or a principal.
    fn grant(self) -> Result<Option<TokenGrant>, InvalidValue> {
        let scopes: Vec<&str> = self.scope.split(' ').collect();
        let has = |name: &str| scopes.contains(&name);
        let is_nobody = self.sub.trim().is_empty();
        if is_nobody || !has("memory:read") && !has("memory:write") {
            return Ok(None);
        }
        let rights = [
            ("memory:erase", Right::Erase),
            ("memory:configure", Right::Configure),
            ("memory:trust", Right::Trust),
        ];
        let rights = rights.into_iter().filter(|(name, _)| has(name));
        let issued_at = self.issued_at();
        let principal = Actor {
            name: self.sub,
            ..Actor::user()
        };
        principal.check()?;
        Ok(Some(TokenGrant {
            issued_at,
            tenant: self
                .anamne_tenant
                .unwrap_or_else(|| DEFAULT_TENANT.to_owned()),
            grant: Grant {
                principal,
                role: KeyRole::Assistant,
                spaces: self.anamne_spaces,
                read_only: !has("memory:write"),
                rights: rights.map(|(_, right)| right).collect(),
                admin: false,
                rate: None,
            },
        }))
    }
}

impl PublicKey {
    /// Whether it made a signature. The algorithm must be that of the key, whatever the token says.
    fn has_signed(&self, algorithm: &str, message: &[u8], signature: &[u8]) -> bool {
        let verified = match (self, algorithm) {
            (Self::Rsa { n, e }, "RS256") => RsaPublicKeyComponents { n, e }.verify(
                &RSA_PKCS1_2048_8192_SHA256,
                message,
                signature,
            ),
            (Self::P256(point), "ES256") => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            (Self::Ed25519(point), "EdDSA") => {
                UnparsedPublicKey::new(&ED25519, point).verify(message, signature)
            }
            _ => return false,
        };
        verified.is_ok()
    }
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

fn parsed<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    serde_json::from_slice(&decoded(text)?).ok()
}

/// The issuer's keys, found by its metadata (RFC 8414, or OpenID Connect Discovery).
fn fetch(issuer: &str) -> Result<HashMap<String, PublicKey>, IssuerError> {
    let failed = |reason: String| IssuerError {
        issuer: issuer.to_owned(),
        reason,
    };
    let base = issuer.trim_end_matches('/');
    let known = [
        format!("{base}/.well-known/oauth-authorization-server"),
        format!("{base}/.well-known/openid-configuration"),
    ];
    let metadata = read(&known[0])
        .or_else(|_| read(&known[1]))
        .map_err(failed)?;
    if metadata["issuer"].as_str() != Some(issuer) {
        return Err(failed("its metadata names another issuer".to_owned()));
    }
    let set = metadata["jwks_uri"].as_str();
    let set = set.ok_or_else(|| failed("its metadata has no jwks_uri".to_owned()))?;
    let keys = keys_in(&read(set).map_err(failed)?);
    if keys.is_empty() {
        return Err(failed("it has no key for RS256, ES256 or EdDSA".to_owned()));
    }
    Ok(keys)
}

/// The JSON at a URL: over TLS, or of this machine.
fn read(url: &str) -> Result<serde_json::Value, String> {
    let timeouts = Timeouts {
        connect: LONGEST_FETCH,
        read: LONGEST_FETCH,
    };
    let address = Address::parse(url).map_err(|error| error.to_string())?;
    let request = Request {
        method: "GET",
        path: "",
        headers: &[],
        body: Body::Empty,
        longest: Some(LONGEST_FETCH),
    };
    let opened = Client::new(address, timeouts)
        .open(&request)
        .map_err(|error| error.to_string())?;
    if opened.status != 200 {
        return Err(format!("{url} answers with status {}", opened.status));
    }
    let body = opened.read().map_err(|error| error.to_string())?;
    serde_json::from_slice(&body).map_err(|error| format!("{url}: {error}"))
}

/// The usable keys of a set, by id.
fn keys_in(set: &serde_json::Value) -> HashMap<String, PublicKey> {
    let listed = set["keys"].as_array().map_or(&[][..], Vec::as_slice);
    let usable = listed.iter().take(MOST_KEYS).filter_map(|key| {
        let text = |name: &str| key[name].as_str();
        if text("use").is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let bytes = |name: &str| decoded(text(name)?);
        let public = match (text("kty")?, text("crv")) {
            ("RSA", _) => PublicKey::Rsa {
                n: bytes("n")?,
                e: bytes("e")?,
            },
            ("EC", Some("P-256")) => {
                let (x, y) = (bytes("x")?, bytes("y")?);
                PublicKey::P256([&[4][..], &x, &y].concat())
            }
            ("OKP", Some("Ed25519")) => PublicKey::Ed25519(bytes("x")?),
            _ => return None,
        };
        Some((text("kid").unwrap_or_default().to_owned(), public))
    });
    usable.collect()
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;
    use ring::signature::{Ed25519KeyPair, KeyPair};
    use serde_json::{Value, json};

    use super::*;

    const NOW: i64 = 1_800_000_000;

    struct World {
        issuer: Issuer,
        pair: Ed25519KeyPair,
    }

    fn world() -> World {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key");
        let set = json!({ "keys": [{
            "kty": "OKP", "crv": "Ed25519", "kid": "one", "use": "sig",
            "x": URL_SAFE_NO_PAD.encode(pair.public_key().as_ref()),
        }] });
        let settings = IssuerSettings {
            issuer: "https://id.example.org".to_owned(),
            audience: "https://memory.example.org/mcp".to_owned(),
        };
        World {
            issuer: Issuer::with_keys(settings, keys_in(&set)),
            pair,
        }
    }

    fn claims() -> Value {
        json!({
            "iss": "https://id.example.org",
            "aud": ["https://memory.example.org/mcp", "https://other.example.org"],
            "sub": "ada", "exp": NOW + 300, "nbf": NOW - 300, "scope": "openid memory:read memory:write",
        })
    }

    impl World {
        fn token(&self, header: &Value, claims: &Value) -> String {
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let signed = format!("{}.{}", part(header), part(claims));
            let signature = self.pair.sign(signed.as_bytes());
            format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
        }

        fn grant(&self, token: &str) -> Option<TokenGrant> {
            let now = Timestamp::from_second(NOW).expect("a time");
            self.issuer.grant_of(token, now)
        }

        fn accepts(&self, header: &Value, claims: &Value) -> bool {
            self.grant(&self.token(header, claims)).is_some()
        }
    }

    fn header() -> Value {
        json!({ "alg": "EdDSA", "kid": "one" })
    }

    #[test]
    fn a_token_gives_what_its_claims_say() {
        let world = world();
        let read = world.grant(&world.token(&header(), &claims()));
        let read = read.expect("a grant");
        assert_eq!(read.tenant, DEFAULT_TENANT);
        assert_eq!(read.grant.principal.name, "ada");
        assert!(!read.grant.read_only && read.grant.rights.is_empty() && !read.grant.admin);
        let mut more = claims();
        more["scope"] = json!("memory:read memory:erase");
        more["anamne_spaces"] = json!(["garden"]);
        more["anamne_tenant"] = json!("acme");
        let read = world.grant(&world.token(&header(), &more));
        let read = read.expect("a grant");
        assert_eq!(read.tenant, "acme");
        assert!(read.grant.read_only);
        assert_eq!(read.grant.rights, [Right::Erase]);
        assert_eq!(read.grant.spaces, Some(vec!["garden".to_owned()]));
    }

    #[test]
    fn a_token_for_others_or_of_others_or_of_another_time_does_not_count() {
        let world = world();
        for (field, value) in [
            ("iss", json!("https://id.example.com")),
            ("aud", json!("https://memory.example.org")),
            ("exp", json!(NOW - 61)),
            ("nbf", json!(NOW + 61)),
            ("iat", json!(NOW + 61)),
            ("iat", json!("yesterday")),
            ("scope", json!("openid")),
            ("sub", json!("")),
        ] {
            let mut changed = claims();
            changed[field] = value;
            assert!(!world.accepts(&header(), &changed), "{field}");
        }
        assert!(world.accepts(&header(), &claims()));
    }

    #[test]
    fn a_forged_token_does_not_count() {
        let (world, other) = (world(), self::world());
        assert!(world.grant(&other.token(&header(), &claims())).is_none());
        for header in [
            json!({ "alg": "none", "kid": "one" }),
            json!({ "alg": "HS256", "kid": "one" }),
            json!({ "alg": "RS256", "kid": "one" }),
            json!({ "alg": "EdDSA", "kid": "two" }),
            json!({ "alg": "EdDSA", "kid": "one", "crit": ["exp"] }),
        ] {
            assert!(!world.accepts(&header, &claims()), "{header}");
        }
        let token = world.token(&header(), &claims());
        let (signed, signature) = token.rsplit_once('.').expect("a signature");
        for forged in [
            String::new(),
            "a.b".to_owned(),
            format!("{signed}."),
            format!("{signed}.{}", &signature[1..]),
            format!("{}.{signature}", signed.replace('.', "")),
            "a".repeat(1 << 20),
        ] {
            assert!(world.grant(&forged).is_none());
        }
    }

    #[test]
    fn a_set_gives_its_usable_keys() {
        let set = json!({ "keys": [
            { "kty": "oct", "k": "AAAA" },
            { "kty": "EC", "crv": "P-256", "kid": "e", "x": "AA", "y": "AA" },
            { "kty": "RSA", "kid": "r", "n": "AA", "e": "AQAB", "use": "enc" },
            { "kty": "RSA", "kid": "s", "n": "AA", "e": "AQAB" },
            7,
        ] });
        let mut ids: Vec<_> = keys_in(&set).into_keys().collect();
        ids.sort();
        assert_eq!(ids, ["e", "s"]);
        assert!(keys_in(&json!({})).is_empty());
    }
}
