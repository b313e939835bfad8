//! The store: three years of records, aged into their tiers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anamne::{Clock, Draft, MemoryId, Options, Space, Store};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use super::log::{self, Asked};
use crate::recall::{Corpus, Failure};
use crate::speed::data::Generator;

/// Seconds that the records span.
const SPAN: f64 = 1_095.0 * 86_400.0;

/// The last instant of the records, in seconds since 1970: the end of 2025.
const END: i64 = 1_767_225_600;

/// Records of one transaction.
const BATCH: usize = 512;

/// A question of a conversation: its words, and the numbers of the records any of which answers it.
pub(super) struct Known {
    pub(super) words: String,
    pub(super) answers: Vec<u64>,
}

/// What is told and asked.
pub(super) struct Material {
    pub(super) records: u64,
    drafts: Vec<Draft>,
    pub(super) generator: Option<Generator>,
    /// Questions with their answers, where records were not generated.
    pub(super) known: Vec<Known>,
}

/// A clock that stands still.
#[derive(Debug)]
struct StandingClock(Timestamp);

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

pub(super) fn end() -> Timestamp {
    Timestamp::from_second(END).expect("an instant of this century")
}

/// When the record with this number of so many happened.
pub(super) fn time_of(number: u64, records: u64) -> Timestamp {
    let left = (records - 1 - number) as f64 / records as f64;
    end() - SignedDuration::from_secs((left * SPAN) as i64)
}

/// A store with the numbers of its memories.
pub(super) struct Told {
    pub(super) space: Space,
    pub(super) numbers: HashMap<MemoryId, u64>,
    _folder: TempDir,
}

impl Material {
    pub(super) fn generated(records: u64) -> Self {
        let generator = Generator::new(records);
        let draft = |number| {
            let draft = generator.record(number).draft();
            draft.occurred_at(time_of(number, records))
        };
        Self {
            records,
            drafts: (0..records).map(draft).collect(),
            known: Vec::new(),
            generator: Some(generator),
        }
    }

    /// All conversations side by side, each spread over the whole span.
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
                ..draft.occurred_at(time_of(number, records))
            });
        }
        let mut known = Vec::new();
        for (corpus, conversation) in corpora.iter().enumerate() {
            for query in conversation
                .queries
                .iter()
                .filter(|query| query.is_answerable())
            {
                let in_thread = |thread: &String| query.evidence_threads.contains(thread);
                let is_answer = |id: &String, thread: &String| {
                    if query.evidence.is_empty() {
                        in_thread(thread)
                    } else {
                        query.evidence.contains(id)
                    }
                };
                let records = conversation.records.iter();
                let answers: Vec<u64> = records
                    .filter(|record| is_answer(&record.id, &record.thread))
                    .filter_map(|record| numbers.get(&(corpus, record.id.as_str())).copied())
                    .collect();
                if !answers.is_empty() {
                    let words = query.text.clone();
                    known.push(Known { words, answers });
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

    /// Tells everything, and moves what is old to its tier.
    pub(super) fn tell(&self) -> Result<Told, Failure> {
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::Data(format!("no temporary folder: {error}")))?;
        let options = Options {
            clock: Arc::new(StandingClock(end())),
            ..Options::new(folder.path()).background(false)
        };
        let space = Store::open_with(options)?.space("benchmark")?;
        let mut numbers = HashMap::new();
        let mut number = 0;
        for drafts in self.drafts.chunks(BATCH) {
            for told in space.remember_all(drafts)? {
                numbers.insert(told.id, number);
                number += 1;
            }
        }
        space.fold()?;
        space.age(&mut |_, _| {})?;
        space.settle(&mut |_, _| {})?;
        space.fold()?;
        Ok(Told {
            space,
            numbers,
            _folder: folder,
        })
    }

    pub(super) fn log(&self, queries: u64) -> Vec<Asked> {
        log::of(self, queries)
    }
}
