//! Runs of capitalised words: where they start, continue and end.

/// Maximum number of consecutive titles before a name.
const MAX_TITLES: usize = 8;

use super::{Candidate, Text, cues, is_head};
use crate::reading::gazetteer::{self, Class};
use crate::reading::tokens::{Shape, Token};

/// Maximum number of tokens in a run; a run stops growing here.
const MAX_TOKENS: usize = 8;

impl<'a> Text<'a> {
    /// The run of capitalised words that starts at `at`.
    pub(super) fn run(&self, at: usize) -> Option<Candidate> {
        if !self.may_begin(self.token(at), at) {
            return None;
        }
        let title = self.title_length(at);
        let start = at + title;
        let named = |next: &Token<'_>| next.is_capital() && next.text.chars().count() > 1;
        if title > 0 && !self.tokens.get(start).is_some_and(named) {
            return None;
        }
        let mut end = start + 1;
        while let Some(length) = self.continues(start, end) {
            end += length;
        }
        let start = self.trimmed(start, end);
        let words = &self.tokens.all[start..end];
        if self.speech.is_all_caps(self.tokens, start)
            || (title == 0 && self.speech.german(self.tokens, start) && !is_named_in_german(words))
        {
            return None;
        }
        // "Lake Bled" is not ordinary, although both of its words are.
        let front = words.len() > 1 && words[0].class.is(Class::PLACE_FRONT);
        let ordinary = words
            .iter()
            .filter(|word| word.is_word())
            .all(|word| gazetteer::is_ordinary(&word.lower) && !(front && word.class.is_name()));
        let run = Candidate {
            tokens: start..end,
            listed: Class::NONE,
            titled: title > 0,
            weak: words[0].begins && title == 0,
            ordinary,
        };
        match words {
            [only] => self.lone(only, run),
            words => self.several(words, run),
        }
    }

    /// A one-word run, if it may be a name.
    fn lone(&self, word: &Token<'_>, run: Candidate) -> Option<Candidate> {
        let seen_capital = self.capital.contains(&*word.lower);
        let letters = word.text.chars().count();
        let acronym = (3..=6).contains(&letters) && !is_roman(word.text);
        let plain = self.lower.contains(&*word.lower)
            || (run.ordinary && !cues::is_called(self.tokens, run.tokens.start))
            || (word.shape == Shape::Upper && !acronym);
        let other = letters < 2
            || (word.titled && !seen_capital)
            || is_compound(word)
            || word.text.bytes().filter(u8::is_ascii_digit).count() > 2;
        (!other && (run.titled || !plain)).then_some(Candidate {
            weak: run.weak && !seen_capital,
            ..run
        })
    }

