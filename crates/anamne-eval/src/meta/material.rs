//! The store: three years of records, aged into tiers.

use std::collections::HashMap;
use std::path::Path;

use anamne::{Draft, MemoryId, Space};
use tempfile::TempDir;

use crate::corpus::Corpus;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::store::{self, THREE_YEARS, open_at_the_end, temporary_folder, time_of};

/// A question of a conversation: its words, and the numbers of the records that each answer it.
pub(super) struct KnownQuestion {
    pub(super) words: String,
    pub(super) answers: Vec<u64>,
}

/// The records and questions.
pub(super) struct Material {
    pub(super) records: u64,
    drafts: Vec<Draft>,
    pub(super) generator: Option<Generator>,
    /// Questions with answers, if the records were not generated.
    pub(super) known: Vec<KnownQuestion>,
}

/// A store, and the record number of each memory.
pub(super) struct AgedStore {
    pub(super) space: Space,
    pub(super) numbers: HashMap<MemoryId, u64>,
    _folder: TempDir,
}

impl Material {
    pub(super) fn generated(records: u64) -> Self {
        let generator = Generator::new(records);
        let draft = |number| {
            let draft = generator.record(number).draft();
            draft.occurred_at(time_of(number, records, THREE_YEARS))
        };
        Self {
            records,
            drafts: (0..records).map(draft).collect(),
            known: Vec::new(),
            generator: Some(generator),
        }
    }

    /// All conversations in parallel, each spread over the whole time span.
    pub(super) fn of_conversations(folder: &Path) -> Result<Self, Failure> {
        let corpora = Corpus::find(folder, &[], &[])?;
        let mut places: Vec<(f64, usize, usize)> = Vec::new();
        for (corpus, conversation) in corpora.iter().enumerate() {
            let records = conversation.records.len();
            places.extend(
                (0..records).map(|record| (record as f64 / records as f64, corpus, record)),
            );
        }
        places.sort_by(|one, other| one.0.total_cmp(&other.0));
        let records = places.len() as u64;
        let mut numbers = HashMap::new();
        let mut drafts = Vec::with_capacity(places.len());
        for (number, (_, corpus, record)) in (0..).zip(&places) {
            let conversation = &corpora[*corpus];
            let record = &conversation.records[*record];
            numbers.insert((*corpus, record.id.as_str()), number);
            let thread = format!("{} {}", conversation.name, record.thread);
            let draft = Draft::new(&record.text)
                .thread(thread)
                .author(&record.author);
            drafts.push(Draft {
                position: Some(record.position),
                ..draft.occurred_at(time_of(number, records, THREE_YEARS))
            });
        }
        let mut known = Vec::new();
        for (corpus, conversation) in corpora.iter().enumerate() {
            for query in conversation
                .queries
                .iter()
                .filter(|query| query.is_answerable())
            {
                let records = conversation.records.iter();
                let answers: Vec<u64> = records
                    .filter(|record| {
                        if query.evidence.is_empty() {
                            query.evidence_threads.contains(&record.thread)
                        } else {
                            query.evidence.contains(&record.id)
                        }
                    })
                    .filter_map(|record| numbers.get(&(corpus, record.id.as_str())).copied())
                    .collect();
                if !answers.is_empty() {
                    let words = query.text.clone();
                    known.push(KnownQuestion { words, answers });
                }
            }
        }
        Ok(Self {
            records,
            drafts,
            generator: None,
            known,
        })
    }

    /// Writes all records, and moves old ones to their tiers.
    pub(super) fn write(&self) -> Result<AgedStore, Failure> {
        let folder = temporary_folder(None)?;
        let space = open_at_the_end(folder.path())?;
        let ids = store::write(&space, self.drafts.iter().cloned())?;
        space.fold()?;
        space.age(&mut |_, _| {})?;
        space.settle(&mut |_, _| {})?;
        space.fold()?;
        Ok(AgedStore {
            space,
            numbers: ids.into_iter().zip(0..).collect(),
            _folder: folder,
        })
    }
}
