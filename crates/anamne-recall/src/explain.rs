//! Why a result is there: a sentence for a person, a table for a machine.

use std::borrow::Cow;

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
    let words = summary.frequencies.iter().zip(&question.term_words);
    let mut matched: Vec<String> = words
        .filter(|(frequency, _)| **frequency > 0.0)
        .map(|(_, word)| word.clone())
        .collect();
    matched.dedup();
    matched
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
        let named: Vec<_> = matched
            .iter()
            .take(NAMED_WORDS)
            .map(|word| format!("“{word}”"))
            .collect();
        reasons.push(format!("it says {}", named.join(", ")));
    }
    if let Some(word) = ranked
        .aside
        .as_ref()
        .and_then(|aside| aside.rare_word.as_ref())
    {
        reasons.push(format!("few memories hold “{word}”"));
    }
    if features.semantic >= WORTH_SAYING {
        reasons.push(format!("its meaning is near ({:.2})", features.semantic));
    }
    if reasons.is_empty() && ranked.candidate.lexical.is_some() {
        reasons.push("it shares words with the question".to_owned());
    }
    if features.window_words > features.words && features.window_words >= WORTH_SAYING {
        reasons.push("the turns around it fit too".to_owned());
    }
    if features.thread_words >= WORTH_SAYING && memory.thread.is_some() {
        reasons.push("its thread is about this".to_owned());
    }
    if features.together >= OF_THE_MATTER {
        reasons.push("it was told where such matters are".to_owned());
    }
    if features.author > 0.0 {
        reasons.push(format!(
            "{} said it",
            memory.author.as_deref().unwrap_or("the person asked about")
        ));
    }
    if features.date > 0.0 {
        reasons.push("its date is the one asked about".to_owned());
    }
    if features.category > 0.0 {
        reasons.push("it is of the kind that is asked for".to_owned());
    }
    if features.access >= WORTH_SAYING {
        reasons.push("it was opened of late".to_owned());
    }
    if features.role_fit > 0.0 {
        reasons.push("it is what the role looks for".to_owned());
    }
    if features.superseded > 0.0 {
        reasons.push("but another memory has taken its place".to_owned());
    }
    match reasons.split_first() {
        None => NO_SIGNAL.to_owned(),
        Some((first, rest)) => {
            let mut letters = first.chars();
            let capital: String = letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .collect();
            let mut sentence = format!("{capital}{}", letters.as_str());
            for reason in rest {
                sentence.push_str("; ");
                sentence.push_str(reason);
            }
            sentence + "."
        }
    }
}

/// Adds to a sentence over which path a result was reached.
pub(crate) fn add_path(sentence: &mut String, path: &str) {
    if sentence == NO_SIGNAL {
        *sentence = format!("Reached over {path}.");
        return;
    }
    if sentence.ends_with('.') {
        sentence.pop();
    }
    sentence.push_str("; reached over ");
    sentence.push_str(path);
    sentence.push('.');
}

/// Adds to a sentence that another memory says otherwise.
pub(crate) fn add_dispute(sentence: &mut String, dispute: &Dispute) {
    if sentence.ends_with('.') {
        sentence.pop();
    }
    sentence.push_str("; but ");
    sentence.push_str(&outcome(dispute));
    sentence.push('.');
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
