//! Insights: recurring statements of several memories.

use anamne_types::{Kind, MadeBy, Memory, MemoryId, Row};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rustc_hash::FxHashSet;

use super::form::denies;
use crate::summaries::passages::passages;
use crate::summaries::words::Weights;
use crate::vectors::{dot, vector_of};

/// Maximum number of sentences compared: those of the memories with the highest rows.
pub const MOST_UNITS: usize = 2_000;

/// Maximum number of sentences per memory.
const OF_ONE: usize = 8;

/// Minimum cosine of sentences that agree.
const AGREE: f32 = 0.7;

/// Minimum weight of the common words of sentences that agree, as a share of the lighter one.
const SHARED: f32 = 0.5;

/// Minimum number of memories of an insight.
const MEMORIES: usize = 3;

/// Minimum number of days of an insight.
const DAYS: usize = 2;

/// Something that several memories say, on several days.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Insight {
    /// The text to store: how often, when, and the most central sentence.
    pub text: String,
    /// The most central sentence, verbatim.
    pub sentence: String,
    /// The memory that contains it.
    pub central: MemoryId,
    /// All memories that say so, by row.
    pub sources: Vec<MemoryId>,
    /// When it was first said.
    pub first: Timestamp,
    /// When it was last said.
    pub last: Timestamp,
    /// Number of days, in UTC.
    pub days: usize,
    /// What found it.
    pub made_by: MadeBy,
    /// Agreement of the sources: the mean cosine with the central sentence.
    pub confidence: f32,
}

/// A sentence of a memory.
struct Unit<'memory> {
    memory: &'memory Memory,
    text: &'memory str,
    words: Vec<(u64, f32)>,
    denies: bool,
    vector: Vec<f32>,
}

/// The insights from messages, thoughts, facts and episodes: what at least three of them say, on at least two days.
///
/// A sentence counts for one insight only. The result does not depend on the order of `memories`. O(u²) cosines for the u
/// sentences compared, at most [`MOST_UNITS`].
pub fn insights(memories: &[Memory]) -> Vec<Insight> {
    let units = units(memories);
    let agreeing = agreeing(&units);
    let mut taken = vec![false; units.len()];
    let mut insights = Vec::new();
    let mut by_support: Vec<usize> = (0..units.len()).collect();
    by_support.sort_by_key(|at| (std::cmp::Reverse(agreeing[*at].len()), *at));
    for central in by_support {
        if taken[central] {
            continue;
        }
        let members: Vec<usize> = agreeing[central]
            .iter()
            .copied()
            .filter(|at| !taken[*at])
            .chain([central])
            .collect();
        if let Some(insight) = insight_of(&units, &members) {
            for at in members {
                taken[at] = true;
            }
            insights.push(insight);
        }
    }
    insights.sort_by_key(|insight| (insight.first, insight.central));
    insights
}

fn units(memories: &[Memory]) -> Vec<Unit<'_>> {
    let mut read: Vec<&Memory> = memories.iter().filter(|memory| is_read(memory)).collect();
    read.sort_by_key(|memory| std::cmp::Reverse(memory.row));
    read.dedup_by_key(|memory| memory.row);
    let mut weights = Weights::builtin();
    let mut units = Vec::new();
    for memory in read {
        if units.len() >= MOST_UNITS {
            break;
        }
        let words = weights.words(&memory.content);
        let insight_text = passages(&memory.content, &words)
            .into_iter()
            .filter(|passage| !passage.asks && passage.words.len() >= 2);
        for passage in insight_text.take(OF_ONE) {
            let text = &memory.content[passage.sentence.clone()];
            let inside = words
                .iter()
                .filter(|word| passage.sentence.contains(&word.span.start));
            units.push(Unit {
                memory,
                text,
                denies: inside
                    .filter(|word| denies(&word.plain) || word.plain.ends_with("n't"))
                    .count()
                    % 2
                    == 1,
                words: passage.words,
                vector: vector_of(text),
            });
        }
    }
    units.truncate(MOST_UNITS);
    units.reverse();
    units
}

