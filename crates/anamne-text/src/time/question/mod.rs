//! Time expressions in a question, and the ranges that they mean.

/// Whether a word is one of these: `matches!` for long lists, without rustfmt splitting them.
macro_rules! is_word {
    ($word:expr, $($listed:ident $(($content:tt))?)+) => {
        matches!($word, $(Word::$listed $(($content))?)|+)
    };
}

mod around;
mod dates;
mod distance;
mod events;
mod lists;
mod openings;
mod pairs;
mod parts;
mod phrases;
mod point;
mod reader;
mod relative;
mod tokens;
mod vocabulary;

use std::cell::Cell;
use std::ops::Range;

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use phrases::FoundPhrase;
use reader::Reader;
use tokens::Token;
use vocabulary::Word;

/// A time expression in a question.
#[derive(Clone, Debug)]
pub struct TimeExpression {
    /// Its bytes in the question, including its preposition.
    pub text: Range<usize>,
    /// Its meaning.
    pub when: TimeMeaning,
}

/// The meaning of a time expression.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TimeMeaning {
    /// From the start (inclusive) to the end (exclusive). `since Monday` ends with [`Timestamp::MAX`], `before 2024`
    /// starts with [`Timestamp::MIN`].
    Range(Range<Timestamp>),
    /// Relative to an event, whose time must be found in memory.
    Around {
        /// The event in the question's words, without its article or pronoun and at most five words long: `release` in
        /// "the week before the release".
        event: String,
        /// The direction from the event.
        direction: Direction,
        /// The distance from the event.
        reach: EventDistance,
    },
    /// It names a time, but which range is meant isn't known: `except in March`, `on 3/4/2026`, `by Friday`.
    Unclear,
}

/// A direction relative to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// Before it starts.
    Before,
    /// After it ends.
    After,
    /// While it lasts.
    During,
    /// From its start on.
    Since,
    /// Until it ends.
    Until,
}

/// A distance from an event.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum EventDistance {
    /// Any distance: `after the release`.
    Open,
    /// Within this span: `the week before the release`; with [`Direction::During`] the calendar day, week or month that
    /// contains its start.
    Within(Span),
    /// At that distance from it: `two weeks after the release`.
    At(Span),
}

/// The time expressions of a question, in order and without overlaps.
///
/// Days, weeks (from Monday) and months are in `zone`; `today` is the day of `asked_at` there. Memories are about the
/// past: a month, weekday, season or holiday without a year is the last one that started by `asked_at`, unless the
/// question contains `will`, `upcoming` or `planned` and no past tense. Meanings:
///
/// | text | meaning |
/// |---|---|
/// | `yesterday`, `last week`, `in March`, `Q3 2024`, `on 12 March` | that day, week, month, quarter |
/// | `last summer`, `last Friday` | the last one that is over |
/// | `in the summer`, `summer of 2024` | meteorological, northern hemisphere: June to August; winter belongs to the year it starts in |
/// | `three days ago` | that day |
/// | `two weeks ago` | that day plus half a unit on either side; months and years likewise |
/// | `an hour ago` | that time plus half an hour, or a quarter of the distance, on either side |
/// | `the past three days`, `in the last week` | from the start of that day until `asked_at` |
/// | `this morning`, `Monday evening` | 5 to 12; afternoons 12 to 18, evenings 17 to 24, nights 18 to 5, noon 11 to 14 |
/// | `yesterday at 3pm` | the hour that starts then |
/// | `early 2024`, `mid-March`, `at the end of last year` | the first, second or last third |
/// | `around Christmas`, `around March` | plus a quarter of its length, at least three days, on either side |
/// | `since Monday`, `after March`, `prior to 2024`, `until May`, `in 2024 or later` | open on one side |
/// | `before noon today`, `after 3pm yesterday` | the part of that day |
/// | `in week 12`, `week 12 of 2025` | the week with that ISO number |
/// | `two Mondays ago`, `three summers ago` | the last one that is over, then the ones before it |
/// | `two weeks after March` | counted from its last day |
/// | `between March and May 2025`, `from Monday to Wednesday` | from the start of one until the end of the other |
/// | `the week before the release`, `after we moved` | [`TimeMeaning::Around`] an event |
///
/// Words that resemble times but may not be are ignored: `may` and `march` as verbs, numbers without a preposition,
/// `every Monday`, `the last message`, and quoted text. Deadlines (`by` a time), dates whose day and
/// month can't be told apart (`3/4/2026`) and times after words that change them in an unknown way (`except in March`)
/// are [`TimeMeaning::Unclear`]. English is fully supported; German, French and Spanish only in common expressions
/// (`letzte Woche`, `en mars`, `antes de 2025`). Linear in the length of the question.
///
/// ```
/// use anamne_text::time::{TimeMeaning, expressions};
/// use jiff::{Timestamp, tz::TimeZone};
///
/// let asked_at: Timestamp = "2026-03-04T14:30:00Z".parse()?;
/// let question = "What did we decide last week about the harbour?";
/// let found = expressions(question, asked_at, &TimeZone::UTC);
/// assert_eq!(&question[found[0].text.clone()], "last week");
/// let TimeMeaning::Range(range) = &found[0].when else { panic!("a range") };
/// assert_eq!(range.start, "2026-02-23T00:00:00Z".parse()?);
/// assert_eq!(range.end, "2026-03-02T00:00:00Z".parse()?);
///
/// assert!(expressions("May I see the second option?", asked_at, &TimeZone::UTC).is_empty());
/// # Ok::<(), jiff::Error>(())
/// ```
pub fn expressions(question: &str, asked_at: Timestamp, zone: &TimeZone) -> Vec<TimeExpression> {
    let tokens = tokens::tokens(question);
    let ahead = tokens.iter().any(|token| token.word == Word::Ahead) || names_a_plan(question);
    let past = tokens.iter().any(|token| token.word == Word::Past);
    let french = tokens.iter().any(|token| token.word == Word::Hier) && is_french(&tokens);
    let reader = Reader {
        tokens,
        now: asked_at.to_zoned(zone.clone()).datetime(),
        asked_at,
        zone,
        ahead: ahead && !past,
        past,
        french,
        depth: Cell::new(0),
    };
    let mut found = Vec::new();
    // The first token that no expression has.
    let mut free = 0;
    let mut at = 0;
    while at < reader.tokens.len() {
        if let Some(phrase) = reader.phrase(at) {
            free = add(&reader, at, free, phrase, &mut found);
            at = free;
            continue;
        }
        if let Some(first) = reader.vague_distance(at, free) {
            found.push(expression(&reader, first..at + 1, TimeMeaning::Unclear));
            free = at + 1;
        }
        at += 1;
    }
    found
}