    /// A multi-word run, if it may be a name.
    fn several(&self, words: &'a [Token<'a>], run: Candidate) -> Option<Candidate> {
        let (first, last) = (words.first()?, words.last()?);
        let start = run.tokens.start;
        let leads = matches!(&*first.lower, "project" | "team" | "operation")
            && !first.titled
            && !cues::is_about_work(&last.lower);
        if run.ordinary
            && !run.titled
            && (run.weak || !is_head(last))
            && !leads
            && !cues::is_called(self.tokens, start)
            && !cues::follows_noun(self.tokens, start)
            && !cues::follows_at(self.tokens, start)
        {
            return None;
        }
        let signed =
            last.class.is(Class::ORGANISATION_HEAD) && !gazetteer::is_ordinary(&first.lower);
        let stands_elsewhere = |word: &Token<'_>| {
            !gazetteer::is_ordinary(&word.lower) && self.capital.contains(&*word.lower)
        };
        let known = |word: &Token<'_>| word.class.is(Class::FIRST_NAME) || stands_elsewhere(word);
        (!first.titled || signed || words.iter().any(known))
            .then_some(Candidate { weak: false, ..run })
    }

    /// Whether a run may start with this word.
    fn may_begin(&self, first: &Token<'_>, at: usize) -> bool {
        if !first.is_capital() || first.class.is(Class::WEEKDAY.and(Class::MONTH)) {
            return false;
        }
        if first.class.is(Class::FUNCTION) && !first.class.is(Class::FIRST_NAME.and(Class::TOOL)) {
            return false;
        }
        let ordinary = gazetteer::is_ordinary(&first.lower);
        if (first.begins || first.titled)
            && ordinary
            && !first.class.is(Class::TITLE.and(Class::PLACE_FRONT))
        {
            // "Central Park" and "Green Valley School" may be names, "Hello Anna" may not.
            let head = self.tokens.get(at + 1).is_some_and(|next| {
                next.spaced
                    && next.is_capital()
                    && !next.begins
                    && next
                        .class
                        .is(Class::PLACE_HEAD.and(Class::ORGANISATION_HEAD))
            });
            let leading = matches!(
                &*first.lower,
                "project" | "team" | "operation" | "lake" | "mount" | "hotel" | "camp" | "café"
            ) && self.tokens.get(at + 1).is_some_and(|next| {
                next.spaced
                    && next.shape == Shape::Capital
                    && !next.begins
                    && !next.class.is(Class::FUNCTION)
            });
            return (head || leading)
                && !first.titled
                && !first.class.is(Class::BEFORE_PERSON
                    .and(Class::FUNCTION)
                    .and(Class::PERSON_VERB));
        }
        true
    }

    /// The number of tokens of the titles at `at`, full stops included; 0 if no name follows.
    fn title_length(&self, at: usize) -> usize {
        let mut length = 0;
        for _ in 0..MAX_TITLES {
            let title = self.token(at + length);
            if !title.class.is(Class::TITLE) || title.text.len() < 2 {
                return 0;
            }
            let point = self
                .tokens
                .get(at + length + 1)
                .is_some_and(|next| next.is_mark("."));
            length += 1 + usize::from(point);
            let Some(next) = self.tokens.get(at + length) else {
                return 0;
            };
            if next.class.is(Class::TITLE) && next.is_capital() && next.text.len() > 1 {
                continue;
            }
            let named = !self.taken[at + length]
                && next.is_capital()
                && !next.class.is(Class::FUNCTION)
                && !is_head(next);
            return if named { length } else { 0 };
        }
        0
    }

    /// The number of tokens from `end` on that extend the run from `start`.
    fn continues(&self, start: usize, end: usize) -> Option<usize> {
        let next = self
            .tokens
            .get(end)
            .filter(|_| !self.taken[end] && end - start < MAX_TOKENS)?;
        let last = self.token(end - 1);
        let capital_at = |at: usize| {
            self.tokens.get(at).is_some_and(|token| {
                !self.taken[at]
                    && token.spaced
                    && token.is_capital()
                    && !token.begins
                    && !token.class.is(Class::FUNCTION)
            })
        };
        if next.is_capital()
            && next.spaced
            && !next.begins
            && !next.class.is(Class::WEEKDAY)
            && (!next.class.is(Class::FUNCTION)
                || next.class.is(Class::TOOL.and(Class::FIRST_NAME)))
            && (next.text != "I")
        {
            return Some(1);
        }
        let initials = last.text.len() < 6
            && last.text.split('.').all(|part| part.chars().count() == 1)
            && last
                .text
                .chars()
                .all(|letter| letter.is_uppercase() || letter == '.');
        let saint = matches!(&*last.lower, "st" | "mt" | "ft") && end - start == 1;
        if next.is_mark(".") && !next.spaced && (initials || saint) && capital_at(end + 1) {
            return Some(2);
        }
        if !next.spaced && next.lower != "'s" {
            return None;
        }
        match &*next.lower {
            "du" | "da" | "do" | "das" | "des" | "dos" | "della" | "delle" | "dei" | "degli"
                if last.class.is(Class::PLACE_HEAD
                    .and(Class::PLACE_FRONT)
                    .and(Class::ORGANISATION_HEAD)
                    .and(Class::ORGANISATION_FRONT)) =>
            {
                capital_at(end + 1).then_some(2)
            }
            "of" if is_head(last)
                || one_of!(
                    &*last.lower,
                    "lord" "game" "isle" "republic" "gulf" "king" "queen" "bay" "city" "house"
                    "church" "university" "call" "legend" "tower"
                ) =>
            {
                let the = usize::from(self.tokens.lower(end + 1) == "the");
                capital_at(end + 1 + the).then_some(2 + the)
            }
            "&" if capital_at(end + 1) && !last.class.is_name() && !last.titled => Some(2),
            "de" | "la" | "del" | "van" | "von" | "der" | "den" | "di" | "da" | "du" | "bin"
            | "al" | "el" | "zu" | "ten" | "ter" | "dos"
                if next.shape == Shape::Lower
                    && (last.class.is(Class::FIRST_NAME)
                        || (!last.begins && matches!(&*next.lower, "de" | "la" | "del"))) =>
            {
                let more = usize::from(matches!(
                    self.tokens.lower(end + 1),
                    "la" | "der" | "den" | "los" | "las"
                ));
                capital_at(end + 1 + more).then_some(2 + more)
            }
            "'s" if (!last.class.is(Class::FIRST_NAME)
                || matches!(self.tokens.lower(start), "st" | "saint"))
                && capital_at(end + 1)
                && is_head(self.token(end + 1)) =>
            {
                Some(2)
            }
            _ => None,
        }
    }

    /// The start of a run without leading words that are not part of the name.
    fn trimmed(&self, mut start: usize, end: usize) -> usize {
        let is_called = |at: usize| {
            self.token(at).begins
                && self.token(at + 1).class.is(Class::FIRST_NAME)
                && self.token(at).class == Class::NONE
        };
        if start + 1 < end && is_called(start) {
            start += 1;
        }
        while start + 1 < end && is_german_kin(&self.token(start).lower) {
            start += 1;
        }
        let leads = Class::BEFORE_PERSON
            .and(Class::FOREIGN)
            .and(Class::PERSON_VERB);
        let may_be_name = |word: &Token<'_>| {
            word.class.is(Class::FIRST_NAME) || !gazetteer::is_ordinary(&word.lower)
        };
        while start + 1 < end
            && self.token(start).class.is(leads)
            && !self.token(start).class.is_name()
            && may_be_name(self.token(start + 1))
        {
            start += 1;
        }
        start
    }
}

