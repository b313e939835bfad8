//! Words that open a time on one side, and words that make it unclear.

use std::ops::Range;

use jiff::civil::Time;
use jiff::{Timestamp, ToSpan};

use super::phrases::FoundPhrase;
use super::point::Slice;
use super::reader::{Lead, Reader};
use super::vocabulary::{Part, Word};

/// Maximum words between a word that makes a time unclear and the time.
const MOST_BETWEEN: usize = 3;

/// Words that change a time with `of` or `from`: `as of March`, `apart from last week`.
const CHANGE_OF: &str = "as outside apart aside instead";

/// Maximum words between `between` and the second of its times.
const MOST_BETWEEN_PAIR: usize = 8;

impl Reader<'_> {
    /// The direction that words before a time give it, and the token after them: `since`, `prior to`, `bis`.
    pub(super) fn opening(&self, at: usize) -> Option<(Word, usize)> {
        const THROUGH: &str = "go goes going went gone come came get got live lived been look looked read walk walked \
            run ran all right half halfway break broke";
        let (next, two) = (at + 1, at + 2);
        let then_to = self.says(next, "to") && !self.stops_before(next);
        Some(match self.word(at) {
            word @ (Word::Since | Word::Before | Word::After | Word::Until) => (word, next),
            Word::AgoBefore => (Word::Before, next),
            Word::To if self.says(at, "bis") => (Word::Until, next),
            Word::Through if !self.follows(at, THROUGH) => (Word::Until, next),
            Word::From if self.follows(at, "starting beginning effective") => (Word::Since, next),
            Word::Earlier | Word::Later if self.word(next) == Word::Than => {
                (self.compared(at), two)
            }
            Word::Function if self.says(at, "up") && then_to => (Word::Until, two),
            Word::Other if self.says(at, "prior") && then_to => (Word::Before, two),
            Word::Other if self.says(at, "subsequent") && then_to => (Word::After, two),
            // "à partir de mars"
            Word::Other if self.tokens[at].is_one_of("partir compter") => {
                self.follows(at, "à À a").then_some((Word::Since, next))?
            }
            _ => return None,
        })
    }

    /// `earlier than`, `no later than`.
    fn compared(&self, at: usize) -> Word {
        let denied = self.before(at) == Word::Except;
        match (self.word(at), denied) {
            (Word::Earlier, false) => Word::Before,
            (Word::Earlier, true) => Word::Since,
            (_, false) => Word::After,
            (_, true) => Word::Until,
        }
    }

    /// `since March`, `before 2024`, `after last week`, `until yesterday`: the time after the word, which is at `at`.
    pub(super) fn open_ended(&self, word: Word, at: usize) -> Option<FoundPhrase> {
        if let Some(found) = self.open_within_day(word, at) {
            return Some(found);
        }
        if word == Word::Since
            && let Some((time, end)) = self.clock(at)
        {
            let moment = self.today().to_datetime(time);
            let moment = if moment > self.now {
                moment.checked_sub(1.day()).ok()?
            } else {
                moment
            };
            return Self::found(Some(self.instant_of(moment)?..Timestamp::MAX), end);
        }
        let named = self.named(at, Lead::by(word))?;
        let range = self.range_of(&named)?;
        Self::found(Some(opened(word, &range)), named.end)
    }

    /// `before noon today`, `after 3pm yesterday`: the rest of that day; `since noon yesterday`.
    fn open_within_day(&self, word: Word, at: usize) -> Option<FoundPhrase> {
        let (slice, end) = self.slice_at(at)?;
        let slice = match slice {
            Slice::Part(Part::Noon) => Slice::Clock(Time::constant(12, 0, 0, 0)),
            slice => slice,
        };
        let of_day = usize::from(is_word!(self.word(end), On Of));
        if self.stops_before(end + of_day) {
            return None;
        }
        let named = self.named(end + of_day, Lead::by(Word::On))?;
        let day = self.resolved(&named)?;
        let part = self.range(&slice.of(&day)?)?;
        let day = self.range(&day)?;
        let last = match slice {
            Slice::Clock(_) => part.start,
            _ => part.end,
        };
        let range = match word {
            Word::Since => part.start..Timestamp::MAX,
            Word::Before => day.start..part.start,
            Word::After => last..day.end,
            _ => Timestamp::MIN..last,
        };
        Self::found(Some(range), named.end)
    }

    /// `in March or later`, `2024 and before`, `March onwards`: the range and the token after it.
    pub(super) fn extended(
        &self,
        range: &Range<Timestamp>,
        end: usize,
    ) -> Option<(Range<Timestamp>, usize)> {
        if self.stops_hard(end) {
            return None;
        }
        let joined = self.word(end) == Word::And || self.tokens[end].is_one_of("or oder ou");
        let at = end + usize::from(joined);
        let range = match self.word(at) {
            Word::Earlier | Word::Before if joined => Timestamp::MIN..range.end,
            Word::Later | Word::After if joined => range.start..Timestamp::MAX,
            Word::Onwards => range.start..Timestamp::MAX,
            _ => return None,
        };
        let goes_on = self.word(at) != Word::Onwards && self.phrase(at).is_some();
        (!goes_on).then_some((range, at + 1))
    }

    /// Whether words before a time, from the token `free` on, give it another meaning than the time itself: `except in
    /// March`, `unlike last week`, `until after March`.
    pub(super) fn is_doubtful(&self, at: usize, end: usize, free: usize) -> bool {
        let last = self.tokens[end - 1].text;
        if last.ends_with("'s") || last.ends_with("’s") {
            return false;
        }
        let excluded = self.word(at) == Word::From && self.follows(at, CHANGE_OF);
        if excluded || self.is_part_of_unknown(at, free) {
            return true;
        }
        let first = at.saturating_sub(MOST_BETWEEN + 1).max(free);
        let mut is_time_between = false;
        for before in (first..at).rev() {
            if self.tokens[before].stop {
                return false;
            }
            match self.word(before) {
                // "no later than"; "no night in March" denies the night.
                Word::Except => return !is_word!(self.word(at), Earlier Later) && !is_time_between,
                word if is_word!(word, Than Between AgoBefore) => return true,
                // In "have we met before in March", it is an adverb.
                word if is_word!(word, Since Before After Until) => {
                    return !is_word!(self.word(at), In On At During Over Within);
                }
                // "whom did I write to last week"
                Word::To => return self.is_date(at) || self.is_in_pair(Word::From, before, free),
                Word::And => return self.is_in_pair(Word::Between, before, free),
                word if is_word!(word, Of From) && self.follows(before, CHANGE_OF) => return true,
                Word::Other => return self.tokens[before].is_one_of("outside besides"),
                word if is_word!(word, Part(_) Clock(_) Number(..) Meridiem(_)) => {
                    is_time_between = true;
                }
                word if is_word!(word, The ForeignLead Of From) => {}
                Word::Function if self.says(before, "for") => {}
                _ => return false,
            }
        }
        false
    }

    /// Whether a date or the name of a month or day is at a token, without a word that leads to it.
    fn is_date(&self, at: usize) -> bool {
        is_word!(
            self.word(at), Month(..) Weekday(..) Number(..) OrdinalDigits(_) Date(_) YearMonth(..) Quarter(_) Holiday(_)
        )
    }

    /// The first token of a distance that isn't known, which ends here: `a while ago`. `how long ago` asks for it.
    pub(super) fn vague_distance(&self, at: usize, free: usize) -> Option<usize> {
        let first = at.saturating_sub(2).max(free);
        let asks = (first..at).any(|before| self.tokens[before].is_one_of("how many long"));
        (self.word(at) == Word::Ago && first < at && !asks).then_some(first)
    }

    /// Whether the time after `and` is the second one of a range whose first one is not understood, and which `opens`.
    fn is_in_pair(&self, opens: Word, and: usize, free: usize) -> bool {
        let first = and.saturating_sub(MOST_BETWEEN_PAIR).max(free);
        (first..and)
            .rev()
            .take_while(|at| !self.tokens[*at].stop)
            .any(|at| self.word(at) == opens)
    }

    /// `du 3 au 5 mars`, `séptimo trimestre de 2025`: the words before the time belong to it.
    fn is_part_of_unknown(&self, at: usize, free: usize) -> bool {
        const ENDS: &str = "final principio comienzo inicio";
        if at <= free || self.word(at) != Word::ForeignLead || self.tokens[at - 1].stop {
            return false;
        }
        let of = self.tokens[at].is_one_of("de del du des");
        let to = self.tokens[at].is_one_of("au aux al");
        match self.word(at - 1) {
            Word::Unit(..) | Word::Half => of,
            word if is_word!(word, Number(..) OrdinalDigits(_)) => to,
            _ => of && self.tokens[at - 1].is_one_of(ENDS),
        }
    }
}

fn opened(word: Word, range: &Range<Timestamp>) -> Range<Timestamp> {
    match word {
        Word::Since => range.start..Timestamp::MAX,
        Word::Before => Timestamp::MIN..range.start,
        Word::After => range.end..Timestamp::MAX,
        _ => Timestamp::MIN..range.end,
    }
}
