//! What a space knows much about, and what little.

use std::collections::BTreeMap;

use anamne_knowledge::graph::EntityQuery;
use anamne_store::Derived;
use anamne_text::analyser::{Analyser, is_function_word};
use anamne_types::Right;
use serde::Serialize;

use crate::Error;
use crate::derived::meta::{Key, LoggedQuery};
use crate::space::Space;

/// Questions that are looked at.
const LOOKED_AT: usize = 10_000;

/// A topic that so many memories name is well known.
const MANY: u64 = 10;

/// Answers surer than this on average are good ones, and less sure than that bad ones.
const GOOD: f32 = 0.5;
const BAD: f32 = 0.25;

/// A word that so many questions held, in vain, is a topic of which nothing is known.
const ASKED_OFTEN: u64 = 2;

/// How well a topic is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Many memories name it, and questions about it are answered well or were never asked.
    WellKnown,
    /// Some memories name it.
    Known,
    /// Hardly a memory names it, or few do and questions about it are answered badly.
    LittleKnown,
    /// It was asked about, and nothing is relevant to it.
    Unknown,
}

/// A topic with what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnownTopic {
    /// Its name.
    pub topic: String,
    /// Memories that name it.
    pub memories: u64,
    /// Questions of the log that name it.
    pub asked: u64,
    /// How sure their best results were on average, 0 to 1; `None` where it was never asked about.
    pub confidence: Option<f32>,
    /// How well it is known.
    pub verdict: Verdict,
}

fn verdict(memories: u64, confidence: Option<f32>) -> Verdict {
    match (memories, confidence) {
        (0, _) => Verdict::Unknown,
        (MANY.., None) => Verdict::WellKnown,
        (MANY.., Some(confidence)) if confidence > GOOD => Verdict::WellKnown,
        (MANY.., Some(_)) => Verdict::Known,
        (_, Some(confidence)) if confidence < BAD => Verdict::LittleKnown,
        (1, None) => Verdict::LittleKnown,
        _ => Verdict::Known,
    }
}

/// How many of the questions hold every word of a name, and how sure their best results were on average. Of each word the
/// forms are known that it may have in a question.
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

/// The hashes of the forms of each word of a name: as it is, and as it is analysed with the others and alone.
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

/// Words of questions that found nothing sure, with how often they were asked and how sure the answers were.
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
    /// The newest questions that were asked, the newest first, at most `limit`: when, how they were answered, and what
    /// that cost. Their words only where the space's settings keep them (`[meta] queries = "text"`). O(limit).
    pub fn query_log(&self, limit: usize) -> Result<Vec<LoggedQuery>, Error> {
        self.inner.derived.meta.log(limit)
    }

    /// Deletes everything that is known of the space's own recall: the log of questions and what it taught.
    pub fn forget_meta(&self) -> Result<(), Error> {
        self.require(Right::Erase)?;
        self.inner.derived.meta.remove()
    }

    /// What the space knows much about and what little, the best known first, at most `limit`: the persons and things of its
    /// knowledge graph, as far as it is extracted, beside the questions of its log. Where the log keeps words, also words that
    /// were asked about in vain. O(entities · questions).
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
                verdict: Verdict::Unknown,
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
