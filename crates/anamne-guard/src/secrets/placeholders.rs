//! Texts that stand for a value: variables, templates, redactions and examples to fill in.

use std::sync::LazyLock;

use super::{steps, words};
use crate::literals::Literals;

/// Whether a value stands for another one. O(bytes).
pub(super) fn is_placeholder(value: &str) -> bool {
    steps::count(value.len());
    is_marked(value) || is_reference(value) || has_telling_word(value) || is_repetitive(value)
}

/// Redactions and templates: `[secret:password]`, `<token>`, `{{ var }}`, `***`, `…`.
fn is_marked(value: &str) -> bool {
    static MARKS: LazyLock<Literals> = LazyLock::new(|| {
        Literals::new([
            "${",
            "$(",
            "{{",
            "<%",
            "#{",
            "***",
            "•••",
            "...",
            "…",
            "[secret:",
            "[personal:",
            "%(",
        ])
    });
    const ESCAPED: [&str; 6] = ["%7B", "%7b", "%3C", "%3c", "%5B", "%5b"];
    let may_mark = |byte: u8| byte >= 0x80 || b"[<{&%_$#*.?-".contains(&byte);
    if !value.is_empty() && !value.bytes().any(may_mark) {
        return false;
    }
    let enclosed = |open: char, close: char| value.starts_with(open) && value.ends_with(close);
    value.is_empty()
        || value.starts_with(['[', '<', '{', '…', '•', '&'])
        || ESCAPED.iter().any(|open| value.starts_with(open))
        || enclosed('%', '%')
        || enclosed('_', '_')
        || MARKS.occur_in(value)
        || (value.contains('{') && value.contains('}') && !value.contains(['!', '@', '^']))
        || value.contains('<') && value.contains('>') && value.len() < 40
        || matches!(
            value,
            "%s" | "%d" | "%v" | "%q" | "%r" | "?" | "??" | "-" | "--"
        )
}

/// How references begin.
const SCHEMES: [&str; 21] = [
    "ENC[",
    "ENC(",
    "op://",
    "arn:",
    "vault:",
    "ref+",
    "file:",
    "env:",
    "env(",
    "keychain:",
    "ssm:",
    "secret:",
    "!vault",
    "!Ref",
    "!Sub",
    "!GetAtt",
    "!ImportValue",
    "!secret",
    "projects/",
    "data:",
    "$ANSIBLE_VAULT",
];

/// The first letters of [`SCHEMES`].
const SCHEME_LETTERS: [char; 13] = [
    'E', 'o', 'a', 'v', 'r', 'f', 'e', 'k', 's', '!', 'p', 'd', '$',
];

/// References to a value that is kept elsewhere: `$NAME`, `$name`, `@name@`, `op://…`, `ENC[…]`.
pub(super) fn is_reference(value: &str) -> bool {
    let is_name = |name: &str| {
        let mut bytes = name.bytes();
        let is_head = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
        bytes.next().is_some_and(is_head)
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.'))
    };
    // Perl follows a variable by `->`, whose end is no part of the value.
    let is_variable = value
        .strip_prefix('$')
        .map(|name| name.trim_end_matches('-'))
        .is_some_and(is_name)
        || value.strip_prefix("%env(").is_some()
        || value
            .strip_prefix('@')
            .and_then(|rest| rest.strip_suffix('@'))
            .is_some_and(is_name);
    is_variable
        || value.starts_with(SCHEME_LETTERS)
            && SCHEMES.iter().any(|scheme| value.starts_with(scheme))
        || value.contains("getenv")
        || value.contains(['.', '['])
            && [
                "os.environ",
                "process.env",
                "ENV[",
                "import.meta",
                "System.",
            ]
            .iter()
            .any(|call| value.contains(call))
}

/// Words that only occur in examples to fill in, such as `changeme` and `your`.
fn has_telling_word(value: &str) -> bool {
    static WORDS: LazyLock<Literals> =
        LazyLock::new(|| Literals::ignoring_case(words::lists().telling.iter().copied()));
    WORDS.occur_in(value)
}

/// Whether one character stands four times or more in a row and makes up a quarter of the value, or there is but one.
fn is_repetitive(value: &str) -> bool {
    let (mut run, mut longest, mut before) = (0, 0, 0);
    for byte in value.bytes() {
        run = if byte == before { run + 1 } else { 1 };
        longest = longest.max(run);
        before = byte;
    }
    longest == value.len() || (longest >= 4 && longest * 4 >= value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_begins_with_one_of_the_letters() {
        assert!(
            SCHEMES
                .iter()
                .all(|scheme| scheme.starts_with(SCHEME_LETTERS))
        );
    }

    #[test]
    fn placeholders_are_told_from_values() {
        for value in [
            "[secret:password]",
            "***",
            "<token>",
            "${VAR}",
            "$(cmd)",
            "{{ var }}",
            "%s",
            "os.environ[\"X\"]",
            "process.env.X",
            "xxxx",
            "changeme",
            "your-key-here",
            "$PASSWORD",
            "%PASSWORD%",
            "aaaaaaaa",
            "abcd****",
            "op://vault/item",
            "ENC[AES256_GCM,x]",
            "__TOKEN__",
            "sk-...",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in [
            "hunter2",
            "Tr0ub4dor&3",
            "p@$$w0rd!9",
            "$ecr3t-9x!",
            "q{7}!x@z",
        ] {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