/// Whether a run may be a name in German, which capitalises all nouns.
fn is_named_in_german(words: &[Token<'_>]) -> bool {
    words.iter().any(|word| {
        word.class.is(Class::FIRST_NAME) || word.text == "&" || cues::is_company_form(&word.lower)
    }) || (words.len() > 1 && words[0].class.is(Class::ORGANISATION_FRONT) && !words[0].begins)
}

/// German nouns for relatives and friends; capitalised, and not part of the name that follows.
fn is_german_kin(lower: &str) -> bool {
    one_of!(
        lower,
        "freund" "freundin" "bruder" "schwester" "tante" "onkel" "opa" "oma" "kollege" "kollegin"
        "mutter" "vater" "nachbar" "nachbarin" "sohn" "tochter" "cousine"
    )
}

/// `ATS-friendly`, `URLs`: derived from an acronym and not a name itself.
fn is_compound(token: &Token<'_>) -> bool {
    let tail = token.text.rsplit_once('-').is_some_and(|(_, tail)| {
        tail.len() > 2 && tail.chars().all(char::is_lowercase) && gazetteer::is_ordinary(tail)
    });
    let plural = token.text.strip_suffix('s').is_some_and(|stem| {
        stem.len() > 1
            && stem.bytes().all(|byte| byte.is_ascii_uppercase())
            && (stem.len() == 2 || gazetteer::is_ordinary(&stem.to_lowercase()))
    });
    tail || plural
}

fn is_roman(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X')) && text.len() < 5
}
