//! Reads a segment line by line, within limits far above any valid segment.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read};

use super::segment::Segment;
use crate::storage::SEGMENT_BYTES;
use crate::{Result, StoreError};

/// Maximum line length, in bytes. The largest memory has a megabyte of content, of which each byte may be escaped as
/// six, a megabyte of body, 64 KiB of metadata and short names: about 8 MB. This is twice that.
pub(crate) const LONGEST_LINE: u64 = 16 << 20;

/// Maximum size of a segment's text, in bytes. A segment is full at [`SEGMENT_BYTES`], and the line that fills it is
/// its last. This is twice that.
pub(crate) const LARGEST_SEGMENT: u64 = 2 * (SEGMENT_BYTES + LONGEST_LINE);

/// Maximum window size of a zstd frame, as a power of two. Segments are written with windows of 4 MiB; the format
/// recommends that every decoder supports 8 MiB. A crafted frame could ask for gigabytes.
const WINDOW_LOG: u32 = 23;

/// An open segment, decompressed on the fly if sealed.
pub(crate) struct SegmentReader {
    segment: Segment,
    text: Box<dyn BufRead + Send>,
    /// The maximum number of remaining bytes of text.
    left: u64,
}

impl SegmentReader {
    /// Reads the text of `segment` from its file.
    pub(super) fn of(segment: Segment, file: File) -> Result<Self> {
        let text: Box<dyn BufRead + Send> = if segment.sealed {
            let decoder = zstd::Decoder::new(file).and_then(|mut decoder| {
                decoder.window_log_max(WINDOW_LOG)?;
                Ok(decoder)
            });
            let decoder = decoder.map_err(StoreError::io("read", &segment.path))?;
            Box::new(BufReader::with_capacity(1 << 16, decoder))
        } else {
            Box::new(BufReader::with_capacity(1 << 16, file))
        };
        Ok(Self {
            segment,
            text,
            left: LARGEST_SEGMENT,
        })
    }

    /// The segment being read.
    pub(crate) fn segment(&self) -> &Segment {
        &self.segment
    }

    /// The next line including its line feed, which only the last line may lack; empty at the end. Anything longer than
    /// a line or segment can be is damage.
    pub(crate) fn line(&mut self) -> Result<Vec<u8>> {
        let mut line = Vec::new();
        let most = LONGEST_LINE.min(self.left);
        let read = self
            .text
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut line)
            .map_err(|error| self.unreadable(error))?;
        self.left -= read as u64;
        if read as u64 == most && line.last() != Some(&b'\n') && !self.is_at_end()? {
            return Err(self.too_long());
        }
        Ok(line)
    }

    /// Reads the rest.
    pub(crate) fn rest(mut self) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        self.text
            .by_ref()
            .take(self.left)
            .read_to_end(&mut text)
            .map_err(|error| self.unreadable(error))?;
        self.left -= text.len() as u64;
        if self.left == 0 && !self.is_at_end()? {
            return Err(self.too_long());
        }
        Ok(text)
    }

    fn is_at_end(&mut self) -> Result<bool> {
        match self.text.fill_buf() {
            Ok(buffer) => Ok(buffer.is_empty()),
            Err(error) => Err(self.unreadable(error)),
        }
    }

    fn too_long(&self) -> StoreError {
        let reason = if self.left == 0 {
            format!("longer than the maximum of {LARGEST_SEGMENT} bytes")
        } else {
            format!("it has a line longer than the maximum of {LONGEST_LINE} bytes")
        };
        StoreError::damaged(&self.segment.path, reason)
    }

    /// Maps a read error: a sealed segment that can't be decompressed is damaged.
    fn unreadable(&self, error: Error) -> StoreError {
        if self.segment.sealed || error.kind() == ErrorKind::InvalidData {
            let reason = format!("decompression failed: {error}");
            StoreError::damaged(&self.segment.path, reason)
        } else {
            StoreError::io("read", &self.segment.path)(error)
        }
    }
}
