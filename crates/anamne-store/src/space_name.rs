//! Names of spaces, and their folders.

use std::fmt;
use std::str::FromStr;

use anamne_types::{InvalidValue, space_owner};
use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::skeleton;

/// The name of a space: 1 to 128 bytes, any script, no control characters, no path separators.
///
/// Any such name can be read, so that every existing space can be opened. A new space's name must also pass
/// [`SpaceName::check_new`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpaceName(String);

impl SpaceName {
    /// Maximum length of a name, in bytes.
    pub const LONGEST: usize = 128;

    /// The space for what is true in every project.
    pub fn core() -> Self {
        Self("core".to_owned())
    }

    /// Names with a special meaning in commands and tools, which no project may have.
    pub const RESERVED: [&str; 4] = ["core", "all", "auto", "demo"];

    /// The same name in Unicode normalisation form C.
    #[must_use]
    pub fn composed(&self) -> Self {
        Self(self.0.nfc().collect())
    }

    /// Whether it is one of [`SpaceName::RESERVED`], ignoring case.
    pub fn is_reserved(&self) -> bool {
        Self::RESERVED
            .iter()
            .any(|reserved| self.0.eq_ignore_ascii_case(reserved))
    }

    /// Whether a character is invisible or unidentifiable: controls, zero-width and bidirectional marks, tags,
    /// variation selectors, private use, unassigned.
    pub fn is_invisible(character: char) -> bool {
        character.is_control()
            || matches!(character,
                '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
                | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
            // Private use, unassigned, and noncharacters.
            || character.script() == Script::Unknown
    }

    /// Checks that the name is readable and unambiguous: no invisible characters, no word that mixes scripts, such as
    /// Latin letters with a Cyrillic one between them, and no shared space that looks private. Latin may be combined with
    /// Japanese, Chinese and Korean.
    pub fn check_characters(&self) -> Result<(), InvalidValue> {
        if let Some(character) = self
            .0
            .chars()
            .find(|character| Self::is_invisible(*character))
        {
            let code = character as u32;
            let accepts = format!(
                "visible characters only; U+{code:04X} is invisible, unassigned or private-use"
            );
            return Err(InvalidValue::new("space", accepts, self.escaped()));
        }
        // Whether or not there is such a private space, which a caller may not find out.
        if space_owner(&self.0).is_none() && skeleton(&self.0).next() == Some('~') {
            let accepts = "a name that doesn't begin with a character that looks like ~";
            return Err(InvalidValue::new("space", accepts, self.escaped()));
        }
        let mut words = self.0.split(|character: char| !character.is_alphanumeric());
        match words.find(|word| mixes_scripts(word)) {
            None => Ok(()),
            Some(word) => Err(InvalidValue::new(
                "space",
                "made of words of one script each",
                format!(
                    "{}, where {:?} mixes scripts whose letters look alike",
                    self.escaped(),
                    word.escape_unicode().to_string()
                ),
            )),
        }
    }

    /// Checks a name for a new space beside `others`: its characters, its normalisation form, and that it can't be
    /// confused with one of them or with a reserved name.
    pub fn check_new<'a>(
        &self,
        others: impl IntoIterator<Item = &'a SpaceName>,
    ) -> Result<(), InvalidValue> {
        self.check_characters()?;
        if self.composed() != *self {
            let accepts = "written with composed characters (Unicode NFC)";
            return Err(InvalidValue::new("space", accepts, self.escaped()));
        }
        let others = others.into_iter().map(|other| other.0.as_str());
        let mut taken = others.chain(Self::RESERVED);
        match taken.find(|taken| *taken != self.0 && looks_alike(taken, &self.0)) {
            None => Ok(()),
            Some(taken) => {
                let accepts = format!("distinguishable from {taken:?}, which exists");
                Err(InvalidValue::new("space", accepts, self.escaped()))
            }
        }
    }

    /// A valid name made from a label, without disallowed characters.
    pub fn from_label(label: &str) -> Option<Self> {
        let mut name: String = label
            .nfc()
            .filter(|character| !Self::is_invisible(*character) && !matches!(character, '/' | '\\'))
            .collect();
        // Leaves room for a numeric suffix.
        name.truncate(name.floor_char_boundary(Self::LONGEST - 8));
        name.parse()
            .ok()
            .filter(|name: &Self| name.check_characters().is_ok())
    }

    /// The same name with a numeric suffix.
    pub(crate) fn numbered(&self, number: u32) -> Option<Self> {
        format!("{}-{number}", self.0).parse().ok()
    }

    /// The name with non-ASCII characters escaped: distinguishes look-alikes and shows invisible characters.
    fn escaped(&self) -> String {
        format!("\"{}\"", self.0.escape_default())
    }

    /// The original name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its folder: the name itself if it is plain, else a plain form of it and a digest.
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
        // No plain name contains a plus sign, so none can collide with another name's folder.
        format!("{short}+{}", &digest[..16])
    }
}

