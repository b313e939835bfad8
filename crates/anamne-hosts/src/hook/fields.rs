//! Foreign JSON, read in bounded time and memory.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The most members of the input that are kept. Hosts send about twenty.
const MAX_MEMBERS: usize = 64;
/// The most values that are kept of one member of the input. A tool's answer may have millions.
const MAX_VALUES: usize = 1000;
/// The deepest values that are kept, from 0 for the input itself.
const MAX_DEPTH: usize = 8;

/// The members of an object; of another type each counts as missing.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    pub(super) fn new(object: &'a Map<String, Value>) -> Self {
        Self(object)
    }

    /// The first of these members that is there and isn't null.
    pub(super) fn any(self, names: &[&str]) -> Option<&'a Value> {
        names
            .iter()
            .filter_map(|name| self.0.get(*name))
            .find(|value| !value.is_null())
    }

    /// The first of these members that is a text with more than white space.
    pub(super) fn text(self, names: &[&str]) -> Option<&'a str> {
        names
            .iter()
            .filter_map(|name| self.0.get(*name)?.as_str())
            .find(|text| !text.trim().is_empty())
    }

    /// The first of these members that is an object.
    pub(super) fn object(self, names: &[&str]) -> Option<Self> {
        names
            .iter()
            .find_map(|name| self.0.get(*name)?.as_object())
            .map(Self)
    }

    /// The first text of the first of these members that is a list with one.
    pub(super) fn first_of(self, names: &[&str]) -> Option<&'a str> {
        names
            .iter()
            .filter_map(|name| self.0.get(*name)?.as_array())
            .find_map(|list| list.iter().find_map(Value::as_str))
    }

    /// The first of these members that is a truth value.
    pub(super) fn flag(self, names: &[&str]) -> Option<bool> {
        names.iter().find_map(|name| self.0.get(*name)?.as_bool())
    }

    /// The first of these members that is a number, or a text of digits: some hosts write 64-bit numbers as texts.
    pub(super) fn number(self, names: &[&str]) -> Option<i64> {
        names
            .iter()
            .find_map(|name| whole_number(self.0.get(*name)?))
    }

    /// Whether one of these members is there, null or not.
    pub(super) fn has(self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn whole_number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number
            .as_i64()
            .or_else(|| number.as_f64().map(|number| number.round() as i64)),
        Value::String(digits) => digits.trim().parse().ok(),
        _ => None,
    }
}

/// Reads an object: the first members, of each the first values, none too deep. Anything else is an empty object.
/// O(length) in time; in memory the texts that are kept and a bounded number of values.
pub(super) fn read_object(bytes: &[u8]) -> Map<String, Value> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes)
        .ok()
        .and_then(parse)
        .or_else(|| parse(&mended(bytes)))
        .unwrap_or_default()
}

fn parse(text: &str) -> Option<Map<String, Value>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let object = deserializer.deserialize_map(Members).ok()?;
    deserializer.end().ok()?;
    Some(object)
}

/// The text without what JSON readers refuse though hosts write it: bytes that aren't UTF-8, and halves of surrogate
/// pairs, left over where a text was cut. O(length).
fn mended(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut mended = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (surrogate(rest), rest.get(6..).and_then(surrogate)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(_), _) => {
                mended.push('\u{FFFD}');
                rest = &rest[6..];
                continue;
            }
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    mended.push_str(rest);
    mended
}

/// The surrogate that a text starts with, as an escape.
fn surrogate(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let unit = u16::from_str_radix(digits, 16).ok()?;
    (0xD800..=0xDFFF).contains(&unit).then_some(unit)
}

/// Reads the members of the input.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Map<String, Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            if members.len() >= MAX_MEMBERS {
                object.next_value::<IgnoredAny>()?;
                continue;
            }
            let left = Cell::new(MAX_VALUES);
            let value = object.next_value_seed(Kept {
                left: &left,
                depth: 1,
            })?;
            members.insert(name, value);
        }
        Ok(members)
    }
}

