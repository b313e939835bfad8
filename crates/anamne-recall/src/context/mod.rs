//! Packs memories into a block of text for a model, within a token budget.
//!
//! `passages` shortens long memories to relevant sentences; `packing` spends the budget; `companions` finds memories
//! that an entry can't be understood without; `layout` puts the `entries` in reading order; `lines` writes them.

mod alternation;
mod best_sentence;
mod companions;
mod entries;
mod layout;
mod lines;
mod packing;
mod passages;
mod several;

use anamne_store::SpaceSource;
use anamne_text::analyser::Analyser;
use anamne_text::tokens::estimate_tokens;
use anamne_types::{Answer, Context, Filter, Hit, Kind, Recall};

pub(crate) use self::alternation::alternate_threads;
pub use self::best_sentence::best_sentence;
use self::companions::CompanionSource;
pub use self::entries::{Candidate, Section};
use self::layout::Layout;
use self::packing::Packing;
use self::packing::{PROMPT_SHARE, share};
pub(crate) use self::passages::PassageQuery;
pub use self::several::{SpacePart, pack_part};
use crate::error::RecallError;

/// The sections of a block that answers a query.
const SECTIONS: [Section; 3] = [
    Section {
        heading: "Facts and skills",
        most: usize::MAX,
    },
    Section {
        heading: "Episodes and summaries",
        most: usize::MAX,
    },
    Section {
        heading: "Said",
        most: usize::MAX,
    },
];

/// The priority factor of each section (lower is earlier): facts are denser than conversation.
const SECTION_WEIGHT: [f32; 3] = [0.5, 0.75, 1.0];

/// The average length of a token; only for the order of candidates.
const BYTES_PER_TOKEN: usize = 4;

/// Tokens of an entry's citation, name and time.
const FRAME: usize = 12;

/// Minimum value of a result, so that costs count even among results of no confidence.
const LEAST_VALUE: f32 = 1e-4;

/// The value of a text that will be shortened, relative to a whole one.
const SHORTENED: f32 = 0.5;

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It answers a question.
    Question,
    /// It gives hints for a prompt, which nobody asked about its memories: many short passages rather than few long
    /// ones, because the agent can open what it needs.
    Prompt,
}

impl Purpose {
    /// Maximum tokens of one entry's text while others are pending.
    fn share(self, budget: usize) -> usize {
        match self {
            Self::Question => share(budget),
            Self::Prompt => PROMPT_SHARE,
        }
    }
}

/// Packs the results of `answer` into at most `budget` tokens.
///
/// For a question they are tried by their confidence (of all results in descending order, so that what a ranking put first
/// counts as the surest) per token, the first result first; for a prompt in their order.
pub(crate) fn pack(
    source: &SpaceSource,
    recall: &Recall,
    answer: &Answer,
    passage_query: &PassageQuery<'_>,
    budget: usize,
    purpose: Purpose,
) -> Result<Context, RecallError> {
    pack_in(source, recall, answer, passage_query, None, budget, purpose)
}

/// The same, as a space's part of a block of several.
fn pack_in(
    source: &SpaceSource,
    recall: &Recall,
    answer: &Answer,
    passage_query: &PassageQuery<'_>,
    part: Option<SpacePart>,
    budget: usize,
    purpose: Purpose,
) -> Result<Context, RecallError> {
    let share = purpose.share(budget);
    let candidates = in_order(answer, purpose, share);
    let companions = CompanionSource {
        source,
        filter: &recall.filter,
        is_current: recall.as_of.is_now(),
    };
    let layout =
        Layout::of_several(source, &SECTIONS, &candidates, &recall.time_zone()?)?.with_part(part);
    let mut context = pack_into(
        &companions,
        &layout,
        &candidates,
        passage_query,
        budget,
        share,
    )?;
    context.degraded.clone_from(&answer.degraded);
    context.dropped = answer.dropped;
    context.abstained.clone_from(&answer.abstained);
    context.times.clone_from(&answer.times);
    context.ignored_times.clone_from(&answer.ignored_times);
    Ok(context)
}

