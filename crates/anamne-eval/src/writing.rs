//! Writes a conversation in order while questions are asked.

use std::collections::HashMap;
use std::sync::Arc;

use anamne::{Answer, Draft, Forest, MemoryId, Space, Store};
use tempfile::TempDir;

use crate::corpus::{Corpus, Record};
use crate::failure::Failure;
use crate::store::{SPACE, temporary_folder};

/// A space, and the part of a conversation written to it.
pub(crate) struct WrittenCorpus<'corpus> {
    pub(crate) space: Space,
    pub(crate) records: &'corpus [Record],
    ids: HashMap<MemoryId, &'corpus Record>,
    end: usize,
    _folder: TempDir,
}

impl<'corpus> WrittenCorpus<'corpus> {
    /// An empty space for a corpus.
    pub(crate) fn empty_for(corpus: &'corpus Corpus) -> Result<Self, Failure> {
        let folder = temporary_folder(None)?;
        Ok(Self {
            space: Store::open(folder.path())?.space(SPACE)?,
            records: &corpus.records,
            ids: HashMap::new(),
            end: 0,
            _folder: folder,
        })
    }

    /// Ranks the results of all further queries with these trees; `None` is the shipped ones.
    pub(crate) fn rank_by(&mut self, forest: Option<&Arc<Forest>>) {
        self.space = self.space.ranked_by(forest.cloned());
    }

    /// Writes the records up to `end` that are not written yet, and runs the background work; returns whether anything
    /// was written.
    pub(crate) fn write_until(&mut self, end: usize) -> Result<bool, Failure> {
        if end <= self.end {
            return Ok(false);
        }
        let records = &self.records[self.end..end];
        let drafts: Vec<_> = records.iter().map(draft_of).collect();
        for (record, remembered) in records.iter().zip(self.space.remember_all(&drafts)?) {
            self.ids.insert(remembered.id, record);
        }
        self.space.settle(&mut |_, _| {})?;
        self.end = end;
        Ok(true)
    }

    /// The record of a memory.
    pub(crate) fn record(&self, id: MemoryId) -> Option<&'corpus Record> {
        self.ids.get(&id).copied()
    }

    /// The records of the results, best first.
    pub(crate) fn found(&self, answer: &Answer) -> Vec<&'corpus Record> {
        let hits = answer.results.iter();
        hits.filter_map(|hit| self.record(hit.memory.id)).collect()
    }
}

fn draft_of(record: &Record) -> Draft {
    let mut draft = Draft::new(&record.text).author(&record.author);
    draft.external_id = Some(record.id.clone());
    draft.occurred_at = record.time;
    if record.alone {
        return draft;
    }
    draft.position = Some(record.position);
    draft.thread(&record.thread)
}
