//! The table of formats.

use std::sync::LazyLock;

use anamne_text::lexicon::{Lexicon, LexiconError, Row};

use crate::DataKind;
use crate::secrets::alphabet::Alphabet;

/// A published format.
pub(in crate::secrets) struct Format {
    pub(in crate::secrets) kind: DataKind,
    /// Literal text that every value contains, one of them.
    pub(in crate::secrets) prefixes: Vec<&'static str>,
    /// What precedes the prefix in the value.
    pub(super) lead: Option<Part>,
    /// What follows the prefix.
    pub(super) body: Vec<Part>,
    pub(super) inner: Inner,
    pub(super) is_random: bool,
    pub(super) is_mixed: bool,
    /// The value begins after the prefix.
    pub(super) is_value_only: bool,
}

#[cfg(test)]
impl Format {
    /// What precedes the prefix, and what follows it.
    pub(in crate::secrets) fn parts(&self) -> (Option<&Part>, &[Part]) {
        (self.lead.as_ref(), &self.body)
    }

    /// Whether values carry a checksum or inner structure.
    pub(in crate::secrets) fn has_checksum(&self) -> bool {
        self.inner != Inner::None
    }
}

/// A part of a value.
pub(in crate::secrets) enum Part {
    /// Between `least` and `most` characters of an alphabet.
    Run {
        alphabet: &'static Alphabet,
        least: usize,
        most: usize,
    },
    /// This text.
    Literal(&'static str),
}

/// A checksum or inner structure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Inner {
    None,
    /// The last six characters are the CRC-32 of those before them in base 62.
    Github,
    /// The last eight characters are the CRC-32 of what precedes their underscore, byte-reversed in hexadecimal.
    Grafana,
    /// The first part is a number in base 64.
    Discord,
}

/// All formats, in the order of the file.
pub(in crate::secrets) fn formats() -> &'static [Format] {
    static FORMATS: LazyLock<Vec<Format>> =
        LazyLock::new(|| load().expect("a test loads the data file"));
    &FORMATS
}

fn load() -> Result<Vec<Format>, LexiconError> {
    const TEXT: &str = include_str!("../../../data/secret_formats.txt");
    let file = Lexicon::parse("secret_formats.txt", TEXT)?;
    file.rows("formats", 4)?.iter().map(format_of).collect()
}

fn format_of(row: &Row) -> Result<Format, LexiconError> {
    let body = row.cells[2].split_ascii_whitespace();
    let mut format = Format {
        kind: DataKind::secret(row.cells[0]),
        prefixes: row.cells[1].split_ascii_whitespace().collect(),
        lead: None,
        body: body
            .map(|part| part_of(row, part))
            .collect::<Result<_, _>>()?,
        inner: Inner::None,
        is_random: false,
        is_mixed: false,
        is_value_only: false,
    };
    for flag in row.cells[3].split_ascii_whitespace() {
        match flag {
            "-" => {}
            "github" => format.inner = Inner::Github,
            "grafana" => format.inner = Inner::Grafana,
            "discord" => format.inner = Inner::Discord,
            "random" => format.is_random = true,
            "mixed" => format.is_mixed = true,
            "value" => format.is_value_only = true,
            _ => match flag.strip_prefix("lead=") {
                Some(lead) => format.lead = Some(part_of(row, lead)?),
                None => return Err(row.fault(format!("unknown flag {flag:?}"))),
            },
        }
    }
    Ok(format)
}

fn part_of(row: &Row, part: &'static str) -> Result<Part, LexiconError> {
    if let Some(literal) = part
        .strip_prefix('\'')
        .and_then(|part| part.strip_suffix('\''))
    {
        return Ok(Part::Literal(literal));
    }
    let read = || {
        let (name, count) = part.split_once(':')?;
        let (least, most) = count.split_once('-').unwrap_or((count, count));
        let (least, most) = (least.parse().ok()?, most.parse().ok()?);
        let alphabet = Alphabet::named(name)?;
        (least <= most && most <= 2_000).then_some(Part::Run {
            alphabet,
            least,
            most,
        })
    };
    read().ok_or_else(|| row.fault(format!("can't read the part {part:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_loads_and_prefixes_are_long_enough() {
        let formats = load().expect("the table");
        assert!(formats.len() > 100);
        for format in formats {
            assert!(!format.body.is_empty(), "{}", format.kind);
            assert!(
                format.prefixes.iter().all(|prefix| prefix.len() >= 2),
                "{}",
                format.kind
            );
        }
    }
}
