//! Values that are no secrets: published test keys, and a person's own exceptions.

use thiserror::Error;

/// Values that the guard ignores, as patterns in which `*` stands for any characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    patterns: Vec<String>,
}

/// Why a list is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AllowListError {
    /// More patterns than [`AllowList::MAX`].
    #[error("more than {} patterns", AllowList::MAX)]
    TooMany,
    /// A pattern that would allow almost everything.
    #[error("the pattern {0:?} needs at least four characters besides *")]
    TooWide(String),
}

impl AllowList {
    /// The most patterns of a list.
    pub const MAX: usize = 1_000;

    /// A list of patterns.
    pub fn new(patterns: Vec<String>) -> Result<Self, AllowListError> {
        if patterns.len() > Self::MAX {
            return Err(AllowListError::TooMany);
        }
        let is_wide = |pattern: &&String| pattern.chars().filter(|one| *one != '*').count() < 4;
        match patterns.iter().find(is_wide) {
            Some(wide) => Err(AllowListError::TooWide(wide.clone())),
            None => Ok(Self { patterns }),
        }
    }

    /// Whether a value is allowed: published in documentation as an example, or matched by a pattern. O(patterns · bytes).
    pub fn allows(&self, value: &str) -> bool {
        crate::secrets::is_published_example(value) || self.matches(value)
    }

    /// Whether a pattern covers the whole value. O(patterns · bytes).
    pub fn matches(&self, value: &str) -> bool {
        self.patterns.iter().any(|pattern| matches(pattern, value))
    }
}

/// Whether a pattern covers the whole value. Each part between stars is searched once, so it is linear per part.
fn matches(pattern: &str, value: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == value;
    };
    let Some(mut value) = value.strip_prefix(first) else {
        return false;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some((_, after)) = value.split_once(part) else {
            return false;
        };
        value = after;
    }
    value.len() >= last.len() && value.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(patterns: &[&str]) -> AllowList {
        AllowList::new(patterns.iter().map(ToString::to_string).collect()).expect("a list")
    }

    #[test]
    fn patterns_cover_the_whole_value() {
        let allowed = list(&["test-*-key", "exact", "*@example.org"]);
        for value in ["test-1-key", "test--key", "exact", "mara@example.org"] {
            assert!(allowed.allows(value), "{value}");
        }
        for value in [
            "test-key",
            "exactly",
            "mara@example.org.evil",
            "xtest-1-key",
        ] {
            assert!(!allowed.allows(value), "{value}");
        }
    }

    #[test]
    fn wide_patterns_and_long_lists_are_refused() {
        let wide = AllowList::new(vec!["ab*c".to_owned()]).unwrap_err();
        assert_eq!(
            wide.to_string(),
            "the pattern \"ab*c\" needs at least four characters besides *"
        );
        let many = vec!["pattern".to_owned(); AllowList::MAX + 1];
        assert_eq!(AllowList::new(many), Err(AllowListError::TooMany));
    }
}
