//! Whether a value is a secret, or a word, a variable, a path, a type or a placeholder.

use std::sync::LazyLock;

use super::expressions::{is_call, is_expression, is_member, is_number, is_of_object, is_type};
use super::names::{Class, class_of_identifier};
use crate::case::with_lower;
use crate::literals::Literals;
use crate::secrets::letters;
use crate::secrets::placeholders::is_placeholder;
use crate::secrets::shape::Shape;
use crate::secrets::stock::is_stock;
use crate::secrets::words::{has, lists};

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In quotes; `is_label` if its name is quoted too, as in files of translations.
    Quoted { is_label: bool },
    /// In quotes, after the name of a setting: no sentence for a person stands there.
    Setting,
    /// After a flag, in an element, a URL, an environment file or a connection string: no expression can stand there.
    Argument,
    /// A name and a value that fill a line; `is_code` if it may be an assignment of a program.
    Line { is_code: bool },
    /// Elsewhere in code or text.
    Inline,
    /// After `is` in a sentence.
    Prose,
}

/// Whether the characters of a value allow that it is a secret; a quick check before [`is_secret`]. O(bytes).
pub(super) fn may_be_secret(value: &str, class: Class) -> bool {
    let shape = Shape::of(value);
    match class {
        Class::Password => shape.length >= 4,
        Class::ShortPassword => is_short_password(value, &shape),
        Class::Seed | Class::Beside => shape.digits > 0,
        Class::Secret | Class::Key => {
            shape.length >= 8
                && (shape.digits > 0 || shape.is_random(16) || are_random_letters(value, &shape))
        }
        Class::WeakKey => shape.digits > 0 && shape.is_random(24),
    }
}

/// Whether a value under a name of this class is a secret. O(bytes).
pub(super) fn is_secret(value: &str, class: Class, place: Place) -> bool {
    let shape = Shape::of(value);
    if shape.length < 4
        || is_foreign(value)
        || is_placeholder(value)
        || is_stop_word(value)
        || is_path(value)
        || is_pattern(value)
        || is_sealed(value)
        || is_public_key(value)
        || is_number(value)
        || is_address(value)
        || is_wallet(value)
        || is_stock(value)
        || is_option(value)
        || is_digest(value)
        || (shape.is_monotonous() && shape.length >= 12)
    {
        return false;
    }
    if !matches!(
        place,
        Place::Quoted { .. } | Place::Setting | Place::Argument
    ) && is_expression(value)
    {
        return false;
    }
    let may_be_type = !matches!(
        place,
        Place::Quoted { .. } | Place::Setting | Place::Argument
    );
    let is_named_type = || {
        is_type(value, &shape)
            || (may_be_type && shape.symbols == 0 && letters::are_joined_words(value))
    };
    if matches!(class, Class::Secret | Class::Key | Class::WeakKey) && is_named_type() {
        return false;
    }
    if place == Place::Argument
        && (is_call(value)
            || (is_member(value, ".") && (names_a_secret(value) || is_of_object(value))))
    {
        return false;
    }
    match class {
        Class::Password => is_password(value, &shape, place),
        Class::ShortPassword => {
            is_short_password(value, &shape)
                && shape.length - shape.digits > 2
                && is_password(value, &shape, place)
        }
        Class::Secret | Class::Key
            if place == Place::Argument && are_random_letters(value, &shape) =>
        {
            true
        }
        Class::Secret => {
            is_generated(value, &shape, 16)
                || is_strong(value, &shape, place)
                || is_word_with_number(value, &shape, place)
        }
        Class::Key => {
            is_generated(value, &shape, 16)
                || (shape.length >= 10 && is_strong(value, &shape, place))
        }
        Class::WeakKey => {
            is_generated(value, &shape, 24)
                && shape.upper > 0
                && shape.lower > 0
                && (shape.digits > 1 || letters::are_unlike_words(value))
                && !value.contains(['.', '/', '\\', ':', ' ', ','])
        }
        Class::Seed | Class::Beside => false,
    }
}

/// Whether it may be the value of a short name such as `pass`.
fn is_short_password(value: &str, shape: &Shape) -> bool {
    shape.digits > 0
        || (shape.length >= 8 && shape.sorts() >= 3)
        || are_random_letters(value, shape)
}

/// Whether it is letters of both cases that follow one another as in no word.
fn are_random_letters(value: &str, shape: &Shape) -> bool {
    shape.length >= 12
        && shape.letters() == shape.length
        && shape.upper >= 3
        && shape.lower >= 3
        && is_scrambled(value)
        && letters::are_unlike_words(value)
}

