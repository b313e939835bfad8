//! Names of spaces, and the folders that they get.

use std::fmt;
use std::str::FromStr;

use anamne_types::Refusal;

/// The name of a space: 1 to 128 bytes, any script, no control characters, no path separators.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpaceName(String);

impl SpaceName {
    /// The longest name, in bytes.
    pub const LONGEST: usize = 128;

    /// The space that holds what is true everywhere.
    pub fn core() -> Self {
        Self("core".to_owned())
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its folder: the name itself where that is plain, else a plain form of it and a digest.
    pub fn folder(&self) -> String {
        let plain: String = self
            .0
            .chars()
            .map(|character| match character {
                'a'..='z' | '0'..='9' | '-' | '_' => character,
                'A'..='Z' => character.to_ascii_lowercase(),
                _ => '-',
            })
            .collect();
        if plain == self.0 && !plain.starts_with(['-', '_']) {
            return plain;
        }
        let short: String = plain.trim_matches(['-', '_']).chars().take(48).collect();
        let digest = blake3::hash(self.0.as_bytes()).to_hex();
        // No plain name holds a plus sign, so none can be made to meet another name's folder.
        format!("{short}+{}", &digest[..16])
    }
}

impl FromStr for SpaceName {
    type Err = Refusal;

    fn from_str(name: &str) -> Result<Self, Refusal> {
        let name = name.trim();
        let accepts = "1 to 128 bytes without control characters, slashes or backslashes";
        let bad = name.is_empty()
            || name.len() > Self::LONGEST
            || name
                .chars()
                .any(|character| character.is_control() || matches!(character, '/' | '\\'));
        if bad {
            Err(Refusal::new("space", accepts, format!("{name:?}")))
        } else {
            Ok(Self(name.to_owned()))
        }
    }
}

impl fmt::Display for SpaceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::SpaceName;

    #[test]
    fn different_names_never_share_a_folder() {
        let names = [
            "core",
            "Core",
            "my project",
            "my-project",
            "my_project",
            "日本語",
            "한국어",
            "..",
            ".",
            "-x",
            "core-9ea1b2c3",
        ];
        let folders: std::collections::BTreeSet<_> = names
            .iter()
            .map(|name| name.parse::<SpaceName>().expect("a good name").folder())
            .collect();
        assert_eq!(folders.len(), names.len(), "{folders:?}");
        assert!(
            folders
                .iter()
                .all(|folder| !folder.contains(['/', '.', '\\'])),
            "{folders:?}"
        );
    }

    #[test]
    fn names_that_could_leave_the_store_are_refused() {
        for name in ["", "  ", "a/b", "a\\b", "a\nb", &"x".repeat(129)] {
            assert_eq!(name.parse::<SpaceName>().expect_err(name).field(), "space");
        }
    }
}