/// Words for what is yet to be.
const PLAN_WORDS: [&str; 5] = ["planned", "scheduled", "due", "geplant", "prévu"];

fn names_a_plan(question: &str) -> bool {
    let mut words = question.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| {
        PLAN_WORDS
            .iter()
            .any(|plan| word.eq_ignore_ascii_case(plan))
    })
}

/// Adds the expression of a phrase, and others with the same leading word; returns the token after them.
fn add(
    reader: &Reader<'_>,
    at: usize,
    free: usize,
    phrase: FoundPhrase,
    found: &mut Vec<TimeExpression>,
) -> usize {
    let FoundPhrase { end, when } = phrase;
    let Some(when) = when else { return end };
    let range = match when {
        _ if reader.is_doubtful(at, end, free) => Err((TimeMeaning::Unclear, end)),
        TimeMeaning::Range(range) => match reader.extended(&range, end) {
            Some((range, end)) => Err((TimeMeaning::Range(range), end)),
            None => Ok(TimeMeaning::Range(range)),
        },
        when => Ok(when),
    };
    let (when, mut end, is_alone) = match range {
        Err((when, end)) => (when, end, true),
        Ok(when) => (when, end, false),
    };
    found.push(expression(reader, at..end, when));
    let lead = reader.word(at);
    while !is_alone && let Some((from, also)) = reader.also(lead, end) {
        let Some(when) = also.when else { break };
        found.push(expression(reader, from..also.end, when));
        end = also.end;
    }
    end
}

fn expression(reader: &Reader<'_>, tokens: Range<usize>, when: TimeMeaning) -> TimeExpression {
    let (first, last) = (&reader.tokens[tokens.start], &reader.tokens[tokens.end - 1]);
    TimeExpression {
        text: first.start..last.end(),
        when,
    }
}

/// Whether the words around `hier` are French.
fn is_french(tokens: &[Token<'_>]) -> bool {
    const FRENCH: &str =
        "nous vous je j'ai que est les des avons avec dans quoi qui ai fait qu'est-ce";
    const GERMAN: &str = "wir ich ist was haben der die das";
    let says = |words: &str| tokens.iter().any(|token| token.is_one_of(words));
    says(FRENCH) && !says(GERMAN)
}

impl TimeMeaning {
    /// The range of the expression, given the time of the event; a [`TimeMeaning::Range`] is returned unchanged, and an
    /// unclear one has no bounds.
    ///
    /// An instant is an event that starts and ends then. Days are in `zone`. At the end of the calendar, the range is
    /// truncated.
    ///
    /// ```
    /// use anamne_text::time::expressions;
    /// use jiff::{Timestamp, tz::TimeZone};
    ///
    /// let asked_at: Timestamp = "2026-03-04T14:30:00Z".parse()?;
    /// let found = expressions("Who was ill the day before the release?", asked_at, &TimeZone::UTC);
    /// let release: Timestamp = "2026-01-20T09:00:00Z".parse()?;
    /// let range = found[0].when.around(&(release..release), &TimeZone::UTC);
    /// assert_eq!(range.start, "2026-01-19T00:00:00Z".parse()?);
    /// assert_eq!(range.end, "2026-01-20T00:00:00Z".parse()?);
    /// # Ok::<(), jiff::Error>(())
    /// ```
    pub fn around(&self, event: &Range<Timestamp>, zone: &TimeZone) -> Range<Timestamp> {
        let (direction, reach) = match self {
            Self::Range(range) => return range.clone(),
            Self::Unclear => return Timestamp::MIN..Timestamp::MAX,
            Self::Around {
                direction, reach, ..
            } => (*direction, *reach),
        };
        let start = event.start.to_zoned(zone.clone());
        let end = event.end.max(event.start).to_zoned(zone.clone());
        around::around(direction, reach, &start, &end)
    }
}
