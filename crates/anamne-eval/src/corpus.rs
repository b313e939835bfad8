//! Conversations with questions, from JSON lines.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Deserialize;

use crate::failure::Failure;

/// Number of questions from each other set that are asked about a conversation that can't answer them.
const FOREIGN: usize = 24;

/// Selects the conversations to measure.
#[derive(clap::Args)]
pub(crate) struct ConversationFilter {
    /// A folder with one folder per set, each with *.records.jsonl and *.queries.jsonl; may be given several times. The
    /// bundled conversation if not given.
    #[arg(long)]
    data: Vec<PathBuf>,
    /// Only these sets.
    #[arg(long)]
    set: Vec<String>,
    /// Only these corpora.
    #[arg(long)]
    corpus: Vec<String>,
}

impl ConversationFilter {
    /// Reads the selected corpora.
    pub(crate) fn corpora(&self) -> Result<Vec<Corpus>, Failure> {
        if self.data.is_empty() {
            return Ok(vec![Corpus::bundled()?]);
        }
        let mut corpora = Vec::new();
        for folder in &self.data {
            corpora.extend(Corpus::find(folder, &self.set, &self.corpus)?);
        }
        if corpora.is_empty() {
            return Err("no corpus to measure".into());
        }
        Ok(corpora)
    }
}

/// One message of a conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) thread: String,
    pub(crate) position: u32,
    pub(crate) time: Option<Timestamp>,
    pub(crate) author: String,
    pub(crate) text: String,
    /// Whether it is stored without its thread.
    #[serde(skip)]
    pub(crate) alone: bool,
}

/// One question with its evidence.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Query {
    #[serde(rename = "query")]
    pub(crate) text: String,
    pub(crate) category: String,
    pub(crate) evidence: Vec<String>,
    pub(crate) evidence_threads: Vec<String>,
    pub(crate) asked_after: Option<String>,
    pub(crate) answerable: bool,
    #[serde(default)]
    pub(crate) evidence_corrected: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) answer: serde_json::Value,
}

impl Query {
    /// The text of the answer; empty if the data has none.
    pub(crate) fn answer_text(&self) -> String {
        match &self.answer {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(answer) => answer.clone(),
            other => other.to_string(),
        }
    }

    /// Whether the conversation is expected to contain the answer.
    pub(crate) fn is_answerable(&self) -> bool {
        self.answerable && self.category != "adversarial"
    }

    /// Whether a record is evidence for the answer.
    pub(crate) fn is_supported_by(&self, record: &Record) -> bool {
        self.evidence.contains(&record.id) || self.evidence_threads.contains(&record.thread)
    }

    /// Whether the evidence is known.
    pub(crate) fn has_evidence(&self) -> bool {
        !self.evidence.is_empty() || !self.evidence_threads.is_empty()
    }
}

/// One conversation and its questions.
#[derive(Debug)]
pub(crate) struct Corpus {
    pub(crate) set: String,
    pub(crate) name: String,
    pub(crate) records: Vec<Record>,
    pub(crate) queries: Vec<Query>,
}

impl Corpus {
    /// Reads the corpora below `folder`, sorted by set and name; empty lists select all.
    pub(crate) fn find(
        folder: &Path,
        sets: &[String],
        names: &[String],
    ) -> Result<Vec<Self>, Failure> {
        let mut corpora = Vec::new();
        for set_folder in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
            let set = name_of(&set_folder);
            if !sets.is_empty() && !sets.contains(&set) {
                continue;
            }
            for records in entries(&set_folder)? {
                let file = name_of(&records);
                let Some(name) = file.strip_suffix(".records.jsonl") else {
                    continue;
                };
                if names.is_empty() || names.iter().any(|wanted| wanted == name) {
                    corpora.push(Self {
                        set: set.clone(),
                        name: name.to_owned(),
                        records: read_lines(&records)?,
                        queries: read_lines(&set_folder.join(format!("{name}.queries.jsonl")))?,
                    });
                }
            }
        }
        Ok(corpora)
    }

    /// Marks this share of the records, evenly spread, to be stored without their thread.
    pub(crate) fn detach_from_threads(&mut self, share: f64) {
        let before = |number: usize| (number as f64 * share).floor();
        for (number, record) in self.records.iter_mut().enumerate() {
            record.alone = before(number + 1) > before(number);
        }
    }

    /// The questions, each with the number of records that existed when it was asked, ordered by that number.
    ///
    /// Questions asked after a missing thread are skipped.
    pub(crate) fn questions(&self) -> Vec<(usize, &Query)> {
        let mut ends = HashMap::new();
        for (index, record) in self.records.iter().enumerate() {
            ends.insert(record.thread.as_str(), index + 1);
        }
        let end = |query: &Query| match &query.asked_after {
            None => Some(self.records.len()),
            Some(thread) => ends.get(thread.as_str()).copied(),
        };
        let mut questions: Vec<_> = self
            .queries
            .iter()
            .filter_map(|query| Some((end(query)?, query)))
            .collect();
        questions.sort_by_key(|(end, _)| *end);
        questions
    }

    /// Questions of the other sets among `corpora`, sampled evenly: this conversation can't answer them.
    pub(crate) fn foreign_questions(&self, corpora: &[Self]) -> Vec<Query> {
        let mut by_set: BTreeMap<&str, Vec<&Query>> = BTreeMap::new();
        for corpus in corpora.iter().filter(|corpus| corpus.set != self.set) {
            by_set
                .entry(&corpus.set)
                .or_default()
                .extend(&corpus.queries);
        }
        let of_set = |queries: Vec<&Query>| -> Vec<Query> {
            let step = queries.len().div_ceil(FOREIGN).max(1);
            queries.into_iter().step_by(step).cloned().collect()
        };
        let as_foreign = |query: Query| Query {
            category: "foreign".to_owned(),
            text: query.text,
            ..Query::default()
        };
        by_set
            .into_values()
            .flat_map(of_set)
            .map(as_foreign)
            .collect()
    }
}