fn is_read(memory: &Memory) -> bool {
    let kind = matches!(
        memory.kind(),
        Kind::Message | Kind::Thought | Kind::Fact | Kind::Episode
    );
    kind && memory.superseded_by.is_none() && memory.deleted_at.is_none()
}

/// For each sentence, those of other memories that agree with it.
fn agreeing(units: &[Unit<'_>]) -> Vec<Vec<usize>> {
    let mut agreeing = vec![Vec::new(); units.len()];
    for a in 0..units.len() {
        for b in a + 1..units.len() {
            if agree(&units[a], &units[b]) {
                agreeing[a].push(b);
                agreeing[b].push(a);
            }
        }
    }
    agreeing
}

fn agree(a: &Unit<'_>, b: &Unit<'_>) -> bool {
    a.memory.row != b.memory.row
        && a.denies == b.denies
        && dot(&a.vector, &b.vector) >= AGREE
        && shared(&a.words, &b.words) >= SHARED
}

/// The weight of the common words of two sentences, as a share of the lighter one.
fn shared(a: &[(u64, f32)], b: &[(u64, f32)]) -> f32 {
    let all = |words: &[(u64, f32)]| words.iter().map(|word| word.1).sum::<f32>();
    let both: f32 = a
        .iter()
        .filter(|word| b.binary_search_by_key(&word.0, |other| other.0).is_ok())
        .map(|word| word.1)
        .sum();
    both / all(a).min(all(b)).max(f32::MIN_POSITIVE)
}

/// The insight of sentences that agree, if there are enough memories and days.
fn insight_of(units: &[Unit<'_>], members: &[usize]) -> Option<Insight> {
    let mut rows: Vec<(Row, MemoryId)> = members
        .iter()
        .map(|at| (units[*at].memory.row, units[*at].memory.id))
        .collect();
    rows.sort_unstable();
    rows.dedup();
    let days: FxHashSet<Date> = members
        .iter()
        .map(|at| units[*at].memory.occurred_at.to_zoned(TimeZone::UTC).date())
        .collect();
    if rows.len() < MEMORIES || days.len() < DAYS {
        return None;
    }
    let nearness = |at: usize| {
        members
            .iter()
            .map(|other| dot(&units[at].vector, &units[*other].vector))
            .sum::<f32>()
    };
    let central = members
        .iter()
        .copied()
        .max_by(|a, b| nearness(*a).total_cmp(&nearness(*b)).then(b.cmp(a)))?;
    let times = || members.iter().map(|at| units[*at].memory.occurred_at);
    let (first, last) = (times().min()?, times().max()?);
    let sentence = units[central]
        .text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    Some(Insight {
        text: insight_text(&speaker(units, members), rows.len(), first, last, &sentence),
        sentence,
        central: units[central].memory.id,
        sources: rows.into_iter().map(|row| row.1).collect(),
        first,
        last,
        days: days.len(),
        made_by: MadeBy::rule("insight", 1),
        confidence: nearness(central) / members.len() as f32,
    })
}

/// The common author, or an empty string.
fn speaker(units: &[Unit<'_>], members: &[usize]) -> String {
    let mut names = members
        .iter()
        .map(|at| units[*at].memory.author.as_deref().unwrap_or_default());
    let first = names.next().unwrap_or_default();
    if names.all(|name| name == first) {
        first.to_owned()
    } else {
        String::new()
    }
}

fn insight_text(
    speaker: &str,
    count: usize,
    first: Timestamp,
    last: Timestamp,
    sentence: &str,
) -> String {
    let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
    let said = if speaker.is_empty() {
        "said".to_owned()
    } else {
        format!("{speaker} said")
    };
    format!(
        "{said} {count} times between {} and {}: \"{sentence}\"",
        day(first),
        day(last)
    )
}
