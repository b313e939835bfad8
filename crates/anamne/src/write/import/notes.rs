//! Imports Markdown notes: those of a folder, or one file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anamne_store::{ImportItem, read_regular};
use anamne_types::{Limits, LinkType};
use serde_json::{Map, Value, json};

use super::intake::{ImportWriter, RecordPosition};
use super::record::{ImportedLink, Record, full_weight};
use super::{GoneNote, ImportOptions, ImportReport};
use crate::derived::imports::{FoundNotes, NotesFolder};
use crate::space::Space;
use crate::{Error, front_matter};

/// Maximum bytes of a note.
const LONGEST_NOTE: u64 = 8 * Limits::CONTENT_BYTES as u64;

/// Note ids by path without extension, or by file name, as wikilinks name them.
type Ids = HashMap<String, String>;

/// Imports every note under a folder into `space`, ordered by path, or the note in a file.
pub(crate) fn import_notes(
    space: &Space,
    path: &Path,
    options: ImportOptions,
    progress: &mut dyn FnMut(&ImportReport),
) -> Result<ImportReport, Error> {
    let mut passed_over = 0;
    let notes = if path.is_file() {
        vec![Note::alone(path)]
    } else {
        notes_under(path, &mut passed_over)?
    };
    let mut ids = Ids::new();
    for note in &notes {
        // An unreadable note is reported later, in order.
        if let Ok((properties, _)) = load(note).and_then(|text| owned(&text)) {
            let name = note.name.trim_end_matches(".md").to_owned();
            let id = match properties.get("id") {
                Some(Value::String(id)) => id.clone(),
                _ => note.name.clone(),
            };
            if let Some((_, stem)) = name.rsplit_once('/') {
                ids.entry(stem.to_owned()).or_insert_with(|| id.clone());
            }
            ids.insert(name, id);
        }
    }
    let mut intake = ImportWriter::new(space, options, progress);
    intake.report.passed_over = passed_over;
    for note in &notes {
        intake.report.lines += 1;
        let place = RecordPosition {
            line: intake.report.lines,
            file: Some(note.name.clone()),
        };
        let read = load(note).and_then(|text| {
            let (properties, content) = owned(&text)?;
            Ok((text.len(), arrival(note, properties, content, &ids)?))
        });
        match read {
            Ok((bytes, (arrival, links))) => {
                intake.report.bytes += bytes as u64;
                intake.take(place, bytes, arrival, links)?;
            }
            Err(reason) => intake.skip_record(&place, &reason)?,
        }
    }
    let (mut report, found) = intake.finish_folder()?;
    if path.is_dir() {
        report.gone = notes_gone(space, path, &guarded(space, found), options)?;
    }
    Ok(report)
}

/// What was found, with each path as the guard lets it be stored. O(bytes of the paths).
fn guarded(space: &Space, found: FoundNotes) -> FoundNotes {
    let guarded = |path: String| {
        if space.config().guard.skips(&path) {
            return path;
        }
        space.guarded_text(&path)
    };
    let memories = found.memories.into_iter();
    FoundNotes {
        memories: memories.map(|(id, path)| (id, guarded(path))).collect(),
        skipped: found.skipped.into_iter().map(guarded).collect(),
    }
}

/// Notes what the notes of a folder became, and returns those that it no longer has if the import updates.
fn notes_gone(
    space: &Space,
    folder: &Path,
    found: &FoundNotes,
    options: ImportOptions,
) -> Result<Vec<GoneNote>, Error> {
    let folder = NotesFolder::at(folder).map_err(|source| Error::Stream {
        action: "read the folder of notes",
        source,
    })?;
    let imports = &space.inner.derived.imports;
    let gone = if options.updates {
        imports.gone(folder, found)?
    } else {
        Vec::new()
    };
    imports.note(folder, found)?;
    let named = gone.into_iter().map(|(memory, file)| GoneNote {
        citation: memory.citation(),
        memory: memory.id,
        file,
    });
    Ok(named.collect())
}

/// A note's file, and its path in the folder, separated by `/`.
struct Note {
    path: PathBuf,
    name: String,
    /// Why it is unreadable, if so; it may be a folder then.
    unreadable: Option<String>,
}

impl Note {
    /// The note in a file that was named itself.
    fn alone(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default();
        Self {
            path: path.to_owned(),
            name: name.to_string_lossy().into_owned(),
            unreadable: None,
        }
    }
}

/// The notes of a folder, ordered by path; counts the other files.
fn notes_under(folder: &Path, passed_over: &mut u64) -> Result<Vec<Note>, Error> {
    let failed = |source| Error::Stream {
        action: "read the folder of notes",
        source,
    };
    let mut notes = Vec::new();
    let paths = entries(folder).map_err(failed)?;
    collect(folder, paths, &mut notes, passed_over);
    Ok(notes)
}

