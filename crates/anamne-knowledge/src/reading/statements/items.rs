//! A sentence as names, words and marks; the phrases that stand before and after a verb.

use std::ops::Range;

use anamne_types::EntityType;

use super::words::{is_adverb, is_vague, is_verb, may_be_noun};
use crate::reading::gazetteer::Class;
use crate::reading::names::Named;
use crate::reading::tokens::{Shape, Token, Tokens};
use crate::reading::{Mention, Term};

/// What a part of a sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, by its index.
    Name(usize),
    Word,
    Number,
    Mark,
}

/// A part of a sentence.
#[derive(Clone, Debug)]
pub(super) struct Item<'a> {
    pub(super) kind: Kind,
    pub(super) tokens: Range<usize>,
    pub(super) lower: &'a str,
    pub(super) class: Class,
    pub(super) quoted: bool,
}

/// A sentence, with all that is needed to read it.
pub(super) struct Sentence<'a> {
    pub(super) tokens: &'a Tokens<'a>,
    pub(super) named: &'a [Named],
    pub(super) items: Vec<Item<'a>>,
    /// Where it stands, in bytes.
    pub(super) span: Range<usize>,
    /// Who `I` is.
    pub(super) author: Option<Term>,
    /// Who `he` or `she` is.
    pub(super) they: Option<Term>,
}

/// What stands in a sentence for a person, thing or value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phrase {
    pub(super) term: Term,
    /// The items that it is made of.
    pub(super) items: Range<usize>,
    /// How sure it is that this is meant.
    pub(super) confidence: f32,
    /// Whether it begins with `the`, `our`, `my`.
    pub(super) definite: bool,
}

impl Phrase {
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
            if let Some(found) = named.get(name).filter(|found| found.tokens.start == at) {
                let end = found.tokens.end.min(sentence.end);
                items.push(Item {
                    kind: Kind::Name(name),
                    tokens: at..end,
                    lower: &token.lower,
                    class: token.class,
                    quoted: token.quoted,
                });
                at = end.max(at + 1);
                continue;
            }
            let formats = matches!(
                token.text,
                "**" | "*" | "_" | "__" | "\"" | "“" | "”" | "„" | "«" | "»"
            );
            if !formats {
                let kind = match token.shape {
                    Shape::Mark => Kind::Mark,
                    Shape::Digit => Kind::Number,
                    _ => Kind::Word,
                };
                items.push(Item {
                    kind,
                    tokens: at..at + 1,
                    lower: &token.lower,
                    class: token.class,
                    quoted: token.quoted,
                });
            }
            at += 1;
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

    /// Whether `words` stand at `at`; how many items they are.
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

    fn name_term(&self, at: usize) -> Option<Term> {
        self.mention(at)
            .map(|mention| Term::Entity(mention.name.clone(), mention.entity_type))
    }

    /// Whether the item ends a clause: a mark, or a word that begins another one.
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

    /// What a clause whose verbs begin at `verb` is about: one phrase, or several with `and` between them.
    pub(super) fn subjects(&self, verb: usize) -> Vec<Phrase> {
        let Some(mut end) = verb.checked_sub(1) else {
            return Vec::new();
        };
        while is_adverb(self.lower(end), self.class(end))
            && !matches!(self.items[end].kind, Kind::Name(_))
        {
            let Some(before) = end.checked_sub(1) else {
                return Vec::new();
            };
            end = before;
        }
        end = self.before_aside(end);
        let Some(last) = self.subject_ending(end) else {
            return Vec::new();
        };
        if self.is_governed(last.items.start) {
            return self.governing(&last).into_iter().collect();
        }
        let mut all = vec![last];
        let mut start = all[0].items.start;
        while start >= 2 && matches!(self.lower(start - 1), "and" | "&" | ",") && all.len() < 5 {
            let Some(before) = self.subject_ending(start - 2).filter(|phrase| {
                phrase.entity_type() == all[0].entity_type()
                    && !matches!(phrase.term, Term::Value(_))
            }) else {
                break;
            };
            start = before.items.start;
            all.push(before);
        }
        if all.len() > 1 && self.is_governed(start) {
            return Vec::new();
        }
        // "Yes, Mara uses it" has one subject.
        let joined = (all[all.len() - 1].items.end..all[0].items.start)
            .any(|at| matches!(self.lower(at), "and" | "&"));
        if !joined {
            all.truncate(1);
        }
        all
    }

