//! Whether a value is code: a number, a type, a call, a path of names.

use crate::secrets::letters;
use crate::secrets::shape::Shape;

/// Whether it is the name of a type, a constant or a member: `list[Item]`, `KERB_S4U2PROXY_CRED`, `client.Credentials`.
pub(super) fn is_type(value: &str, shape: &Shape) -> bool {
    let is_constant = shape.lower == 0
        && value.contains('_')
        && shape.upper > shape.digits * 3
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_name = |part: &str| {
        part.starts_with(|one: char| one.is_ascii_alphabetic() || one == '_')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_path = || {
        (shape.upper > 0 || shape.digits < 2)
            && value.contains('.')
            && value.split('.').all(is_name)
            && !letters::are_unlike_words(value)
    };
    is_constant || (is_opened(value) && value.ends_with(']')) || is_path()
}

/// Whether it is a number of a program, a version or a number of an object: `0x8000u32`, `-7i32`, `1.2.840`.
pub(super) fn is_number(value: &str) -> bool {
    const SUFFIXES: [&str; 17] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "ULL", "UL", "LL", "L", "U",
    ];
    let bare = value.strip_prefix('-').unwrap_or(value);
    if !bare.starts_with(|one: char| one.is_ascii_digit() || one == '_' || one == '.') {
        return false;
    }
    let suffix = SUFFIXES.iter().find_map(|suffix| bare.strip_suffix(suffix));
    let digits = suffix.unwrap_or(bare).trim_end_matches('_');
    let is_in = |text: &str, may: fn(u8) -> bool| {
        !text.is_empty() && text.bytes().all(|byte| may(byte) || byte == b'_')
    };
    if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        return hex.len() <= 20 && is_in(hex, |byte| byte.is_ascii_hexdigit());
    }
    let is_dotted = || {
        bare.contains('.')
            && bare
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    suffix.is_some() && is_in(digits, |byte| byte.is_ascii_digit()) || is_dotted()
}

/// Whether it is code: a call, an index, a path of names, a variable.
pub(super) fn is_expression(value: &str) -> bool {
    let Some(first) = value.chars().next() else {
        return true;
    };
    is_opened(value)
        || value.contains(").")
        || matches!(
            first,
            '(' | '['
                | '{'
                | '<'
                | '|'
                | ':'
                | ')'
                | '}'
                | ','
                | ';'
                | '*'
                | '&'
                | '='
                | '\\'
                | '/'
        )
        || is_member(value, ".")
        || is_member(value, "::")
        || is_member(value, "->")
        || is_member(value, "?.")
        || value.contains("=>")
        || value.contains("&&")
        || is_minified(value)
        || is_scoped(value)
        || value.contains("||")
        || (first == '!'
            && value[1..].starts_with(|one: char| one.is_alphabetic())
            && !value.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether it is a variable after its scope, as Vim writes it: `s:name`, `a:dict.name`.
fn is_scoped(value: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte == b'_' || byte == b'.';
    matches!(value.as_bytes(), [b'a' | b'b' | b'g' | b'l' | b's' | b't' | b'v' | b'w', b':', name @ ..]
        if name.len() >= 3 && name.iter().all(|byte| is_part(*byte)))
}

/// Whether the first of joined names is one that objects and settings have in programs: `self.auth_pass`.
pub(super) fn is_of_object(value: &str) -> bool {
    const OBJECTS: [&str; 24] = [
        "self", "this", "cls", "args", "config", "cfg", "conf", "opts", "options", "settings",
        "params", "ctx", "context", "request", "req", "data", "props", "state", "env", "module",
        "user", "local", "var", "each",
    ];
    value
        .split_once('.')
        .is_some_and(|(object, _)| OBJECTS.contains(&object))
}

/// Whether it is code without blanks: `value}get`, `isReady=!0`.
fn is_minified(value: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|one: char| one.is_ascii_alphabetic() || one == '_' || one == '$')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte))
    };
    let is_set =
        |name: &str| name.len() >= 8 && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    (value.contains('}') && value.split('}').all(is_name))
        || value
            .split_once('=')
            .is_some_and(|(name, rest)| is_set(name) && !rest.is_empty())
}

/// Whether names stand before an opening bracket.
fn is_opened(value: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:$&!?".contains(&byte);
    let open = value.find(['(', '[']);
    open.is_some_and(|at| value[..at].bytes().all(is_name))
}

/// Whether it is a call or an index from beginning to end, or the beginning of a call: `dict(required=True`.
pub(super) fn is_call(value: &str) -> bool {
    let has_argument = || {
        let name = value.split(['(', '=']).nth(1).unwrap_or_default();
        value.contains('=')
            && !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    is_opened(value)
        && (value.ends_with([')', ']', '(', '[', '{', '"', '\'', '='])
            || value.contains("].")
            || value.contains(").")
            || has_argument())
}

/// Whether it is names joined by a separator.
pub(super) fn is_member(value: &str, separator: &str) -> bool {
    let is_head = |one: char| one.is_ascii_alphabetic() || one == '_' || one == '$';
    let is_name = |part: &str| {
        part.starts_with(is_head)
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_?!$".contains(&byte))
    };
    if !value.contains(separator) {
        return false;
    }
    let is_unlike = || letters::are_unlike_words(value) || has_long_number(value);
    if value.len() >= 12 && has_both_cases(value) && is_unlike() {
        return false;
    }
    let is_random = |part: &str| part.len() >= 20 && Shape::of(part).is_random(20);
    value
        .split(separator)
        .all(|part| is_name(part) && !is_random(part))
}

/// Whether four digits stand in a row, as in `Meadow3779.N72`.
fn has_long_number(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes
        .windows(4)
        .any(|four| four.iter().all(u8::is_ascii_digit))
}

fn has_both_cases(value: &str) -> bool {
    let has = |is_case: fn(&u8) -> bool| value.as_bytes().iter().any(is_case);
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
}
