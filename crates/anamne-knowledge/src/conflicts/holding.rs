//! Whether a sentence states that what it mentions holds, now and without limits.
//!
//! A verb or a value is no claim where something governs it: a negation, a question, a modal verb, a wish, somebody's opinion, a
//! past time, a limit in time or scope, or words after it that take it back. Where it is doubtful, it doesn't hold: a wrong
//! contradiction hides what is right.

use std::ops::Range;

use super::clauses::{Clause, Mode};
use super::tokens::{Kind, Token, is_at};
use super::words::{Governing, is_function_word, is_listed};

/// Words after which what follows is no longer governed by what precedes.
const BREAKS: &str = "how with because after why which who";

/// Words that make the next word a noun.
const BEFORE_NOUNS: &str =
    "a an the my our your his her their its this that these those of for new 's";

/// A sentence and what follows it.
pub(super) struct Sentence<'tokens, 'text> {
    pub(super) tokens: &'tokens [Token<'text>],
    pub(super) clauses: &'tokens [Clause],
    /// The tokens of the next sentence.
    pub(super) next: &'tokens [Token<'text>],
    /// The year in which it was said.
    pub(super) year: i16,
}

/// A verb or value of a clause.
pub(super) struct Mentioned {
    /// The index of its clause.
    pub(super) clause: usize,
    /// From the verb, or from the value if it has none, to the end of the value or object.
    pub(super) tokens: Range<usize>,
    /// Whether the verb is one of change, so that words beside it may limit the change.
    pub(super) changes: bool,
    /// Whether it is a date, which may be told as one to come.
    pub(super) is_date: bool,
}

impl Sentence<'_, '_> {
    /// Whether what the clause mentions is stated as holding.
    pub(super) fn holds(&self, mentioned: &Mentioned) -> bool {
        let clause = &self.clauses[mentioned.clause];
        let start = clause.tokens.start;
        let leading = &self.tokens[start..mentioned.tokens.start];
        let opens_late = leading
            .iter()
            .rposition(|token| token.is_one_of(BREAKS))
            .map_or(start, |at| start + at + 1);
        let governing = opens_late..mentioned.tokens.start;
        !self.is_denied(governing.start..mentioned.tokens.end)
            && !self.is_possible(governing.clone(), mentioned)
            && !self.is_opinion(governing)
            && self.lasts(mentioned)
    }

    /// Whether nothing beside it says that it is over, limited or wrong.
    pub(super) fn lasts(&self, mentioned: &Mentioned) -> bool {
        let is_over = self.is_told_of_the_past(&self.clauses[mentioned.clause])
            || mentioned.changes && self.is_limited(mentioned)
            || self.is_taken_back(mentioned);
        !is_over
    }

    /// Whether a question asks whether it is so, rather than presupposing it.
    pub(super) fn is_asked(&self, clause: usize, until: usize) -> bool {
        let clause = &self.clauses[clause];
        let said = &self.tokens[clause.tokens.start..until.max(clause.tokens.start)];
        let relates = said
            .iter()
            .any(|token| token.is_one_of("that which who how what why when where since because"));
        let Some(first) = said.first() else {
            return false;
        };
        let request = first.is_one_of("can could would will") && is_at(said, 1, "you");
        let inverted = first.is_one_of(
            "is are was were am do does did has have had can could should shall may might must would will",
        );
        let ends_asking = self
            .tokens
            .get(clause.tokens.end)
            .is_some_and(|mark| mark.is("?"));
        clause.mode == Mode::Question && !relates && !request && (inverted || ends_asking)
    }

    fn is_denied(&self, mut range: Range<usize>) -> bool {
        range.any(|at| {
            let token = &self.tokens[at];
            let hedge = token.is_one_of("almost nearly")
                && self
                    .tokens
                    .get(at + 1)
                    .is_some_and(|next| next.kind == Kind::Number);
            let longer = token.is("no") && is_at(self.tokens, at + 1, "longer");
            let only = token.is("not") && is_at(self.tokens, at + 1, "only just");
            longer || (Governing::Negation.has(&token.lower) && !hedge && !only)
        })
    }

