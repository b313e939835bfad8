//! Tokens with an inner structure.

use super::checksums::{crc32, in_base};
use super::encodings::{alphabet, base64, base64url, between, bytes, hex, of, percent};
use super::passwords;
use super::words::{domain, joined, user};
use crate::chance::Chance;

/// A token by name; `None` if there is no such token.
pub(super) fn value(name: &str, argument: &str, chance: &mut Chance) -> Option<String> {
    Some(match name {
        "jwt" => jwt(argument, chance),
        "basic" => base64(format!("{}:{}", user(chance), passwords::mixed(chance)).as_bytes()),
        "password-b64" => base64(passwords::mixed(chance).as_bytes()),
        "user-b64" => base64(user(chance).as_bytes()),
        "b64key" => base64(&bytes(argument.parse().ok()?, chance)),
        "grafana" => grafana(chance),
        "gitlab-routable" => gitlab_routable(chance),
        "telegram-bot" => format!("{}:AA{}", number(10, chance), urlsafe(33, chance)),
        "discord-bot" => discord_bot(chance),
        "mapbox-secret" => mapbox(chance),
        "sentry-org" => sentry_org(chance),
        "onepassword" => one_password(chance),
        "flask-session" => flask_session(chance),
        "sas-signature" => percent(&base64(&bytes(32, chance))),
        "kubeadm" => format!("{}.{}", lower(6, chance), lower(16, chance)),
        "django-secret" => of(
            "abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)",
            50,
            chance,
        ),
        // Written apart in templates, so that scanners don't take them for connection strings.
        "//" => "//".to_owned(),
        "aws-example-key" => ["AKIA", "IOSFODNN7", "EXAMPLE"].concat(),
        "aws-example-secret" => ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCY", "EXAMPLEKEY"].concat(),
        _ => return None,
    })
}

fn set(name: &str) -> &'static str {
    alphabet(name).unwrap_or("x")
}

fn urlsafe(count: usize, chance: &mut Chance) -> String {
    // The last character is a letter or digit, so that a word boundary follows.
    format!(
        "{}{}",
        of(set("u"), count - 1, chance),
        of(set("m"), 1, chance)
    )
}

fn lower(count: usize, chance: &mut Chance) -> String {
    of(set("n"), count, chance)
}

/// A number of so many digits, the first not 0.
fn number(digits: usize, chance: &mut Chance) -> String {
    format!(
        "{}{}",
        1 + chance.below(9),
        of(set("d"), digits - 1, chance)
    )
}

/// RFC 7519: header, claims, and a signature as long as the algorithm's.
fn jwt(algorithm: &str, chance: &mut Chance) -> String {
    let (algorithm, signature) = match algorithm {
        "RS256" => ("RS256", 256),
        "ES256" => ("ES256", 64),
        _ => ("HS256", 32),
    };
    let header = format!(r#"{{"alg":"{algorithm}","typ":"JWT"}}"#);
    let issued = between(1_650_000_000, 1_780_000_000, chance);
    let claims = format!(
        r#"{{"sub":"{}","iss":"https://{}","role":"{}","iat":{issued},"exp":{}}}"#,
        number(8, chance),
        domain(chance),
        user(chance),
        issued + between(300, 86_400, chance)
    );
    let parts = [
        header.into_bytes(),
        claims.into_bytes(),
        bytes(signature, chance),
    ];
    parts.map(|part| base64url(&part)).join(".")
}

/// `glsa_`, 32 letters and digits, the little-endian CRC-32 of both in hex.
fn grafana(chance: &mut Chance) -> String {
    let key = ["glsa", "_", &of(set("m"), 32, chance)].concat();
    format!("{key}_{}", hex(&crc32(key.as_bytes()).to_le_bytes()))
}

/// GitLab's routable token: payload, its length in base 36, CRC-32 in base 36.
fn gitlab_routable(chance: &mut Chance) -> String {
    let mut payload = format!("o:1\nu:{}", lower(4, chance)).into_bytes();
    payload.extend(bytes(16, chance));
    payload.push(16);
    let payload = base64url(&payload);
    let length = in_base(payload.len() as u64, 36, 2);
    let token = ["glpat", "-", &payload, ".", &length].concat();
    let check = in_base(u64::from(crc32(token.as_bytes())), 36, 7);
    format!("{token}{check}")
}

/// The bot's id in Base64, a time, a signature.
fn discord_bot(chance: &mut Chance) -> String {
    let id = base64url(number(18, chance).as_bytes());
    format!("{id}.{}.{}", urlsafe(6, chance), urlsafe(38, chance))
}

fn mapbox(chance: &mut Chance) -> String {
    let claims = format!(
        r#"{{"u":"{}","a":"cl{}"}}"#,
        user(chance),
        lower(23, chance)
    );
    [
        "sk",
        ".",
        &base64url(claims.as_bytes()),
        ".",
        &urlsafe(22, chance),
    ]
    .concat()
}

fn sentry_org(chance: &mut Chance) -> String {
    let claims = format!(
        r#"{{"iat":{}.{},"url":"https://sentry.io","region_url":"https://de.sentry.io","org":"{}"}}"#,
        between(1_690_000_000, 1_780_000_000, chance),
        number(6, chance),
        joined("-", chance)
    );
    let signature = of(set("s"), 42, chance) + &of(set("m"), 1, chance);
    ["sntrys", "_", &base64(claims.as_bytes()), "_", &signature].concat()
}

fn one_password(chance: &mut Chance) -> String {
    let claims = format!(
        r#"{{"signInAddress":"{}","userAuth":{{"method":"SRPg-4096"}},"email":"{}","srpX":"{}","muk":{{"k":"{}"}}}}"#,
        domain(chance),
        lower(13, chance),
        hex(&bytes(32, chance)),
        urlsafe(43, chance)
    );
    ["ops", "_", &base64url(claims.as_bytes())].concat()
}

/// Flask's signed cookie: payload, time, signature.
fn flask_session(chance: &mut Chance) -> String {
    let payload = format!(r#"{{"_fresh":true,"_user_id":"{}"}}"#, number(4, chance));
    let payload = base64url(payload.as_bytes());
    format!("{payload}.{}.{}", urlsafe(6, chance), urlsafe(27, chance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jwt_has_three_parts() {
        let jwt = value("jwt", "", &mut Chance::new(1)).unwrap_or_default();
        assert!(jwt.starts_with("eyJ"));
        let lengths: Vec<usize> = jwt.split('.').map(str::len).collect();
        assert_eq!((lengths.len(), lengths[2]), (3, 43));
    }

    #[test]
    fn grafana_and_gitlab_tokens_have_their_published_lengths() {
        let chance = &mut Chance::new(1);
        assert_eq!(grafana(chance).len(), 5 + 32 + 1 + 8);
        let token = gitlab_routable(chance);
        let (payload, check) = token[6..].split_once('.').expect("a dot");
        assert_eq!(check.len(), 9);
        assert_eq!(in_base(payload.len() as u64, 36, 2), check[..2]);
    }
}
