//! Appends to the journal, and notices what other processes appended.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anamne_types::Seq;

use super::JOURNAL_FORMAT;
use super::end::End;
use super::line::{Digest, Entry, Header};
use super::segment::Segment;
use crate::files::{create_private_folder, remove_unfinished, replace_file_on, set_aside};
use crate::storage::{Disk, Storage};
use crate::{Result, StoreError};

/// The journal of one space, as one process sees it.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(crate) folder: PathBuf,
    pub(crate) storage: Arc<dyn Storage>,
    end: Option<End>,
}

impl Journal {
    /// The journal in `folder`, which need not exist yet. Accesses no files.
    pub(crate) fn at(folder: &Path) -> Self {
        Self::on(folder, Arc::new(Disk))
    }

    /// The same with a given storage.
    pub(crate) fn on(folder: &Path, storage: Arc<dyn Storage>) -> Self {
        Self {
            folder: folder.to_owned(),
            storage,
            end: None,
        }
    }

    /// The last event in the journal and the chain's hash after it; the defaults if it is empty.
    ///
    /// Reads only the last lines of the last segment, or just two `stat`s if no process has appended since the last call.
    pub(crate) fn end(&mut self) -> Result<(Seq, Digest)> {
        let current = match &mut self.end {
            Some(end) => end.catch_up(&self.folder)?,
            None => false,
        };
        if !current {
            self.end = End::of(&self.folder)?;
        }
        Ok(self
            .end
            .as_ref()
            .map_or_else(Default::default, |end| (end.seq, end.hash)))
    }

    /// Appends lines that continue the chain, and syncs them.
    ///
    /// Existing lines are skipped. The write lock must be held. Lines are written one segment at a time; after a
    /// failure the journal ends with the last complete write, and a torn write is cut off.
    pub(crate) fn append(&mut self, lines: &[Entry]) -> Result<()> {
        let (last, _) = self.end()?;
        let mut rest = &lines[lines.partition_point(|line| line.seq <= last)..];
        if let Some(first) = rest.first()
            && first.seq.0 != last.0 + 1
        {
            let reason = format!(
                "it ends at event {last}, but the next event is {}",
                first.seq
            );
            return Err(StoreError::damaged(&self.folder, reason));
        }
        while !rest.is_empty() {
            let room = self.make_room()?;
            let (now, later) = rest.split_at(fitting(rest, room));
            if let Some(end) = &mut self.end {
                end.write(self.storage.as_ref(), now)?;
            }
            rest = later;
        }
        Ok(())
    }

    /// Starts a new segment if the last one is full; returns the bytes that fit.
    fn make_room(&mut self) -> Result<u64> {
        let length = self.end.as_ref().and_then(End::length);
        let full = self.storage.segment_bytes();
        match length.filter(|&length| length <= full) {
            Some(length) => Ok(full - length),
            None => self.begin_segment().map(|()| full),
        }
    }

    /// Seals every plain segment except the last.
    pub(crate) fn seal_full_segments(&self) -> Result<usize> {
        remove_unfinished(&self.folder)?;
        let segments = Segment::list(&self.folder)?;
        let full = segments.split_last().map_or(&[][..], |(_, full)| full);
        let plain: Vec<_> = full.iter().filter(|segment| !segment.sealed).collect();
        plain
            .iter()
            .try_for_each(|segment| segment.seal(self.storage.as_ref()))?;
        Ok(plain.len())
    }

    /// Whether there is a segment to seal.
    pub(crate) fn has_full_segments(&self) -> Result<bool> {
        let segments = Segment::list(&self.folder)?;
        Ok(segments.iter().filter(|segment| !segment.sealed).count() > 1)
    }

    /// Drops cached state after the files were rewritten.
    pub(crate) fn reopen(&mut self) {
        self.end = None;
    }

    fn begin_segment(&mut self) -> Result<()> {
        create_private_folder(&self.folder)?;
        let (number, seq, hash) = match &self.end {
            Some(end) => (end.segment + 1, end.seq, end.hash),
            None => (1, Seq(0), Digest::default()),
        };
        let segment = Segment::plain(&self.folder, number);
        let header = Header {
            anamne_journal: JOURNAL_FORMAT,
            segment: number,
            after_seq: seq,
            after_hash: hash,
        };
        let mut text = serde_json::to_string(&header)?;
        text.push('\n');
        if segment.path.exists() {
            set_aside(&segment.path)?;
        }
        // Written elsewhere and renamed, so that a segment never exists without its header.
        replace_file_on(self.storage.as_ref(), &segment.path, text.as_bytes())?;
        self.end = Some(End::begun(&segment, &header)?);
        Ok(())
    }
}

/// How many of `lines` go into a segment with `room` bytes left: up to and including the one that fills it.
fn fitting(lines: &[Entry], room: u64) -> usize {
    let mut length = 0;
    let filling = lines.iter().position(|line| {
        length += line.text.len() as u64 + 1;
        length > room
    });
    filling.map_or(lines.len(), |index| index + 1)
}
