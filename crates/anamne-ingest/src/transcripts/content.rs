//! Contents of messages: a text, or a list of blocks.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess};

use super::lenient::{Field, Flag, List, Text, deserialize_as_field, field};
use super::target::Target;

/// The content of a message.
#[derive(Clone, Debug, Default)]
pub(super) enum Content<'a> {
    /// None, or of an unknown shape.
    #[default]
    None,
    /// A text.
    Text(Cow<'a, str>),
    /// Blocks, of which the first [`super::lenient::MAX_ITEMS`] are kept.
    Blocks(Vec<Block<'a>>),
}

/// A block of a message. Fields of every kind of block; encoded data and contents of files aren't kept.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    /// Its kind.
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    /// Its text.
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    /// Whether the text is reasoning (Gemini).
    pub(super) thought: Flag,
    /// The id of a tool call.
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    /// The name of a tool.
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    /// What a tool call acts on.
    pub(super) input: Target,
    /// The tool call of a result.
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
    /// Whether a result is an error.
    pub(super) is_error: Flag,
    /// The beginning of a result.
    pub(super) content: Beginning,
}

impl<'de: 'a, 'a> Field<'de> for Content<'a> {
    fn of_text(text: Cow<'de, str>) -> Self {
        Self::Text(text)
    }
    fn of_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        let items = List::<Item<'a>>::of_list(list)?.0;
        Ok(Self::Blocks(items.into_iter().map(|item| item.0).collect()))
    }
    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        Item::of_object(object).map(|item| Self::Blocks(vec![item.0]))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field(deserializer)
    }
}

/// A block, or a bare text in place of one.
#[derive(Default)]
struct Item<'a>(Block<'a>);

impl<'de: 'a, 'a> Field<'de> for Item<'a> {
    fn of_text(text: Cow<'de, str>) -> Self {
        Self(Block {
            text: Text(Some(text)),
            ..Block::default()
        })
    }
    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        Block::deserialize(serde::de::value::MapAccessDeserializer::new(object)).map(Self)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Item<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        field(deserializer)
    }
}

impl Content<'_> {
    /// The texts of the blocks that `wanted` accepts, a line break between them. A plain text is always wanted.
    pub(super) fn text(&self, wanted: impl Fn(&Block<'_>) -> bool) -> Cow<'_, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Blocks(blocks) => {
                let texts: Vec<&str> = blocks
                    .iter()
                    .filter(|block| wanted(block))
                    .filter_map(|block| block.text.get())
                    .collect();
                Cow::Owned(texts.join("\n"))
            }
        }
    }
}

/// The longest beginning that is kept of a result, in bytes: more than is shown, so that a secret there is known.
const MAX_BYTES: usize = 4_096;

/// The beginning of a text, wherever it stands in a result.
#[derive(Clone, Debug, Default)]
pub(super) struct Beginning {
    text: Option<String>,
    /// The exit code that a shell tool notes after a command's output (Gemini).
    pub(super) exit_code: Option<i64>,
}

impl Beginning {
    /// The text; empty if there is none.
    pub(super) fn get(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

fn exit_code(text: &str) -> Option<i64> {
    let (_, code) = text.rsplit_once("\nExit Code: ")?;
    code.lines().next()?.trim().parse().ok()
}

impl<'de> Field<'de> for Beginning {
    fn of_text(text: Cow<'de, str>) -> Self {
        let beginning = text.trim_start();
        let beginning = &beginning[..beginning.floor_char_boundary(MAX_BYTES)];
        Self {
            text: (!beginning.is_empty()).then(|| beginning.to_owned()),
            exit_code: exit_code(&text),
        }
    }
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut found = Self::default();
        while found.text.is_none() {
            match list.next_element::<Self>()? {
                Some(item) => found = item,
                None => return Ok(found),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        let mut found = Self::default();
        while let Some(Text(name)) = object.next_key::<Text<'de>>()? {
            let telling = matches!(
                name.as_deref(),
                Some(
                    "text"
                        | "error"
                        | "message"
                        | "content"
                        | "output"
                        | "response"
                        | "functionResponse"
                )
            );
            if telling && found.text.is_none() {
                found = object.next_value()?;
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}
deserialize_as_field!(Beginning);
