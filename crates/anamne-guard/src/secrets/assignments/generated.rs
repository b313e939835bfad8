//! Values that look generated wherever they stand.

use super::expressions::is_expression;
use super::judge::{Place, is_digest, is_secret, names_a_secret};
use super::names::Class;
use crate::secrets::letters;
use crate::secrets::shape::Shape;

/// Whether nobody would take a value for anything but a generated password, wherever it stands: letters of both cases with digits
/// or punctuation, or small letters and digits, in an order that no name has. O(bytes).
pub(super) fn is_plainly_generated(value: &str) -> bool {
    if !(8..=48).contains(&value.len()) {
        return false;
    }
    let shape = Shape::of(value);
    let is_mark = |byte: u8| b"!@#$%^&*?+~=".contains(&byte);
    let marks = value.bytes().filter(|byte| is_mark(*byte)).count();
    if shape.lower == 0
        || (shape.upper == 0 && !is_scattered(value, &shape))
        || (shape.digits + marks == 0 && shape.length < 16)
        || shape.digits == shape.length
        || shape.symbols * 2 > shape.length
        || !value.is_ascii()
        || value.starts_with("0x")
        || value.starts_with(['$', '-', '/', '%', '@', '&', '#', '.', '~'])
        || names_a_secret(value)
        || is_expression(value)
        || letters::are_joined_words(value)
        || is_choice(value)
        || ["%s", "%d", "%2F"].iter().any(|part| value.contains(part))
    {
        return false;
    }
    let is_odd = letters::are_unlike_words(value);
    let is_marked = marks > 0 && shape.digits > 0 && !is_assigned(value);
    let is_mixed = shape.digits > 0 && shape.changes() >= 4 && shape.changes() * 3 >= shape.length;
    (is_marked || is_odd || is_mixed || is_chosen(value))
        && shape.length - shape.symbols >= 7
        && is_secret(value, Class::Password, Place::Prose)
        && !is_digest(value)
}

/// Whether small letters and digits alternate as in no word, version or digest: `qi9xeso73`.
fn is_scattered(value: &str, shape: &Shape) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    shape.symbols == 0
        && shape.length <= 20
        && shape.changes() >= 3
        && letters::are_unlike_words(value)
        && !value.bytes().all(is_hex)
}

/// Whether a value is names with slashes or plus signs between them: `PL/Python3`.
pub(in crate::secrets) fn is_choice(value: &str) -> bool {
    let is_name = |part: &str| {
        let letters = part.trim_end_matches(|one: char| one.is_ascii_digit());
        part.len() - letters.len() <= 2
            && !letters.is_empty()
            && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let is_joint = |one: char| matches!(one, '/' | '+');
    value.contains(is_joint) && value.split(is_joint).all(is_name)
}

/// Whether a value is a word with a capital, three digits or more, a mark and some characters: `Meadow3779_N72`.
fn is_chosen(value: &str) -> bool {
    let word = value.trim_start_matches(|one: char| one.is_ascii_alphabetic());
    let rest = word.trim_start_matches(|one: char| one.is_ascii_digit());
    let tail = Shape::of(rest.get(1..).unwrap_or_default());
    let is_varied = tail.digits > 0 && tail.letters() > 0 || tail.upper > 0 && tail.lower > 0;
    value.len() - word.len() >= 3
        && word.len() - rest.len() >= 3
        && rest.starts_with(|one: char| one.is_ascii_punctuation())
        && tail.symbols == 0
        && tail.length >= 3
        && is_varied
}

/// Whether a value is a generated key wherever it stands: 20 letters of both cases and digits, in an order that no name has; or, if
/// that is enough, 32 digits in hexadecimal. O(bytes).
pub(super) fn is_plainly_a_key(value: &str, is_hex_enough: bool) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte);
    if !(20..=300).contains(&value.len()) || !value.bytes().all(is_base64) {
        return false;
    }
    let shape = Shape::of(value);
    let is_mixed = shape.upper > 1
        && shape.lower > 1
        && shape.digits > 1
        && shape.changes() * 3 >= shape.length
        && letters::are_unlike_words(value);
    let is_digits = is_hex_enough && value.len() >= 32 && value.bytes().all(is_hex);
    (is_mixed || is_digits)
        && shape.is_random(20)
        && !names_a_secret(value)
        && is_secret(value, Class::Key, Place::Prose)
}

/// `name=value`, `a=b&c=d`: a query or an assignment.
pub(super) fn is_assigned(value: &str) -> bool {
    let name = value.split('=').next().unwrap_or_default();
    name.len() < value.trim_end_matches('=').len()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}