/// Passwords: with a digit or punctuation anywhere, of letters only where nothing else can stand.
fn is_password(value: &str, shape: &Shape, place: Place) -> bool {
    let is_attribute = value.strip_suffix('=').is_some_and(|name| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    });
    if shape.blanks > 0 {
        return place == Place::Setting && is_phrase(value, shape);
    }
    if is_sentence_end(value) || is_attribute || is_name_of_secret(value, shape) {
        return false;
    }
    if value
        .strip_prefix("0x")
        .is_some_and(|rest| rest.len() <= 12)
    {
        return false;
    }
    let is_plain = shape.digits == 0
        && !is_scrambled(value)
        && !(shape.length >= 10 && shape.upper > 0 && letters::are_unlike_words(value))
        && value
            .chars()
            .all(|one| one.is_alphabetic() || matches!(one, '_' | '-' | '.' | '\''));
    let is_number = shape.digits == shape.length;
    let is_name = names_a_secret(value);
    match place {
        Place::Setting => is_password(value, shape, Place::Quoted { is_label: false }),
        Place::Quoted { is_label } => {
            let is_title = is_label && value.starts_with(char::is_uppercase) && shape.upper == 1;
            !is_plain || !(is_name || is_title || value.contains(['.', '_']) || shape.symbols > 1)
        }
        Place::Argument => !is_plain || !is_name,
        Place::Line { is_code: false } => {
            if is_plain {
                shape.symbols == 0 && shape.length >= 6 && shape.upper == 0 && !is_name
            } else {
                !is_version(value)
            }
        }
        Place::Line { is_code: true } | Place::Inline => {
            let is_count = is_number && shape.length < 6;
            let is_code = is_plain || is_identifier(value, shape) || is_count;
            !is_code && !is_version(value)
        }
        Place::Prose => {
            let is_variable = is_name && (shape.symbols == 0 || shape.digits == 0);
            let is_text = is_plain || is_measure(value, shape) || is_version(value) || is_variable;
            !is_text && shape.length >= 6
        }
    }
}

/// Whether it is a phrase as people choose them: words of which none stands in messages about passwords.
fn is_phrase(value: &str, shape: &Shape) -> bool {
    let is_telling = |word: &str| {
        let bare = word.trim_matches(|one: char| !one.is_alphanumeric());
        is_stop_word(word) || with_lower(bare, |lower| has(&lists().prepositions, lower))
    };
    let words = value.split(' ').count();
    shape.blanks + 1 == words
        && (3..=8).contains(&words)
        && !names_a_secret(value)
        && !value.contains(['$', '`', '(', '<', '{', '%', '/', '\\', '='])
        && !value.ends_with(['.', ':', '?', '!', ',', '…'])
        && !value.split(' ').any(is_telling)
}

/// Whether a value looks generated: it isn't a name, a version or a list of words.
fn is_generated(value: &str, shape: &Shape, least: usize) -> bool {
    !is_digest(value)
        && shape.is_random(least)
        && !shape.may_be_words()
        && !letters::are_joined_words(value)
        && (shape.digits > 0 || letters::are_unlike_words(value))
}

/// Whether it says that it is a digest: `sha256-…`, `md5:…`, `sha512=…`.
pub(super) fn is_digest(value: &str) -> bool {
    let names = [
        "sha1", "sha224", "sha256", "sha384", "sha512", "md5", "SHA256",
    ];
    value.starts_with(['s', 'S', 'm'])
        && names.iter().any(|name| {
            let rest = value.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(['-', ':', '=']))
        })
}

/// Whether a value is a public key: the beginning of its DER in base 64 names the algorithm.
fn is_public_key(value: &str) -> bool {
    let begins = [
        "MFkwEwYHKoZIzj0CAQYI",
        "MCowBQYDK2Vw",
        "MIIBIjANBgkqhkiG",
        "MIICIjANBgkqhkiG",
    ];
    value.starts_with('M') && begins.iter().any(|begin| value.starts_with(begin))
}