    /// `the hearing at the Crown Court` as a whole, where a clause is about that.
    fn governing(&self, last: &Phrase) -> Option<Phrase> {
        let mut joint = self.before_title(last.items.start).checked_sub(1)?;
        if matches!(self.lower(joint), "the" | "our" | "my" | "a" | "an") {
            joint = joint.checked_sub(1)?;
        }
        if !matches!(
            self.lower(joint),
            "of" | "at" | "for" | "in" | "with" | "from" | "on" | "against"
        ) {
            return None;
        }
        let head = self
            .noun_phrase_ending(joint.checked_sub(1)?)
            .filter(|head| head.definite && !self.is_governed(head.items.start))?;
        let Term::Entity(name, kind) = &head.term else {
            return None;
        };
        let rest = self.text(joint..last.items.end);
        let term = Term::Entity(format!("{name} {rest}"), *kind);
        Some(Phrase {
            term,
            items: head.items.start..last.items.end,
            confidence: 0.7,
            definite: true,
        })
    }

    /// Steps back over `(my sister)`, `, my sister,` and `, who` after a subject.
    fn before_aside(&self, end: usize) -> usize {
        let relative = matches!(self.lower(end), "who" | "which" | "that");
        if relative && end >= 1 {
            let before = end - 1;
            let comma = usize::from(self.lower(before) == "," && before >= 1);
            if self.mention(before - comma).is_some() {
                return before - comma;
            }
        }
        if self.lower(end) == ")" {
            let open = (end.saturating_sub(8)..end)
                .rev()
                .find(|at| self.lower(*at) == "(");
            if let Some(before) = open
                .and_then(|open| open.checked_sub(1))
                .filter(|at| self.mention(*at).is_some())
            {
                return before;
            }
        }
        if self.lower(end) == ","
            && end >= 2
            && self.lower(end - 2) == ","
            && self.mention(end - 1).is_some()
        {
            // "Our CTO, Vikram Rao, prefers": the name stands aside.
            return end - 1;
        }
        if self.lower(end) == "," {
            let comma = (end.saturating_sub(9)..end)
                .rev()
                .find(|at| self.lower(*at) == ",");
            if let Some(comma) =
                comma.filter(|comma| *comma >= 1 && self.mention(comma - 1).is_some())
            {
                let aside = matches!(
                    self.lower(comma + 1),
                    "my" | "our" | "the" | "a" | "an" | "his" | "her" | "their" | "who"
                ) || (comma + 2 == end && self.is(comma + 1, Kind::Number));
                if aside {
                    return comma - 1;
                }
            }
        }
        end
    }

    /// Where the title before a name begins: `Dr.`
    fn before_title(&self, start: usize) -> usize {
        let point = usize::from(start >= 2 && self.lower(start - 1) == ".");
        let titled = start > point
            && self.class(start - 1 - point).is(Class::TITLE)
            && self.mention(start).is_some();
        if titled { start - 1 - point } else { start }
    }

    /// Whether a preposition or another noun before a phrase shows that it is not what the clause is about.
    fn is_governed(&self, start: usize) -> bool {
        let Some(mut before) = self.before_title(start).checked_sub(1) else {
            return false;
        };
        if matches!(self.lower(before), "the" | "our" | "my" | "a" | "an") && before > 0 {
            before -= 1;
        }
        one_of!(
            self.lower(before),
            "of" "when" "where" "against" "with" "for" "from" "at" "in" "on" "by" "about" "between"
            "to" "than" "like" "'s" "via" "without" "into" "let" "make" "makes" "help" "have" "had"
            "letting" "if" "unless" "whether" "as" "after" "before" "until" "near" "per"
        ) || (self
            .mention(before)
            .is_some_and(|mention| mention.entity_type != EntityType::Date)
            && self.mention(start).is_some())
    }

    /// The phrase that ends with this item, as something that a clause may be about.
    /// Who `he` or `she` at an item is: the only person before it in the sentence, or the only one of the sentences before.
    pub(super) fn they_at(&self, at: usize) -> Option<Term> {
        let mut only: Option<&str> = None;
        for mention in (0..at).filter_map(|before| self.mention(before)) {
            if mention.entity_type != EntityType::Person {
                continue;
            }
            if only.is_some_and(|only| only != mention.name) {
                return None;
            }
            only = Some(&mention.name);
        }
        let Some(only) = only else {
            return self.they.clone();
        };
        let here = Term::Entity(only.to_owned(), EntityType::Person);
        let other = self.they.as_ref().is_some_and(|they| *they != here);
        (!other).then_some(here)
    }

