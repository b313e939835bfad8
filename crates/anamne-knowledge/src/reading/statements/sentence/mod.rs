//! A sentence as names, words and marks; the phrases before and after a verb.

mod objects;
mod subjects;

use std::ops::Range;

use anamne_types::EntityType;

use crate::reading::gazetteer::Class;
use crate::reading::names::Named;
use crate::reading::tokens::{Shape, Token, Tokens};
use crate::reading::{Mention, Term};

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, by its index in the names of the text.
    Name(usize),
    Word,
    Number,
    Mark,
}

/// A name, word, number or mark of a sentence.
#[derive(Clone, Debug)]
pub(super) struct Item<'a> {
    pub(super) kind: Kind,
    pub(super) tokens: Range<usize>,
    pub(super) lower: &'a str,
    pub(super) class: Class,
    pub(super) quoted: bool,
}

/// A sentence with its context.
pub(super) struct Sentence<'a> {
    pub(super) tokens: &'a Tokens<'a>,
    pub(super) named: &'a [Named],
    pub(super) items: Vec<Item<'a>>,
    /// Byte range in the text.
    pub(super) span: Range<usize>,
    /// The person that `I` refers to.
    pub(super) author: Option<Term>,
    /// The person that `he` or `she` refers to.
    pub(super) they: Option<Term>,
}

/// A phrase that denotes a person, thing or value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phrase {
    pub(super) term: Term,
    /// Its items.
    pub(super) items: Range<usize>,
    /// Confidence that the phrase denotes the term.
    pub(super) confidence: f32,
    /// Whether it is a name, or starts with a determiner such as `the` or `my`.
    pub(super) definite: bool,
}

impl Phrase {
    /// A phrase with `definite` set.
    pub(super) fn of(term: Term, items: Range<usize>, confidence: f32) -> Self {
        Self {
            term,
            items,
            confidence,
            definite: true,
        }
    }

    /// Whether it is an entity of this type.
    pub(super) fn is(&self, entity_type: EntityType) -> bool {
        self.entity_type() == Some(entity_type)
    }

    pub(super) fn entity_type(&self) -> Option<EntityType> {
        match &self.term {
            Term::Entity(_, entity_type) => Some(*entity_type),
            Term::Value(_) => None,
        }
    }
}

impl<'a> Sentence<'a> {
    pub(super) fn of(
        tokens: &'a Tokens<'a>,
        named: &'a [Named],
        sentence: Range<usize>,
        author: Option<Term>,
        they: Option<Term>,
    ) -> Self {
        let mut items = Vec::with_capacity(sentence.len());
        let mut name = named.partition_point(|name| name.tokens.start < sentence.start);
        let mut at = sentence.start;
        while at < sentence.end {
            while named.get(name).is_some_and(|found| found.tokens.start < at) {
                name += 1;
            }
            let token = &tokens.all[at];
            let (kind, end) = match named.get(name).filter(|found| found.tokens.start == at) {
                Some(found) => (Kind::Name(name), found.tokens.end.min(sentence.end)),
                None => (kind_of(token), at + 1),
            };
            if matches!(kind, Kind::Name(_)) || !formats(token.text) {
                items.push(Item {
                    kind,
                    tokens: at..end,
                    lower: &token.lower,
                    class: token.class,
                    quoted: token.quoted,
                });
            }
            at = end.max(at + 1);
        }
        Self {
            tokens,
            named,
            items,
            span: tokens.bytes(&sentence),
            author,
            they,
        }
    }

    pub(super) fn lower(&self, at: usize) -> &'a str {
        self.items.get(at).map_or("", |item| item.lower)
    }

    pub(super) fn class(&self, at: usize) -> Class {
        self.items.get(at).map_or(Class::NONE, |item| item.class)
    }

    pub(super) fn mention(&self, at: usize) -> Option<&'a Mention> {
        match self.items.get(at)?.kind {
            Kind::Name(index) => Some(&self.named[index].mention),
            _ => None,
        }
    }

    pub(super) fn value(&self, at: usize) -> Option<&'a str> {
        match self.items.get(at)?.kind {
            Kind::Name(index) => self.named[index].value.as_deref(),
            _ => None,
        }
    }

    pub(super) fn is(&self, at: usize, kind: Kind) -> bool {
        self.items.get(at).is_some_and(|item| item.kind == kind)
    }

    pub(super) fn token(&self, at: usize) -> Option<&'a Token<'a>> {
        self.items
            .get(at)
            .and_then(|item| self.tokens.get(item.tokens.start))
    }

    /// The number of items in `words` if they are at `at`.
    pub(super) fn words_at(&self, at: usize, words: &str) -> Option<usize> {
        let mut length = 0;
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            if self.lower(at + length) != word {
                return None;
            }
            length += 1;
        }
        Some(length)
    }

    /// The text of a range of items.
    pub(super) fn text(&self, items: Range<usize>) -> String {
        if items.is_empty() || items.end > self.items.len() {
            return String::new();
        }
        let start = self.items[items.start].tokens.start;
        let end = self.items[items.end - 1].tokens.end;
        let text = &self.tokens.text[self.tokens.bytes(&(start..end))];
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace(['*', '`', '"', '“', '”'], "")
    }

    /// The entity named at an item.
    pub(super) fn term(&self, at: usize) -> Option<Term> {
        self.mention(at)
            .map(|mention| Term::Entity(mention.name.clone(), mention.entity_type))
    }

    /// Whether an entity of this type is named at an item.
    pub(super) fn names(&self, at: usize, entity_type: EntityType) -> bool {
        self.mention(at)
            .is_some_and(|mention| mention.entity_type == entity_type)
    }

    /// Whether the item ends a clause: a mark, or a word that starts another clause.
    pub(super) fn ends_clause(&self, at: usize) -> bool {
        match self.items.get(at) {
            None => true,
            Some(item) if item.kind == Kind::Mark => !matches!(
                item.lower,
                "'" | "%" | "€" | "$" | "£" | "°" | "/" | "-" | "−" | "+"
            ),
            Some(item) => one_of!(
                item.lower,
                "but" "because" "so" "while" "although" "though" "which" "who" "that" "since"
                "until" "when" "if" "then"
            ),
        }
    }
}

/// The kind of a token outside of names.
fn kind_of(token: &Token<'_>) -> Kind {
    match token.shape {
        Shape::Mark => Kind::Mark,
        Shape::Digit => Kind::Number,
        _ => Kind::Word,
    }
}

/// Whether a mark is only formatting or a quotation mark.
fn formats(text: &str) -> bool {
    matches!(
        text,
        "**" | "*" | "_" | "__" | "\"" | "“" | "”" | "„" | "«" | "»"
    )
}