/// A question about the bundled conversation; any of its evidence answers it.
#[derive(Debug, Deserialize)]
struct BundledQuestion {
    question: String,
    evidence: Vec<String>,
}

impl Corpus {
    /// The demo conversation with its questions.
    pub(crate) fn bundled() -> Result<Self, Failure> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../anamne-cli/demo");
        let questions: Vec<BundledQuestion> = read_lines(&folder.join("questions.jsonl"))?;
        let query = |question: BundledQuestion| Query {
            text: question.question,
            category: "bundled".to_owned(),
            answerable: !question.evidence.is_empty(),
            evidence: question.evidence,
            ..Query::default()
        };
        Ok(Self {
            set: "bundled".to_owned(),
            name: "demo".to_owned(),
            records: read_lines(&folder.join("conversation.jsonl"))?,
            queries: questions.into_iter().map(query).collect(),
        })
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error| format!("can't read {}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

pub(crate) fn read_lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("can't read {}: {error}", path.display()))?;
    let parse = |(index, line)| {
        serde_json::from_str(line)
            .map_err(|error| format!("{}:{}: {error}", path.display(), index + 1).into())
    };
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(parse)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use super::*;

    /// The corpora that belong to this crate.
    fn own() -> Vec<Corpus> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/recall");
        Corpus::find(&folder, &[], &[]).expect("corpora")
    }

    #[test]
    fn own_corpora_are_large_enough_and_consistent() {
        let corpora = own();
        assert!(corpora.len() >= 3);
        for corpus in &corpora {
            assert!(corpus.records.len() >= 300, "{}", corpus.name);
            let ids: HashSet<&str> = corpus.records.iter().map(|one| one.id.as_str()).collect();
            assert_eq!(ids.len(), corpus.records.len(), "{}", corpus.name);
            let mut positions: BTreeMap<&str, u32> = BTreeMap::new();
            for record in &corpus.records {
                let next = positions.entry(&record.thread).or_default();
                assert_eq!(record.position, *next, "{}", record.id);
                *next += 1;
            }
            let times = corpus
                .records
                .iter()
                .map(|record| record.time.expect("a time"));
            assert!(times.is_sorted(), "{}", corpus.name);
            let answerable = corpus.queries.iter().filter(|query| query.answerable);
            assert!(answerable.count() >= 60, "{}", corpus.name);
            for query in &corpus.queries {
                assert_eq!(query.answerable, query.has_evidence(), "{}", query.text);
                for id in &query.evidence {
                    assert!(ids.contains(id.as_str()), "{}: {id}", query.text);
                }
            }
        }
    }

    #[test]
    fn half_of_the_own_questions_share_few_words_with_their_evidence() {
        for corpus in own() {
            let texts: HashMap<&str, HashSet<String>> = corpus
                .records
                .iter()
                .map(|record| (record.id.as_str(), content_words(&record.text)))
                .collect();
            let few = |query: &&Query| {
                let words = content_words(&query.text);
                let shared = |id: &String| texts[id.as_str()].intersection(&words).count();
                query.evidence.iter().all(|id| shared(id) <= 2)
            };
            let answerable = || corpus.queries.iter().filter(|query| query.answerable);
            let share = answerable().filter(few).count() as f64 / answerable().count() as f64;
            assert!(share >= 0.5, "{}: {share:.2}", corpus.name);
        }
    }

    /// The stems of a text without function words.
    fn content_words(text: &str) -> HashSet<String> {
        let mut words = HashSet::new();
        anamne::text::analyser::Analyser::new().document(text, &mut |stem, _| {
            if !anamne::text::analyser::is_function_word(stem) {
                words.insert(stem.to_owned());
            }
        });
        words
    }
}
