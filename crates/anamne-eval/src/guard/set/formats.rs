//! Keys and tokens by the formats in `formats.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::checksums::{crc32, in_base};
use super::encodings::{alphabet, between, of};
use crate::chance::Chance;

static FORMATS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let file = include_str!("../../../data/guard/formats.txt");
    let formats = file.lines().filter(|line| !line.starts_with('#'));
    formats.filter_map(|line| line.split_once(" = ")).collect()
});

/// A value of this format; `None` if there is no such format.
pub(super) fn value(name: &str, chance: &mut Chance) -> Option<String> {
    let mut value = String::new();
    let mut prefix = 0;
    for part in FORMATS.get(name)?.split(' ') {
        if let Some(literal) = part.strip_prefix('\'') {
            value.push_str(literal);
            prefix = if prefix == 0 { value.len() } else { prefix };
        } else if part == "crc62" {
            let check = crc32(&value.as_bytes()[prefix..]);
            value.push_str(&in_base(u64::from(check), 62, 6));
        } else {
            let (set, count) = part.split_once('*')?;
            value.push_str(&of(alphabet(set)?, length(count, chance)?, chance));
        }
    }
    Some(value)
}

/// A number, or one of a range `20..30`.
pub(super) fn length(text: &str, chance: &mut Chance) -> Option<usize> {
    match text.split_once("..") {
        None => text.parse().ok(),
        Some((low, high)) => {
            let length = between(low.parse().ok()?, high.parse().ok()?, chance);
            usize::try_from(length).ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_can_be_made() {
        for name in FORMATS.keys() {
            let value = value(name, &mut Chance::new(3)).unwrap_or_default();
            assert!(value.len() >= 20, "{name}: {value}");
        }
        assert_eq!(value("nothing", &mut Chance::new(3)), None);
    }

    #[test]
    fn github_and_npm_tokens_end_with_their_checksum() {
        for name in ["github-classic", "npm"] {
            let token = value(name, &mut Chance::new(4)).unwrap_or_default();
            let check = crc32(&token.as_bytes()[4..34]);
            assert_eq!(token[34..], in_base(u64::from(check), 62, 6));
            assert_eq!(token.len(), 40);
        }
    }
}