    fn is_possible(&self, mut leading: Range<usize>, mentioned: &Mentioned) -> bool {
        let verb = mentioned.tokens.start;
        let is_to_come = |token: &Token<'_>| token.is_one_of("will shall");
        let modal = |at: usize| {
            let token = &self.tokens[at];
            let month = token.is("may") && token.text != "may";
            let duty = mentioned.changes && Governing::Duty.has(&token.lower);
            let may = token.is("may") && !month;
            let future = is_to_come(token) && mentioned.is_date;
            may || duty || (Governing::Modal.has(&token.lower) && !future)
        };
        let wish = |at: usize| {
            let token = &self.tokens[at];
            let noun = at > 0 && self.tokens[at - 1].is_one_of(BEFORE_NOUNS);
            Governing::Wish.has(&token.lower) && !noun
        };
        let to_be = mentioned.changes
            && !mentioned.is_date
            && verb >= 2
            && self.tokens[verb - 1].is_one_of("be get become")
            && self.tokens[verb - 2].is("to");
        to_be || self.is_ordered(&leading, mentioned) || leading.any(|at| modal(at) || wish(at))
    }

    /// `please raise the limit`: the base form at the start of a clause.
    fn is_ordered(&self, leading: &Range<usize>, mentioned: &Mentioned) -> bool {
        let Some(verb) = self.tokens.get(mentioned.tokens.start) else {
            return false;
        };
        let inflected = ["ed", "ing", "s"]
            .iter()
            .any(|end| verb.lower.ends_with(end));
        let polite = "please always do then and so also just let us let's to";
        mentioned.changes
            && verb.kind == Kind::Word
            && is_listed(ORDERED, &verb.lower)
            && !inflected
            && self.tokens[leading.clone()]
                .iter()
                .all(|token| token.is_one_of(polite))
    }

    fn is_opinion(&self, mut leading: Range<usize>) -> bool {
        leading.any(|at| {
            let token = &self.tokens[at];
            let noun = at > 0 && self.tokens[at - 1].is_one_of(BEFORE_NOUNS);
            let own = at > 0
                && self.tokens[..at]
                    .iter()
                    .rev()
                    .take(3)
                    .any(|token| token.is_one_of("i we"));
            !noun
                && (Governing::Doubt.has(&token.lower)
                    || (Governing::Opinion.has(&token.lower) && !own))
        })
    }

    /// Whether it tells of a past year, or of what used to be.
    fn is_told_of_the_past(&self, clause: &Clause) -> bool {
        self.around(clause).any(|at| {
            let token = &self.tokens[at];
            let before = at.checked_sub(1).map(|before| &self.tokens[before]);
            let year = token.lower.len() == 4 && token.kind == Kind::Number;
            let past_year = year
                && token
                    .lower
                    .parse()
                    .is_ok_and(|year: i16| (1900..self.year).contains(&year))
                && before.is_some_and(|before| before.is_one_of("in until till before during to"));
            let last_year = token.is("year") && before.is_some_and(|before| before.is("last"));
            let years_ago = token.is("ago") && before.is_some_and(|before| before.is("years"));
            let used_to = token.is("used")
                && is_at(self.tokens, at + 1, "to")
                && before.is_none_or(|before| !before.is_one_of("am is are was were be"));
            past_year || last_year || years_ago || used_to || Governing::PastTime.has(&token.lower)
        })
    }

    /// Whether a change is one for a time, or for a part.
    fn is_limited(&self, mentioned: &Mentioned) -> bool {
        let clause = &self.clauses[mentioned.clause];
        let mut around = self.around(clause);
        let value = mentioned.tokens.end;
        around.any(|at| {
            let token = &self.tokens[at];
            let beside = at < mentioned.tokens.start || at >= value;
            let limits = token.is("for") && (self.is_spell(at + 1) || self.is_part(at + 1));
            // `only five seats` counts; `in the test project only` limits.
            let only = token.is_one_of("only just")
                && at >= value
                && self.tokens.get(at + 1).is_none_or(|next| {
                    !next.is_said() || next.is_one_of("for in on at during until while when")
                });
            beside && (Governing::Temporary.has(&token.lower) || limits || only)
        })
    }