/// Packs given candidates instead of search results: in the first round each section within its own budget, then
/// whatever fits. Candidates come in order of priority; long ones are shortened to the sentences relevant to the query of
/// `recall`, which may be empty.
pub fn pack_sections(
    source: &SpaceSource,
    sections: &[Section],
    candidates: &[Candidate<'_>],
    recall: &Recall,
    budget: usize,
) -> Result<Context, RecallError> {
    let query = recall.query.trim();
    let filter = Filter::default();
    let terms = Analyser::new().query(query).terms;
    let weights = vec![1.0; terms.len()];
    let passage_query = PassageQuery::new(query, &terms, &weights);
    let companions = CompanionSource {
        source,
        filter: &filter,
        is_current: true,
    };
    let layout = Layout::headed(source, sections, candidates, &recall.time_zone()?)?;
    pack_into(
        &companions,
        &layout,
        candidates,
        &passage_query,
        budget,
        share(budget),
    )
}

/// The results in the order in which they are tried, best first.
fn in_order<'answer>(
    answer: &'answer Answer,
    purpose: Purpose,
    share: usize,
) -> Vec<Candidate<'answer>> {
    let mut values: Vec<f32> = answer.results.iter().map(|hit| hit.confidence).collect();
    values.sort_by(|one, other| other.total_cmp(one));
    let priority = |(place, hit): (usize, &'answer Hit)| {
        let candidate = candidate(hit);
        let value = match purpose {
            Purpose::Question => {
                values[place].max(LEAST_VALUE) * density(&hit.memory.content, share)
            }
            Purpose::Prompt => 1.0 / (place + 1) as f32,
        };
        let is_first = place == 0;
        (
            is_first,
            value / SECTION_WEIGHT[candidate.section],
            candidate,
        )
    };
    let mut order: Vec<_> = answer.results.iter().enumerate().map(priority).collect();
    order.sort_by(|one, other| other.0.cmp(&one.0).then(other.1.total_cmp(&one.1)));
    order
        .into_iter()
        .map(|(_, _, candidate)| candidate)
        .collect()
}

/// What a token of an entry is worth, relative to its confidence.
///
/// A block has room for several short messages or one long one. The greedy order for a budget is that of value by cost; its
/// square root, because a confidence says little about how much of the answer a text contains. A text that will be
/// shortened may lose what is sought.
fn density(text: &str, share: usize) -> f32 {
    let tokens = text.len() / BYTES_PER_TOKEN;
    let kept = if packing::stays_whole(tokens, share) {
        1.0
    } else {
        SHORTENED
    };
    kept / ((tokens.min(share) + FRAME) as f32).sqrt()
}

fn candidate(hit: &Hit) -> Candidate<'_> {
    Candidate {
        memory: &hit.memory,
        confidence: hit.confidence,
        disputes: &hit.disputes,
        passage: None,
        section: section_of(hit.memory.kind()),
    }
}

fn section_of(kind: Kind) -> usize {
    match kind {
        Kind::Fact | Kind::Skill => 0,
        Kind::Episode | Kind::Summary | Kind::Experience => 1,
        Kind::Message | Kind::Thought | Kind::Document | Kind::Chunk => 2,
    }
}

fn pack_into(
    companions: &CompanionSource<'_>,
    layout: &Layout<'_>,
    candidates: &[Candidate<'_>],
    passage_query: &PassageQuery<'_>,
    budget: usize,
    share: usize,
) -> Result<Context, RecallError> {
    let mut packing = Packing::new(companions, layout, passage_query, budget, share);
    packing.add_all(candidates)?;
    let (entries, left_out) = packing.finish();
    let (text, entries) = layout.write(&entries);
    Ok(Context {
        tokens: estimate_tokens(&text),
        text,
        entries,
        left_out,
        ..Context::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_of_a_short_text_is_worth_more_than_one_of_a_long_or_shortened_text() {
        let share = share(1_500);
        let of = |words: usize| density(&"gate ".repeat(words), share);
        assert!(of(10) > of(40) && of(40) > of(120));
        let (whole, shortened) = (of(200), of(400));
        assert!(whole > 1.9 * shortened, "{whole} {shortened}");
        // Beyond the share the length no longer counts.
        assert!((shortened - of(100_000)).abs() < f32::EPSILON);
    }
}
