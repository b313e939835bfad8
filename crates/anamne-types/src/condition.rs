//! Conditions on a memory's metadata.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

use crate::limits::{accept, check_name};
use crate::{InvalidValue, Limits, Metadata};

/// How the value of a condition is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Exists,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Contains,
}

use Comparison::{AtLeast, AtMost, Contains, Equal, Exists, Greater, Less, Unequal};

/// The signs of the comparisons; of two that begin alike, the longer first.
const SIGNS: [(&str, Comparison); 7] = [
    ("!=", Unequal),
    ("<=", AtMost),
    (">=", AtLeast),
    ("<", Less),
    (">", Greater),
    ("=", Equal),
    ("~", Contains),
];

/// A condition on one value of a memory's metadata: `ticket=42`, `priority>=3`, `owner!=Ada`, `title~deploy`, `ticket`.
///
/// The value is JSON if it is a JSON number, boolean, null or quoted text, else text. Numbers are compared as numbers and
/// texts by their bytes; values of different types never match, not even with `!=`, and neither does a missing name.
/// `~` finds text within text, ignoring case, and an element of a list. A dotted name reaches into objects where no name
/// is equal to it as a whole.
///
/// ```
/// use anamne_types::Condition;
///
/// let condition: Condition = "priority >= 3".parse()?;
/// let metadata = serde_json::from_str(r#"{"priority": 4.5}"#).unwrap();
/// assert!(condition.matches(&metadata));
/// # Ok::<(), anamne_types::InvalidValue>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    name: String,
    comparison: Comparison,
    /// Null for [`Exists`]; always text for [`Contains`].
    value: Value,
}

impl Condition {
    /// The conditions of a text, separated by semicolons; one inside quotation marks separates nothing.
    pub fn read_all(text: &str) -> Result<Vec<Self>, InvalidValue> {
        let (mut is_quoted, mut is_escaped) = (false, false);
        let separates = |letter: char| {
            let was_escaped = is_escaped;
            is_escaped = letter == '\\' && !was_escaped;
            is_quoted ^= letter == '"' && !was_escaped;
            letter == ';' && !is_quoted
        };
        text.split(separates).map(str::parse).collect()
    }

    /// Whether metadata meets it. O(bytes of the value).
    pub fn matches(&self, metadata: &Metadata) -> bool {
        lookup(metadata, &self.name).is_some_and(|value| self.accepts(value))
    }

    /// A text that the JSON of every metadata that meets it contains; `None` if there is none.
    pub fn necessary(&self) -> Option<&str> {
        let first = self.name.split('.').next().unwrap_or_default();
        let is_plain = !first.is_empty() && !first.contains(['"', '\\']);
        is_plain.then_some(first)
    }

    fn accepts(&self, value: &Value) -> bool {
        let order = || compare(value, &self.value);
        match self.comparison {
            Exists => true,
            Equal => order() == Some(Ordering::Equal),
            Unequal => order().is_some_and(|order| order != Ordering::Equal),
            Less => order() == Some(Ordering::Less),
            Greater => order() == Some(Ordering::Greater),
            AtMost => order().is_some_and(|order| order != Ordering::Greater),
            AtLeast => order().is_some_and(|order| order != Ordering::Less),
            Contains => contains(value, self.value.as_str().unwrap_or_default()),
        }
    }
}

/// The value under a name, or under its parts. No deeper than the name has dots.
fn lookup<'a>(metadata: &'a Metadata, name: &str) -> Option<&'a Value> {
    if let Some(value) = metadata.get(name) {
        return Some(value);
    }
    let (first, mut rest) = name.split_once('.')?;
    let mut value = metadata.get(first)?;
    loop {
        let object = value.as_object()?;
        if let Some(found) = object.get(rest) {
            return Some(found);
        }
        let (first, others) = rest.split_once('.')?;
        (value, rest) = (object.get(first)?, others);
    }
}

/// The order of two values of one type; `None` for different types and lists.
fn compare(value: &Value, wanted: &Value) -> Option<Ordering> {
    match (value, wanted) {
        (Value::Number(value), Value::Number(wanted)) => compare_numbers(value, wanted),
        (Value::String(value), Value::String(wanted)) => Some(value.cmp(wanted)),
        (Value::Bool(value), Value::Bool(wanted)) => Some(value.cmp(wanted)),
        (Value::Null, Value::Null) => Some(Ordering::Equal),
        _ => None,
    }
}

/// Whole numbers are compared exactly.
fn compare_numbers(value: &Number, wanted: &Number) -> Option<Ordering> {
    match (value.as_i128(), wanted.as_i128()) {
        (Some(value), Some(wanted)) => Some(value.cmp(&wanted)),
        _ => value.as_f64()?.partial_cmp(&wanted.as_f64()?),
    }
}

/// Whether text contains `wanted`, in lower case, or a list has an element that does or is written like it.
fn contains(value: &Value, wanted: &str) -> bool {
    let within = |value: &Value| match value {
        Value::String(text) => text.to_lowercase().contains(wanted),
        Value::Number(_) | Value::Bool(_) => {
            let written = value.to_string();
            written == wanted
        }
        _ => false,
    };
    match value {
        Value::String(_) => within(value),
        Value::Array(values) => values.iter().any(within),
        _ => false,
    }
}

