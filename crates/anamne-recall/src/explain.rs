//! Why a result is there: a sentence for a person, a table for a machine.

use std::borrow::Cow;
use std::fmt::Write;

use anamne_types::{ConflictKind, Dispute, Explanation, Memory, ScoreParts};

use crate::model::{Features, Weights};
use crate::ranked::Ranked;
use crate::words::{Question, Summary};

/// A signal at least this strong is worth a word.
const WORTH_SAYING: f32 = 0.25;

/// Most of what is told together is about the question's words from here on.
const OF_THE_MATTER: f32 = 0.5;

/// Words of the question that are named in the sentence at most.
const NAMED_WORDS: usize = 5;

/// What is said of a result that has nothing to say for itself.
const NO_SIGNAL: &str = "Found beside other results, with no strong signal of its own.";

/// The score parts that every answer carries.
pub(crate) fn parts(ranked: &Ranked) -> ScoreParts {
    let Features {
        lexical,
        semantic,
        words,
        window_words,
        thread_words,
        recency,
        ..
    } = ranked.features;
    let by_formula = |name: &str, own: f32| {
        let parts = ranked.aside.iter().flat_map(|aside| &aside.formula);
        let mut parts = parts.filter(|(known, _, _)| *known == name);
        parts.next().map_or(own, |(_, value, _)| *value)
    };
    ScoreParts {
        lexical: by_formula("lexical", lexical),
        semantic: by_formula("semantic", semantic),
        words,
        neighbours: window_words,
        thread: thread_words,
        recency,
        importance: f32::from(ranked.candidate.attributes.importance) / 10.0,
        trust: f32::from(ranked.candidate.attributes.trust) / 255.0,
    }
}

/// The words of the question that the memory holds.
pub(crate) fn matched(question: &Question, summary: Summary<'_>) -> Vec<String> {
    question.words_where(|term| summary.frequencies[term] > 0.0)
}

/// Everything for a machine.
pub(crate) fn table(
    ranked: &Ranked,
    matched: Vec<String>,
    weights: &Weights,
    judged_by: Vec<(Cow<'static, str>, f32)>,
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
    let mut likeness = None;
    if let Some(aside) = &ranked.aside {
        if !aside.formula.is_empty() {
            let parts = aside.formula.iter();
            features = parts
                .map(|(name, value, weight)| (Cow::Borrowed(*name), *value, *weight))
                .collect();
        }
        if let Some((score, weight)) = aside.reranker {
            features.push((Cow::Borrowed("reranker"), score, weight));
        }
        likeness = aside.likeness;
        if aside.rare_word.is_some() {
            found_by.push("rare_word".to_owned());
        }
    }
    Explanation {
        found_by,
        matched,
        features,
        likeness,
        judged_by,
    }
}

/// One sentence for a person.
pub(crate) fn sentence(ranked: &Ranked, memory: &Memory, matched: &[String]) -> String {
    let mut reasons = Vec::new();
    let features = &ranked.features;
    if !matched.is_empty() {
        let named = matched.iter().take(NAMED_WORDS);
        let named: Vec<_> = named.map(|word| format!("“{word}”")).collect();
        reasons.push(format!("it says {}", named.join(", ")));
    }
    let aside = ranked.aside.as_ref();
    if let Some(word) = aside.and_then(|aside| aside.rare_word.as_ref()) {
        reasons.push(format!("few memories hold “{word}”"));
    }
    if features.semantic >= WORTH_SAYING {
        reasons.push(format!("its meaning is near ({:.2})", features.semantic));
    }
    if reasons.is_empty() && ranked.candidate.lexical.is_some() {
        reasons.push("it shares words with the question".to_owned());
    }
    let author = memory.author.as_deref().unwrap_or("the person asked about");
    let mut say = |is_so: bool, reason: &str| {
        if is_so {
            reasons.push(reason.to_owned());
        }
    };
    say(
        features.window_words > features.words && features.window_words >= WORTH_SAYING,
        "the turns around it fit too",
    );
    say(
        features.thread_words >= WORTH_SAYING && memory.thread.is_some(),
        "its thread is about this",
    );
    say(
        features.lsi_similarity >= OF_THE_MATTER,
        "it was told where such matters are",
    );
    say(features.author > 0.0, &format!("{author} said it"));
    say(features.date > 0.0, "its date is the one asked about");
    say(
        features.category > 0.0,
        "it is of the kind that is asked for",
    );
    say(features.access >= WORTH_SAYING, "it was opened of late");
    say(features.role_fit > 0.0, "it is what the role looks for");
    say(
        features.superseded > 0.0,
        "but another memory has taken its place",
    );
    let said = reasons.join("; ");
    let mut letters = said.chars();
    match letters.next() {
        None => NO_SIGNAL.to_owned(),
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
    }
}

/// Adds to a sentence over which path a result was reached.
pub(crate) fn add_path(sentence: &mut String, path: &str) {
    if sentence == NO_SIGNAL {
        *sentence = format!("Reached over {path}.");
        return;
    }
    add(sentence, "reached over", path);
}

/// Adds to a sentence that another memory says otherwise.
pub(crate) fn add_dispute(sentence: &mut String, dispute: &Dispute) {
    add(sentence, "but", &outcome(dispute));
}

/// Adds another reason to a sentence.
fn add(sentence: &mut String, by: &str, reason: &str) {
    if sentence.ends_with('.') {
        sentence.pop();
    }
    let _ = write!(sentence, "; {by} {reason}.");
}

/// What a dispute comes to, in a few words.
pub(crate) fn outcome(dispute: &Dispute) -> String {
    let other = &dispute.citation;
    match (dispute.kind, dispute.holds) {
        (ConflictKind::Superseded, Some(true)) => format!("{other} said otherwise earlier"),
        (ConflictKind::Superseded, _) => format!("{other} says otherwise later"),
        (ConflictKind::Contested, None) => {
            format!("{other} says otherwise, and nobody has decided")
        }
        (ConflictKind::Contested, Some(true)) => {
            format!("{other} says otherwise, which was found wrong")
        }
        (ConflictKind::Contested, Some(false)) => {
            format!("{other} says otherwise, and was found right")
        }
    }
}
