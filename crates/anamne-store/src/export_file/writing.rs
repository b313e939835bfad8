//! Writes export files.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use anamne_types::{InvalidValue, Seq};
use jiff::Timestamp;

use super::section::{SECTION_BYTES, SectionWriter, Tag};
use super::{ExportExtra, ExportManifest, ExportedSpace, WrittenExport};
use crate::beside::copy_database;
use crate::files::{look_at, open_private_file, remove_if_there, sync_folder_of, unfinished};
use crate::hexadecimal;
use crate::journal::Lines;
use crate::source::log;
use crate::space::SpaceSource;
use crate::{Result, StoreError};

/// Maximum number of attempts when something is erased meanwhile.
const ROUNDS: usize = 5;

/// Why no file was written.
#[derive(Debug)]
pub struct ExportFailure {
    /// The number of the space that can't be exported; `None` if the file can't be written.
    pub space: Option<usize>,
    /// The error.
    pub error: StoreError,
}

impl ExportExtra {
    fn tag(self) -> Tag {
        match self {
            Self::Paid => Tag::Paid,
            Self::Observed => Tag::Observed,
            Self::External => Tag::External,
        }
    }
}

/// Writes the spaces with their history and settings to the file at `path`, which appears when complete.
///
/// Each space is written up to its last event at the beginning; others keep writing meanwhile. Erased texts are not in
/// it. The file is readable by its owner only. Refuses to replace anything but a regular file. O(bytes of the journals),
/// with a few dozen megabytes of memory.
pub fn write_export_file(
    path: &Path,
    spaces: &[&SpaceSource],
    extras: &[ExportExtra],
    now: Timestamp,
) -> Result<WrittenExport, ExportFailure> {
    let of_file = |error| ExportFailure { space: None, error };
    let path = std::path::absolute(path)
        .map_err(StoreError::io("look at", path))
        .map_err(of_file)?;
    check_replaceable(&path).map_err(of_file)?;
    let part = unfinished(&path);
    let written = write_rounds(&part, spaces, extras, now).and_then(|written| {
        fs::rename(&part, &path)
            .map_err(StoreError::io("put in place", &path))
            .and_then(|()| sync_folder_of(&path))
            .map_err(of_file)?;
        Ok(written)
    });
    if written.is_err() {
        // The first error is the one reported.
        let _ = remove_if_there(&part);
    }
    written
}

fn check_replaceable(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            let accepts = "a new file, or a regular file to replace";
            Err(InvalidValue::new("output", accepts, path.display()).into())
        }
        _ => Ok(()),
    }
}

/// Writes the file; again if something was erased meanwhile, so that the erased text is not in it.
fn write_rounds(
    part: &Path,
    spaces: &[&SpaceSource],
    extras: &[ExportExtra],
    now: Timestamp,
) -> Result<WrittenExport, ExportFailure> {
    let mut round = 1;
    loop {
        let ends = ends_of(spaces)?;
        let written = write_once(part, spaces, &ends, extras, now);
        let erased = erased_since(spaces, &ends)?;
        if !erased || round == ROUNDS {
            return written;
        }
        round += 1;
    }
}

fn ends_of(spaces: &[&SpaceSource]) -> Result<Vec<ExportedSpace>, ExportFailure> {
    let numbered = spaces.iter().enumerate();
    let ends = numbered.map(|(number, space)| {
        space.exported_now().map_err(|error| ExportFailure {
            space: Some(number),
            error,
        })
    });
    ends.collect()
}

fn erased_since(spaces: &[&SpaceSource], ends: &[ExportedSpace]) -> Result<bool, ExportFailure> {
    for (number, (space, end)) in spaces.iter().zip(ends).enumerate() {
        let erased = space.read(|reader| log::erased_after(reader, end.last_seq));
        let erased = erased.map_err(|error| ExportFailure {
            space: Some(number),
            error,
        })?;
        if erased {
            return Ok(true);
        }
    }
    Ok(false)
}