/// Whether a word mixes scripts that are not normally written together.
fn mixes_scripts(word: &str) -> bool {
    let written_together = |text: &str| !AugmentedScriptSet::for_str(text).is_empty();
    if word.is_ascii() || written_together(word) {
        return false;
    }
    let without_latin: String = word
        .chars()
        .filter(|character| character.script() != Script::Latin)
        .collect();
    let rest = AugmentedScriptSet::for_str(&without_latin);
    !(rest.jpan || rest.hanb || rest.kore)
}

/// Whether two names differ only in case or normalisation form, or look alike. ASCII names are compared by case only,
/// because names such as `api-1` and `api-l` are common.
fn looks_alike(one: &str, other: &str) -> bool {
    let folded = |name: &str| name.nfc().flat_map(char::to_lowercase).collect::<String>();
    let (one, other) = (folded(one), folded(other));
    let drawn = |name: &str| skeleton(name).collect::<String>();
    one == other || (!(one.is_ascii() && other.is_ascii()) && drawn(&one) == drawn(&other))
}

impl FromStr for SpaceName {
    type Err = InvalidValue;

    fn from_str(name: &str) -> Result<Self, InvalidValue> {
        let name = name.trim();
        let accepts = "1 to 128 bytes without control characters, slashes or backslashes";
        let bad = name.is_empty()
            || name.len() > Self::LONGEST
            || name
                .chars()
                .any(|character| character.is_control() || matches!(character, '/' | '\\'));
        if bad {
            Err(InvalidValue::new("space", accepts, format!("{name:?}")))
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

    fn name(text: &str) -> SpaceName {
        text.parse().expect("a name that can be read")
    }

    #[test]
    fn a_new_name_is_one_that_a_person_can_read() {
        let accepted = [
            "api",
            "core",
            "River Watch",
            "überprüfung",
            "проект api",
            "日本語",
            "APIの設計",
            "한국어 api",
            "naïve-2",
            "café",
            "a & b",
            "🚀 launch",
            "שלום",
            "~ada.notes",
            "ada~\u{ff5e}",
        ];
        for text in accepted {
            assert_eq!(name(text).check_new([]), Ok(()), "{text}");
        }
        let refused = [
            ("zero width", "co\u{200b}re"),
            ("joiner", "co\u{200d}re"),
            ("byte order mark", "x\u{feff}y"),
            ("right to left", "co\u{202e}re"),
            ("isolate", "\u{2066}core"),
            ("tag", "core\u{e0041}"),
            ("private use", "core\u{e000}"),
            ("private use, plane 16", "core\u{10fffd}"),
            ("unassigned", "core\u{378}"),
            ("soft hyphen", "co\u{ad}re"),
            ("Hangul filler", "core\u{3164}"),
            ("variation selector", "core\u{fe0f}"),
            ("Cyrillic o", "c\u{43e}re"),
            ("Greek omicron", "dem\u{3bf}"),
            ("decomposed", "cafe\u{301}"),
            ("fullwidth tilde", "\u{ff5e}ada"),
            ("small tilde", "\u{2dc}ada.notes"),
            ("tilde operator", "\u{223c}ada"),
        ];
        for (why, text) in refused {
            let refusal = name(text).check_new([]).expect_err(why);
            assert_eq!(refusal.field(), "space", "{why}");
            assert!(!refusal.to_string().contains(text), "{why}: {refusal}");
        }
    }

    #[test]
    fn a_new_name_is_not_confusable_with_a_taken_one() {
        let check = |taken: &str, text: &str, accepted: bool| {
            let found = name(text).check_new([&name(taken)]);
            assert_eq!(found.is_ok(), accepted, "{taken:?} {text:?}: {found:?}");
        };
        check("api", "api", true);
        check("api", "api-2", true);
        check("api-1", "api-l", true);
        check("api", "API", false);
        check("café", "CAFÉ", false);
        check("cafe\u{301}", "café", false);
        // Only Cyrillic letters that look like Latin ones.
        check("cop", "\u{441}\u{43e}\u{440}", false);
        check("other", "CORE", false);
        check("other", "\u{ff43}ore", false);
    }

    #[test]
    fn a_label_becomes_a_name_if_possible() {
        let check = |label: &str, expected: Option<&str>| {
            let made = SpaceName::from_label(label);
            assert_eq!(made.as_ref().map(SpaceName::as_str), expected, "{label:?}");
        };
        check("api", Some("api"));
        check("a\u{202e}p/i", Some("api"));
        check("cafe\u{301}", Some("café"));
        check("\u{200b}", None);
        check("c\u{43e}re", None);
        assert_eq!(
            SpaceName::from_label(&"é".repeat(200)).map(|name| name.as_str().len()),
            Some(120)
        );
    }

    #[test]
    fn names_that_could_leave_the_store_are_refused() {
        for name in ["", "  ", "a/b", "a\\b", "a\nb", &"x".repeat(129)] {
            assert_eq!(name.parse::<SpaceName>().expect_err(name).field(), "space");
        }
    }
}