/// Reads a value without what is too much of it.
#[derive(Clone, Copy)]
struct Kept<'a> {
    /// How many values may still be kept.
    left: &'a Cell<usize>,
    depth: usize,
}

impl Kept<'_> {
    /// The reader of a value inside; `None` if it isn't kept.
    fn inner(self) -> Option<Self> {
        let left = self.left.get().checked_sub(1)?;
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.left.set(left);
        Some(Self {
            depth: self.depth + 1,
            ..self
        })
    }
}

impl<'de> DeserializeSeed<'de> for Kept<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Kept<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }
    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }
    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(inner) = self.inner() {
            match list.next_element_seed(inner)? {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(inner) = self.inner() {
            let Some(name) = object.next_key::<String>()? else {
                return Ok(Value::Object(members));
            };
            members.insert(name, object.next_value_seed(inner)?);
        }
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &Value) {
        assert_eq!(&Value::Object(read_object(bytes)), expected);
    }

    fn count(value: &Value) -> usize {
        1 + match value {
            Value::Array(items) => items.iter().map(count).sum(),
            Value::Object(members) => members.values().map(count).sum(),
            _ => 0,
        }
    }

    #[test]
    fn what_is_no_object_is_empty() {
        for bytes in [
            &b""[..],
            b"[1]",
            b"\"a\"",
            b"{\"a\":1",
            b"{\"a\":1} x",
            b"nul",
            b"\xFF\xFE{}",
        ] {
            check(bytes, &serde_json::json!({}));
        }
    }

    #[test]
    fn marks_of_byte_order_broken_bytes_and_half_characters_do_no_harm() {
        check(b"\xEF\xBB\xBF{\"a\":1}", &serde_json::json!({"a": 1}));
        check(
            b"{\"a\":\"x\xFFy\"}",
            &serde_json::json!({"a": "x\u{FFFD}y"}),
        );
        check(
            br#"{"a":"x\ud83d","b":"\\ud83d"}"#,
            &serde_json::json!({"a": "x\u{FFFD}", "b": "\\ud83d"}),
        );
        check(
            br#"{"a":"\ud83d\ude00\ude00\n"}"#,
            &serde_json::json!({"a": "😀\u{FFFD}\n"}),
        );
    }

    #[test]
    fn the_rest_of_a_long_list_and_of_a_deep_value_is_left_out() {
        let long = format!("{{\"a\":[{}1],\"b\":2}}", "[],".repeat(100_000));
        let kept = read_object(long.as_bytes());
        assert_eq!(kept["b"], 2);
        assert!(count(&kept["a"]) <= MAX_VALUES + 1);
        let deep = format!("{{\"a\":{}{},\"b\":2}}", "[".repeat(50), "]".repeat(50));
        let kept = read_object(deep.as_bytes());
        assert_eq!(
            (count(&kept["a"]), &kept["b"]),
            (MAX_DEPTH, &Value::from(2))
        );
        let wide: Vec<String> = (0..10_000)
            .map(|n| format!("\"{n}\":{{\"a\":[1]}}"))
            .collect();
        assert_eq!(
            read_object(format!("{{{}}}", wide.join(",")).as_bytes()).len(),
            MAX_MEMBERS
        );
    }

    #[test]
    fn a_value_of_another_type_counts_as_missing() {
        let object =
            read_object(br#"{"a":[1],"b":"7","c":" ","d":null,"e":[3,"x"],"f":2.6,"g":true}"#);
        let fields = Fields::new(&object);
        assert_eq!(fields.text(&["a", "c", "d", "b"]), Some("7"));
        assert_eq!(
            (fields.number(&["a", "b"]), fields.number(&["f"])),
            (Some(7), Some(3))
        );
        assert_eq!(fields.first_of(&["a", "b", "e"]), Some("x"));
        assert_eq!(
            (fields.flag(&["b", "g"]), fields.any(&["d"]).is_some()),
            (Some(true), false)
        );
        assert!(fields.has("d") && fields.object(&["a"]).is_none());
    }
}
