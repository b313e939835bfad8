//! Writes a segment file sequentially.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use anamne_store::view::ViewError;
use xxhash_rust::xxh3::xxh3_64;

use super::file::{ALIGNMENT, BLOCK, HEADER, Header, SECTIONS};
use super::folder::create_private;
use super::manifest::{RowSpan, SegmentEntry};
use super::map::{Plain, as_bytes};

/// A segment file under construction; the manifest lists it only after [`SegmentWriter::finish`].
pub(crate) struct SegmentWriter {
    path: PathBuf,
    file: File,
    kind: u32,
    /// The block being filled.
    block: Vec<u8>,
    /// Checksums of the completed blocks.
    table: Vec<u64>,
    sections: Vec<(u64, u64)>,
}

impl SegmentWriter {
    /// Creates the file, which must not exist yet.
    pub(super) fn create(path: PathBuf, kind: u32) -> Result<Self, ViewError> {
        let mut file = create_private(&path, true)?;
        file.write_all(&[0; HEADER])
            .map_err(|error| ViewError::io("write", &path, error))?;
        Ok(Self {
            path,
            file,
            kind,
            block: Vec::with_capacity(BLOCK),
            table: Vec::new(),
            sections: Vec::new(),
        })
    }

    /// Starts the next section; following data belongs to it.
    pub(crate) fn begin_section(&mut self) -> Result<(), ViewError> {
        assert!(
            self.sections.len() < SECTIONS,
            "a layout has at most eight sections"
        );
        self.pad()?;
        self.sections.push((self.position(), 0));
        Ok(())
    }

    /// Appends numbers to the section.
    pub(crate) fn put<T: Plain>(&mut self, numbers: &[T]) -> Result<(), ViewError> {
        let bytes = as_bytes(numbers);
        self.append(bytes)?;
        if let Some((_, length)) = self.sections.last_mut() {
            *length += bytes.len() as u64;
        }
        Ok(())
    }

    /// Completes the file and syncs it to disk.
    pub(super) fn finish(mut self, number: u64, rows: RowSpan) -> Result<SegmentEntry, ViewError> {
        self.pad()?;
        let body = self.position();
        self.flush_block()?;
        let table = std::mem::take(&mut self.table);
        let table = as_bytes(&table);
        let mut sections = [(body, 0); SECTIONS];
        sections[..self.sections.len()].copy_from_slice(&self.sections);
        let header = Header {
            kind: self.kind,
            body,
            table_checksum: xxh3_64(table),
            sections,
        };
        let (bytes, checksum) = header.encode();
        let length = (HEADER + table.len()) as u64 + body;
        self.complete(table, &bytes)
            .map_err(|error| ViewError::io("write", &self.path, error))?;
        Ok(SegmentEntry {
            number,
            length,
            checksum,
            rows,
        })
    }

    fn complete(&mut self, table: &[u8], header: &[u8]) -> std::io::Result<()> {
        self.file.write_all(table)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(header)?;
        self.file.sync_all()
    }

    fn position(&self) -> u64 {
        (self.table.len() * BLOCK + self.block.len()) as u64
    }

    fn pad(&mut self) -> Result<(), ViewError> {
        let used = self.block.len() % ALIGNMENT;
        if used > 0 {
            self.append(&[0; ALIGNMENT][used..])
        } else {
            Ok(())
        }
    }

    fn append(&mut self, mut bytes: &[u8]) -> Result<(), ViewError> {
        while !bytes.is_empty() {
            let taken = bytes.len().min(BLOCK - self.block.len());
            self.block.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if self.block.len() == BLOCK {
                self.flush_block()?;
            }
        }
        Ok(())
    }

    fn flush_block(&mut self) -> Result<(), ViewError> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.table.push(xxh3_64(&self.block));
        self.file
            .write_all(&self.block)
            .map_err(|error| ViewError::io("write", &self.path, error))?;
        self.block.clear();
        Ok(())
    }
}
