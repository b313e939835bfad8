//! How a key is written: `anamne_`, its id, `_`, its secret; both in hexadecimal.
//!
//! The guard finds this form as a secret (`secret_formats.txt`).

use std::fmt;

/// What every key begins with.
const PREFIX: &str = "anamne_";

/// Hexadecimal digits of the id: 64 random bits.
const ID: usize = 16;

/// Hexadecimal digits of the secret: 256 random bits.
const SECRET: usize = 64;

/// A key as its user has it. Its secret is not in `Debug`.
#[derive(Clone)]
pub struct KeyText {
    pub(super) id: String,
    pub(super) secret: String,
}

impl KeyText {
    /// A new one, from the system's source of random numbers.
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; ID / 2 + SECRET / 2];
        getrandom::fill(&mut bytes)?;
        let text = hexadecimal(&bytes);
        let (id, secret) = text.split_at(ID);
        Ok(Self {
            id: id.to_owned(),
            secret: secret.to_owned(),
        })
    }

    /// The key that is written so, exactly; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
        let is_fit = id.len() == ID && secret.len() == SECRET && is_hexadecimal(id);
        (is_fit && is_hexadecimal(secret)).then(|| Self {
            id: id.to_owned(),
            secret: secret.to_owned(),
        })
    }

    /// The whole key.
    pub(super) fn reveal(&self) -> String {
        format!("{PREFIX}{}_{}", self.id, self.secret)
    }

    /// The secret part's hash. The secret is random with 256 bits, so guessing it is hopeless however fast the hash is; a
    /// slow one would only slow every request. The salt keeps equal hashes from being looked up in a table.
    pub(super) fn hash(&self, salt: &[u8; 32]) -> blake3::Hash {
        blake3::keyed_hash(salt, self.secret.as_bytes())
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "KeyText({})", self.id)
    }
}

/// Whether a text, such as a URL, contains a key. O(length).
pub fn contains_key(text: &str) -> bool {
    text.match_indices(PREFIX).any(|(at, _)| {
        let end = at + PREFIX.len() + ID + 1 + SECRET;
        text.get(at..end)
            .is_some_and(|key| KeyText::parse(key).is_some())
    })
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

fn hexadecimal(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_written_and_nothing_else_is() {
        let key = KeyText::random().expect("random numbers");
        let text = key.reveal();
        let read = KeyText::parse(&text).expect("a key");
        assert_eq!((&read.id, &read.secret), (&key.id, &key.secret));
        assert!(!format!("{key:?}").contains(&key.secret));
        for bad in [
            "",
            "anamne_",
            &text[1..],
            &text[..text.len() - 1],
            &format!("{text}0"),
            &format!(" {text}"),
            &text.to_uppercase(),
            &text.replace('_', "-"),
        ] {
            assert!(KeyText::parse(bad).is_none(), "{bad}");
        }
        assert!(contains_key(&format!("/v1/spaces?key={text}&a=b")));
        assert!(!contains_key("/v1/spaces/anamne_core") && !contains_key(&text[..60]));
        assert_ne!(text, KeyText::random().expect("random numbers").reveal());
    }

    #[test]
    fn the_guard_finds_a_key() {
        let key = KeyText::random().expect("random numbers").reveal();
        let guard = anamne_guard::Guard::new(anamne_guard::Policy::default());
        let text = format!("use {key} for it");
        let checked = guard.check(&text).expect("accepted");
        assert_eq!(checked.text, "use [secret:anamne-key] for it");
    }
}