impl FromStr for Condition {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let first = text.find(['!', '<', '>', '=', '~']);
        let signed = first.and_then(|place| {
            let (name, rest) = text.split_at(place);
            let signs = SIGNS.iter();
            let mut found = signs.filter_map(|(sign, comparison)| {
                let value = rest.strip_prefix(sign)?.trim();
                Some((name.trim_end(), *comparison, value))
            });
            found.next()
        });
        let (name, comparison, value) = signed.unwrap_or((text, Exists, ""));
        check_name("where", name)?;
        accept(!name.contains('!'), "where", ACCEPTED, text)?;
        let most = Limits::CONDITION_BYTES;
        let accepts = format_args!("at most {most} bytes long");
        accept(text.len() <= most, "where", accepts, text)?;
        let is_doubled = match comparison {
            Contains => value.starts_with(['=', '~']),
            _ => value.starts_with(['=', '~', '<', '>', '!']),
        };
        accept(!is_doubled, "where", ONE_SIGN, text)?;
        let value = match comparison {
            Exists => Value::Null,
            Contains => text_of(value).to_lowercase().into(),
            _ => value_of(value),
        };
        let is_ordered = matches!(value, Value::Number(_) | Value::String(_));
        let is_scalar = !value.is_array() && !value.is_object();
        let needs_order = matches!(comparison, Less | AtMost | Greater | AtLeast);
        accept(
            is_scalar && (is_ordered || !needs_order),
            "where",
            ACCEPTED,
            text,
        )?;
        accept(
            comparison != Contains || value != "",
            "where",
            ACCEPTED,
            text,
        )?;
        Ok(Self {
            name: name.to_owned(),
            comparison,
            value,
        })
    }
}

const ACCEPTED: &str =
    "a name, or a name, one of = != < <= > >= ~, and a number or text, such as priority>=3";

const ONE_SIGN: &str = "a name, one of = != < <= > >= ~, and a value, in quotation marks if it begins with such a sign";

/// The value as JSON, else as text.
fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// The text as it is written, without quotation marks.
fn text_of(text: &str) -> String {
    match value_of(text) {
        Value::String(quoted) => quoted,
        _ => text.to_owned(),
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut signs = SIGNS.iter();
        match signs.find(|(_, comparison)| *comparison == self.comparison) {
            Some((sign, _)) => write!(formatter, "{}{sign}{}", self.name, self.value),
            None => formatter.write_str(&self.name),
        }
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn metadata() -> Metadata {
        let metadata = json!({
            "ticket": 42, "big": 9_007_199_254_740_993_u64, "share": 0.5, "owner": "Ada Weiß", "done": false,
            "nothing": null, "files": ["src/Main.rs", 7], "build": {"host": "ci-1", "a.b": 1, "deep": {"er": 3}},
            "build.os": "linux", "empty": "",
        });
        serde_json::from_value(metadata).expect("metadata")
    }

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let condition: Condition = text.parse().expect(text);
        assert_eq!(condition.matches(&metadata()), expected, "{text}");
        let written = condition.to_string();
        assert_eq!(written.parse().as_ref(), Ok(&condition), "{written}");
        let json = serde_json::to_string(&metadata()).expect("JSON");
        let necessary = condition.necessary();
        assert!(
            !expected || necessary.is_none_or(|part| json.contains(part)),
            "{text}"
        );
    }

    #[test]
    fn a_condition_compares_values_of_its_own_type() {
        for text in [
            "ticket",
            "nothing",
            "ticket=42",
            "ticket = 42.0",
            "ticket!=43",
            "ticket<43",
            "ticket<=42",
            "ticket>41.5",
            "ticket>=42",
            "big=9007199254740993",
            "big>9007199254740992",
            "share<1",
            "owner=Ada Weiß",
            "owner=\"Ada Weiß\"",
            "owner>Ada",
            "owner~weiß",
            "done=false",
            "done!=true",
            "nothing=null",
            "files~main",
            "files~7",
            "build.host=ci-1",
            "build.a.b=1",
            "build.deep.er>2",
            "build.os=linux",
            "empty=",
            "owner!=\"=Ada\"",
        ] {
            check(text, true);
        }
        for text in [
            "missing",
            "missing!=1",
            "ticket=\"42\"",
            "ticket!=\"42\"",
            "ticket=Ada",
            "ticket~42",
            "owner=ada weiß",
            "owner=42",
            "done=0",
            "done=\"false\"",
            "nothing!=1",
            "big=9007199254740992",
            "files=7",
            "files!=7",
            "files~src/other.rs",
            "build~ci",
            "build.deep=3",
            "build.deep.er.more",
            "ticket.number",
            "share<0",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn semicolons_separate_conditions_outside_of_quotation_marks() {
        let read = |text: &str| Condition::read_all(text).map(|all| all.len());
        assert_eq!(read("ticket=42"), Ok(1));
        assert_eq!(read("ticket=42; priority>=3;done"), Ok(3));
        assert_eq!(read(r#"title="a; b"; owner="c\";d""#), Ok(2));
        for text in ["", ";", "a=1;", "a=1;;b=2"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        let long = format!("owner={}", "x".repeat(Limits::CONDITION_BYTES));
        for text in [
            "",
            "  ",
            "=42",
            "ticket!42",
            "ticket=[1]",
            "ticket={}",
            "done<true",
            "nothing<null",
            "owner~",
            "ticket==42",
            "ticket<>42",
            "owner=~Ada",
            "a\u{7}b=1",
            &long,
        ] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
    }
}
