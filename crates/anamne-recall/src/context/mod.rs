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
pub(crate) use self::packing::{PROMPT_SHARE, share};
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

/// Packs the results of `answer`, best first, into at most `budget` tokens, at first at most `share` for each text.
pub(crate) fn pack(
    source: &SpaceSource,
    recall: &Recall,
    answer: &Answer,
    passage_query: &PassageQuery<'_>,
    budget: usize,
    share: usize,
) -> Result<Context, RecallError> {
    pack_in(source, recall, answer, passage_query, None, budget, share)
}

/// The same, as a space's part of a block of several.
fn pack_in(
    source: &SpaceSource,
    recall: &Recall,
    answer: &Answer,
    passage_query: &PassageQuery<'_>,
    part: Option<SpacePart>,
    budget: usize,
    share: usize,
) -> Result<Context, RecallError> {
    let mut candidates: Vec<(f32, Candidate<'_>)> = answer
        .results
        .iter()
        .enumerate()
        .map(|(place, hit)| {
            let section = section_of(hit.memory.kind());
            (
                (place + 1) as f32 * SECTION_WEIGHT[section],
                candidate(hit, section),
            )
        })
        .collect();
    candidates.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let candidates: Vec<_> = candidates
        .into_iter()
        .map(|(_, candidate)| candidate)
        .collect();
    let companions = CompanionSource {
        source,
        filter: &recall.filter,
        is_current: recall.as_of.is_now(),
    };
    let layout = Layout::of_several(source, &SECTIONS, &candidates)?.with_part(part);
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
    Ok(context)
}

/// Packs given candidates instead of search results: in the first round each section within its own budget, then
/// whatever fits. Candidates come in order of priority; long ones are shortened to the sentences relevant to `query`,
/// which may be empty.
pub fn pack_sections(
    source: &SpaceSource,
    sections: &[Section],
    candidates: &[Candidate<'_>],
    query: &str,
    budget: usize,
) -> Result<Context, RecallError> {
    let filter = Filter::default();
    let terms = Analyser::new().query(query).terms;
    let weights = vec![1.0; terms.len()];
    let passage_query = PassageQuery::new(query, &terms, &weights);
    let companions = CompanionSource {
        source,
        filter: &filter,
        is_current: true,
    };
    let layout = Layout::headed(source, sections, candidates)?;
    pack_into(
        &companions,
        &layout,
        candidates,
        &passage_query,
        budget,
        share(budget),
    )
}

fn candidate(hit: &Hit, section: usize) -> Candidate<'_> {
    Candidate {
        memory: &hit.memory,
        confidence: hit.confidence,
        disputes: &hit.disputes,
        passage: None,
        section,
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
