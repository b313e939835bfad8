//! Where records come from.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use anamne::{Error, ImportOptions, ImportReport, Space};

use super::binary::{self, ExportFile};
use super::progress::Progress;
use super::total::{Total, of_file, sum};
use crate::failure::Failure;
use crate::next_step::on_one_line;
use crate::wording::{file_name, named};

/// The source of records.
pub(super) enum Source {
    /// With its first bytes, which were read to recognise an export file.
    StandardInput(Vec<u8>),
    Lines(File),
    Notes(PathBuf),
    Binary(ExportFile),
}

impl Source {
    pub(super) fn open(file: &str) -> std::io::Result<Self> {
        let path = Path::new(file);
        if file == "-" {
            let (is_binary, beginning) = binary::beginning(std::io::stdin())?;
            return Ok(if is_binary {
                Self::Binary(Box::new(Cursor::new(beginning).chain(std::io::stdin())))
            } else {
                Self::StandardInput(beginning)
            });
        }
        if path.is_dir() {
            std::fs::read_dir(path)?;
            return Ok(Self::Notes(path.to_owned()));
        }
        let mut opened = File::open(path)?;
        let (is_binary, _) = binary::beginning(&opened)?;
        opened.rewind()?;
        let is_named = |ending| {
            path.extension()
                .is_some_and(|extension| extension == ending)
        };
        if is_named("anamne") && !is_binary {
            return Err(std::io::Error::other(
                "it is named like an export file, but doesn't begin like one",
            ));
        }
        Ok(if is_named("md") {
            Self::Notes(path.to_owned())
        } else if is_binary {
            Self::Binary(Box::new(BufReader::with_capacity(1 << 16, opened)))
        } else {
            Self::Lines(opened)
        })
    }

    pub(super) fn read(
        self,
        file: &str,
        space: &Space,
        options: ImportOptions,
        progress: &Progress,
        before: &Total,
    ) -> Result<ImportReport, Failure> {
        let mut reached = ImportReport::default();
        let mut watch = |report: &ImportReport| {
            progress.reading(before, report);
            reached = report.clone();
        };
        let read = match self {
            Self::StandardInput(beginning) => {
                let rest = BufReader::new(std::io::stdin());
                let reader = Cursor::new(beginning).chain(rest);
                space.import(reader, options, &mut watch)
            }
            Self::Binary(_) => return Err(binary::not_alone(file)),
            Self::Lines(opened) => {
                let reader = BufReader::with_capacity(1 << 16, opened);
                space.import(reader, options, &mut watch)
            }
            Self::Notes(folder) => space.import_notes(&folder, options, &mut watch),
        };
        read.map_err(|error| stopped(file, error, before, &reached))
    }
}

/// The size of a file; `None` if it isn't known in advance.
pub(super) fn size_of(file: &str) -> Result<Option<u64>, Failure> {
    if file == "-" {
        return Ok(None);
    }
    let metadata = std::fs::metadata(file).map_err(|error| unreadable(file, &error))?;
    if !metadata.is_file() && !metadata.is_dir() {
        let name = file_name(Path::new(file));
        return Err(
            Failure::refused("file", format!("can't import {name}: not a regular file"))
                .hint("to import a stream, use a pipe: … | anamne import -"),
        );
    }
    Ok(metadata.is_file().then_some(metadata.len()))
}

pub(super) fn unreadable(file: &str, error: &std::io::Error) -> Failure {
    let message = format!("can't read {}: {error}", named(file));
    if error.kind() == std::io::ErrorKind::NotFound {
        Failure::not_found(message)
    } else {
        Failure::failed(message)
    }
}

/// The failure that ended an import, with what was imported until then.
pub(super) fn stopped(file: &str, error: Error, before: &Total, reached: &ImportReport) -> Failure {
    let (message, taken, what, stored) = match error {
        Error::BadLine {
            line,
            reason,
            stored,
            next_step,
            taken,
        } => {
            let name = if file == "-" { "standard input" } else { file };
            (
                on_one_line(
                    format_args!("{}:{line}: {}", named(name), named(&reason)),
                    next_step,
                ),
                *taken,
                "line",
                stored,
            )
        }
        Error::BadNote {
            file: note,
            reason,
            stored,
            next_step,
            taken,
        } => (
            on_one_line(
                format_args!(
                    "{}: {}",
                    file_name(of_file(file, Some(note))),
                    named(&reason)
                ),
                next_step,
            ),
            *taken,
            "note",
            stored,
        ),
        other => return Failure::from(other).taken(sum(before, reached)),
    };
    let imported = if stored {
        "every memory is imported, but not every link".to_owned()
    } else {
        format!("everything before this {what} is imported")
    };
    Failure::failed(message)
        .hint(format!(
            "{imported}; fix it and run the import again, or use --skip-bad"
        ))
        .taken(sum(before, &taken))
}
