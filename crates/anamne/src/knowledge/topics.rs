//! The topics that a space knows much or little about.

use std::collections::BTreeMap;

use anamne_knowledge::graph::EntityQuery;
use anamne_store::Derived;
use anamne_text::analyser::{Analyser, is_function_word};
use anamne_types::Right;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::derived::meta::{Key, LoggedQuery};
use crate::space::Space;

/// Maximum number of logged queries that are read.
const LOOKED_AT: usize = 10_000;

/// Minimum number of memories that name a well-known topic.
const MANY: u64 = 10;

/// Answers with a mean confidence above this are good; below `BAD`, bad.
const GOOD: f32 = 0.5;
const BAD: f32 = 0.25;

/// Minimum number of badly answered queries with a word that make it an unknown topic.
const ASKED_OFTEN: u64 = 2;

/// How well a topic is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TopicVerdict {
    /// Many memories name it, and queries about it are answered well or don't exist.
    WellKnown,
    /// Some memories name it.
    Known,
    /// Only one memory names it and there are no queries about it, or few do and queries about it are answered badly.
    LittleKnown,
    /// There are queries about it, but no relevant memory.
    Unknown,
}

/// A topic, and how well it is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KnownTopic {
    /// Its name.
    pub topic: String,
    /// Number of memories that name it.
    pub memories: u64,
    /// Number of logged queries that name it.
    pub asked: u64,
    /// The mean confidence of their best results, 0 to 1; `None` without queries.
    pub confidence: Option<f32>,
    /// How well it is known.
    pub verdict: TopicVerdict,
}

fn verdict(memories: u64, confidence: Option<f32>) -> TopicVerdict {
    match (memories, confidence) {
        (0, _) => TopicVerdict::Unknown,
        (MANY.., None) => TopicVerdict::WellKnown,
        (MANY.., Some(confidence)) if confidence > GOOD => TopicVerdict::WellKnown,
        (MANY.., Some(_)) => TopicVerdict::Known,
        (_, Some(confidence)) if confidence < BAD => TopicVerdict::LittleKnown,
        (1, None) => TopicVerdict::LittleKnown,
        _ => TopicVerdict::Known,
    }
}

/// The number of queries that contain every word of a name, and the mean confidence of their best results. `words` are
/// the hashed forms of each word.
fn asked_about(log: &[LoggedQuery], words: &[Vec<i64>]) -> (u64, Option<f32>) {
    let holds = |query: &&LoggedQuery| {
        let is_there = |forms: &Vec<i64>| forms.iter().any(|form| query.terms.contains(form));
        words.iter().all(is_there)
    };
    let asked: Vec<&LoggedQuery> = log.iter().filter(holds).collect();
    if words.is_empty() || asked.is_empty() {
        return (0, None);
    }
    let sum: f32 = asked.iter().map(|query| query.confidence).sum();
    (asked.len() as u64, Some(sum / asked.len() as f32))
}

/// The hashed forms of each word of a name: as written, and as analysed alone and with the others.
fn forms(analyser: &mut Analyser, key: Key, name: &str) -> Vec<Vec<i64>> {
    let together: Vec<String> = analyser
        .query(name)
        .terms
        .into_iter()
        .map(|term| term.text)
        .collect();
    name.split_whitespace()
        .map(|word| {
            let mut forms = vec![word.to_lowercase()];
            forms.extend(analyser.query(word).terms.into_iter().map(|term| term.text));
            let begins = |term: &&String| word.to_lowercase().starts_with(term.as_str());
            forms.extend(together.iter().filter(begins).cloned());
            forms.iter().map(|form| key.term(form)).collect()
        })
        .collect()
}

/// The words of badly answered queries, with the number of queries and the sum of their confidences.
fn asked_in_vain(log: &[LoggedQuery]) -> BTreeMap<String, (u64, f32)> {
    let mut words: BTreeMap<String, (u64, f32)> = BTreeMap::new();
    for query in log {
        let text = query.words.as_deref().unwrap_or_default();
        let mut said: Vec<&str> = text
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| word.chars().count() > 3 && !is_function_word(word))
            .collect();
        said.sort_unstable();
        said.dedup();
        for word in said {
            let (times, sum) = words.entry(word.to_owned()).or_default();
            *times += 1;
            *sum += query.confidence;
        }
    }
    words.retain(|_, (times, sum)| *times >= ASKED_OFTEN && *sum / (*times as f32) < BAD);
    words
}

impl Space {
    /// The latest queries, latest first, at most `limit`: their time, outcome and cost. Their words only if the space's
    /// settings keep them (`[meta] queries = "text"`). O(limit).
    pub fn query_log(&self, limit: usize) -> Result<Vec<LoggedQuery>, Error> {
        self.inner.derived.meta.log(limit)
    }

    /// Deletes the query log and what was learned from it.
    pub fn forget_meta(&self) -> Result<(), Error> {
        self.require(Right::Erase)?;
        self.inner.derived.meta.remove()
    }

    /// The topics that the space knows much or little about, best known first, at most `limit`: the entities of its
    /// knowledge graph, as far as it is extracted, compared with the logged queries. If the log keeps words, also words
    /// of badly answered queries. O(entities · queries).
    pub fn known_topics(&self, limit: usize) -> Result<Vec<KnownTopic>, Error> {
        let log = self.query_log(LOOKED_AT)?;
        let key = if log.is_empty() {
            Key::OF_MEMORY
        } else {
            self.inner.derived.meta.key()?
        };
        let mut topics = Vec::new();
        if let Some(graph) = self.inner.derived.knowledge.if_extracted() {
            let query = EntityQuery {
                limit,
                ..EntityQuery::default()
            };
            let mut analyser = Analyser::new();
            for entity in graph.entities(&query, self.now())? {
                let words = forms(&mut analyser, key, &entity.name);
                let (asked, confidence) = asked_about(&log, &words);
                topics.push(KnownTopic {
                    verdict: verdict(entity.mentions, confidence),
                    topic: entity.name,
                    memories: entity.mentions,
                    asked,
                    confidence,
                });
            }
        }
        let is_named = |word: &str| {
            let names = |topic: &KnownTopic| topic.topic.to_lowercase().contains(word);
            topics.iter().any(names)
        };
        let in_vain = asked_in_vain(&log).into_iter();
        let in_vain: Vec<KnownTopic> = in_vain
            .filter(|(word, _)| !is_named(word))
            .map(|(topic, (asked, sum))| KnownTopic {
                topic,
                memories: 0,
                asked,
                confidence: Some(sum / asked as f32),
                verdict: TopicVerdict::Unknown,
            })
            .collect();
        topics.extend(in_vain);
        topics.sort_by(|one, other| {
            let by_verdict = one.verdict.cmp(&other.verdict);
            by_verdict
                .then(other.memories.cmp(&one.memories))
                .then(other.asked.cmp(&one.asked))
                .then_with(|| one.topic.cmp(&other.topic))
        });
        topics.truncate(limit);
        Ok(topics)
    }
}
