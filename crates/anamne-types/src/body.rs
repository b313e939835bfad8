//! The kinds of memory and their typed bodies.

use serde::{Deserialize, Serialize};

use crate::{Experience, MemoryId};

/// Declares an enum with one spelling in code, JSON, CLI and database, and a stable number.
macro_rules! string_enum {
    ($(#[$doc:meta])* $name:ident as $field:literal { $($(#[$variant_doc:meta])* $variant:ident = $number:literal $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant = $number,)+
        }

        // Deriving it would miss the words: the macro hands them over as no plain literals.
        #[cfg(feature = "openapi")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                crate::openapi::one_of_words($field, Self::ALL.iter().map(|value| value.as_str()))
            }
        }

        #[cfg(feature = "openapi")]
        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
        }

        impl $name {
            /// Every value, in the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its spelling in JSON and on the command line.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Its number in the database; never changes.
            pub fn number(self) -> u8 {
                self as u8
            }

            /// The value stored under `number`, if there is one.
            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::InvalidValue;

            fn from_str(text: &str) -> Result<Self, crate::InvalidValue> {
                // A hyphen is accepted in place of an underscore.
                let word = text.replace('-', "_");
                Self::ALL.iter().copied().find(|value| value.as_str() == word).ok_or_else(|| {
                    let words: Vec<_> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    crate::InvalidValue::new($field, format!("one of {}", words.join(", ")), text)
                })
            }
        }
    };
}
pub(crate) use string_enum;

string_enum! {
    /// The kind of a memory.
    Kind as "kind" {
        /// A message of a conversation.
        Message = 1 "message",
        /// A step of reasoning, part of a chain.
        Thought = 2 "thought",
        /// A statement held to be true, in one of nine categories.
        Fact = 3 "fact",
        /// A piece of work: goal, plan, outcome.
        Episode = 4 "episode",
        /// How to do something.
        Skill = 5 "skill",
        /// A document as a whole.
        Document = 6 "document",
        /// A part of a document.
        Chunk = 7 "chunk",
        /// A summary of other memories.
        Summary = 8 "summary",
        /// What was done and what came of it; not searched with the rest.
        Experience = 9 "experience",
    }
}

string_enum! {
    /// The category of a fact.
    Category as "category" {
        /// A decision about the structure of a system.
        ArchitectureDecision = 1 "architecture_decision",
        /// A recurring code pattern.
        CodePattern = 2 "code_pattern",
        /// A bug, its cause and its fix.
        BugFix = 3 "bug_fix",
        /// A setting and its value.
        Configuration = 4 "configuration",
        /// A constraint.
        Constraint = 5 "constraint",
        /// A person, organisation, project, tool or thing.
        Entity = 6 "entity",
        /// An insight.
        Insight = 7 "insight",
        /// A reference to a source.
        Reference = 8 "reference",
        /// A preference.
        Preference = 9 "preference",
    }
}

string_enum! {
    /// The role of a message's author.
    Role as "role" {
        /// A person.
        User = 1 "user",
        /// A model.
        Assistant = 2 "assistant",
        /// A tool's reply.
        Tool = 3 "tool",
        /// The host's instructions.
        System = 4 "system",
    }
}

/// A tool call in an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// Its input.
    #[serde(default)]
    pub input: String,
    /// Its output.
    #[serde(default)]
    pub output: String,
    /// Whether it succeeded, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub succeeded: Option<bool>,
}

