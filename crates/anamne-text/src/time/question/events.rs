//! Events that a question uses as a time reference.

use super::phrases::FoundPhrase;
use super::reader::Reader;
use super::vocabulary::{Trust, Word};
use super::{Direction, EventDistance, TimeMeaning};

/// Maximum words of an event.
const MOST_WORDS: usize = 5;

impl Reader<'_> {
    /// `before the migration`, `after we launched`, `during our trip`, `since moving to Berlin`. `word` says the
    /// direction; the event starts at `next`.
    pub(super) fn event_phrase(&self, at: usize, word: Word, next: usize) -> Option<FoundPhrase> {
        let direction = match word {
            Word::Since => Direction::Since,
            Word::Before => Direction::Before,
            Word::After => Direction::After,
            Word::Until => Direction::Until,
            Word::During => Direction::During,
            _ => return None,
        };
        if self.is_not_time(at) {
            return None;
        }
        self.relative_to_event(next, direction, EventDistance::Open)
            .filter(|found| direction != Direction::Since || !self.gives_a_reason(found.end))
    }

    /// `since the number has grown`: with a verb, `since` gives a reason.
    fn gives_a_reason(&self, end: usize) -> bool {
        !self.stops_before(end)
            && (matches!(self.word(end), Word::Verb | Word::Past | Word::Ahead)
                || self.is_verb_may(end)
                || self.tokens[end].text.eq_ignore_ascii_case("up"))
    }

    fn is_verb_may(&self, at: usize) -> bool {
        self.word(at) == Word::Month(5, Trust::Common) && !self.capital(at)
    }

    /// `look after`, `named after` are not times.
    fn is_not_time(&self, at: usize) -> bool {
        const BEFORE: &str =
            "look looks looked looking named called take takes took taking ask asked run running";
        let english = self.tokens[at]
            .is_one_of("since before after until till during throughout prior subsequent");
        !english || self.follows(at, BEFORE)
    }

    pub(super) fn relative_to_event(
        &self,
        at: usize,
        direction: Direction,
        reach: EventDistance,
    ) -> Option<FoundPhrase> {
        let (event, end) = self.event(at)?;
        let when = Some(TimeMeaning::Around {
            event,
            direction,
            reach,
        });
        Some(FoundPhrase { end, when })
    }

    fn event(&self, at: usize) -> Option<(String, usize)> {
        if self.stops_before(at) {
            return None;
        }
        match self.word(at) {
            Word::The | Word::Determiner => self.noun_phrase(at + 1),
            Word::Pronoun => self.clause(at + 1),
            Word::Other if self.capital(at) => self.noun_phrase(at),
            Word::Other if self.past && self.tokens[at].text.ends_with("ing") => {
                self.clause_words(at)
            }
            _ => None,
        }
    }

    /// Whether the event that starts at `at` may continue with the token at `end`.
    fn may_continue(&self, at: usize, end: usize) -> bool {
        let is_near = end < self.tokens.len().min(at + MOST_WORDS);
        is_near && (end == at || !self.stops_before(end))
    }

    fn noun_phrase(&self, at: usize) -> Option<(String, usize)> {
        let mut end = at;
        while self.may_continue(at, end) {
            let ends = match self.word(end) {
                Word::Of => end == at || self.stops_before(end + 1),
                // "the launch of the app"
                Word::The | Word::Determiner => self.word(end.max(at + 1) - 1) != Word::Of,
                word => ends_noun_phrase(word) || self.is_verb_may(end),
            };
            if ends {
                break;
            }
            end += 1;
            if end > at + 1 && self.is_past_verb(end - 1) {
                break;
            }
        }
        while end > at && matches!(self.word(end - 1), Word::Of | Word::The | Word::Determiner) {
            end -= 1;
        }
        self.said(at, end)
    }

    /// A clause after a pronoun: only the past tense, because memories are about the past.
    fn clause(&self, at: usize) -> Option<(String, usize)> {
        if self.stops_before(at) || !self.is_past_verb(at) {
            return None;
        }
        self.clause_words(at)
    }

    fn clause_words(&self, at: usize) -> Option<(String, usize)> {
        let joins = |word| is_word!(word, The Determiner Article To From Of);
        let mut end = at;
        while self.may_continue(at, end) {
            if end > at && !joins(self.word(end)) && ends_noun_phrase(self.word(end)) {
                break;
            }
            end += 1;
        }
        while end > at + 1 && joins(self.word(end - 1)) {
            end -= 1;
        }
        self.said(at, end)
    }

    fn is_past_verb(&self, at: usize) -> bool {
        const IRREGULAR: &str = "moved left met got came went had made bought sold broke built ran saw took became quit \
            lost won wrote gave found began fell cut split set put chose spoke hired shut grew sent \
            started ended finished";
        let Some(token) = self.tokens.get(at) else {
            return false;
        };
        let regular = token.word == Word::Other
            && token.text.len() > 4
            && token.text.ends_with("ed")
            && !token.text.ends_with("eed")
            && !token.is_capitalised();
        regular || IRREGULAR.split(' ').any(|verb| verb == token.text)
    }

    fn said(&self, at: usize, end: usize) -> Option<(String, usize)> {
        if end <= at {
            return None;
        }
        // "after the first", "before the second" name no event.
        let names = (at..end).any(|at| self.word(at) == Word::Other || self.capital(at));
        if !names {
            return None;
        }
        let words: Vec<&str> = self.tokens[at..end]
            .iter()
            .map(|token| token.text)
            .collect();
        Some((words.join(" "), end))
    }
}

fn ends_noun_phrase(word: Word) -> bool {
    is_word!(
        word, Function Except Verb Past Ahead Pronoun The Determiner Article In On At During Over Within
        Since Before After Until From To Through Between And By Around About Dash Day(_) This Every
        Ago ForeignLead Than
    )
}
