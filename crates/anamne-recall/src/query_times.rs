//! The time expressions of a query as time ranges.

use std::ops::Range;

use anamne_store::view::Attributes;
use anamne_text::time::{EventDistance, TimeExpression, TimeMeaning, expressions, month_of};
use anamne_types::{IgnoredTime, Memory, Recall, TimeProblem, TimeWords, UnderstoodTime};
use jiff::Timestamp;

use crate::error::RecallError;
use crate::feature_inputs::FeatureInputs;
use crate::words::{ParsedQuery, Summary};

/// The maximum number of time expressions; each may cost a search.
const MAX_TIMES: usize = 16;

/// The weight of a text that mentions the time, relative to one that happened then.
const MENTION_SHARE: f32 = 0.5;

/// Words that ask what there was at a time.
const OCCURRENCE_WORDS: [&str; 12] = [
    "happen",
    "happens",
    "happened",
    "happening",
    "occur",
    "occurs",
    "occurred",
    "passiert",
    "passierte",
    "geschah",
    "geschehen",
    "pasó",
];

const DAY: i64 = 86_400 * 1_000_000;

/// The times that a query mentions.
#[derive(Debug, Default)]
pub(crate) struct QueryTimes {
    pub(crate) understood: Vec<UnderstoodTime>,
    /// The same in microseconds since 1970.
    pub(crate) ranges: Vec<Range<i64>>,
    /// The others, which have no effect.
    pub(crate) ignored: Vec<IgnoredTime>,
}

impl QueryTimes {
    /// Parses the query's time expressions, relative to the time of the query. An event that no memory describes,
    /// according to `event`, has no effect.
    pub(crate) fn new(
        recall: &Recall,
        present: Timestamp,
        event: &dyn Fn(&str) -> Result<Option<Memory>, RecallError>,
    ) -> Result<Self, RecallError> {
        let mut times = Self::default();
        if recall.time_words == TimeWords::Ignore {
            return Ok(times);
        }
        let zone = recall.time_zone()?;
        let asked_at = recall.asked_at.unwrap_or(present);
        let mut found = expressions(&recall.query, asked_at, &zone);
        found.retain(|time| !is_stamp(&recall.query, &time.text));
        for TimeExpression { text, when } in found.into_iter().take(MAX_TIMES) {
            let words = recall.query[text].to_owned();
            let (range, event_id) = match &when {
                TimeMeaning::Range(range) => (range.clone(), None),
                // An open range covers about half of all memories and would not prioritise anything.
                TimeMeaning::Around {
                    reach: EventDistance::Open,
                    ..
                } if recall.time_words == TimeWords::Prefer => continue,
                TimeMeaning::Around { event: name, .. } => {
                    let Some(memory) = event(name)? else {
                        let reason = TimeProblem::EventNotFound;
                        times.ignored.push(IgnoredTime { words, reason });
                        continue;
                    };
                    let instant = memory.occurred_at;
                    (when.around(&(instant..instant), &zone), Some(memory.id))
                }
                _ => {
                    let reason = TimeProblem::Unclear;
                    times.ignored.push(IgnoredTime { words, reason });
                    continue;
                }
            };
            times.ranges.push(microseconds(&range));
            times.understood.push(UnderstoodTime {
                words,
                since: (range.start > Timestamp::MIN).then_some(range.start),
                until: (range.end < Timestamp::MAX).then_some(range.end),
                event: event_id,
            });
        }
        Ok(times)
    }

    /// The indices of the query terms that are days, months and years of its times.
    pub(crate) fn date_terms(&self, query: &ParsedQuery) -> Vec<usize> {
        if self.understood.is_empty() {
            return Vec::new();
        }
        let is_date_word = |word: &String| {
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            (is_number || month_of(word).is_some()) && self.mentions(word)
        };
        let words = query.term_words.iter().enumerate();
        words
            .filter(|(_, word)| is_date_word(word))
            .map(|(index, _)| index)
            .collect()
    }

    /// Whether a word of the query says nothing but that something was at one of its times: `week` of "last week", and
    /// `happened`. Days, months and years are words of texts, too.
    pub(crate) fn only_asks_for_time(&self, word: &str) -> bool {
        let is_date = word.bytes().all(|byte| byte.is_ascii_digit()) || month_of(word).is_some();
        !is_date && (OCCURRENCE_WORDS.contains(&word) || self.mentions(word))
    }

    /// Whether a word is part of a time expression.
    fn mentions(&self, word: &str) -> bool {
        self.understood.iter().any(|time| {
            let mut words = time.words.split(|letter: char| !letter.is_alphanumeric());
            words.any(|part| part.to_lowercase() == word)
        })
    }
}

/// Whether a time has seconds, as programs write it: part of a log, which says nothing about when what is sought was.
fn is_stamp(query: &str, text: &Range<usize>) -> bool {
    let with_next = &query[text.start..query.ceil_char_boundary(text.end + 2)];
    let digits = |part: &str| part.starts_with(|digit: char| digit.is_ascii_digit());
    let colons = with_next.match_indices(':');
    let before_digits = colons.filter(|(at, _)| digits(&with_next[at + 1..]));
    let in_iso_form = with_next.match_indices('T').any(|(at, _)| {
        with_next[..at].ends_with(|digit: char| digit.is_ascii_digit())
            && digits(&with_next[at + 1..])
    });
    before_digits.count() >= 2 || in_iso_form
}

fn microseconds(range: &Range<Timestamp>) -> Range<i64> {
    range.start.as_microsecond()..range.end.as_microsecond()
}

/// How well a memory's time matches the mentioned times; 0 outside.
pub(crate) fn date_match(times: &[Range<i64>], attributes: &Attributes) -> f32 {
    let within = times
        .iter()
        .filter(|range| range.contains(&attributes.occurred_at));
    within.map(range_weight).fold(0.0, f32::max)
}

/// The part of this for a text that mentions the times itself, whenever it was written; only if some memory happened
/// then. Its words also count in the word features.
pub(crate) fn date_mention(inputs: &FeatureInputs<'_>, own: Summary<'_>) -> f32 {
    let date_terms = inputs.date_terms;
    if date_terms.is_empty() || date_terms.iter().any(|term| own.frequencies[*term] <= 0.0) {
        return 0.0;
    }
    MENTION_SHARE * inputs.times.iter().map(range_weight).fold(0.0, f32::max)
}

/// Ranges up to two days count like a full date, a month like a month with its year, longer ones less.
fn range_weight(range: &Range<i64>) -> f32 {
    match range.end.saturating_sub(range.start) {
        length if length <= 2 * DAY => 2.0,
        length if length <= 32 * DAY => 1.5,
        length if length <= 100 * DAY => 1.0,
        _ => 0.5,
    }
}
