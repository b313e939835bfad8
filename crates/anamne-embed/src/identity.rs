//! The identity of a model.

use std::fmt;

use crate::ModelFile;

/// The name and revision of a model. Vectors may be compared only if they come from the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelIdentity {
    /// The common name of the model, such as `anamne-static`.
    pub name: String,
    /// The revision: changes whenever a vector or a token of the model does.
    pub revision: String,
}

impl ModelIdentity {
    /// The identity of `revision` of the model `name`.
    pub fn new(name: impl Into<String>, revision: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            revision: revision.into(),
        }
    }

    /// The name, and a checksum of the files that determine what the model computes.
    pub(crate) fn of_files(name: &str, files: &[&ModelFile]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for file in files {
            hasher
                .update(&(file.bytes().len() as u64).to_le_bytes())
                .update(file.bytes());
        }
        Self::new(name, &hasher.finalize().to_hex()[..16])
    }

    /// The identity as one path component: lower-case ASCII letters, digits, dots and dashes, at most 100 bytes, never
    /// empty, never hidden, never a relative path.
    ///
    /// A name that fits is unchanged, as in `anamne-static-v1`. Any other is reduced to the allowed characters and gets
    /// a checksum of the whole, so that different identities have different slugs.
    ///
    /// ```
    /// use anamne_embed::ModelIdentity;
    ///
    /// assert_eq!(ModelIdentity::new("anamne-static", "v1").slug(), "anamne-static-v1");
    /// let slug = ModelIdentity::new("Owner/Model", "main").slug();
    /// assert!(slug.starts_with("owner-model-main-"));
    /// ```
    pub fn slug(&self) -> String {
        let plain = format!("{}-{}", self.name, self.revision);
        let (name, revision) = (self.name.as_bytes(), self.revision.as_bytes());
        // With a dash in the revision, two different splits would have the same slug.
        let kept = plain.len() <= 80
            && name.first().is_some_and(u8::is_ascii_alphanumeric)
            && name.iter().all(|&byte| is_plain(byte) || byte == b'-')
            && !revision.is_empty()
            && revision.iter().all(|&byte| is_plain(byte));
        if kept { plain } else { self.reduced(&plain) }
    }

    fn reduced(&self, plain: &str) -> String {
        let mut slug = String::new();
        for byte in plain.bytes().map(|byte| byte.to_ascii_lowercase()) {
            match byte {
                _ if slug.len() >= 80 => break,
                b'a'..=b'z' | b'0'..=b'9' => slug.push(byte as char),
                b'.' if !slug.is_empty() && !slug.ends_with(['.', '-']) => slug.push('.'),
                _ if !slug.is_empty() && !slug.ends_with(['.', '-']) => slug.push('-'),
                _ => {}
            }
        }
        let slug = slug.trim_end_matches(['.', '-']);
        let slug = if slug.is_empty() { "model" } else { slug };
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.name.len() as u64).to_le_bytes());
        hasher
            .update(self.name.as_bytes())
            .update(self.revision.as_bytes());
        format!("{slug}-{}", &hasher.finalize().to_hex()[..12])
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.'
}

impl fmt::Display for ModelIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.name, self.revision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_identity_has_a_slug_of_its_own_that_is_one_path_component() {
        let long = "x".repeat(500);
        let odd = [
            ("", ""),
            ("", "-"),
            ("..", "."),
            ("../..", "etc"),
            ("A", "b"),
            ("a", "b"),
            ("a b", "c"),
            ("a-b", "c"),
            ("a", "b-c"),
            ("a_b", "c"),
            ("名", "前"),
            (".hidden", "1"),
            ("a", ""),
            ("a/b", "c"),
            ("a\\b", "c"),
            ("con", "1"),
            (&long, "1"),
            (&long, "2"),
            ("a.", "1"),
        ];
        let slugs: Vec<_> = odd
            .iter()
            .map(|&(name, revision)| ModelIdentity::new(name, revision).slug())
            .collect();
        for slug in &slugs {
            assert!((1..=100).contains(&slug.len()), "{slug}");
            assert!(
                slug.bytes().all(|byte| is_plain(byte) || byte == b'-'),
                "{slug}"
            );
            assert!(slug.as_bytes()[0].is_ascii_alphanumeric(), "{slug}");
        }
        let distinct: std::collections::BTreeSet<_> = slugs.iter().collect();
        assert_eq!(distinct.len(), slugs.len(), "{slugs:?}");
    }
}
