//! Objects: the phrases after the verb of a clause.

use std::ops::Range;

use anamne_types::EntityType;

use super::{Kind, Phrase, Sentence};
use crate::reading::Term;
use crate::reading::gazetteer::Class;
use crate::reading::statements::words::{is_adverb, is_vague, is_verb, may_be_noun};

impl Sentence<'_> {
    /// The phrase that starts at an item, after a verb or preposition.
    pub(in crate::reading::statements) fn object(&self, at: usize) -> Option<Phrase> {
        let lower = self.lower(at);
        let pointing = one_of!(lower, "this" "that" "these" "those" "his" "her" "their" "its");
        let determined = pointing || matches!(lower, "the" | "our" | "my" | "a" | "an" | "another");
        let start = at + usize::from(determined || lower == "both");
        let (mut end, name) = self.extent(start, determined);
        if end == start {
            return None;
        }
        if let Some(name) = name {
            if self.is_cut(end) {
                return None;
            }
            if self.denotes_name(name, start..end) {
                return Some(Phrase::of(self.term(name)?, at..end, 1.0));
            }
            if self.lower(end) == "'s" {
                let more = (end + 1..self.items.len())
                    .take(4)
                    .take_while(|at| self.is_noun(*at))
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
            definite: determined,
        })
    }

    /// The end of a phrase of up to six items, and the item in it that is a name.
    fn extent(&self, start: usize, determined: bool) -> (usize, Option<usize>) {
        let (mut end, mut name) = (start, None);
        while let Some(item) = self.items.get(end).filter(|_| end - start < 6) {
            match item.kind {
                Kind::Name(_) => {
                    let date = self.names(end, EntityType::Date);
                    if name.is_some() || (date && end > start) {
                        break;
                    }
                    name = Some(end);
                    end += 1;
                    if !self.continues_phrase(end) {
                        break;
                    }
                }
                Kind::Word
                    if may_be_noun(item.lower, item.class)
                        || (end == start && is_adverb(item.lower, item.class)) =>
                {
                    end += 1;
                }
                Kind::Number if end > start || determined => end += 1,
                _ => break,
            }
        }
        (end, name)
    }

    /// Whether the token after a phrase is attached without white space.
    fn is_cut(&self, end: usize) -> bool {
        self.token(end).is_some_and(|next| {
            !next.spaced
                && !one_of!(next.text, "," "." ";" ":" "!" "?" ")" "'" "\"" "”" "**" "*" "’" "…")
                && next.lower != "'s"
        })
    }

    /// Whether a phrase with a name denotes the named entity itself, not something that belongs to it.
    fn denotes_name(&self, name: usize, phrase: Range<usize>) -> bool {
        let noun = Class::AFTER_TOOL.and(Class::TOOL_NOUN);
        (name + 1..phrase.end).all(|at| self.class(at).is(noun))
            && (phrase.start..name).all(|at| self.is(at, Kind::Word))
            && name - phrase.start <= 3
            && self.lower(name + 1) != "'s"
    }

    pub(super) fn is_noun(&self, at: usize) -> bool {
        self.is(at, Kind::Word) && may_be_noun(self.lower(at), self.class(at))
    }

    /// Whether the word after a name continues the phrase: `PostgreSQL cluster`.
    fn continues_phrase(&self, at: usize) -> bool {
        self.is_noun(at)
            && !self.class(at).is(Class::PERSON_VERB)
            && self.token(at).is_some_and(|token| token.spaced)
    }

    /// The first object and those in a list after it: `, Redis and Kafka`.
    pub(in crate::reading::statements) fn more_objects(&self, first: &Phrase) -> Vec<Phrase> {
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
                    !matches!(kind, EntityType::Date | EntityType::Person) || first.is(*kind)
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

    /// The rest of the clause from an item on, at most `most` items, and its end.
    pub(in crate::reading::statements) fn rest_of_clause(
        &self,
        at: usize,
        most: usize,
    ) -> Option<(String, usize)> {
        let mut end = at;
        while end < self.items.len() && end - at < most && !self.ends_clause(end) {
            end += 1;
        }
        let text = self.text(at..end);
        (text.chars().filter(|letter| letter.is_alphabetic()).count() > 3).then_some((text, end))
    }
}