/// Whether a value is the address of a wallet or a contract, which is public.
fn is_wallet(value: &str) -> bool {
    let digits = value.strip_prefix("0x");
    digits.is_some_and(|digits| {
        digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Whether a value is sealed: encrypted by Sealed Secrets or AWS KMS.
fn is_sealed(value: &str) -> bool {
    let begins = ["AgA", "AgB", "AgC", "AgD", "AQICAH", "AQECAH"];
    value.len() >= 160 && begins.iter().any(|begin| value.starts_with(begin))
}

/// Whether a value is a strong password: three kinds of characters, no name in it.
fn is_strong(value: &str, shape: &Shape, place: Place) -> bool {
    let is_fixed = !matches!(place, Place::Inline | Place::Line { is_code: true });
    is_fixed
        && shape.blanks == 0
        && shape.length >= 8
        && shape.digits > 0
        && shape.sorts() >= 3
        && !names_a_secret(value)
        && !is_version(value)
        && !is_sentence_end(value)
        && !is_measure(value, shape)
        && !value.contains(['(', '/', ':'])
        && !value.contains("%2")
        && (!value.contains(['.', '_', '-'])
            || value.contains(['!', '@', '#', '$', '%', '&', '*', '+', '?', '^']))
}

/// Whether it is letters with two digits or more, where nothing but a value can stand.
fn is_word_with_number(value: &str, shape: &Shape, place: Place) -> bool {
    let is_fixed = matches!(
        place,
        Place::Argument | Place::Setting | Place::Quoted { is_label: false }
    );
    let is_plain = shape.digits + shape.letters() == shape.length;
    is_fixed
        && is_plain
        && shape.length >= 8
        && shape.digits >= 2
        && shape.letters() >= 4
        && !names_a_secret(value)
}

/// The longest word that is no value, in bytes.
const MOST_WORD: usize = 32;

/// Whether it is a word of the list of values that are none, also with punctuation around it.
fn is_stop_word(value: &str) -> bool {
    let bare = value.trim_matches(|one: char| !one.is_alphanumeric());
    if bare.len() > MOST_WORD {
        return false;
    }
    let is_listed =
        |lower: &str| has(&lists().not_values, lower) || has(&lists().password_names, lower);
    bare.is_empty() || with_lower(bare, is_listed)
}

/// Whether it is text of another script: it has East Asian letters, or no ASCII letter or digit. Pictographs may stand in
/// passwords that have a digit.
fn is_foreign(value: &str) -> bool {
    let has_digit = || value.bytes().any(|byte| byte.is_ascii_digit());
    !value.is_ascii()
        && (value
            .chars()
            .any(|one| one >= '\u{2e80}' && !(is_pictograph(one) && has_digit()))
            || (!value.bytes().any(|byte| byte.is_ascii_alphanumeric())
                && value.chars().any(char::is_alphabetic)))
}

fn is_pictograph(one: char) -> bool {
    ('\u{1f000}'..='\u{1faff}').contains(&one)
}

/// Whether its letters change between small and capital too often for words: parts of two or three letters.
fn is_scrambled(value: &str) -> bool {
    let (mut parts, mut letters) = (0, 0);
    let mut before = b'-';
    for byte in value.bytes() {
        if byte.is_ascii_alphabetic() {
            letters += 1;
            let begins = !before.is_ascii_alphabetic()
                || (byte.is_ascii_uppercase() && before.is_ascii_lowercase());
            parts += usize::from(begins);
        }
        before = byte;
    }
    letters >= 10 && letters * 2 <= parts * 7 && value.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether it is a path, a URL or the name of a file.
fn is_path(value: &str) -> bool {
    const ENDINGS: [&str; 30] = [
        ".txt", ".pem", ".key", ".json", ".yml", ".yaml", ".toml", ".md", ".js", ".ts", ".tsx",
        ".py", ".rs", ".go", ".java", ".html", ".css", ".env", ".conf", ".cfg", ".ini", ".crt",
        ".p12", ".xml", ".php", ".rb", ".sh", ".log", ".svg", ".png",
    ];
    let head = value.as_bytes();
    ["/", "./", "../", "~/", "\\\\", "//"]
        .iter()
        .any(|start| value.starts_with(start))
        && value[1..].contains('/')
        || value.contains("://")
        || matches!(head, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
        || value.len() > 2
            && head[head.len().saturating_sub(5)..].contains(&b'.')
            && ENDINGS.iter().any(|ending| value.ends_with(ending))
        || (value.bytes().filter(|byte| *byte == b'/').count() >= 2
            && !value.bytes().any(|byte| byte.is_ascii_uppercase()))
        || (value.contains('/') && !value.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether it is a regular expression or a format.
fn is_pattern(value: &str) -> bool {
    static PARTS: LazyLock<Literals> = LazyLock::new(|| {
        Literals::new([
            "\\d", "\\w", "\\s", "[a-z", "[A-Z", "[0-9", "[^", ".*", ".+", "(?:", "[:", "\\x",
            "(?=", "(?P",
        ])
    });
    value.contains(['\\', '[', '.', '(']) && PARTS.occur_in(value)
        || value.starts_with('^') && value.ends_with('$')
}

/// Whether it is an option such as `--no-block`, or a pattern such as `os2*`.
fn is_option(value: &str) -> bool {
    let is_all = |text: &str, may: fn(u8) -> bool| !text.is_empty() && text.bytes().all(may);
    let is_long = value
        .strip_prefix("--")
        .is_some_and(|name| is_all(name, |byte| byte.is_ascii_lowercase() || byte == b'-'));
    let is_glob = value.strip_suffix('*').is_some_and(|name| {
        name.len() <= 7
            && is_all(name, |byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit()
            })
    });
    is_long || is_glob
}

/// Whether it is the address of a person or a program in small letters: `from@abc`, `user@site.org`.
fn is_address(value: &str) -> bool {
    let is_part = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || b".-_".contains(&byte))
    };
    value
        .split_once('@')
        .is_some_and(|(user, host)| is_part(user) && is_part(host))
}

/// Whether it reads like a variable with a number: small words and few digits at their end.
fn is_identifier(value: &str, shape: &Shape) -> bool {
    let is_word = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let trailing = value.bytes().rev().take_while(u8::is_ascii_digit).count();
    is_word
        && (names_a_secret(value)
            || value.contains('_')
            || (trailing == shape.digits
                && trailing < 2
                && !is_scrambled(value)
                && !letters::are_unlike_words(value))
            || value.starts_with("0x"))
}

/// Whether a value has the name of a secret in it, as variables and examples do.
pub(super) fn names_a_secret(value: &str) -> bool {
    static NAMES: LazyLock<Literals> = LazyLock::new(|| {
        Literals::ignoring_case([
            "password",
            "passwd",
            "secret",
            "token",
            "apikey",
            "api_key",
            "api-key",
            "credential",
            "passphrase",
            "passwort",
        ])
    });
    let is_mark = |byte| matches!(byte, b'!' | b'#' | b'$' | b'%' | b'@' | b'&' | b'^');
    NAMES.occur_in(value)
        && !value.bytes().any(is_mark)
        && value.bytes().filter(u8::is_ascii_digit).count() < 3
}

/// Whether it is the name of a variable for a password: `dot1xPassword`.
fn is_name_of_secret(value: &str, shape: &Shape) -> bool {
    (1..3).contains(&shape.digits)
        && value.ends_with(|one: char| one.is_ascii_alphabetic())
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && class_of_identifier(value).is_some()
}

/// Whether it ends as sentences do.
fn is_sentence_end(value: &str) -> bool {
    value.ends_with(['?', '…', ':', ','])
}

/// `v1.2.3`, `2024-05-01`, `12:30:00`, `10.0.0.1`, `1:4.13+dfsg1-1`.
fn is_version(value: &str) -> bool {
    let rest = value.strip_prefix(['v', 'V']).unwrap_or(value);
    is_package_version(rest)
        || rest.contains(['.', '-', ':', '/'])
            && rest.bytes().all(|byte| {
                byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b':' | b'/' | b'T' | b'Z')
            })
}

/// The version of a package: numbers with dots, then words in small letters and numbers after `+`, `-` or `~`.
fn is_package_version(value: &str) -> bool {
    let is_number = |one: char| one.is_ascii_digit() || one == '.' || one == ':';
    let rest = value.trim_start_matches(is_number);
    let number = &value[..value.len() - rest.len()];
    let is_part =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-~.".contains(&byte);
    number.len() >= 3
        && number.contains('.')
        && rest.starts_with(['+', '-', '~'])
        && rest.bytes().all(is_part)
}

/// `90-day`, `32-byte`, `8+`, `100%`, `12,`.
fn is_measure(value: &str, shape: &Shape) -> bool {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let is_counted = digits > 0 && digits == shape.digits && shape.upper == 0 && digits < 6;
    let rest = &value[digits..];
    is_counted
        && (rest.starts_with('-')
            || rest.starts_with('+')
            || rest.starts_with('%')
            || rest.is_empty())
}