fn write_once(
    part: &Path,
    spaces: &[&SpaceSource],
    ends: &[ExportedSpace],
    extras: &[ExportExtra],
    now: Timestamp,
) -> Result<WrittenExport, ExportFailure> {
    let of_file = |error| ExportFailure { space: None, error };
    let failed = |error| of_file(StoreError::io("write", part)(error));
    let mut extras = extras.to_vec();
    extras.sort_unstable();
    extras.dedup();
    let manifest = ExportManifest {
        made_at: now,
        spaces: ends.to_vec(),
        extras,
    };
    let text = serde_json::to_vec(&manifest).map_err(|error| of_file(error.into()))?;
    let file = create(part).map_err(of_file)?;
    let mut output = SectionWriter::begin(BufWriter::new(&file)).map_err(failed)?;
    output.write(Tag::Manifest, 0, &text).map_err(failed)?;
    for (number, (space, end)) in spaces.iter().zip(ends).enumerate() {
        let mut sections = Sections {
            part,
            output: &mut output,
            number: number as u32,
        };
        let written = sections.write_space(space, end, &manifest.extras);
        written.map_err(|error| ExportFailure {
            space: Some(number).filter(|_| !is_of_file(&error, part)),
            error,
        })?;
    }
    let (output, digest, bytes) = output.finish().map_err(failed)?;
    drop(output);
    file.sync_all()
        .map_err(StoreError::io("sync", part))
        .map_err(of_file)?;
    Ok(WrittenExport {
        spaces: manifest.spaces,
        extras: manifest.extras,
        bytes,
        digest: hexadecimal::digits(&digest),
    })
}

/// Opens the unfinished file, empty and readable by its owner only.
fn create(part: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // What somebody else put there is not followed.
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
    }
    options
        .open(part)
        .map_err(StoreError::io("open for writing", part))
}

/// Whether the file or its disk failed, not the space.
fn is_of_file(error: &StoreError, part: &Path) -> bool {
    match error {
        StoreError::Io { path, .. } | StoreError::ReadOnly { path, .. } => path == part,
        StoreError::DiskFull { .. } => true,
        _ => false,
    }
}

/// The sections of one space.
struct Sections<'file, W> {
    part: &'file Path,
    output: &'file mut SectionWriter<W>,
    number: u32,
}

impl<W: Write> Sections<'_, W> {
    fn write_space(
        &mut self,
        space: &SpaceSource,
        end: &ExportedSpace,
        extras: &[ExportExtra],
    ) -> Result<()> {
        let config = space.current_config()?;
        let settings = toml::to_string(&*config).map_err(|error| {
            StoreError::damaged(&space.folder().join("space.toml"), error.to_string())
        })?;
        self.write(Tag::Settings, settings.as_bytes())?;
        self.write_journal(space, end)?;
        for extra in extras {
            self.write_extra(space, *extra)?;
        }
        Ok(())
    }

    fn write(&mut self, tag: Tag, text: &[u8]) -> Result<()> {
        let written = self.output.write(tag, self.number, text);
        written.map_err(StoreError::io("write", self.part))
    }

    fn write_journal(&mut self, space: &SpaceSource, end: &ExportedSpace) -> Result<()> {
        let folder = space.journal_folder();
        let (mut text, mut last) = (Vec::new(), (Seq(0), crate::Digest::default()));
        for line in Lines::of(&folder)? {
            if last.0 == end.last_seq {
                break;
            }
            let line = line?;
            last = (line.seq, line.hash);
            serde_json::to_writer(&mut text, &line)?;
            text.push(b'\n');
            if text.len() >= SECTION_BYTES {
                self.write(Tag::Journal, &text)?;
                text.clear();
            }
        }
        if last != (end.last_seq, end.last_hash) {
            let reason = format!(
                "it ends at event {}, before the exported event {}",
                last.0, end.last_seq
            );
            return Err(StoreError::damaged(&folder, reason));
        }
        if text.is_empty() {
            return Ok(());
        }
        self.write(Tag::Journal, &text)
    }

    /// Writes one committed state of a database; nothing if the space doesn't have it.
    fn write_extra(&mut self, space: &SpaceSource, extra: ExportExtra) -> Result<()> {
        let database = extra.path(space.folder());
        if look_at(&database)?.is_none() {
            return Ok(());
        }
        let copy = unfinished(self.part);
        drop(open_private_file(&copy)?);
        let written =
            copy_database(&database, &copy).and_then(|()| self.write_file(extra.tag(), &copy));
        remove_if_there(&copy)?;
        written
    }

    fn write_file(&mut self, tag: Tag, path: &Path) -> Result<()> {
        let file = File::open(path).map_err(StoreError::io("open", path))?;
        loop {
            let mut piece = Vec::new();
            (&file)
                .take(SECTION_BYTES as u64)
                .read_to_end(&mut piece)
                .map_err(StoreError::io("read", path))?;
            if piece.is_empty() {
                return Ok(());
            }
            self.write(tag, &piece)?;
        }
    }
}

impl SpaceSource {
    /// What an export made now contains: everything acknowledged before the call, nothing erased.
    fn exported_now(&self) -> Result<ExportedSpace> {
        let last_seq = self.settle_journal()?;
        let hash = self.read(|reader| log::hash_at(reader, last_seq))?;
        let missing =
            || StoreError::damaged(self.database(), format!("event {last_seq} is missing"));
        Ok(ExportedSpace {
            name: self.name().to_string(),
            last_seq,
            last_hash: hash.ok_or_else(missing)?,
        })
    }
}
