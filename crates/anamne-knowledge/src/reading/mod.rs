//! What one memory says: the names in it, and statements about them.

mod aliases;
mod code;
mod echoes;
mod gazetteer;
mod names;
mod normal;
mod statements;
mod tokens;

use std::ops::Range;

use anamne_types::{EntityType, Role};
use jiff::Timestamp;

use self::tokens::Tokens;

pub use self::echoes::echoes;
pub use self::normal::normalised;

/// A memory as it is read.
#[derive(Clone, Copy, Debug)]
pub struct Utterance<'text> {
    /// What was said.
    pub text: &'text str,
    /// Who said it, by name; empty when not known. `I` and `my` mean this party.
    pub author: &'text str,
    /// The role of who said it, where it is a message.
    pub role: Option<Role>,
    /// When it was said; `yesterday` and `next month` are seen from here.
    pub at: Timestamp,
}

/// A name in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// The name as it should be shown, without articles, titles, possessives and quotes.
    pub name: String,
    /// What it names.
    pub entity_type: EntityType,
    /// How sure that is, 0 to 1.
    pub confidence: f32,
}

/// What a statement is about, or says of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// Something that has a name, as in [`Mention::name`], and what it is.
    Entity(String, EntityType),
    /// A value in words: a number, an amount, a description.
    Value(String),
}

/// Something that a text says of something.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The sentence that says it, in bytes.
    pub span: Range<usize>,
    /// What it is about; always an entity.
    pub subject: Term,
    /// What is said, one of [`RELATIONS`].
    pub relation: &'static str,
    /// The other end.
    pub object: Term,
    /// Whether the text says that it is *not* so.
    pub negated: bool,
    /// Since when it is so, where the text says that.
    pub valid_from: Option<Timestamp>,
    /// Until when it is so, where the text says that.
    pub valid_to: Option<Timestamp>,
    /// Confidence of the reading, 0 to 1.
    pub confidence: f32,
}

/// Everything that a text says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The names, by where they stand.
    pub mentions: Vec<Mention>,
    /// The statements, by where they stand.
    pub statements: Vec<Statement>,
}

/// The relations that are read from texts. People may tell others.
pub const RELATIONS: &[&str] = &[
    "is_a",
    "alias_of",
    "part_of",
    "member_of",
    "located_in",
    "lives_in",
    "comes_from",
    "moved_to",
    "works_at",
    "works_as",
    "works_on",
    "studies_at",
    "leads",
    "owns",
    "created",
    "uses",
    "depends_on",
    "runs_on",
    "replaced_by",
    "has_version",
    "has_value",
    "costs",
    "scheduled_for",
    "happened_on",
    "born_on",
    "age",
    "partner_of",
    "parent_of",
    "sibling_of",
    "friend_of",
    "colleague_of",
    "has_pet",
    "likes",
    "dislikes",
    "prefers",
    "decided",
    "plans",
    "visited",
    "attended",
    "fixed_by",
    "caused_by",
];

/// Reads a text: the names in it, and what it says of them.
///
/// By rules alone, in English first; no other language breaks it. Nothing is remembered between texts, so the same
/// utterance always gives the same reading. Questions, conditions, wishes, quotations and orders give no statements.
/// Linear in the text.
///
/// Mentions do not overlap, and the span of a version such as `PostgreSQL 16` is that of its number. What a statement is
/// about may be a thing without a name of its own (`staging port`, `Mara's rent`), which is then no mention.
///
/// ```
/// use anamne_knowledge::reading::{Term, Utterance, read};
/// use anamne_types::EntityType;
///
/// let reading = read(&Utterance {
///     text: "Mara Lindt lives in Colmar and works at Hiveworks GmbH.",
///     author: "",
///     role: None,
///     at: "2026-03-01T12:00:00Z".parse()?,
/// });
/// assert_eq!(reading.mentions[1].name, "Colmar");
/// assert_eq!(reading.statements[0].relation, "lives_in");
/// assert_eq!(reading.statements[1].object, Term::Entity("Hiveworks GmbH".into(), EntityType::Organisation));
/// # Ok::<(), jiff::Error>(())
/// ```
pub fn read(utterance: &Utterance<'_>) -> Reading {
    let tokens = Tokens::of(utterance.text);
    let mut named = names::names(&tokens);
    let mut statements = aliases::aliases(&tokens, &mut named);
    statements.extend(statements::statements(utterance, &tokens, &named));
    statements.sort_by_key(|statement| statement.span.start);
    let mut mentions: Vec<Mention> = named.into_iter().map(|found| found.mention).collect();
    mentions.extend(names::defined(&tokens));
    mentions.sort_by_key(|mention| mention.span.start);
    Reading {
        mentions,
        statements,
    }
}
