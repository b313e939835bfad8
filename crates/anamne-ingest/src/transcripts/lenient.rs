//! Fields of foreign JSON: a value of another type than expected counts as missing, and costs no memory.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The most items of a list that are kept.
pub(super) const MAX_ITEMS: usize = 4096;

/// What a field makes of each type of value.
pub(super) trait Field<'de>: Default {
    fn of_text(_text: Cow<'de, str>) -> Self {
        Self::default()
    }
    fn of_flag(_flag: bool) -> Self {
        Self::default()
    }
    fn of_number(_number: i64) -> Self {
        Self::default()
    }
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

/// Reads a [`Field`] of whatever type stands there; for `#[serde(deserialize_with)]`.
pub(super) fn field<'de, D, F>(deserializer: D) -> Result<F, D::Error>
where
    D: Deserializer<'de>,
    F: Field<'de>,
{
    deserializer.deserialize_any(FieldVisitor(PhantomData))
}

struct FieldVisitor<F>(PhantomData<F>);

impl<'de, F: Field<'de>> Visitor<'de> for FieldVisitor<F> {
    type Value = F;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<F, E> {
        Ok(F::of_text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<F, E> {
        Ok(F::of_text(Cow::Owned(text.to_owned())))
    }
    fn visit_bool<E>(self, flag: bool) -> Result<F, E> {
        Ok(F::of_flag(flag))
    }
    fn visit_i64<E>(self, number: i64) -> Result<F, E> {
        Ok(F::of_number(number))
    }
    fn visit_u64<E>(self, number: u64) -> Result<F, E> {
        Ok(i64::try_from(number).map_or_else(|_| F::default(), F::of_number))
    }
    fn visit_f64<E>(self, _number: f64) -> Result<F, E> {
        Ok(F::default())
    }
    fn visit_unit<E>(self) -> Result<F, E> {
        Ok(F::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<F, A::Error> {
        F::of_list(list)
    }
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<F, A::Error> {
        F::of_object(object)
    }
}

/// Implements `Deserialize` through [`Field`].
macro_rules! deserialize_as_field {
    ($name:ty $(, $parameter:ident)?) => {
        impl<'de $(, $parameter: serde::Deserialize<'de>)?> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::transcripts::lenient::field(deserializer)
            }
        }
    };
}
pub(super) use deserialize_as_field;

/// A text.
#[derive(Clone, Debug, Default)]
pub(super) struct Text<'a>(pub(super) Option<Cow<'a, str>>);

impl Text<'_> {
    /// The text, unless it is missing or empty.
    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    /// Whether the text is this one.
    pub(super) fn is(&self, text: &str) -> bool {
        self.0.as_deref() == Some(text)
    }

    /// The text as a time.
    pub(super) fn time(&self) -> Option<jiff::Timestamp> {
        self.get()?.parse().ok()
    }
}

impl<'de: 'a, 'a> Field<'de> for Text<'a> {
    fn of_text(text: Cow<'de, str>) -> Self {
        Self(Some(text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field(deserializer)
    }
}

/// A truth value; false if missing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flag(pub(super) bool);

impl Field<'_> for Flag {
    fn of_flag(flag: bool) -> Self {
        Self(flag)
    }
}
deserialize_as_field!(Flag);

/// A whole number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number(pub(super) Option<i64>);

impl Field<'_> for Number {
    fn of_number(number: i64) -> Self {
        Self(Some(number))
    }
}
deserialize_as_field!(Number);

/// A list, of which the first `MAX` items are kept.
#[derive(Clone, Debug)]
pub(super) struct List<T, const MAX: usize = MAX_ITEMS>(pub(super) Vec<T>);

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Field<'de> for List<T, MAX> {
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut items = Vec::new();
        while items.len() < MAX {
            let Some(item) = list.next_element()? else {
                return Ok(Self(items));
            };
            items.push(item);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self(items))
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field(deserializer)
    }
}

/// An object.
#[derive(Clone, Debug)]
pub(super) struct Object<T>(pub(super) Option<Box<T>>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Field<'de> for Object<T> {
    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object))
            .map(|object| Self(Some(Box::new(object))))
    }
}
deserialize_as_field!(Object<T>, T);

/// Whether there is an object, whatever is in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IsObject(pub(super) bool);

impl<'de> Field<'de> for IsObject {
    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self(true))
    }
}
deserialize_as_field!(IsObject);

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Sample<'a> {
        #[serde(borrow)]
        text: Text<'a>,
        flag: Flag,
        number: Number,
        #[serde(borrow)]
        list: List<Text<'a>>,
        #[serde(borrow)]
        object: Object<Inner<'a>>,
    }

    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Inner<'a> {
        #[serde(borrow)]
        text: Text<'a>,
    }

    fn check(json: &str, expected: (Option<&str>, bool, Option<i64>, usize, Option<&str>)) {
        let sample: Sample<'_> = serde_json::from_str(json).expect("an object");
        let inner = sample.object.0.as_ref().and_then(|inner| inner.text.get());
        let found = (
            sample.text.get(),
            sample.flag.0,
            sample.number.0,
            sample.list.0.len(),
            inner,
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn a_value_of_another_type_counts_as_missing() {
        check("{}", (None, false, None, 0, None));
        let right = r#"{"text":"a\n","flag":true,"number":3,"list":["a",1],"object":{"text":"b"}}"#;
        check(right, (Some("a\n"), true, Some(3), 2, Some("b")));
        let wrong = r#"{"text":{"a":[1]},"flag":"x","number":1e999,"list":{},"object":[1.5]}"#;
        if let Ok(sample) = serde_json::from_str::<Sample<'_>>(wrong) {
            assert!(sample.number.0.is_none());
        }
        check(
            r#"{"text":null,"flag":[],"number":18446744073709551615,"list":true,"object":null}"#,
            (None, false, None, 0, None),
        );
    }

    #[test]
    fn a_long_list_is_cut() {
        let json = format!(r#"{{"list":[{}"x"]}}"#, "\"x\",".repeat(3 * MAX_ITEMS));
        check(&json, (None, false, None, MAX_ITEMS, None));
    }
}
