//! Why a recall abstains.

use std::fmt::Write;

use anamne_text::snippet::snippet;
use anamne_types::{Abstention, NearestMiss, Recall, TimeWords};
use jiff::Timestamp;

use crate::candidate_scope::CandidateScope;
use crate::candidates::Searched;
use crate::error::RecallError;
use crate::ranked::Ranked;
use crate::recall_context::{PreparedQuery, RecallContext};

/// Maximum characters of the nearest miss that are shown.
const EXCERPT: usize = 160;

/// The reason for abstaining: no result in `ranked`, whose confidence is set, reaches the required confidence.
pub(crate) fn abstention(
    context: &RecallContext<'_>,
    prepared: &PreparedQuery,
    scope: &CandidateScope,
    searched: &Searched,
    ranked: &[Ranked],
) -> Result<Abstention, RecallError> {
    Ok(Abstention {
        threshold: context.recall.min_confidence,
        looked_at: searched_text(context, scope, searched)?,
        nearest: nearest(context, prepared, ranked)?,
    })
}

/// The result with the highest confidence.
fn nearest(
    context: &RecallContext<'_>,
    prepared: &PreparedQuery,
    ranked: &[Ranked],
) -> Result<Option<NearestMiss>, RecallError> {
    let mut by_confidence: Vec<&Ranked> = ranked.iter().take(context.recall.limit).collect();
    // The sort is stable: of equal confidences the better rank comes first.
    by_confidence.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    for ranked in by_confidence {
        let row = ranked.candidate.row;
        let Some((_, memory)) = context.memory_reader().rows(&[row])?.pop() else {
            continue;
        };
        let terms = &prepared.query.terms.terms;
        let line: Vec<&str> = memory.content.split_whitespace().collect();
        return Ok(Some(NearestMiss {
            memory: memory.id,
            citation: memory.citation(),
            confidence: ranked.confidence,
            excerpt: snippet(&line.join(" "), terms, EXCERPT),
        }));
    }
    Ok(None)
}

/// One sentence on what was searched.
fn searched_text(
    context: &RecallContext<'_>,
    scope: &CandidateScope,
    searched: &Searched,
) -> Result<String, RecallError> {
    let recall = context.recall;
    let memories = match &scope.rows {
        Some(rows) => rows.len(),
        None => context.memory_count()?,
    };
    let mut sentence = match memories {
        1 => "Searched 1 memory".to_owned(),
        memories => format!("Searched {memories} memories"),
    };
    let tiers = context.sources.tiers.iter();
    let tiers = tiers.map(|(tier, _)| tier.to_string());
    let _ = match (context.sources.tiers.len(), listed(tiers.collect())) {
        (0, _) => Ok(()),
        (1, tier) => write!(sentence, " in the {tier} tier"),
        (_, tiers) => write!(sentence, " in the tiers {tiers}"),
    };
    sentence += &when(recall, scope);
    if let Some(known) = recall.as_of.known {
        let _ = write!(sentence, ", as known on {}", day(known));
    }
    if let Some(held) = recall.as_of.held {
        let _ = write!(sentence, ", as valid on {}", day(held));
    }
    let views = listed(views(context, searched));
    let _ = match views.as_str() {
        "" => write!(sentence, ", but no view could be searched."),
        views => write!(sentence, ", by {views}."),
    };
    Ok(sentence)
}

/// The time bounds of the search.
fn when(recall: &Recall, scope: &CandidateScope) -> String {
    let filter = &recall.filter;
    let mut ranges = vec![(filter.since, filter.until)];
    if recall.time_words == TimeWords::Only {
        let understood = scope.times.understood.iter();
        ranges.extend(understood.map(|time| (time.since, time.until)));
    }
    let bounds: Vec<String> = ranges
        .into_iter()
        .filter_map(|(since, until)| match (since, until) {
            (None, None) => None,
            (Some(since), None) => Some(format!("since {}", day(since))),
            (None, Some(until)) => Some(format!("before {}", day(until))),
            (Some(since), Some(until)) => {
                Some(format!("from {} to before {}", day(since), day(until)))
            }
        })
        .collect();
    match bounds.as_slice() {
        [] => String::new(),
        bounds => format!(" dated {}", bounds.join(" and ")),
    }
}

/// A time as a date, with the time of day unless it is midnight.
fn day(instant: Timestamp) -> String {
    let written = instant.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    match written.strip_suffix("T00:00:00Z") {
        Some(day) => day.to_owned(),
        None => written,
    }
}

/// The searches that took part.
fn views(context: &RecallContext<'_>, searched: &Searched) -> Vec<String> {
    let sources = context.sources;
    let failed = |view: &str| searched.failed.contains(&view);
    let lexical = sources.lexical.is_some() && !failed("lexical");
    let vectors = sources.vectors.is_some() && !failed("vectors");
    let views = [
        (lexical, "words"),
        (vectors, "meaning"),
        (context.ranks_in_full(), "threads"),
    ];
    let took_part = views.into_iter().filter(|(took_part, _)| *took_part);
    took_part.map(|(_, name)| name.to_owned()).collect()
}

fn listed(mut names: Vec<String>) -> String {
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
    }
}