    /// `a few weeks`, `the demo`: but not `the demo account`.
    fn is_spell(&self, first: usize) -> bool {
        let end = (first..self.tokens.len())
            .take(4)
            .find(|&at| Governing::Spell.has(self.tokens[at].lower.trim_end_matches('s')));
        end.is_some_and(|end| {
            let named = self
                .tokens
                .get(end + 1)
                .is_some_and(|next| next.kind == Kind::Word && !is_function_word(&next.lower));
            let together = self.tokens[first..end].iter().all(Token::is_said);
            !named && together
        })
    }

    /// `one customer`, `a few users`.
    fn is_part(&self, first: usize) -> bool {
        let first = first + usize::from(is_at(self.tokens, first, "only just a the"));
        let noun = self
            .tokens
            .get(first + 1)
            .is_some_and(|next| next.kind == Kind::Word);
        noun && self
            .tokens
            .get(first)
            .is_some_and(|token| Governing::Part.has(&token.lower))
    }

    /// The environment beside a value, to which it may be limited: `staging`, `test`.
    pub(super) fn environment(&self, clause: usize) -> Option<String> {
        let mut around = self.around(&self.clauses[clause]);
        around.find_map(|at| {
            let word = &self.tokens[at].lower;
            let noun = self.tokens.get(at + 1);
            let named = Governing::EnvironmentKind.has(word)
                && noun.is_some_and(|noun| Governing::EnvironmentNoun.has(&noun.lower));
            (named || Governing::Environment.has(word)).then(|| word.clone())
        })
    }

    /// The clause with the adverbials that commas part from it.
    fn around(&self, clause: &Clause) -> Range<usize> {
        const LONGEST: usize = 6;
        const ADVERBIAL: &str = "in during for within until before back last at only just";
        let index = self
            .clauses
            .iter()
            .position(|other| other.tokens == clause.tokens)
            .unwrap_or(0);
        let is_adverbial = |clause: &Clause| {
            clause.tokens.len() <= LONGEST && self.tokens[clause.tokens.start].is_one_of(ADVERBIAL)
        };
        let before = index
            .checked_sub(1)
            .map(|before| &self.clauses[before])
            .filter(|before| is_adverbial(before));
        let after = self
            .clauses
            .get(index + 1)
            .filter(|after| is_adverbial(after));
        before.map_or(clause.tokens.start, |before| before.tokens.start)
            ..after.map_or(clause.tokens.end, |after| after.tokens.end)
    }

    /// Whether words after it take it back: `which is wrong`, `by accident`, `and came back`.
    fn is_taken_back(&self, mentioned: &Mentioned) -> bool {
        let takes_back = |tokens: &[Token<'_>]| {
            tokens
                .iter()
                .any(|token| Governing::Retraction.has(&token.lower))
        };
        let own = &self.clauses[mentioned.clause].tokens;
        let rest = mentioned.tokens.end.min(own.end)..own.end;
        let later = self.clauses[mentioned.clause + 1..]
            .iter()
            .filter(|clause| clause.mode != Mode::Question)
            .map(|clause| clause.tokens.clone());
        let in_sentence = std::iter::once(rest)
            .chain(later)
            .any(|range| takes_back(&self.tokens[range]));
        in_sentence || (refers_back(self.next) && takes_back(self.next))
    }
}

/// Verbs of change, in the form of a command.
const ORDERED: &str = "increase decrease improve reduce extend shorten expand move push reschedule postpone shift delay change update \
    raise lower boost bump revise adjust reset decline";

/// Whether a short sentence is about the one before it.
fn refers_back(tokens: &[Token<'_>]) -> bool {
    const LONGEST: usize = 9;
    tokens.len() <= LONGEST
        && !tokens.last().is_some_and(|last| last.is("?"))
        && is_at(tokens, 0, "this that it i we he she they no")
}
