//! Asks every prompt, to a store of each conversation.

use anamne::PromptRequest;

use super::features::FeatureFile;
use super::outcome::{Kind, Outcome};
use super::own;
use crate::corpus::{Corpus, Query};
use crate::failure::Failure;
use crate::writing::WrittenCorpus;

/// Questions of each other conversation.
const FOREIGN: usize = 8;

/// Writes the conversation in order and asks each question at its time, then what the conversation knows nothing of.
pub(super) fn measure(
    corpus: &Corpus,
    corpora: &[Corpus],
    mut features: Option<&mut FeatureFile>,
) -> Result<Vec<Outcome>, Failure> {
    let mut stored = WrittenCorpus::empty_for(corpus)?;
    let mut outcomes = Vec::new();
    for (end, query) in corpus.questions() {
        stored.write_until(end)?;
        let prompt = Prompt {
            kind: Kind::of(query),
            from: &corpus.name,
            query,
        };
        outcomes.push(ask(&stored, corpus, &prompt, features.as_deref_mut())?);
    }
    stored.write_until(corpus.records.len())?;
    for (kind, from, text) in foreign(corpus, corpora) {
        let query = Query {
            text: text.to_owned(),
            ..Query::default()
        };
        let query = &query;
        let prompt = Prompt { kind, from, query };
        outcomes.push(ask(&stored, corpus, &prompt, features.as_deref_mut())?);
    }
    Ok(outcomes)
}

/// A prompt to ask.
struct Prompt<'corpus> {
    kind: Kind,
    /// The conversation that it is about, or `own`.
    from: &'corpus str,
    query: &'corpus Query,
}

/// Kind, origin and text of the prompts that a conversation knows nothing of: a sample of the questions about each other
/// one, and our own.
fn foreign<'corpora>(
    corpus: &Corpus,
    corpora: &'corpora [Corpus],
) -> impl Iterator<Item = (Kind, &'corpora str, &'corpora str)> {
    let is_other = |other: &&Corpus| (&other.set, &other.name) != (&corpus.set, &corpus.name);
    let others = corpora.iter().filter(is_other);
    let questions = others.flat_map(|other| {
        let step = other.queries.len().div_ceil(FOREIGN).max(1);
        let kind = Kind::about(&other.set, &corpus.set);
        let queries = other.queries.iter().step_by(step);
        queries.map(move |query| (kind, other.name.as_str(), query.text.as_str()))
    });
    let own = own::prompts().map(|(kind, text)| (Kind::Own(kind), "own", text));
    questions.chain(own).collect::<Vec<_>>().into_iter()
}

fn ask(
    stored: &WrittenCorpus<'_>,
    corpus: &Corpus,
    prompt: &Prompt<'_>,
    features: Option<&mut FeatureFile>,
) -> Result<Outcome, Failure> {
    let query = prompt.query;
    // Every prompt gets its block; the threshold is applied afterwards.
    let request = PromptRequest {
        threshold: 0.0,
        ..PromptRequest::new(&query.text)
    };
    let found = stored.space.for_prompt(&request)?;
    let entries = found.context.iter().flat_map(|context| &context.entries);
    let records = entries.filter_map(|entry| stored.record(entry.id));
    let supports: Vec<bool> = records
        .map(|record| query.is_supported_by(record))
        .collect();
    let outcome = Outcome {
        set: corpus.set.clone(),
        kind: prompt.kind,
        text: query.text.clone(),
        relevance: if supports.is_empty() {
            0.0
        } else {
            found.relevance
        },
        has_evidence: supports.contains(&true),
        memories: supports.len(),
        tokens: found.context.as_ref().map_or(0, |context| context.tokens),
    };
    if let Some(features) = features {
        features.write(&corpus.name, prompt.from, &outcome, &found.judged_by)?;
    }
    Ok(outcome)
}
