//! Secrets by their structure: key files, tokens, URLs, headers, cookies and records of password files.

mod anchors;
mod calls;
mod cookies;
mod encoded;
mod headers;
mod jwt;
mod keys;
mod records;
mod urls;
mod wifi;

use std::ops::Range;

use super::scan::{Basis, Scan};
use crate::DataKind;
use calls::Call;

pub(super) use anchors::ANCHORS;

/// What an anchor begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Structure {
    /// `-----BEGIN `.
    Pem,
    /// `-----END `.
    PemEnd,
    /// `PuTTY-User-Key-File-`.
    Putty,
    /// `eyJ`.
    Jwt,
    /// `://`.
    Url,
    /// `@tcp(`.
    GoSource,
    /// `authorization`.
    Authorization,
    /// `bearer ` and `basic ` without a header's name.
    Scheme,
    /// `cookie`.
    Cookie,
    /// `curl -b `.
    CookieFlag,
    /// The name of a framework's session cookie.
    Session,
    /// `$2b$`.
    Hash,
    /// `:5432:`.
    PgPass,
    /// `LS0tLS1CRUdJTi`, which is `-----BEGIN ` in base 64.
    Encoded,
    /// The beginning of a private key's DER in base 64.
    Der,
    /// `private-key`.
    WireGuard,
    /// `"d"`.
    WebKey,
    /// `"k"`.
    SymmetricKey,
    /// `WIFI:`.
    Wifi,
    /// A call that takes credentials.
    Call(Call),
    /// A header whose name has no word for a secret.
    Header,
    /// `-Key` at the end of a header's name.
    KeyHeader,
}

/// The kinds that structures find.
pub(super) const KINDS: [DataKind; 8] = [
    keys::PRIVATE_KEY,
    encoded::WIREGUARD_KEY,
    jwt::JWT,
    urls::CONNECTION_PASSWORD,
    urls::URL_TOKEN,
    headers::AUTHORIZATION_HEADER,
    cookies::COOKIE,
    records::PASSWORD_HASH,
];

pub(super) use urls::CONNECTION_PASSWORD;

/// Reads the structure that an anchor begins.
pub(super) fn find(scan: &mut Scan, structure: Structure, anchor: Range<usize>) {
    match structure {
        Structure::Pem => keys::find_pem(scan, anchor),
        Structure::PemEnd => keys::find_pem_end(scan, anchor),
        Structure::Putty => keys::find_putty(scan, anchor),
        Structure::Jwt => jwt::find(scan, anchor.start),
        Structure::Url => urls::find(scan, anchor),
        Structure::GoSource => urls::find_go_source(scan, anchor.start),
        Structure::Authorization => headers::find(scan, anchor),
        Structure::Scheme => headers::find_scheme(scan, anchor),
        Structure::Cookie => cookies::find(scan, anchor),
        Structure::CookieFlag => cookies::find_flag(scan, anchor.end),
        Structure::Session => cookies::find_session(scan, anchor),
        Structure::Hash => records::find_hash(scan, anchor),
        Structure::PgPass => records::find_pgpass(scan, anchor),
        Structure::Encoded => encoded::find_file(scan, anchor.start),
        Structure::Der => encoded::find_der(scan, anchor),
        Structure::WireGuard => encoded::find_wireguard(scan, anchor),
        Structure::WebKey => encoded::find_web_key(scan, anchor, 42, "\"kty\""),
        Structure::SymmetricKey => encoded::find_web_key(scan, anchor, 22, "\"oct\""),
        Structure::Wifi => wifi::find(scan, anchor.end),
        Structure::Call(call) => calls::find(scan, call, anchor.end),
        Structure::KeyHeader => headers::find_key(scan, anchor),
        Structure::Header => headers::find_plain(
            scan,
            Basis::Structure,
            headers::AUTHORIZATION_HEADER,
            anchor.end,
        ),
    }
}
