//! Rule-based extraction: the names in a text, and statements about them.

mod aliases;
mod code;
mod echoes;
mod gazetteer;
mod names;
mod normal;
mod statements;
mod tokens;

use std::ops::Range;

use anamne_types::{EntityType, RelationType, Role};
use jiff::Timestamp;

use self::tokens::Tokens;

pub use self::echoes::echoes;
pub use self::normal::normalised;

/// A text to extract from, with its author and time.
#[derive(Clone, Copy, Debug)]
pub struct Utterance<'text> {
    /// The text.
    pub text: &'text str,
    /// The author's name; empty if unknown. `I` and `my` refer to the author.
    pub author: &'text str,
    /// The author's role, if the text is a message.
    pub role: Option<Role>,
    /// The time of writing; `yesterday` and `next month` are relative to it.
    pub at: Timestamp,
}

/// An occurrence of a name in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// Byte range in the text.
    pub span: Range<usize>,
    /// The display form: without articles, titles, possessives and quotes.
    pub name: String,
    /// The type of the named entity.
    pub entity_type: EntityType,
    /// Confidence, 0 to 1.
    pub confidence: f32,
}

/// The subject or object of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// An entity: its name, as in [`Mention::name`], and its type.
    Entity(String, EntityType),
    /// A literal value: a number, an amount, a description.
    Value(String),
}

/// A relation that a text states.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Byte range of the sentence.
    pub span: Range<usize>,
    /// The subject; always an entity.
    pub subject: Term,
    /// The relation, one of [`RelationType::known`].
    pub relation: RelationType,
    /// The object.
    pub object: Term,
    /// Whether the text denies the relation.
    pub negated: bool,
    /// Start of the validity period, if the text gives one.
    pub valid_from: Option<Timestamp>,
    /// End of the validity period, if the text gives one.
    pub valid_to: Option<Timestamp>,
    /// Confidence, 0 to 1.
    pub confidence: f32,
}

/// The names and statements of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The names, in text order.
    pub mentions: Vec<Mention>,
    /// The statements, in text order.
    pub statements: Vec<Statement>,
}

/// Extracts the names in a text and the statements about them.
///
/// Rule-based and mainly for English; other languages are safe to pass in. Stateless: the same utterance always gives
/// the same reading. Questions, conditions, wishes, quotations and orders give no statements. Linear in the text.
///
/// Mentions do not overlap, and the span of a version such as `PostgreSQL 16` is that of its number. The subject of a
/// statement may be a thing without a name of its own (`staging port`, `Mara's rent`), which has no mention.
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
