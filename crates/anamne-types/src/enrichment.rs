//! What is noted beside a memory by rules or a model, and what a person removed of it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::limits::accept;
use crate::{Body, Category, Draft, InvalidValue, Kind, LinkType, Memory, MemoryId, Metadata};

/// What enrichment says about one memory. What was told is left out, because it holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Enrichment {
    /// What made it: `rules` and their version, or a model's name.
    pub by: String,
    /// The category; `None` for small talk, requests, questions and events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Importance, 1 to 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<u8>,
    /// At most five keywords, most telling first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// At most three tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The language by ISO 639-1, if it is clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// One or two sentences, for a long text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Links to earlier memories, strongest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<EnrichedLink>,
}

/// A link from the enriched memory to an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EnrichedLink {
    /// The earlier memory.
    pub memory: MemoryId,
    /// Its citation: `m12`.
    pub citation: String,
    /// The link type.
    #[serde(rename = "type")]
    pub link_type: LinkType,
    /// Strength, 0 to 1.
    pub strength: f32,
    /// Why, as a sentence.
    pub reason: String,
}

impl Enrichment {
    /// The metadata name under which removed parts are stored.
    pub const KEY: &str = "anamne.enrichment";

    /// Whether memories like this one are enriched: not system messages and tool results, chunks, summaries, experience and
    /// assertions.
    pub fn applies_to(memory: &Memory) -> bool {
        let is_spoken = match &memory.body {
            Body::Message { role } => {
                !matches!(role, Some(crate::Role::System | crate::Role::Tool))
            }
            _ => true,
        };
        is_spoken
            && !matches!(
                memory.kind(),
                Kind::Chunk | Kind::Summary | Kind::Experience
            )
            && !memory.metadata.contains_key(crate::Assertion::KEY)
    }

    /// Leaves out what the memory itself says, and what a person removed from it.
    #[must_use]
    pub fn beside(mut self, memory: &Memory) -> Self {
        let may_have_category = matches!(memory.kind(), Kind::Message | Kind::Thought | Kind::Fact);
        if !may_have_category || memory.body.category().is_some() {
            self.category = None;
        }
        if memory.importance != Draft::DEFAULT_IMPORTANCE {
            self.importance = None;
        }
        if !memory.tags.is_empty() {
            self.tags.clear();
        }
        let told = |name: &str| memory.metadata.contains_key(name);
        if told("keywords") {
            self.keywords.clear();
        }
        if told("summary") {
            self.summary = None;
        }
        if told("language") {
            self.language = None;
        }
        for part in EnrichedPart::removed_from(&memory.metadata) {
            part.remove_from(&mut self);
        }
        self
    }
}

/// A part of an enrichment that a person can remove.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EnrichedPart {
    /// Everything.
    All,
    /// The category.
    Category,
    /// The importance.
    Importance,
    /// All keywords.
    Keywords,
    /// One keyword, ignoring case.
    Keyword(String),
    /// All tags.
    Tags,
    /// One tag.
    Tag(String),
    /// The language.
    Language,
    /// The summary.
    Summary,
    /// All links that begin at the memory.
    Links,
    /// The link to one memory.
    Link(MemoryId),
}

impl EnrichedPart {
    /// Maximum number of removed parts of one memory.
    pub const MOST: usize = 64;

    /// Maximum length of a keyword or tag, in bytes.
    const LONGEST: usize = 200;

    /// The parts removed from a memory with this metadata; unknown ones are ignored.
    pub fn removed_from(metadata: &Metadata) -> Vec<Self> {
        let stored = metadata
            .get(Enrichment::KEY)
            .and_then(|value| value.as_array());
        let parts = stored.into_iter().flatten().take(Self::MOST);
        parts
            .filter_map(|part| part.as_str()?.parse().ok())
            .collect()
    }

    /// Whether links to this memory are removed.
    pub fn removes_link(&self, to: MemoryId) -> bool {
        matches!(self, Self::All | Self::Links) || *self == Self::Link(to)
    }

    fn remove_from(&self, enrichment: &mut Enrichment) {
        let is_all = *self == Self::All;
        if is_all || *self == Self::Category {
            enrichment.category = None;
        }
        if is_all || *self == Self::Importance {
            enrichment.importance = None;
        }
        if is_all || *self == Self::Language {
            enrichment.language = None;
        }
        if is_all || *self == Self::Summary {
            enrichment.summary = None;
        }
        enrichment.keywords.retain(|keyword| match self {
            Self::All | Self::Keywords => false,
            Self::Keyword(removed) => keyword.to_lowercase() != removed.to_lowercase(),
            _ => true,
        });
        enrichment.tags.retain(|tag| match self {
            Self::All | Self::Tags => false,
            Self::Tag(removed) => tag != removed,
            _ => true,
        });
        enrichment
            .links
            .retain(|link| !self.removes_link(link.memory));
    }
}

impl fmt::Display for EnrichedPart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.write_str("all"),
            Self::Category => formatter.write_str("category"),
            Self::Importance => formatter.write_str("importance"),
            Self::Keywords => formatter.write_str("keywords"),
            Self::Keyword(keyword) => write!(formatter, "keyword:{keyword}"),
            Self::Tags => formatter.write_str("tags"),
            Self::Tag(tag) => write!(formatter, "tag:{tag}"),
            Self::Language => formatter.write_str("language"),
            Self::Summary => formatter.write_str("summary"),
            Self::Links => formatter.write_str("links"),
            Self::Link(memory) => write!(formatter, "link:{memory}"),
        }
    }
}

impl FromStr for EnrichedPart {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let accepts = "all, category, importance, keywords, tags, language, summary, links, \
                       keyword:WORD, tag:TAG or link:ID";
        let refused = || InvalidValue::new("part", accepts, text);
        let part = match text.trim().split_once(':') {
            Some(("keyword", keyword)) => Self::Keyword(keyword.trim().to_owned()),
            Some(("tag", tag)) => Self::Tag(tag.trim().to_owned()),
            Some(("link", id)) => Self::Link(id.trim().parse().map_err(|_| refused())?),
            Some(_) => return Err(refused()),
            None => match text.trim() {
                "all" => Self::All,
                "category" => Self::Category,
                "importance" => Self::Importance,
                "keywords" => Self::Keywords,
                "tags" => Self::Tags,
                "language" => Self::Language,
                "summary" => Self::Summary,
                "links" => Self::Links,
                _ => return Err(refused()),
            },
        };
        if let Self::Keyword(word) | Self::Tag(word) = &part {
            let is_fit = !word.is_empty() && word.len() <= Self::LONGEST;
            accept(
                is_fit,
                "part",
                format_args!("a word of 1 to {} bytes", Self::LONGEST),
                text,
            )?;
        }
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_as_they_are_read() {
        for text in [
            "all",
            "category",
            "keyword:session storage",
            "tag:database",
            "links",
        ] {
            let part: EnrichedPart = text.parse().expect("a part");
            assert_eq!(part.to_string(), text);
        }
        for text in ["", "colour", "tag:", "link:m12", "keyword: "] {
            assert!(text.parse::<EnrichedPart>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn removed_parts_are_left_out() {
        let mut enrichment = Enrichment {
            category: Some(Category::BugFix),
            keywords: vec!["Redis".into(), "cache".into()],
            tags: vec!["database".into()],
            ..Enrichment::default()
        };
        EnrichedPart::Keyword("redis".into()).remove_from(&mut enrichment);
        assert_eq!(enrichment.keywords, ["cache"]);
        EnrichedPart::All.remove_from(&mut enrichment);
        assert_eq!(enrichment, Enrichment::default());
    }
}
