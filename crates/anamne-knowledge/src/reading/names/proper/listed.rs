//! Names from the word lists: `visual studio code`, `Anna`, `Bern`.

use super::{Candidate, Text, is_head};
use crate::reading::gazetteer::{self, Class};
use crate::reading::tokens::{Shape, Token};

impl<'a> Text<'a> {
    /// The listed name that starts at `at`, with the capitalised words that extend it.
    pub(super) fn listed(&self, at: usize) -> Option<Candidate> {
        if let Some(phrase) = self.phrase(at) {
            return Some(phrase);
        }
        let token = self.token(at);
        let person = token.class.is(Class::FIRST_NAME);
        if !token.class.is_name()
            || token.text.chars().count() < 2
            || !self.may_be_name_here(token, at)
            || (token.shape == Shape::Upper
                && person
                && token.text.len() > 2
                && !self.speech.is_lower
                && self.speech.is_all_caps(self.tokens, at))
        {
            return None;
        }
        let grown = (token.is_capital().then(|| self.run(at)).flatten())
            .filter(|run| run.tokens.len() > 1 && run.tokens.start == at);
        let only_person = if person {
            Class::FIRST_NAME
        } else {
            Class::NONE
        };
        Some(match grown {
            Some(run) => Candidate {
                listed: only_person,
                ..run
            },
            None => Candidate {
                tokens: at..at + 1 + usize::from(token.is_capital() && self.has_number(at, 1)),
                listed: token.class,
                titled: at > 0 && self.is_title(at - 1),
                weak: false,
                ordinary: false,
            },
        })
    }

    /// The listed multi-word name that starts at `at`.
    fn phrase(&self, at: usize) -> Option<Candidate> {
        let token = self.token(at);
        let (length, class) = gazetteer::phrase(&token.lower, |after| {
            self.next_word(at + 1 + after).map(|word| &*word.lower)
        })?;
        let capital = token.is_capital();
        let mut words = self.tokens.all[at..at + length].iter();
        let ordinary = words.all(|word| gazetteer::is_ordinary(&word.lower));
        let longer = capital
            && self.tokens.get(at + length).is_some_and(|next| {
                next.spaced && next.is_capital() && !next.begins && is_head(next)
            });
        let length = length + usize::from(self.has_number(at, length));
        (!longer && (capital || !ordinary)).then(|| Candidate {
            tokens: at..at + length,
            listed: class,
            titled: false,
            weak: false,
            ordinary: false,
        })
    }

    /// The token at `at`, if it may continue a multi-word name.
    fn next_word(&self, at: usize) -> Option<&'a Token<'a>> {
        self.tokens.get(at).filter(|token| {
            !self.taken[at] && token.is_word()
                || token.shape == Shape::Digit
                || token.text == "&"
                || token.lower == "'s"
        })
    }

    /// Whether a listed word is used as a name.
    fn may_be_name_here(&self, token: &Token<'_>, at: usize) -> bool {
        let ordinary = gazetteer::is_ordinary(&token.lower);
        match (token.shape == Shape::Lower, ordinary) {
            (true, true) => is_illness(&token.lower) || self.is_language(token, at),
            (true, false) => {
                !token.class.is(Class::FIRST_NAME)
                    || (self.speech.is_lower && token.lower.len() > 2)
                    || self.has_person_cue(at)
            }
            (false, true) => self.is_set_apart(token, at),
            (false, false) => true,
        }
    }

    /// Whether the capital of an ordinary word is evidence of a name.
    fn is_set_apart(&self, token: &Token<'_>, at: usize) -> bool {
        let supported = self.capital.contains(&*token.lower)
            || (token.class.is(Class::TOOL) && self.precedes_tool_word(at))
            || (token.class.is(Class::FIRST_NAME) && self.precedes_person_verb(at));
        let seen_lower = self.lower.contains(&*token.lower);
        if token.begins || token.titled {
            supported && !seen_lower
        } else {
            supported
                || (token.shape == Shape::Capital && !seen_lower)
                || (token.shape == Shape::Upper && !token.class.is(Class::FIRST_NAME))
        }
    }

    /// Whether the words after it indicate a program.
    fn precedes_tool_word(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_some_and(|next| {
            next.class.is(Class::AFTER_TOOL) && next.shape == Shape::Lower
                || matches!(
                    &*next.lower,
                    "works" | "keeps" | "crashed" | "crashes" | "doesn't" | "won't"
                )
                || (matches!(&*next.lower, "is" | "was" | "isn't")
                    && matches!(
                        self.tokens.lower(at + 2),
                        "down" | "back" | "slow" | "broken" | "up" | "open"
                    ))
        })
    }

    /// Whether the word after it indicates a person.
    fn precedes_person_verb(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_some_and(|next| {
            (next.class.is(Class::PERSON_VERB) && next.lower.ends_with("ed"))
                || matches!(
                    &*next.lower,
                    "'s" | "said" | "says" | "told" | "wrote" | "thinks" | "wants"
                )
        })
    }

    /// Whether a number after a device is part of its name: `Pixel 7`.
    fn has_number(&self, at: usize, length: usize) -> bool {
        self.token(at).class.is(Class::DEVICE)
            && self.tokens.get(at + length).is_some_and(|next| {
                next.spaced
                    && next.text.len() <= 3
                    && next.text.chars().any(|letter| letter.is_ascii_digit())
                    && next.text.chars().all(char::is_alphanumeric)
            })
    }

    /// Whether the word before a lower-case name indicates a person.
    fn has_person_cue(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|at| self.token(at));
        self.token(at).lower.len() > 3
            && before.is_some_and(|before| {
                before.class.is(Class::KIN.and(Class::BEFORE_PERSON)) && !before.begins
            })
    }

    /// Whether a lower-case ordinary word names a programming language or framework, as in `rust tests`.
    fn is_language(&self, token: &Token<'_>, at: usize) -> bool {
        let lower = &*token.lower;
        token.class.is(Class::TOOL)
            && matches!(lower, "rust" | "go" | "swift" | "react" | "node" | "ruby")
            && self
                .tokens
                .get(at + 1)
                .is_some_and(|next| next.class.is(Class::AFTER_TOOL))
            && !(lower == "go" && self.tokens.lower(at + 1) == "test")
    }

    fn is_title(&self, at: usize) -> bool {
        let point = usize::from(at > 0 && self.token(at).is_mark("."));
        let token = self.token(at - point);
        token.class.is(Class::TITLE) && token.is_capital()
    }
}

/// Illnesses, which are names although they are ordinary words.
fn is_illness(lower: &str) -> bool {
    one_of!(
        lower,
        "asthma" "diabetes" "migraine" "migraines" "arthritis" "pneumonia" "insomnia" "eczema"
    )
}
