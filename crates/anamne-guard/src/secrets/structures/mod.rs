//! Secrets by their structure: key files, tokens, URLs, headers, cookies and records of password files.

mod cookies;
mod headers;
mod jwt;
mod keys;
mod records;
mod urls;

use std::ops::Range;

use super::scan::Scan;
use crate::DataKind;

/// What an anchor begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Structure {
    /// `-----BEGIN `.
    Pem,
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
    /// `$2b$`.
    Hash,
    /// `:5432:`.
    PgPass,
}

/// Literal texts at which structures are looked for. Capitals matter where the flag isn't set.
pub(super) const ANCHORS: [(Structure, &str, bool); 41] = [
    (Structure::Pem, "-----BEGIN ", false),
    (Structure::Pem, "---- BEGIN ", false),
    (Structure::Putty, "PuTTY-User-Key-File-", false),
    (Structure::Jwt, "eyJ", false),
    (Structure::Jwt, "eyA", false),
    (Structure::Jwt, "ewo", false),
    (Structure::Url, "://", false),
    (Structure::GoSource, "@tcp(", false),
    (Structure::GoSource, "@unix(", false),
    (Structure::Authorization, "authorization", true),
    (Structure::Scheme, "bearer ", true),
    (Structure::Scheme, "basic ", true),
    (Structure::Scheme, "apikey ", true),
    (Structure::Cookie, "cookie", true),
    (Structure::Hash, "$apr1$", false),
    (Structure::Hash, "$2a$", false),
    (Structure::Hash, "$2b$", false),
    (Structure::Hash, "$2x$", false),
    (Structure::Hash, "$2y$", false),
    (Structure::Hash, "$1$", false),
    (Structure::Hash, "$5$", false),
    (Structure::Hash, "$6$", false),
    (Structure::Hash, "$7$", false),
    (Structure::Hash, "$y$", false),
    (Structure::Hash, "$gy$", false),
    (Structure::Hash, "$argon2", false),
    (Structure::Hash, "$scrypt$", false),
    (Structure::Hash, "$pbkdf2", false),
    (Structure::Hash, "$P$", false),
    (Structure::Hash, "$H$", false),
    (Structure::Hash, "pbkdf2_sha", false),
    (Structure::Hash, "bcrypt_sha256$", false),
    (Structure::Hash, "SCRAM-SHA-256$", false),
    (Structure::Hash, "{SHA}", false),
    (Structure::Hash, "{SSHA}", false),
    (Structure::Hash, "{SSHA512}", false),
    (Structure::PgPass, ":5432:", false),
    (Structure::PgPass, ":5433:", false),
    (Structure::PgPass, ":6432:", false),
    (Structure::PgPass, ":26257:", false),
    (Structure::PgPass, ":*:", false),
];

/// The kinds that structures find.
pub(super) const KINDS: [DataKind; 7] = [
    keys::PRIVATE_KEY,
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
        Structure::Putty => keys::find_putty(scan, anchor),
        Structure::Jwt => jwt::find(scan, anchor.start),
        Structure::Url => urls::find(scan, anchor),
        Structure::GoSource => urls::find_go_source(scan, anchor.start),
        Structure::Authorization => headers::find(scan, anchor),
        Structure::Scheme => headers::find_scheme(scan, anchor),
        Structure::Cookie => cookies::find(scan, anchor),
        Structure::Hash => records::find_hash(scan, anchor),
        Structure::PgPass => records::find_pgpass(scan, anchor.start),
    }
}
