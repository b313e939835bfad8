//! What a tool call acts on.

use std::borrow::Cow;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess};

use super::lenient::{Field, List, Text, deserialize_as_field, field};
use super::text::first_line;

/// The longest target, in characters.
pub(super) const MAX_TARGET_CHARACTERS: usize = 200;

/// The fields that name what a tool acts on, the most telling first. None of them holds contents.
const FIELDS: [&str; 20] = [
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "path",
    "dir_path",
    "command",
    "cmd",
    "pattern",
    "query",
    "url",
    "uri",
    "description",
    "subject",
    "skill",
    "name",
    "title",
    "task_id",
    "file",
    "directory",
];

/// The target in the input of a tool call: one line of at most [`MAX_TARGET_CHARACTERS`] characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Target(pub(super) Option<String>);

impl Target {
    /// The target in an input that stands as JSON in a text. O(length).
    pub(super) fn in_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The target, with paths in `folder` relative to it.
    pub(super) fn within(&self, folder: Option<&Path>) -> Option<&str> {
        let target = self.0.as_deref()?;
        let inner = folder
            .and_then(Path::to_str)
            .and_then(|folder| target.strip_prefix(folder))
            .and_then(|rest| rest.strip_prefix(['/', '\\']))
            .filter(|rest| !rest.is_empty());
        Some(inner.unwrap_or(target))
    }
}

impl<'de> Field<'de> for Target {
    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        let mut best: Option<(usize, String)> = None;
        while let Some(name) = object.next_key::<Name<'de>>()? {
            let rank = FIELDS.iter().position(|field| *field == name.0);
            match rank.filter(|rank| best.as_ref().is_none_or(|(best, _)| rank < best)) {
                Some(rank) => {
                    let value = object.next_value::<Value>()?.0;
                    best = value.map(|value| (rank, value)).or(best);
                }
                None => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Self(best.map(|(_, target)| target)))
    }
}
deserialize_as_field!(Target);

/// The name of a field.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field::<D, Text<'de>>(deserializer).map(|text| Self(text.0.unwrap_or_default()))
    }
}

/// A text, or the arguments of a command.
#[derive(Default)]
struct Value(Option<String>);

impl Value {
    fn of(text: &str) -> Self {
        let line = first_line(text, MAX_TARGET_CHARACTERS);
        Self((!line.is_empty()).then_some(line))
    }
}

impl<'de> Field<'de> for Value {
    fn of_text(text: Cow<'de, str>) -> Self {
        Self::of(&text)
    }
    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        let words = List::<Text<'de>>::of_list(list)?.0;
        let words: Vec<&str> = words.iter().take(100).filter_map(Text::get).collect();
        Ok(Self::of(&command(&words)))
    }
}
deserialize_as_field!(Value);

/// The script that a shell is called with, else the words of a command.
pub(super) fn command(words: &[&str]) -> String {
    match words {
        [_, flag, script] if flag.starts_with('-') && flag.ends_with('c') => (*script).to_owned(),
        words => words.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: Option<&str>) {
        assert_eq!(Target::in_json(input).0.as_deref(), expected);
    }

    #[test]
    fn the_most_telling_field_is_the_target() {
        check(
            r#"{"content":"fn main() {}","file_path":"/a/b.rs"}"#,
            Some("/a/b.rs"),
        );
        check(r#"{"path":"src","pattern":"fn "}"#, Some("src"));
        check(r#"{"pattern":"fn ","path":""}"#, Some("fn"));
        check(
            r#"{"command":"cat > x <<E\nsecret\nE","description":"d"}"#,
            Some("cat > x <<E"),
        );
        check(
            r#"{"command":["bash","-lc","cargo test"]}"#,
            Some("cargo test"),
        );
        check(r#"{"command":["git","status"]}"#, Some("git status"));
        check(r#"{"path":{"a":1},"query":"q"}"#, Some("q"));
        check(r#"{"content":"x","old_string":"y"}"#, None);
        check("[1]", None);
        check("no json", None);
    }

    #[test]
    fn a_path_in_the_folder_is_relative_to_it() {
        let target = Target(Some("/code/a/b.rs".to_owned()));
        assert_eq!(target.within(Some(Path::new("/code/a"))), Some("b.rs"));
        assert_eq!(target.within(Some(Path::new("/cod"))), Some("/code/a/b.rs"));
        assert_eq!(target.within(None), Some("/code/a/b.rs"));
    }
}