    fn subject_ending(&self, end: usize) -> Option<Phrase> {
        let item = self.items.get(end)?;
        if let Some(term) = self.name_term(end) {
            return Some(Phrase {
                term,
                items: end..end + 1,
                confidence: 1.0,
                definite: true,
            });
        }
        match item.lower {
            "i" | "we" => {
                let term = self.author.clone()?;
                return Some(Phrase {
                    term,
                    items: end..end + 1,
                    confidence: if item.lower == "i" { 1.0 } else { 0.9 },
                    definite: true,
                });
            }
            "he" | "she" => {
                let term = self.they_at(end)?;
                return Some(Phrase {
                    term,
                    items: end..end + 1,
                    confidence: 0.75,
                    definite: true,
                });
            }
            _ => {}
        }
        self.noun_phrase_ending(end)
    }

    /// `the staging port`, `our wiki`, `Mara's laptop`, `my rent`: a thing without a name of its own.
    fn noun_phrase_ending(&self, end: usize) -> Option<Phrase> {
        let mut start = end;
        loop {
            let item = self.items.get(start)?;
            if item.kind != Kind::Word || !may_be_noun(item.lower, item.class) {
                return None;
            }
            let Some(before) = start.checked_sub(1) else {
                return self.bare_phrase(start..end + 1);
            };
            let lower = self.lower(before);
            if matches!(lower, "the" | "our" | "this" | "these" | "its") {
                let this = matches!(lower, "this" | "these" | "its");
                return (!this)
                    .then(|| self.noun_term(before, start..end + 1, None))
                    .flatten();
            }
            if lower == "my" {
                let Some(Term::Entity(author, _)) = &self.author else {
                    return None;
                };
                return self.noun_term(before, start..end + 1, Some(author.clone()));
            }
            if lower == "'s" && before >= 1 {
                let owner = self.mention(before - 1)?;
                return self.noun_term(before - 1, start..end + 1, Some(owner.name.clone()));
            }
            if self.items[before].kind == Kind::Mark {
                return self.bare_phrase(start..end + 1);
            }
            if end - start >= 3 {
                return None;
            }
            if let Some(mention) = self.mention(before) {
                // "the Skep server": the name is a part of the phrase.
                let the = before
                    .checked_sub(1)
                    .is_some_and(|the| matches!(self.lower(the), "the" | "our"));
                let thing = !matches!(mention.entity_type, EntityType::Date);
                return (the && thing)
                    .then(|| self.noun_term(before - 1, before..end + 1, None))
                    .flatten();
            }
            start = before;
        }
    }

    fn noun_term(&self, from: usize, words: Range<usize>, owner: Option<String>) -> Option<Phrase> {
        let noun = self.text(words.clone());
        let last = self.lower(words.end - 1);
        let vague = one_of!(
            last,
            "thing" "one" "idea" "point" "problem" "issue" "reason" "question" "answer" "way" "part"
            "rest" "same" "first" "last" "other" "others" "people" "goal" "result" "results"
            "following" "next" "plan" "fact" "best" "total" "key" "number" "difference"
        );
        let kin = self.class(words.end - 1).is(Class::KIN) && owner.is_some();
        if noun.len() < 3 || vague || kin {
            return None;
        }
        let name = match owner {
            Some(owner) => format!("{owner}'s {noun}"),
            None => noun,
        };
        Some(Phrase {
            term: Term::Entity(name, EntityType::Concept),
            items: from..words.end,
            confidence: 0.75,
            definite: true,
        })
    }

    /// `Deadline` in `Deadline is Friday`: at the beginning of a clause alone.
    fn bare_phrase(&self, words: Range<usize>) -> Option<Phrase> {
        let starts =
            words.start == 0 || matches!(self.lower(words.start - 1), ":" | ";" | "." | "-" | "|");
        if !starts || words.len() > 3 {
            return None;
        }
        let mut phrase = self.noun_term(words.start, words, None)?;
        phrase.confidence = 0.55;
        phrase.definite = false;
        Some(phrase)
    }