/// The typed fields of a memory, by kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Body {
    /// A message and the role of its author.
    Message {
        /// The role of the author.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<Role>,
    },
    /// A thought, part of a chain.
    Thought {
        /// The preceding thought in the chain.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        follows: Option<MemoryId>,
        /// The framework of reasoning, such as `first principles`.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        framework: String,
        /// Its number in the chain, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<u32>,
        /// The number of thoughts that the chain is expected to have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<u32>,
        /// The name of the chain, if it is not that of the thread.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        chain: String,
    },
    /// A fact and its category.
    Fact {
        /// The category.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        category: Option<Category>,
    },
    /// A piece of work.
    Episode {
        /// The goal.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        goal: String,
        /// The planned steps.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        plan: Vec<String>,
        /// What was done, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        steps: Vec<String>,
        /// The outcome.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        outcome: String,
        /// The tool calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_log: Vec<ToolCall>,
        /// How much it stands out, 0 to 1. JSON may also have more than 1 up to 10, on a scale of ten: 7 is 0.7.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "crate::fields::read_salience"
        )]
        salience: Option<f32>,
    },
    /// How to do something.
    Skill {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// When to use it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        trigger: String,
        /// The steps, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        steps: Vec<String>,
        /// Code for it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        code: String,
    },
    /// A document as a whole.
    Document {
        /// Its title.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        title: String,
        /// Its origin: a path or an address.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        source: String,
    },
    /// A part of a document.
    Chunk {
        /// The document.
        document: MemoryId,
        /// The heading above it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        heading: String,
    },
    /// A summary.
    Summary {
        /// The summarised memories.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<MemoryId>,
    },
    /// What was done and what came of it.
    Experience {
        /// The record. Described as any object: its types refuse unknown fields, and their descriptions would refuse its tag.
        #[cfg_attr(feature = "openapi", schema(value_type = Object))]
        experience: Box<Experience>,
    },
}

impl Default for Body {
    /// A message without a role.
    fn default() -> Self {
        Self::Message { role: None }
    }
}

impl Body {
    /// The empty body of this kind.
    ///
    /// `None` for a chunk, which always has a document, and for experience, which always has a record.
    pub fn empty(kind: Kind) -> Option<Self> {
        Some(match kind {
            Kind::Message => Self::default(),
            Kind::Thought => Self::thought(None),
            Kind::Fact => Self::Fact { category: None },
            Kind::Episode => Self::Episode {
                goal: String::new(),
                plan: Vec::new(),
                steps: Vec::new(),
                outcome: String::new(),
                tool_log: Vec::new(),
                salience: None,
            },
            Kind::Skill => Self::Skill {
                name: String::new(),
                trigger: String::new(),
                steps: Vec::new(),
                code: String::new(),
            },
            Kind::Document => Self::Document {
                title: String::new(),
                source: String::new(),
            },
            Kind::Chunk | Kind::Experience => return None,
            Kind::Summary => Self::Summary { sources: vec![] },
        })
    }

    /// A thought that follows another one, with no other field.
    pub fn thought(follows: Option<MemoryId>) -> Self {
        Self::Thought {
            follows,
            framework: String::new(),
            number: None,
            total: None,
            chain: String::new(),
        }
    }

    /// The kind of memory that it belongs to.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Message { .. } => Kind::Message,
            Self::Thought { .. } => Kind::Thought,
            Self::Fact { .. } => Kind::Fact,
            Self::Episode { .. } => Kind::Episode,
            Self::Skill { .. } => Kind::Skill,
            Self::Document { .. } => Kind::Document,
            Self::Chunk { .. } => Kind::Chunk,
            Self::Summary { .. } => Kind::Summary,
            Self::Experience { .. } => Kind::Experience,
        }
    }

    /// The category, if it is a fact with one.
    pub fn category(&self) -> Option<Category> {
        match self {
            Self::Fact { category } => *category,
            _ => None,
        }
    }

    /// Appends the searchable fields to `text`, one per line.
    pub fn append_searchable(&self, text: &mut String) {
        let (before, lists, after): (&[&String], [&[String]; 2], &[&String]) = match self {
            Self::Episode {
                goal,
                plan,
                steps,
                outcome,
                ..
            } => (&[goal], [plan, steps], &[outcome]),
            Self::Skill {
                name,
                trigger,
                steps,
                code,
            } => (&[name, trigger], [steps, &[]], &[code]),
            Self::Document { title, source } => (&[title, source], [&[], &[]], &[]),
            Self::Chunk { heading, .. } => (&[heading], [&[], &[]], &[]),
            _ => return,
        };
        let parts = before
            .iter()
            .copied()
            .chain(lists.into_iter().flatten())
            .chain(after.iter().copied());
        for part in parts.filter(|part| !part.is_empty()) {
            text.push('\n');
            text.push_str(part);
        }
    }
}
