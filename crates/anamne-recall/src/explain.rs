//! Explanations of results: one sentence for people, a table for programs.

use std::borrow::Cow;
use std::fmt::Write;

use anamne_types::{ConflictKind, Dispute, Explanation, Memory, ScoreParts};

use crate::model::{Features, Weights};
use crate::ranked::Ranked;
use crate::words::{ParsedQuery, Summary};

/// Features from this value on are mentioned.
const STRONG: f32 = 0.25;

/// An LSI similarity from this value on is mentioned.
const STRONG_LSI: f32 = 0.5;

/// Maximum query words quoted in the sentence.
const QUOTED_WORDS: usize = 5;

/// The explanation of a result without strong signals.
const NO_SIGNAL: &str = "Found next to other results, with no strong signal of its own.";

/// The score parts that every hit carries.
pub(crate) fn score_parts(ranked: &Ranked) -> ScoreParts {
    let Features {
        lexical,
        semantic,
        words,
        window_words,
        thread_words,
        recency,
        ..
    } = ranked.features;
    let from_formula = |name: &str, own: f32| {
        let parts = ranked
            .overrides
            .iter()
            .flat_map(|overrides| &overrides.formula);
        let mut parts = parts.filter(|(known, _, _)| *known == name);
        parts.next().map_or(own, |(_, value, _)| *value)
    };
    ScoreParts {
        lexical: from_formula("lexical", lexical),
        semantic: from_formula("semantic", semantic),
        words,
        neighbours: window_words,
        thread: thread_words,
        recency,
        importance: f32::from(ranked.candidate.attributes.importance) / 10.0,
        trust: f32::from(ranked.candidate.attributes.trust) / 255.0,
    }
}

/// The query words that the memory contains.
pub(crate) fn matched(query: &ParsedQuery, summary: Summary<'_>) -> Vec<String> {
    query.words_where(|term| summary.frequencies[term] > 0.0)
}

/// The full explanation for programs.
pub(crate) fn table(
    ranked: &Ranked,
    matched: Vec<String>,
    weights: &Weights,
    mut judged_by: Vec<(Cow<'static, str>, f32)>,
) -> Explanation {
    let candidate = &ranked.candidate;
    let mut found_by = Vec::new();
    if candidate.lexical.is_some() {
        found_by.push("lexical".to_owned());
    }
    if candidate.vector_rank.is_some() {
        found_by.push("vectors".to_owned());
    }
    if found_by.is_empty() {
        found_by.push("neighbours".to_owned());
    }
    let mut features = ranked.features.table(weights);
    let mut similarity = None;
    if let Some(overrides) = &ranked.overrides {
        if !overrides.formula.is_empty() {
            let parts = overrides.formula.iter();
            features = parts
                .map(|(name, value, weight)| (Cow::Borrowed(*name), *value, *weight))
                .collect();
        }
        if let Some((score, weight)) = overrides.reranker {
            features.push((Cow::Borrowed("reranker"), score, weight));
        }
        similarity = overrides.similarity;
        if overrides.rare_word.is_some() {
            found_by.push("rare_word".to_owned());
        }
    }
    let pair = ranked.pair.iter().flat_map(|pair| pair.table());
    judged_by.extend(pair.map(|(name, value)| (Cow::Borrowed(name), value)));
    Explanation {
        found_by,
        matched,
        features,
        likeness: similarity,
        judged_by,
    }
}

/// One sentence for people.
pub(crate) fn sentence(ranked: &Ranked, memory: &Memory, matched: &[String]) -> String {
    let mut reasons = Vec::new();
    let features = &ranked.features;
    if !matched.is_empty() {
        let named = matched.iter().take(QUOTED_WORDS);
        let named: Vec<_> = named.map(|word| format!("“{word}”")).collect();
        reasons.push(format!("contains {}", named.join(", ")));
    }
    let overrides = ranked.overrides.as_ref();
    if let Some(word) = overrides.and_then(|overrides| overrides.rare_word.as_ref()) {
        reasons.push(format!("one of few memories that contain “{word}”"));
    }
    if features.semantic >= STRONG {
        reasons.push(format!("similar meaning ({:.2})", features.semantic));
    }
    if reasons.is_empty() && ranked.candidate.lexical.is_some() {
        reasons.push("shares words with the query".to_owned());
    }
    let author = memory.author.as_deref().unwrap_or("the named person");
    let mut add_if = |condition: bool, reason: &str| {
        if condition {
            reasons.push(reason.to_owned());
        }
    };
    add_if(
        features.window_words > features.words && features.window_words >= STRONG,
        "neighbouring messages match",
    );
    add_if(
        features.thread_words >= STRONG && memory.thread.is_some(),
        "its thread matches",
    );
    add_if(
        features.lsi_similarity >= STRONG_LSI,
        "similar conversations contain it",
    );
    add_if(features.author > 0.0, &format!("written by {author}"));
    add_if(features.date > 0.0, "matches the date in the query");
    add_if(features.category > 0.0, "matches the requested kind");
    add_if(features.access >= STRONG, "opened recently");
    add_if(features.role_fit > 0.0, "preferred by the role");
    add_if(
        features.superseded > 0.0,
        "but superseded by another memory",
    );
    let sentence_text = reasons.join("; ");
    let mut letters = sentence_text.chars();
    match letters.next() {
        None => NO_SIGNAL.to_owned(),
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
    }
}

/// Adds the path that led to a result.
pub(crate) fn add_path(sentence: &mut String, path: &str) {
    if sentence == NO_SIGNAL {
        *sentence = format!("Reached via {path}.");
        return;
    }
    add(sentence, "reached via", path);
}

/// Adds a contradicting memory.
pub(crate) fn add_dispute(sentence: &mut String, dispute: &Dispute) {
    add(sentence, "but", &dispute_text(dispute));
}

/// Adds the relevance of a member in its space.
pub(crate) fn add_relevance(sentence: &mut String, relevance: f32) {
    add(
        sentence,
        "with",
        &format!("relevance {relevance:.2} in this space"),
    );
}

/// Adds another reason to a sentence.
fn add(sentence: &mut String, by: &str, reason: &str) {
    if sentence.ends_with('.') {
        sentence.pop();
    }
    let _ = write!(sentence, "; {by} {reason}.");
}

/// The state of a dispute, in a few words.
pub(crate) fn dispute_text(dispute: &Dispute) -> String {
    let other = &dispute.citation;
    match (dispute.kind, dispute.holds) {
        (ConflictKind::Superseded, Some(true)) => format!("contradicts the older {other}"),
        (ConflictKind::Superseded, _) => format!("contradicted by the newer {other}"),
        (ConflictKind::Contested, None) => {
            format!("contradicted by {other} (unresolved)")
        }
        (ConflictKind::Contested, Some(true)) => {
            format!("contradicts {other}, which was resolved as wrong")
        }
        (ConflictKind::Contested, Some(false)) => {
            format!("contradicted by {other}, which was resolved as right")
        }
    }
}