    /// The phrase that begins at an item, after a verb or preposition.
    pub(super) fn object(&self, at: usize) -> Option<Phrase> {
        let mut start = at;
        let mut definite = false;
        let mut article = false;
        match self.lower(start) {
            "the" | "our" | "my" | "this" | "that" | "these" | "those" | "his" | "her"
            | "their" | "its" => {
                definite = true;
                start += 1;
            }
            "a" | "an" | "another" => {
                article = true;
                start += 1;
            }
            "both" => start += 1,
            _ => {}
        }
        let pointing = matches!(
            self.lower(at),
            "this" | "that" | "these" | "those" | "his" | "her" | "their" | "its"
        );
        let mut end = start;
        let mut name = None;
        while end < self.items.len() && end - start < 6 {
            let item = &self.items[end];
            match item.kind {
                Kind::Name(_) => {
                    let date = self
                        .mention(end)
                        .is_some_and(|mention| mention.entity_type == EntityType::Date);
                    if name.is_some() || (date && end > start) {
                        break;
                    }
                    name = Some(end);
                    end += 1;
                    if !self.names_on(end) {
                        break;
                    }
                }
                Kind::Word
                    if may_be_noun(item.lower, item.class)
                        || (end == start && is_adverb(item.lower, item.class)) =>
                {
                    end += 1;
                }
                Kind::Number if end > start || article || definite => end += 1,
                _ => break,
            }
        }
        if end == start {
            return None;
        }
        if let Some(name) = name {
            let mention = self.mention(name)?;
            let after: Vec<usize> = (name + 1..end).collect();
            let as_it = after.is_empty()
                || after
                    .iter()
                    .all(|at| self.class(*at).is(Class::AFTER_TOOL.and(Class::TOOL_NOUN)));
            let cut = self.token(end).is_some_and(|next| {
                !next.spaced
                    && !one_of!(
                        next.text,
                        "," "." ";" ":" "!" "?" ")" "'" "\"" "”" "**" "*" "’" "…"
                    )
                    && next.lower != "'s"
            });
            if cut {
                return None;
            }
            let before_is_plain = (start..name).all(|at| self.items[at].kind == Kind::Word);
            if as_it && before_is_plain && name - start <= 3 && self.lower(name + 1) != "'s" {
                return Some(Phrase {
                    term: Term::Entity(mention.name.clone(), mention.entity_type),
                    items: at..end,
                    confidence: 1.0,
                    definite: true,
                });
            }
            if self.lower(end) == "'s" {
                let more = (end + 1..self.items.len())
                    .take(4)
                    .take_while(|at| {
                        self.items[*at].kind == Kind::Word
                            && may_be_noun(self.lower(*at), self.class(*at))
                    })
                    .count();
                end += 1 + more;
            }
        }
        if pointing {
            return None;
        }
        let text = self.text(start..end);
        let empty = text.chars().filter(|letter| letter.is_alphabetic()).count() < 3;
        let vague = (start..end).all(|at| is_vague(self.lower(at)));
        (!empty && !vague).then_some(Phrase {
            term: Term::Value(text),
            items: at..end,
            confidence: 0.8,
            definite: definite || article,
        })
    }

    /// Whether the word after a name goes on with the phrase: `PostgreSQL cluster`.
    fn names_on(&self, at: usize) -> bool {
        self.items.get(at).is_some_and(|item| {
            item.kind == Kind::Word
                && may_be_noun(item.lower, item.class)
                && !item.class.is(Class::PERSON_VERB)
                && self.token(at).is_some_and(|token| token.spaced)
        })
    }

    /// More objects after a first one: `, Redis and Kafka`.
    pub(super) fn more_objects(&self, first: &Phrase) -> Vec<Phrase> {
        let mut all = vec![first.clone()];
        let mut at = first.items.end;
        while all.len() < 8 {
            let mut joint = at;
            while matches!(self.lower(joint), "," | "and" | "&" | "or" | "+") && joint < at + 2 {
                joint += 1;
            }
            if joint == at {
                break;
            }
            let Some(next) = self.object(joint) else {
                break;
            };
            let alike = match (&first.term, &next.term) {
                (Term::Entity(..), Term::Entity(_, kind)) => {
                    !matches!(kind, EntityType::Date | EntityType::Person)
                        || first.entity_type() == Some(*kind)
                }
                (Term::Value(_), Term::Value(text)) => {
                    text.split(' ').count() <= 3
                        && (self.ends_clause(next.items.end)
                            || matches!(self.lower(next.items.end), "and" | "or"))
                }
                _ => false,
            };
            let is_clause = is_verb(self.lower(next.items.end), self.class(next.items.end));
            if !alike || is_clause {
                break;
            }
            at = next.items.end;
            all.push(next);
        }
        all
    }

    /// The rest of the clause from an item on, at most `most` items long.
    pub(super) fn rest_of_clause(&self, at: usize, most: usize) -> Option<(String, usize)> {
        let mut end = at;
        while end < self.items.len() && end - at < most && !self.ends_clause(end) {
            end += 1;
        }
        let text = self.text(at..end);
        (text.chars().filter(|letter| letter.is_alphabetic()).count() > 3).then_some((text, end))
    }
}
