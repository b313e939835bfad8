//! Appending to the journal, and noticing what other processes appended.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anamne_types::Seq;

use super::line::{Digest, Header, Line};
use super::segment::Segment;
use super::{JOURNAL_FORMAT, SEGMENT_BYTES};
use crate::StoreError;
use crate::files::{create_private_folder, open_private_file, sync_folder_of};

/// The journal of one space, as one process sees it.
#[derive(Debug)]
pub struct Journal {
    pub(crate) folder: PathBuf,
    end: Option<End>,
}

/// Where the journal ends.
#[derive(Debug)]
struct End {
    segment: Segment,
    file: File,
    length: u64,
    seq: Seq,
    hash: Digest,
}

impl Journal {
    /// The journal in `folder`, which need not be there yet. Touches nothing.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            end: None,
        }
    }

    /// The last event in the journal; 0 where it is empty. Reads the last lines of the last segment only.
    pub fn last_seq(&mut self) -> Result<Seq, StoreError> {
        self.find_end()?;
        Ok(self.end.as_ref().map_or(Seq(0), |end| end.seq))
    }

    /// Appends lines that continue the chain, and makes them durable.
    ///
    /// Lines that are there already are passed over. Only the holder of the write lock may call this.
    /// When it fails the journal is as it was: what a torn write left behind is cut off.
    pub(crate) fn append(&mut self, lines: &[(Seq, String)]) -> Result<(), StoreError> {
        self.find_end()?;
        let last = self.end.as_ref().map_or(Seq(0), |end| end.seq);
        let new: Vec<_> = lines.iter().filter(|(seq, _)| *seq > last).collect();
        let Some((first, _)) = new.first() else {
            return Ok(());
        };
        if first.0 != last.0 + 1 {
            return Err(StoreError::damaged(
                &self.folder,
                format!(
                    "the journal ends at event {last}, but the next one to be written is {first}"
                ),
            ));
        }
        if self
            .end
            .as_ref()
            .is_none_or(|end| end.length > SEGMENT_BYTES)
        {
            self.begin_segment()?;
        }
        let end = self
            .end
            .as_mut()
            .expect("a segment was begun just now if there was none");
        end.write(&new)
    }

    /// Seals every plain segment but the last.
    pub(crate) fn seal_full_segments(&self) -> Result<usize, StoreError> {
        let segments = Segment::list(&self.folder)?;
        let full = segments.split_last().map_or(&[][..], |(_, full)| full);
        let plain: Vec<_> = full.iter().filter(|segment| !segment.sealed).collect();
        plain
            .iter()
            .try_for_each(|segment| segment.seal(&self.folder))?;
        Ok(plain.len())
    }

    /// Whether there is a segment to seal.
    pub fn has_full_segments(&self) -> Result<bool, StoreError> {
        let segments = Segment::list(&self.folder)?;
        Ok(segments.iter().filter(|segment| !segment.sealed).count() > 1)
    }

    /// Forgets what it knows of the files, after they were rewritten.
    pub(crate) fn reopen(&mut self) {
        self.end = None;
    }

    fn begin_segment(&mut self) -> Result<(), StoreError> {
        create_private_folder(&self.folder)?;
        let (number, seq, hash) = match &self.end {
            Some(end) => (end.segment.number + 1, end.seq, end.hash),
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
        let mut file = open_private_file(&segment.path)?;
        file.set_len(0)
            .map_err(StoreError::io("write", &segment.path))?;
        file.write_all(text.as_bytes())
            .map_err(StoreError::io("write", &segment.path))?;
        file.sync_all()
            .map_err(StoreError::io("sync", &segment.path))?;
        sync_folder_of(&segment.path)?;
        self.end = Some(End {
            segment,
            file,
            length: text.len() as u64,
            seq,
            hash,
        });
        Ok(())
    }

    /// Brings `self.end` to the true end of the journal.
    fn find_end(&mut self) -> Result<(), StoreError> {
        if let Some(end) = &self.end
            && end.is_current(&self.folder)?
        {
            return Ok(());
        }
        let segments = Segment::list(&self.folder)?;
        self.end = match segments.last() {
            None => None,
            Some(last) if last.sealed => {
                return Err(StoreError::damaged(
                    &last.path,
                    "the journal's open segment after it is missing",
                ));
            }
            Some(last) => Some(End::read(last.clone(), segments.len() > 1, &self.folder)?),
        };
        Ok(())
    }
}