/// Collects the notes among and below `paths`, without hidden folders and symbolic links, but with unreadable entries.
fn collect(root: &Path, paths: Vec<PathBuf>, notes: &mut Vec<Note>, passed_over: &mut u64) {
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let unreadable = match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => match entries(&path) {
                Ok(below) => {
                    collect(root, below, notes, passed_over);
                    continue;
                }
                Err(error) => Some(format!("can't read the folder: {error}")),
            },
            Ok(metadata) if metadata.is_file() && is_markdown(&path) => None,
            Ok(_) => {
                *passed_over += 1;
                continue;
            }
            Err(error) => Some(format!("can't read metadata: {error}")),
        };
        let parts = path.strip_prefix(root).unwrap_or(&path).iter();
        let name: Vec<_> = parts.map(std::ffi::OsStr::to_string_lossy).collect();
        let name = name.join("/");
        notes.push(Note {
            path,
            name,
            unreadable,
        });
    }
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

fn load(note: &Note) -> Result<String, String> {
    if let Some(reason) = &note.unreadable {
        return Err(reason.clone());
    }
    let bytes = read_regular(&note.path, LONGEST_NOTE).map_err(|unfit| unfit.to_string())?;
    let bytes = bytes.ok_or("no longer there")?;
    String::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))
}

/// The properties and the content; an export adds one line break to every content.
///
/// If the first line ends with CRLF, every line is read as one that ends with a line feed. No export begins so, but editors and
/// version control convert notes.
fn owned(text: &str) -> Result<(Map<String, Value>, String), String> {
    let (properties, content) = front_matter::read(text)?;
    let first = text.split_once('\n').map(|(line, _)| line);
    let content = if first.is_some_and(|line| line.ends_with('\r')) {
        Cow::Owned(content.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(content)
    };
    let content = content.strip_suffix('\n').unwrap_or(&content);
    Ok((properties, content.to_owned()))
}

fn arrival(
    note: &Note,
    mut properties: Map<String, Value>,
    content: String,
    ids: &Ids,
) -> Result<(ImportItem, Vec<ImportedLink>), String> {
    properties.retain(|_, value| !value.is_null());
    let wikilinks = take_wikilinks(&mut properties);
    if !properties.contains_key("id") {
        properties.insert("id".to_owned(), note.name.clone().into());
        let is_plain = !properties.contains_key("kind") && !properties.contains_key("category");
        if is_plain {
            properties.insert("kind".to_owned(), "document".into());
            let stem = note.name.trim_end_matches(".md");
            let title = stem.rsplit('/').next().unwrap_or(stem);
            properties.entry("title").or_insert_with(|| json!(title));
        }
    }
    if let Some(tags) = properties.get_mut("tags") {
        *tags = tag_list(tags);
    }
    properties.insert("content".to_owned(), content.into());
    let record: Record =
        serde_json::from_value(properties.into()).map_err(|error| error.to_string())?;
    let (arrival, mut links) = record.into_arrival()?;
    for (link_type, target) in wikilinks {
        // The memory of a note that is gone may still be in the store, by the note's path.
        let to = ids.get(&target).cloned();
        let to = to.unwrap_or_else(|| format!("{target}.md"));
        if !links
            .iter()
            .any(|link| link.link_type == link_type && is_end(link, &to, &target))
        {
            links.push(ImportedLink {
                to,
                link_type,
                weight: full_weight(),
                reason: String::new(),
                created_at: None,
                note: None,
            });
        }
    }
    Ok((arrival, links))
}

fn is_end(link: &ImportedLink, to: &str, target: &str) -> bool {
    link.to == to || link.note.as_deref() == Some(target)
}

/// Removes and returns the properties that are named like a link type and contain wikilinks.
fn take_wikilinks(properties: &mut Map<String, Value>) -> Vec<(LinkType, String)> {
    let mut found = Vec::new();
    for &link_type in LinkType::ALL {
        let targets: Option<Vec<_>> = match properties.get(link_type.as_str()) {
            Some(Value::String(text)) => wikilink(text).map(|target| vec![target]),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().and_then(wikilink))
                .collect(),
            _ => None,
        };
        if let Some(targets) = targets {
            properties.remove(link_type.as_str());
            found.extend(targets.into_iter().map(|target| (link_type, target)));
        }
    }
    found
}

/// The target of a wikilink: `[[folder/note]]`, `[[note|shown]]`, `[[note#part]]`.
fn wikilink(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix("[[")?.strip_suffix("]]")?;
    let target = inner.split(['|', '#']).next()?.trim();
    Some(target.trim_end_matches(".md").to_owned())
}

/// Tags as a list of strings, however they are written.
fn tag_list(tags: &Value) -> Value {
    let word = |tag: &Value| match tag {
        Value::String(tag) => json!(tag),
        other => json!(other.to_string()),
    };
    match tags {
        Value::Array(tags) => tags.iter().map(word).collect(),
        Value::String(tags) => tags
            .split([',', ' '])
            .filter(|tag| !tag.is_empty())
            .map(|tag| json!(tag))
            .collect(),
        other => json!([word(other)]),
    }
}
