//! Our own corpora, and their questions with one reading or several.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::corpus::{Corpus, Record};
use crate::failure::Failure;

/// Name, records and questions of each corpus.
const FILES: [(&str, &str, &str); 3] = [
    (
        "office",
        include_str!("../../data/clarification/office.records.jsonl"),
        include_str!("../../data/clarification/office.queries.jsonl"),
    ),
    (
        "home",
        include_str!("../../data/clarification/home.records.jsonl"),
        include_str!("../../data/clarification/home.queries.jsonl"),
    ),
    (
        "club",
        include_str!("../../data/clarification/club.records.jsonl"),
        include_str!("../../data/clarification/club.queries.jsonl"),
    ),
];

/// A half of the questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Half {
    /// May be looked at.
    Development,
    /// Is only reported.
    HeldOut,
}

impl Half {
    pub(super) const ALL: [Self; 2] = [Self::Development, Self::HeldOut];

    /// Its name in tables and JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Development => "development",
            Self::HeldOut => "held out",
        }
    }
}

/// A question with its readings.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Question {
    #[serde(rename = "query")]
    pub(super) text: String,
    pub(super) half: Half,
    /// Why it is ambiguous, or why it isn't.
    pub(super) kind: String,
    pub(super) ambiguous: bool,
    /// The records that each reading is about.
    pub(super) readings: Vec<Vec<String>>,
}

/// A corpus with its questions.
pub(super) struct Asked {
    pub(super) corpus: Corpus,
    pub(super) questions: Vec<Question>,
}

/// All corpora.
pub(super) fn corpora() -> Result<Vec<Asked>, Failure> {
    let read = |(name, records, questions): (&str, &str, &str)| {
        let records: Vec<Record> = lines(records)?;
        Ok(Asked {
            corpus: Corpus {
                set: "clarification".to_owned(),
                name: name.to_owned(),
                records,
                queries: Vec::new(),
            },
            questions: lines(questions)?,
        })
    };
    FILES.into_iter().map(read).collect()
}

fn lines<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, Failure> {
    let lines = text.lines().map(serde_json::from_str);
    lines
        .collect::<Result<_, _>>()
        .map_err(|error| format!("the questions are unusable: {error}").into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_half_has_thirty_questions_of_both_kinds() {
        let corpora = corpora().expect("usable questions");
        for half in Half::ALL {
            for ambiguous in [false, true] {
                let questions = corpora.iter().flat_map(|asked| &asked.questions);
                let meant =
                    |question: &&Question| (question.half, question.ambiguous) == (half, ambiguous);
                assert_eq!(questions.filter(meant).count(), 30);
            }
        }
    }

    #[test]
    fn every_reading_names_records_and_only_ambiguous_questions_have_several() {
        for asked in corpora().expect("usable questions") {
            let records = asked.corpus.records.iter();
            let records: BTreeSet<&str> = records.map(|record| record.id.as_str()).collect();
            for question in &asked.questions {
                let named = question.readings.iter().flatten();
                assert!(named.clone().all(|id| records.contains(id.as_str())));
                assert_eq!(question.readings.len() > 1, question.ambiguous);
            }
        }
    }
}