impl End {
    /// Whether no process has appended since: the same length, still there, and no later segment.
    fn is_current(&self, folder: &Path) -> Result<bool, StoreError> {
        let path = &self.segment.path;
        let on_disk = match std::fs::metadata(path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(StoreError::io("look at", path)(error)),
        };
        Ok(on_disk == self.length
            && !Segment::plain(folder, self.segment.number + 1)
                .path
                .exists())
    }

    /// Finds the last whole line of a segment by reading backwards from its end.
    fn read(segment: Segment, has_earlier: bool, folder: &Path) -> Result<Self, StoreError> {
        let mut file = open_private_file(&segment.path)?;
        let size = file
            .metadata()
            .map_err(StoreError::io("look at", &segment.path))?
            .len();
        let mut window = 64 * 1024;
        loop {
            let start = size.saturating_sub(window);
            let text = read_range(&mut file, start, size)
                .map_err(StoreError::io("read", &segment.path))?;
            if let Some((seq, hash, end)) = last_line(&text, start == 0) {
                return Ok(Self {
                    segment,
                    file,
                    length: start + end as u64,
                    seq,
                    hash,
                });
            }
            if start == 0 {
                break;
            }
            window *= 8;
        }
        // Not even the header is whole: the crash came while the segment was begun, so nothing in it was acknowledged.
        std::fs::remove_file(&segment.path).map_err(StoreError::io("remove", &segment.path))?;
        if !has_earlier {
            return Err(StoreError::damaged(
                &segment.path,
                "the journal's first segment has no header",
            ));
        }
        match Segment::list(folder)?.last() {
            Some(earlier) if !earlier.sealed => Self::read(earlier.clone(), true, folder),
            _ => Err(StoreError::damaged(
                &segment.path,
                "the journal's last segment has no header",
            )),
        }
    }

    fn write(&mut self, lines: &[&(Seq, String)]) -> Result<(), StoreError> {
        let mut text = String::with_capacity(lines.iter().map(|(_, line)| line.len() + 1).sum());
        for (_, line) in lines {
            text.push_str(line);
            text.push('\n');
        }
        let written = self.write_at_end(text.as_bytes());
        if let Err(error) = written {
            // Should the cut fail too, the torn line is found and cut by the next writer.
            let _ = self.file.set_len(self.length);
            return Err(StoreError::io("append to", &self.segment.path)(error));
        }
        let last = lines
            .last()
            .expect("append was called with at least one new line");
        let parsed: Line = serde_json::from_str(&last.1)?;
        self.length += text.len() as u64;
        self.seq = parsed.seq;
        self.hash = parsed.hash;
        Ok(())
    }

    fn write_at_end(&mut self, text: &[u8]) -> std::io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(text)?;
        self.file.sync_data()
    }
}

fn read_range(file: &mut File, start: u64, end: u64) -> std::io::Result<Vec<u8>> {
    let mut text = vec![0; (end - start) as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut text)?;
    Ok(text)
}

/// The sequence number, hash and end offset of the last whole, sound line in `text`.
///
/// `whole` says whether `text` begins at the start of the file, so that its first line is complete.
fn last_line(text: &[u8], whole: bool) -> Option<(Seq, Digest, usize)> {
    let mut end = text.iter().rposition(|&byte| byte == b'\n')? + 1;
    loop {
        let start = match text[..end - 1].iter().rposition(|&byte| byte == b'\n') {
            Some(newline) => newline + 1,
            None if whole => 0,
            None => return None,
        };
        if let Some((seq, hash)) = parse_end(&text[start..end - 1]) {
            return Some((seq, hash, end));
        }
        if start == 0 {
            return None;
        }
        end = start;
    }
}

fn parse_end(line: &[u8]) -> Option<(Seq, Digest)> {
    if let Ok(line) = serde_json::from_slice::<Line>(line) {
        let sound = line
            .payload
            .as_ref()
            .is_none_or(|payload| Digest::of(payload.get().as_bytes()) == line.payload_hash);
        return sound.then_some((line.seq, line.hash));
    }
    let header = serde_json::from_slice::<Header>(line).ok()?;
    Some((header.after_seq, header.after_hash))
}
