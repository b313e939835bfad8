//! Subjects: the phrases before the verb of a clause.

use std::ops::Range;

use anamne_types::EntityType;

use super::{Kind, Phrase, Sentence};
use crate::reading::Term;
use crate::reading::gazetteer::Class;
use crate::reading::statements::words::is_adverb;

impl Sentence<'_> {
    /// The subjects of the clause whose verb group starts at `verb`: one phrase, or several joined by `and`.
    pub(in crate::reading::statements) fn subjects(&self, verb: usize) -> Vec<Phrase> {
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
        end = self.skip_aside_backwards(end);
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

    /// The people among the subjects.
    pub(in crate::reading::statements) fn people(&self, verb: usize) -> Vec<Phrase> {
        let mut subjects = self.subjects(verb);
        subjects.retain(|subject| subject.is(EntityType::Person));
        subjects
    }

    /// The whole noun phrase that ends with `last`: `the hearing at the Crown Court`.
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
        Some(Phrase::of(term, head.items.start..last.items.end, 0.7))
    }

    /// Skips back over `(my sister)`, `, my sister,` and `, who` after a subject.
    fn skip_aside_backwards(&self, end: usize) -> usize {
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
            // "Our CTO, Vikram Rao, prefers": the name is an apposition.
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

    /// The start of the title before a name: `Dr.`; else `start`.
    fn before_title(&self, start: usize) -> usize {
        let point = usize::from(start >= 2 && self.lower(start - 1) == ".");
        let titled = start > point
            && self.class(start - 1 - point).is(Class::TITLE)
            && self.mention(start).is_some();
        if titled { start - 1 - point } else { start }
    }

    /// Whether a preposition or another name before a phrase shows that it is not the subject.
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

    /// The person that `he` or `she` at an item refers to: the only one before it in this sentence, or in the sentences
    /// before; `None` if ambiguous.
    pub(in crate::reading::statements) fn referent_at(&self, at: usize) -> Option<Term> {
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

    /// The phrase that ends with this item and may be a subject.
    fn subject_ending(&self, end: usize) -> Option<Phrase> {
        let here = end..end + 1;
        if let Some(term) = self.term(end) {
            return Some(Phrase::of(term, here, 1.0));
        }
        match self.items.get(end)?.lower {
            "i" => Some(Phrase::of(self.author.clone()?, here, 1.0)),
            "we" => Some(Phrase::of(self.author.clone()?, here, 0.9)),
            "he" | "she" => Some(Phrase::of(self.referent_at(end)?, here, 0.75)),
            _ => self.noun_phrase_ending(end),
        }
    }

    /// A thing without a name of its own: `the staging port`, `our wiki`, `Mara's laptop`, `my rent`.
    fn noun_phrase_ending(&self, end: usize) -> Option<Phrase> {
        let mut start = end;
        loop {
            if !self.is_noun(start) {
                return None;
            }
            let Some(before) = start.checked_sub(1) else {
                return self.bare_phrase(start..end + 1);
            };
            let lower = self.lower(before);
            if matches!(lower, "the" | "our") {
                return self.noun_term(before, start..end + 1, None);
            }
            if matches!(lower, "this" | "these" | "its") {
                return None;
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
            if self.mention(before).is_some() {
                // "the Skep server": the name is part of the phrase.
                let the = before
                    .checked_sub(1)
                    .is_some_and(|the| matches!(self.lower(the), "the" | "our"));
                return (the && !self.names(before, EntityType::Date))
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
        let term = Term::Entity(name, EntityType::Concept);
        Some(Phrase::of(term, from..words.end, 0.75))
    }

    /// `Deadline` in `Deadline is Friday`; only at the start of a clause.
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
}
